"""What one line of the older log becomes: its stream, its event, or the reason it is refused."""

from __future__ import annotations

import json
from typing import Any
from uuid import uuid5

import pytest

from adapters.importers.edge_of_chaos import LINES, EdgeOfChaos
from edge.domain.events import Event
from edge.domain.refusal import Refused
from edge.domain.streams import Streams
from edge.ports_exchange import Translated
from tests.support.importing import Record, line


def translate(*records: Record, past: list[Event] | None = None) -> Translated:
    """The last of the records, translated after the others."""
    importer = EdgeOfChaos(Streams("g"), lambda types: [e for e in past or () if e.type in types])
    out = None
    for record in records:
        out = importer.translate(json.dumps(record), record)
    assert out is not None
    return out


def refusal(record: Record) -> str:
    with pytest.raises(Refused) as refused:
        translate(record)
    return refused.value.message


def imported(type_: str, data: Record, seq: int) -> Event:
    return Event("e", type_, "voz-g.x", 0, 5, data, {"actor": "import", "seq": seq})


@pytest.mark.parametrize(
    ("type_", "payload", "stream"),
    [
        ("voz.comment", {"comment_id": "c1", "body": "x"}, "voz-g.c1"),
        ("voz.reply", {"comment_id": "c1", "body": "x"}, "voz-g.c1"),
        ("voz.clarify", {"comment_id": "c1", "clarify_id": "q1"}, "voz-g.c1"),
        ("voz.resolved", {"comment_id": "c1", "outcome": "replied"}, "voz-g.c1"),
        ("voz.disposition", {"comment_id": "c1", "state": "receipt_sent"}, "voz-g.c1"),
        ("voz.vote", {"slug": "a-1", "value": 1}, "voz-g.votes.a-1"),
        ("voz.vote", {"value": 1}, "import-g.voz"),
        ("voz.resolved", {"outcome": "replied"}, "import-g.voz"),
        ("direction.set", {"id": "d.1", "body": "x"}, "direction-g.d.1"),
        ("direction.set", {"direction_id": "d.1", "body": "x"}, "direction-g.d.1"),
        ("direction.set", {"id": "d.1", "body": "x", "origin_comment_id": "c1"}, "voz-g.c1"),
        ("direction.dropped", {"id": "d.1", "origin_comment_id": "c1"}, "voz-g.c1"),
        ("direction.set", {"body": "x"}, "import-g.voz"),
        ("artefato.published", {"slug": "a-1", "title": "t", "body": "b"}, "artefato-g.a-1"),
        ("intent.kernel", {"slug": "a-1", "dispatch_id": "w1", "intent": "i"}, "artefato-g.a-1"),
        ("intent.kernel", {"dispatch_id": "w1", "intent": "i"}, "dispatch-g.w1"),
        ("intent.kernel", {"intent": "i"}, "import-g.voz"),
        ("dispatch.opened", {"dispatch_id": "w1", "kind": "beat"}, "dispatch-g.w1"),
        ("briefing.presented", {"dispatch_id": "w1", "text": "x"}, "dispatch-g.w1"),
        ("grill.started", {"run_id": "r1"}, "grill-g.r1"),
        ("grill.finished", {"grill_run_id": "r1"}, "grill-g.r1"),
        ("grill.finished", {}, "import-g.voz"),
        ("knowledge.promoted", {"id": "k.1", "statement": "s"}, "knowledge-g.k.1"),
        ("heartbeat", {"comment_id": "NOT AN ID"}, "import-g.voz"),
    ],
)
def test_the_stream_follows_type_and_payload(type_: str, payload: Record, stream: str) -> None:
    assert translate(line(1, type_, payload)).stream == stream


def test_the_subject_decides_nothing_but_the_name_of_the_stream_for_the_rest() -> None:
    assert translate(line(1, "voz.comment", {"comment_id": "c1"}, subject="zzz")).stream == "voz-g.c1"
    names = {
        "São Paulo / Beat #2": "sao-paulo-beat-2",
        "": "unknown",
        "../../etc": "etc",
        "日本": "unknown",
    }
    for subject, name in names.items():
        assert translate(line(1, "beat", {}, subject=subject)).stream == f"import-g.{name}"
    assert translate({"ts": "2026-05-01", "type": "beat"}).stream == "import-g.unknown"
    assert len(translate(line(1, "beat", {}, subject="x" * 5000)).stream) <= 110


def test_the_id_is_made_of_the_line() -> None:
    record = line(3, "voz.comment", {"comment_id": "c1", "body": "x"})
    assert translate(record).id == str(uuid5(LINES, json.dumps(record)))
    assert translate(record).id != translate({**record, "seq": 4}).id


@pytest.mark.parametrize(
    ("ts", "recorded_at"),
    [
        ("2026-05-01T10:00:00Z", "2026-05-01T10:00:00.000Z"),
        ("2026-05-01T10:00:00.123456+02:00", "2026-05-01T08:00:00.123Z"),
        ("2026-05-01T10:00:00", "2026-05-01T10:00:00.000Z"),
        ("2026-05-01", "2026-05-01T00:00:00.000Z"),
    ],
)
def test_its_time_is_kept_in_the_form_of_the_log(ts: str, recorded_at: str) -> None:
    assert translate(line(1, "beat", {}, ts=ts)).recorded_at == recorded_at


