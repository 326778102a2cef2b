"""An install that has much to forget: every word of it a canary, told apart by what it came from."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from edge.dispatch import Artefact
from edge.domain.direction import proposal_id
from edge.domain.events import NO_STREAM, Data, Draft
from edge.journal import Act
from edge.wiring import Edge
from tests.support.sweeping import Session

SESSION, OTHER, COMMENT, REPLY, ARTEFATO, PROPOSED = (
    f"canary{word}" for word in ("sessionwords", "otherwords", "comment", "reply", "artefato", "proposed")
)
STEER = "steerthatstays"
KEPT_COMMENT = "wordsthatstay"
SLUG = "study"


class Memories(NamedTuple):
    """What can be forgotten."""

    comment: str
    """Folded into :data:`STEER` by a run that also loaded :attr:`other_comment`."""
    other_comment: str
    open_comment: str
    run: str
    steer: str
    retired: str
    """A steer set by hand that the comment's own close took out."""
    proposal: str
    promoted: str
    dispatch: str
    """Open, and its Briefing quotes all of it."""


def write_sessions(root: Path) -> None:
    for name, words, cwd in (
        ("s1", SESSION, "/home/ana/loja"),
        ("s2", OTHER, "/home/ana/horta"),
        ("s3", OTHER, "/home/ana/loja/api"),
    ):
        session = Session(name, cwd=cwd)
        for n in range(3):
            session.user(f"{words} {name} prompt {n}")
            session.agent(f"{words} {name} answer {n}")
        session.write(root)


def with_memories(edge: Edge) -> Memories:
    root = Path(edge.settings.root or "")
    write_sessions(root)
    edge.sweep()
    for event in edge.log.read_all(types=["episode.captured"]):
        data: Data = {
            "episode": event.id,
            "by": {"extractor": "test"},
            "gist": f"extracted {event.data['turns'][0]['text']}",
            "entities": [
                {"id": "shared", "name": "Loja"},
                {"id": f"of {event.id}", "name": f"thing {event.data['turns'][0]['text']}"},
            ],
            "facts": [
                {
                    "id": f"fact {event.id}",
                    "source": "shared",
                    "target": f"of {event.id}",
                    "relation": "SAID",
                    "statement": f"stated {event.data['turns'][0]['text']}",
                }
            ],
        }
        edge.journal.append(
            edge.streams.extraction(event.id), [Draft("episode.extracted", data)], NO_STREAM, Act("extractor")
        )
    _publish(edge, SLUG, ARTEFATO)
    _publish(edge, "other", "otherbody")
    edge.voz.vote(SLUG, 1)
    by_hand = edge.steering.set_({"title": "old steer", "body": "old", "kind": "phase"}, None, None).id
    folds = edge.voz.comment(f"{COMMENT} folds", on=SLUG).id
    retires = edge.voz.comment(f"{COMMENT} retires").id
    run = edge.grill.start("attended", 8, 12_000).run["run_id"]
    chats: list[Data] = [
        {
            "comment_id": folds,
            "decision": "fold",
            "reply": f"{REPLY} done",
            "steer": {"title": STEER, "body": STEER, "kind": "priority", "supersedes": by_hand},
        },
        {"comment_id": retires, "decision": "reply", "reply": f"{REPLY} two"},
    ]
    plan = {"chats": [{**chat, "ambiguous": False, "evidence": ["x"]} for chat in chats]}
    edge.grill.close(run, plan, "operator", intent="kernel of the grill")
    proposed = {i["title"]: i["id"] for i in edge.current().items() if i["tier"] == "proposed"}
    promoted = proposal_id(SLUG, f"promoted {SLUG}", "promoted body")
    edge.steering.set_({}, promoted, None)
    open_ = edge.voz.comment(f"{COMMENT} open").id
    edge.voz.comment(KEPT_COMMENT, on=SLUG)
    steer = next(i["id"] for i in edge.current().items() if i["title"] == STEER)
    opened = edge.dispatches.open(
        "report", "theme", "operator", lambda _: None, lambda _: None, edge.briefing
    )
    return Memories(
        folds,
        retires,
        open_,
        run,
        steer,
        by_hand,
        proposed[f"{PROPOSED} {SLUG}"],
        promoted,
        opened.dispatch_id,
    )


def _publish(edge: Edge, slug: str, words: str) -> None:
    opened = edge.dispatches.open("report", None, "operator", lambda _: None, lambda _: None, edge.briefing)
    proposes = [
        {"title": f"{PROPOSED} {slug}", "body": "x", "kind": "thread"},
        {"title": f"promoted {slug}", "body": "promoted body", "kind": "thread"},
    ]
    said: Data = {
        "slug": slug,
        "title": f"{words} title",
        "body": f"# {words}",
        "cites": [{"ref": "session s1", "kind": "atividade"}],
        "proposes": proposes,
    }
    intent = f"{words} intent"
    edge.dispatches.close(opened.dispatch_id, intent, Artefact(said, republish=False), {})


def present_sessions(edge: Edge) -> None:
    """A Briefing that quotes what was taken in of sessions, as one with a section on knowledge will."""
    items = [
        {"section": "knowledge", "text": event.data["turns"][0]["text"], "events": [event.id]}
        for event in edge.log.read_all(types=["episode.captured"])
    ]
    for n, item in enumerate(items):
        opened: Data = {"kind": "report", "origin": "operator"}
        presented: Data = {"position": edge.log.head(), "text": item["text"], "items": [item]}
        edge.journal.append(
            edge.streams.dispatch(f"quotes{n}"),
            [Draft("dispatch.opened", opened), Draft("briefing.presented", presented)],
            NO_STREAM,
            Act("dispatch", dispatch_id=f"quotes{n}"),
        )


def found_in(place: Path, canary: str) -> list[str]:
    """The files under a home that hold the word, in their raw bytes."""
    needle = canary.encode()
    return sorted(f.name for f in place.rglob("*") if f.is_file() and needle in f.read_bytes())
