"""``edge why`` on events that another program wrote: whatever their fields hold, the answer is one tree or
one line."""

from __future__ import annotations

import json
import uuid
from typing import Any, Final

import pytest

from edge.domain.events import Data
from tests.e2e.person import Person

ODD: Final[list[Any]] = [5, "x", None, [], {}, ["a", {}, 1], {"a": 1}, True, [None], [{"ref": 7}]]
EPISODE: Final = str(uuid.uuid4())


def foreign(odd: object) -> list[Data]:
    """A history whose identities are in order and whose other fields all hold ``odd``."""
    lines: list[Data] = []

    def add(type_: str, stream: str, data: Data, **metadata: object) -> None:
        revision = sum(line["stream"] == stream for line in lines)
        place: Data = {"stream": stream, "revision": revision, "position": 1_000 + len(lines)}
        told: Data = {"data": data, "metadata": {"actor": "import", **metadata}}
        lines.append({"id": str(uuid.uuid4()), "type": type_, **place, **told})

    item = {"text": odd, "events": odd, "sources": odd}
    few = {"text": "y", "events": [odd, "q"], "sources": [odd]}
    for id_ in ("d1", "with-a-dash"):
        opened = {"dispatch_id": id_, "kind": "beat", "theme": odd}
        add("dispatch.opened", f"dispatch-me.{id_}", opened)
    add("briefing.presented", "dispatch-me.d1", {"text": "x", "position": 3, "items": [item, odd, few]})
    add("briefing.presented", "dispatch-me.d1", {"items": odd})
    add("voz.comment", "voz-me.c1", {"comment_id": "c1", "body": "hello there", "target_ref": "art"})
    loaded = [{"comment_id": "c1", "revision": 0}]
    add("grill.started", "grill-me.r1", {"grill_run_id": "r1", "mode": "attended", "loaded": loaded})
    plan = {"comment_id": "c1", "decision": "fold", "evidence": odd, "reason": odd, "ambiguous": odd}
    add("grill.planned", "grill-me.r1", {"grill_run_id": "r1", "chats": [{**plan, "steer": odd}]})
    resolved = {"comment_id": "c1", "outcome": "folded-to-direction", "reason": odd, "grill_run_id": "r1"}
    add("voz.resolved", "voz-me.c1", resolved, grill_run_id="r1")
    steer = {"id": "s1", "title": "t", "body": "b", "kind": "priority"}
    add("direction.set", "direction-me.s1", {**steer, "origin_comment_id": "c1", "from_artefato": odd})
    artefato = {"slug": "art", "title": "T", "body": "b", "cites": odd, "proposes": odd, "dispatch_id": odd}
    add("artefato.published", "artefato-me.art", artefato)
    add("voz.vote", "voz-me.votes.art", {"vote_id": "v1", "slug": "art", "target_ref": "art", "value": odd})
    captured = {"session": "s", "id": EPISODE, "turns": odd, "project": odd}
    add("episode.captured", "episode-me.s", captured)
    extracted = {"episode": EPISODE, "by": odd, "entities": odd, "facts": odd}
    add("episode.extracted", f"extraction-me.{EPISODE}", extracted)
    known = {"id": "k1", "statement": "we like it", "origin_comment_id": odd, "reason": odd}
    add("knowledge.promoted", "knowledge-me.k1", known)
    add("source.curated", "source-me.z", {"ref": odd, "opinion": odd})
    add("thing.happened", "import-me.x", {"id": odd}, **{"$causationId": odd})
    add("direction.set", "direction-me.Not_An_Id", {"id": "Not An Id", "title": "t", "body": odd})
    return lines


@pytest.mark.parametrize("odd", ODD, ids=repr)
def test_a_foreign_event_of_any_shape_is_told_or_refused_in_one_line(person: Person, odd: object) -> None:
    lines = foreign(odd)
    given = "".join(json.dumps(line) + "\n" for line in lines).encode()
    taken = person.types("log", "import", "-", given=given)
    assert taken.code == 0, taken.err
    ids = ["c1", "r1", "d1", "s1", "art", "v1", "k1", "with-a-dash", EPISODE, "d1#1", "d1#2", "d1#3", "d1#٣"]
    asked = [*ids, "#1", "", " ", "d1#" + "9" * 5_000, *(line["id"] for line in lines)]
    ended = {id_[:60]: person.types("why", id_) for id_ in asked}
    wrong = {id_: seen for id_, seen in ended.items() if seen.code not in (0, 2) or seen.err.count("\n") > 1}
    assert not wrong
    assert ended["c1"].code == ended["s1"].code == ended["r1"].code == 0, ended
    for line in lines:
        assert ended[line["id"]].code == 0, (line, ended[line["id"]])