@pytest.mark.parametrize("ts", [None, "", "yesterday", 1714557600, "9999-12-31T23:59:59-10:00", ["x"]])
def test_a_line_without_a_time_is_refused(ts: Any) -> None:
    assert "ts" in refusal({"seq": 1, "ts": ts, "type": "beat", "payload": {}})


def test_text_stands_for_body_and_the_first_line_for_a_title() -> None:
    assert translate(line(1, "voz.comment", {"comment_id": "c1", "text": "said"})).data["body"] == "said"
    both = translate(line(1, "voz.comment", {"comment_id": "c1", "text": "a", "body": "b"})).data
    assert both["body"] == "b"
    steer = translate(line(1, "direction.proposed", {"id": "d1", "body": "\n  first\nsecond"})).data
    assert steer["title"] == "first"
    assert "title" not in translate(line(1, "direction.dropped", {"id": "d1", "body": "x"})).data


@pytest.mark.parametrize(("given", "kept"), [(7.6, 8), (7.4, 7), (250, 100), (-3, 0), (1e999, 100), (5, 5)])
def test_a_number_of_harm_is_rounded_into_its_range(given: float, kept: int) -> None:
    assert translate(line(1, "voz.comment", {"comment_id": "c1", "harm": given})).data["harm"] == kept


def test_an_act_without_an_id_gets_its_lines() -> None:
    vote = translate(line(1, "voz.vote", {"slug": "a1", "value": 1}))
    assert vote.data["vote_id"] == vote.id.replace("-", "")
    comment = translate(line(1, "voz.comment", {"body": "x"}))
    assert comment.stream == f"voz-g.{comment.id.replace('-', '')}"
    clarify = translate(line(1, "voz.clarify", {"comment_id": "c1", "question": "which?"}))
    assert clarify.data["clarify_id"] == clarify.id.replace("-", "")


# -- references -----------------------------------------------------------------------------

COMMENT = line(7, "voz.comment", {"comment_id": "c1", "body": "x"})
VOTE = line(8, "voz.vote", {"slug": "a1", "value": 1, "vote_id": "v1"})
CLARIFY = line(9, "voz.clarify", {"comment_id": "c1", "clarify_id": "q1", "question": "?"})


def of(what: Any, **more: Any) -> Record:
    return line(20, "voz.disposition", {"of": what, "state": "receipt_sent", **more})


@pytest.mark.parametrize(
    ("what", "stream", "field"),
    [
        (7, "voz-g.c1", ("comment_id", "c1")),
        (7.0, "voz-g.c1", ("comment_id", "c1")),
        (8, "voz-g.votes.a1", ("vote_id", "v1")),
        ("c1", "voz-g.c1", ("comment_id", "c1")),
        ("v1", "voz-g.votes.a1", ("vote_id", "v1")),
        ("never_seen", "voz-g.never_seen", ("comment_id", "never_seen")),
    ],
)
def test_a_disposition_finds_its_act(what: Any, stream: str, field: tuple[str, str]) -> None:
    found = translate(COMMENT, VOTE, CLARIFY, of(what))
    assert (found.stream, found.data[field[0]]) == (stream, field[1])
    assert found.data["of"] == what


def test_the_nearest_line_before_it_is_meant_where_a_number_stands_twice() -> None:
    again = line(7, "voz.comment", {"comment_id": "c2", "body": "y"})
    assert translate(COMMENT, again, of(7)).stream == "voz-g.c2"


@pytest.mark.parametrize("what", [9, 1000, -1, 10**30])
def test_a_disposition_of_no_act_is_kept_and_inert(what: int) -> None:
    inert = translate(COMMENT, VOTE, CLARIFY, of(what))
    assert inert.stream == "import-g.voz"
    assert not {"comment_id", "vote_id"} & inert.data.keys()


@pytest.mark.parametrize("what", [True, ["c1"], {"comment_id": "c1"}, 7.5, "C 1"])
def test_a_disposition_of_nonsense_is_refused(what: Any) -> None:
    assert refusal(of(what)).startswith("of ")


def test_a_vote_is_found_by_its_own_id_and_an_unknown_one_kept_apart() -> None:
    by_id = line(20, "voz.disposition", {"vote_id": "v1", "state": "receipt_sent"})
    assert translate(VOTE, by_id).stream == "voz-g.votes.a1"
    assert translate(by_id).stream == "import-g.voz"


def test_an_answer_without_its_chat_finds_it_by_the_question() -> None:
    answer = line(20, "voz.clarify_answer", {"clarify_id": "q1", "body": "yes"})
    found = translate(COMMENT, CLARIFY, answer)
    assert (found.stream, found.data["comment_id"]) == ("voz-g.c1", "c1")
    unknown = translate(COMMENT, answer)
    assert unknown.stream == "import-g.voz"
    assert "comment_id" not in unknown.data


