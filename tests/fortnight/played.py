"""The fortnight typed at a terminal, act by act, and all that is looked at each evening."""

from __future__ import annotations

import contextlib
import io
import json
import os
import sys
from collections.abc import Iterator
from datetime import datetime, timedelta
from itertools import count
from pathlib import Path
from typing import Any, NamedTuple, cast
from uuid import UUID

import pytest

from adapters.system import TimeOrderedIds
from tests.e2e.person import Person, Seen
from tests.fortnight.acts import (
    SPELLINGS,
    ZONE,
    Accept,
    Answer,
    Artefato,
    Close,
    Comment,
    Curate,
    Day,
    Decision,
    Drop,
    Forget,
    Grill,
    Happening,
    Imported,
    Open,
    Promote,
    Propose,
    Retire,
    Rules,
    Session,
    Set,
    Steer,
    Vote,
    Withdraw,
    session_id,
)
from tests.support.sweeping import Session as Transcript

FOREVER = "20000"
"""Tokens that any Briefing of the fortnight fits."""


class Evening(NamedTuple):
    """What stood at the end of a day; ``briefing`` as text is what a person reads, in the default budget."""

    text: str
    briefing: dict[str, Any]
    direction: dict[str, Any]
    chats: list[dict[str, Any]]
    pending: dict[str, Any]
    artefatos: list[dict[str, Any]]
    sources: list[dict[str, Any]]
    status: dict[str, Any]
    knowledge: list[dict[str, Any]]


class Played(NamedTuple):
    """``opened``: what each dispatch was oriented by, with its day; ``ruled``: what rules made of chats."""

    person: Person
    evenings: list[Evening]
    opened: list[tuple[Open, dict[str, Any]]]
    ruled: list[tuple[Rules, dict[str, str]]]
    loaded: list[tuple[Grill, list[str]]]
    keys: dict[str, str]
    """Comment id → its key in the script."""
    events: dict[str, dict[str, Any]]


class _Ears:
    """Hears what is printed, for fixtures that outlive a test."""

    def __init__(self, patch: pytest.MonkeyPatch) -> None:
        self._patch = patch
        self._heard: list[io.TextIOWrapper] = []
        self.readouterr()

    def readouterr(self) -> Any:
        said = [_told(stream) for stream in self._heard] or ["", ""]
        self._heard = [io.TextIOWrapper(io.BytesIO(), "utf-8") for _ in range(2)]
        for name, stream in zip(("stdout", "stderr"), self._heard, strict=True):
            self._patch.setattr(sys, name, stream)
        return Seen(0, *said)


def _told(stream: io.TextIOWrapper) -> str:
    stream.flush()
    return cast("io.BytesIO", stream.buffer).getvalue().decode()


@contextlib.contextmanager
def at_a_terminal(home: Path) -> Iterator[Person]:
    """A person whose ids come in the order they are asked for, the same in every play."""
    with pytest.MonkeyPatch.context() as patch:
        asked = count(1)
        patch.setattr(TimeOrderedIds, "new", lambda _self: str(UUID(int=0x0193 << 112 | next(asked))))
        yield Person(home, patch, _Ears(patch))


class Play:
    """One play, on one log."""

    def __init__(self, person: Person, log: str | None) -> None:
        self.person = person
        self.store = person.home.parent / "transcripts"
        self.written: dict[str, Transcript] = {}
        self.ids: dict[str, str] = {}
        self.steers: dict[str, str] = {}
        self.opened: list[tuple[Open, dict[str, Any]]] = []
        self.ruled: list[tuple[Rules, dict[str, str]]] = []
        self.loaded: list[tuple[Grill, list[str]]] = []
        self.store.mkdir()
        self._now = datetime.min
        where = ("--log", log) if log else ()
        words = ("init", "--group", "me", "--zone", ZONE, "--store", self.store, *where)
        person.sets(EDGE_NOW="2026-11-01T12:00:00Z")
        begun = person.types(*words)
        assert begun.code == 0, begun.err

    def through(self, days: tuple[Day, ...]) -> Played:
        evenings = []
        for day in days:
            for happening in day.happens:
                self._at(day.when(happening.at))
                self.does(happening)
            self._at(day.looked_at)
            evenings.append(self._looks())
        exported = self.person.types("log", "export").out.splitlines()
        events = {e["id"]: e for e in map(json.loads, exported)}
        keys = {id_: key for key, id_ in self.ids.items()}
        return Played(self.person, evenings, self.opened, self.ruled, self.loaded, keys, events)

    def _at(self, now: datetime) -> None:
        self._now = now
        self.person.sets(EDGE_NOW=now.isoformat())

    def _looks(self) -> Evening:
        gets = self.person.gets
        seen = self.person.types("briefing")
        assert seen.code == 0, seen.err
        return Evening(
            seen.out,
            gets("briefing"),
            gets("direction", "list"),
            gets("voz", "list"),
            gets("voz", "pending"),
            gets("artefato", "list"),
            gets("sources", "list"),
            gets("status"),
            gets("knowledge", "list"),
        )

    # -- what happens -------------------------------------------------------------------------

    def does(self, happening: Happening) -> None:
        gets = self.person.gets
        match happening:
            case Session():
                self._says(happening)
            case Open():
                words = ("open", happening.kind, "--budget-tokens", FOREVER)
                self.opened.append((happening, gets(*words)))
            case Close():
                self._closes(happening)
            case Comment(key=key, text=text, on=on, harm=harm):
                about = ("--on", on) if on else ()
                self.ids[key] = gets("voz", "comment", text, "--harm", harm, *about)["comment_id"]
            case Vote():
                gets("voz", "vote", happening.slug, happening.value)
            case Answer():
                gets("voz", "answer", self._question(happening.key), happening.text)
            case Withdraw():
                gets("voz", "withdraw", self.ids[happening.key])
            case Grill():
                self._grills(happening)
            case Rules():
                found = gets("grill", "run", "--unattended")["results"]
                self.ruled.append(
                    (happening, {self._key(r["comment_id"]): r["outcome"] or r["result"] for r in found})
                )
            case Imported():
                self._imports(happening)
            case Promote():
                (fact,) = [f for f in gets("knowledge", "list") if happening.words in f["statement"]]
                gets("knowledge", "promote", fact["id"])
            case Forget():
                gets("forget", session_id(happening.label), "--yes")
            case _:
                self._moves(happening)

    def _moves(self, happening: Happening) -> None:
        """Direction and sources, by hand."""
        gets = self.person.gets
        match happening:
            case Propose() | Set():
                verb = "set" if isinstance(happening, Set) else "propose"
                steer = happening.steer
                words = ["--title", steer.title, "--body", steer.body, "--kind", steer.kind]
                words += ["--expires", steer.expires] if steer.expires else []
                gets("direction", verb, *words)
            case Accept():
                gets("direction", "set", self._steer(happening.title))
            case Drop():
                gets("direction", "drop", self._steer(happening.title), "--reason", happening.reason)
            case Curate():
                ref = SPELLINGS[happening.source][happening.spelling]
                gets("sources", "curate", ref, "--opinion", happening.opinion)
            case Retire():
                ref = SPELLINGS[happening.source][happening.spelling]
                gets("sources", "retire", ref, "--reason", happening.reason)

    def _says(self, session: Session) -> None:
        name = session.goes_on or session.label
        transcript = self.written.get(name)
        if transcript is None:
            entrypoint = "sdk-cli" if session.program else "cli"
            transcript = Transcript(session_id(name), f"/home/op/{session.project}", entrypoint=entrypoint)
            if session.copies:
                id_ = transcript.name
                copied = self.written[session.copies].records
                transcript.records = [{**record, "sessionId": id_} for record in copied]
            self.written[name] = transcript
        transcript._now = self._now - timedelta(minutes=5)
        for who, text in session.turns():
            if who == ">":
                transcript.user(text)
            else:
                transcript.agent(text)
        path = transcript.write(self.store, session.project)
        os.utime(path, (self._now.timestamp(), self._now.timestamp()))  # a sweep reads in this order

    def _closes(self, close: Close) -> None:
        answers = [w for key in close.answered for w in ("--answered", f"{self.ids[key]}=said")]
        words: list[object] = ["close", "--intent", close.intent, *answers]
        if close.artefato:
            words += self._artefato(close.artefato)
        self.person.gets(*words)

    def _artefato(self, artefato: Artefato) -> list[object]:
        meta, file = self.person.home / "meta.json", self.person.home / "artefato.md"
        cites = [
            {"ref": SPELLINGS[c.source][c.spelling], "kind": c.kind, "relevant": c.relevant}
            for c in artefato.cites
        ]
        proposes = [{"title": s.title, "body": s.body, "kind": s.kind} for s in artefato.proposes]
        told = {"title": artefato.title, "cites": cites, "proposes": proposes}
        meta.write_text(json.dumps({**told, "distills": list(artefato.distills)}))
        file.write_text(f"# {artefato.title}\n\n{artefato.body}\n", "utf-8")
        again = ["--republish"] if artefato.republish else []
        return ["--artefato", file, "--slug", artefato.slug, "--meta", meta, *again]

    def _imports(self, imported: Imported) -> None:
        lines = []
        for seq, (id_, text, about) in enumerate(imported.comments, 1):
            self.ids[id_] = id_
            payload = {"comment_id": id_, "body": text} | ({"target_ref": about} if about else {})
            told = {"seq": seq, "ts": "2026-11-01T10:00:00Z", "type": "voz.comment", "subject": "voz"}
            lines.append(json.dumps({**told, "payload": payload}))
        given = "\n".join([*lines, ""]).encode()
        self.person.gets("log", "import", "-", "--format", "edge-of-chaos", given=given)

    # -- grills -------------------------------------------------------------------------------

    def _grills(self, grill: Grill) -> None:
        run = self.person.gets("grill", "start", "--max-chats", grill.most)
        self.loaded.append((grill, [self._key(c["comment_id"]) for c in run["loaded"]]))
        plan = {
            "chats": [self._planned(decision) for decision in grill.decides],
            "curate": [self._curated(c.do, c.what, c.says) for c in grill.curates],
        }
        done = self.person.gets("grill", "close", "--plan", "-", given=json.dumps(plan).encode())
        assert done["finished"], done

    def _planned(self, decision: Decision) -> dict[str, Any]:
        entry: dict[str, Any] = {
            "comment_id": self.ids[decision.key],
            "decision": decision.do,
            "ambiguous": False,
            "evidence": ["as agreed at the table"],
        }
        match decision.do:
            case "reply":
                entry["reply"] = decision.says
            case "park":
                entry |= {"question": decision.says, "ambiguous": True}
            case "retire":
                entry |= {"direction_id": self._steer(decision.says), "reason": "it was said so"}
            case "fold" if decision.steer:
                entry["steer"] = self._folded(decision.steer)
        return entry

    def _folded(self, steer: Steer) -> dict[str, Any]:
        told = {"title": steer.title, "body": steer.body, "kind": steer.kind}
        return told | ({"supersedes": self._steer(steer.supersedes)} if steer.supersedes else {})

    def _curated(self, do: str, what: str, says: str) -> dict[str, Any]:
        if do == "source":
            return {"do": do, "id": SPELLINGS[what][0], "opinion": says, "evidence": ["seen"]}
        told = {"do": do, "id": self._steer(what), "evidence": ["seen"]}
        return told | ({"reason": says} if do == "drop" else {})

    # -- what only the product knows ----------------------------------------------------------

    def _key(self, comment_id: str) -> str:
        return next(key for key, id_ in self.ids.items() if id_ == comment_id)

    def _steer(self, title: str) -> str:
        lists = self.person.gets("direction", "list")
        (found,) = [s["id"] for tier in ("set", "proposed") for s in lists[tier] if s["title"] == title]
        return str(found)

    def _question(self, key: str) -> str:
        chat = next(c for c in self.person.gets("voz", "list") if c["comment_id"] == self.ids[key])
        (asked,) = [q["clarify_id"] for q in chat["questions"] if q["answer"] is None]
        return str(asked)