def test_what_an_earlier_import_brought_is_found_in_the_log() -> None:
    past = [
        imported("voz.comment", {"comment_id": "c1"}, 7),
        imported("voz.comment", {"comment_id": "c2"}, 7),
        imported("voz.vote", {"vote_id": "v1", "slug": "a1"}, 8),
        imported("voz.clarify", {"comment_id": "c1", "clarify_id": "q1"}, 9),
    ]
    assert translate(of(7), past=past).stream == "voz-g.c1"  # the first there, for good
    assert translate(of(8), past=past).stream == "voz-g.votes.a1"
    answer = line(20, "voz.clarify_answer", {"clarify_id": "q1", "body": "yes"})
    found = translate(answer, past=past)
    assert (found.stream, found.otherwise) == ("voz-g.c1", "import-g.voz")


# -- what is passed over, loaded as it is, refused ------------------------------------------


def test_signals_and_other_logs_beginnings_are_passed_over_and_dropped_sources_retired() -> None:
    importer = EdgeOfChaos(Streams("g"), lambda _: [])
    for type_ in ("source.signal", "log.created"):
        record = line(1, type_, {"ref": "x", "log_id": "y"})
        assert importer.translate(json.dumps(record), record) is None
    retired = translate(line(1, "source.dropped", {"ref": "https://a", "reason": "stale"}))
    assert retired.type == "source.retired"
    assert retired.stream.startswith("source-g.")


@pytest.mark.parametrize(
    ("type_", "payload"),
    [
        ("voz.resolved", {"comment_id": "c1", "outcome": "shrugged"}),
        ("voz.disposition", {"comment_id": "c1", "state": "lost"}),
        ("voz.disposition", {"comment_id": "c1", "state": "dead_lettered"}),
        ("direction.set", {"id": "d1", "kind": "whim"}),
        ("voz.vote", {"slug": "a1", "value": 5}),
        ("voz.comment", {"comment_id": "c1"}),
        ("voz.comment", {"comment_id": "c1", "body": None, "target_ref": None, "extra": [1, {"a": 2}]}),
    ],
)
def test_what_is_missing_or_outside_its_list_loads_as_it_is(type_: str, payload: Record) -> None:
    data = translate(line(1, type_, payload)).data
    assert {k: data[k] for k in payload} == payload


@pytest.mark.parametrize(
    ("type_", "payload", "named"),
    [
        ("voz.comment", {"comment_id": "C1"}, "comment_id 'C1'"),
        ("voz.comment", {"comment_id": 12}, "comment_id 12"),
        ("voz.comment", {"comment_id": "c\ud800"}, "comment_id 'c\\ud800'"),
        ("voz.comment", {"comment_id": "c" * 500}, "comment_id 'cccc"),
        ("voz.comment", {"comment_id": "c1", "body": 3}, "body 3"),
        ("voz.comment", {"comment_id": "c1", "text": ["x"]}, "text ['x']"),
        ("voz.comment", {"comment_id": "c1", "harm": "high"}, "harm 'high'"),
        ("voz.comment", {"comment_id": "c1", "harm": True}, "harm True"),
        ("voz.comment", {"comment_id": "c1", "target_ref": "A b"}, "target_ref 'A b'"),
        ("voz.vote", {"slug": "../x", "value": 1}, "slug '../x'"),
        ("voz.vote", {"slug": "a1", "value": "1"}, "value '1'"),
        ("voz.vote", {"slug": "a1", "value": 10**30}, "value 1000"),
        ("voz.vote", {"slug": "a1", "value": 1, "vote_id": 4}, "vote_id 4"),
        ("voz.clarify", {"comment_id": "c1", "options": "yes"}, "options 'yes'"),
        ("direction.set", {"id": 7}, "id 7"),
        ("direction.set", {"id": "D"}, "id 'D'"),
        ("direction.set", {"id": "d", "relates_to": [1]}, "relates_to [1]"),
        ("artefato.published", {"slug": "a", "distills": 4}, "distills 4"),
        ("artefato.published", {"slug": "a", "proposes": [{"title": 4}]}, "proposes.title 4"),
        ("artefato.published", {"slug": "a", "cites": ["x"]}, "cites ['x']"),
        ("briefing.presented", {"dispatch_id": "w", "items": {}}, "items {}"),
        ("episode.captured", {"session": "s"}, "episode.captured: "),
        ("episode.forgotten", {"to": 10**25, "permanent": True}, "to 1000"),
    ],
)
def test_a_wrong_kind_of_value_is_refused_by_name(type_: str, payload: Record, named: str) -> None:
    said = refusal(line(1, type_, payload))
    assert said.startswith(named)
    assert len(said) < 300


@pytest.mark.parametrize("type_", [None, 4, "", "$>", "$metadata", "a\nb", "x" * 200])
def test_what_names_no_type_is_refused(type_: Any) -> None:
    assert "type" in refusal({"seq": 1, "ts": "2026-05-01", "type": type_, "payload": {}})


@pytest.mark.parametrize("payload", [[], "x", 4, True])
def test_a_payload_that_is_no_object_is_refused(payload: Any) -> None:
    assert "payload" in refusal(line(1, "beat", payload))
