"""A model behind an OpenAI-shaped API, through the real client: what may come back, and what it means."""

from __future__ import annotations

import asyncio
import json
import socket
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import Any

import pytest

from adapters import openai_api
from adapters.cognition.openai import OpenAIModel
from edge.domain.refusal import EdgeError
from edge.ports_knowledge import Answer, ModelAway, ModelFailed
from tests.support.models.server import CUT, DOWN, HANG, OVER_LIMIT, Play, StandInServer, answer, said

KEY = "sk-s3cret-key"
SCHEMA = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}
GOOD = answer({"n": 1})
NOT_FOUND = {"error": {"message": "model 'qwen3' not found"}}
NO_MODEL = {"error": {"message": "The model `qwen3` does not exist"}}


@pytest.fixture
def server() -> Iterator[StandInServer]:
    with StandInServer() as server:
        yield server


class Asker:
    """Asks one question of a model on the server; its pauses are kept, and not waited for."""

    def __init__(self, url: str, key: str | None = None, timeout: float = 20) -> None:
        self.pauses: list[float] = []
        self.model = OpenAIModel("qwen3", url, key, timeout=timeout, pause=self._pause)

    async def _pause(self, seconds: float) -> None:
        self.pauses.append(seconds)

    def asks(self, prompt: str = "How many?") -> Answer:
        return asyncio.run(self.model.ask("You count.", prompt, SCHEMA, purpose="test"))

    def is_told(self, kind: type[EdgeError]) -> EdgeError:
        with pytest.raises(EdgeError) as raised:
            self.asks()
        error = raised.value
        assert type(error) is kind, error
        assert "\n" not in error.message
        assert len(error.message) < 300
        assert KEY not in error.message + error.hint
        assert "How many?" not in error.message
        return error


def test_an_answer_comes_by_the_schema_with_its_tokens(server: StandInServer) -> None:
    server.plays(GOOD)
    assert Asker(server.url, KEY).asks() == Answer({"n": 1}, 42)
    (asked,) = server.asked
    assert asked["model"] == "qwen3"
    assert asked["response_format"]["json_schema"]["schema"] == SCHEMA
    assert [m["content"] for m in asked["messages"]] == ["You count.", "How many?"]
    assert server.paths == ["/v1/chat/completions"]
    assert server.headers[0]["Authorization"] == f"Bearer {KEY}"


def test_without_a_key_none_is_sent(server: StandInServer) -> None:
    server.plays(GOOD)
    Asker(f"{server.url}/").asks()
    assert "Authorization" not in server.headers[0]
    assert server.paths == ["/v1/chat/completions"]


def test_one_model_serves_any_number_of_loops(server: StandInServer) -> None:
    server.plays(GOOD)
    asker = Asker(server.url)
    assert asker.asks() == asker.asks()

    async def together() -> list[Answer]:
        asked = [asker.model.ask("", f"{n}?", SCHEMA, purpose="test") for n in range(8)]
        return await asyncio.gather(*asked)

    assert [a.data for a in asyncio.run(together())] == [{"n": 1}] * 8


def test_a_server_that_takes_no_schema_gets_it_in_the_prompt_from_then_on(server: StandInServer) -> None:
    def picky(body: dict[str, Any]) -> Play:
        if body.get("response_format", {}).get("type") == "json_schema":
            return {"status": 400, "json": {"error": {"message": "response_format: json_schema unsupported"}}}
        return GOOD

    server.plays(picky)
    asker = Asker(server.url)
    assert asker.asks().data == {"n": 1}
    assert asker.asks().data == {"n": 1}
    kinds = [asked["response_format"]["type"] for asked in server.asked]
    assert kinds == ["json_schema", "json_object", "json_object"]
    assert json.dumps(SCHEMA) in server.asked[1]["messages"][0]["content"]


def test_a_server_that_takes_no_format_at_all_is_asked_in_words(server: StandInServer) -> None:
    def plain(body: dict[str, Any]) -> Play:
        if "response_format" in body:
            return {"status": 422, "json": {"detail": "response_format is not known"}}
        return GOOD

    server.plays(plain)
    assert Asker(server.url).asks().data == {"n": 1}
    server.plays({"status": 400, "json": {"error": "no json_object, no json_schema"}})
    assert "refuses the question" in Asker(server.url).is_told(ModelFailed).message


@pytest.mark.parametrize(
    ("usage", "tokens"),
    [
        ({"prompt_tokens": 5, "completion_tokens": 6}, 11),
        ({"total_tokens": 0}, 7),
        ({"total_tokens": 10**30}, 7),
        ({"prompt_tokens": 10**30, "completion_tokens": 6}, 7),
        (None, 7),
        ("many", 7),
    ],
)
def test_tokens_are_estimated_where_they_are_not_counted(
    server: StandInServer, usage: Any, tokens: int
) -> None:
    server.plays({"json": {**GOOD["json"], "usage": usage}})
    assert Asker(server.url).asks().tokens == tokens  # 27 bytes of question and answer, by four


@pytest.mark.parametrize("text", ['```json\n{"n": 1}\n```', '<think>hm</think>{"n": 1}', 'Sure: {"n": 1}'])
def test_an_answer_in_wrapping_is_taken_out_of_it(server: StandInServer, text: str) -> None:
    server.plays(said(text))
    assert Asker(server.url).asks().data == {"n": 1}


def test_an_answer_in_parts_is_put_together(server: StandInServer) -> None:
    parts = [{"type": "text", "text": '{"n"'}, {"type": "text", "text": ": 1}"}]
    server.plays(said(None, message={"content": parts}))
    assert Asker(server.url).asks().data == {"n": 1}


def test_a_wrong_answer_gets_one_chance_to_be_put_right(server: StandInServer) -> None:
    server.plays(answer({"n": "one"}), GOOD)
    assert Asker(server.url).asks() == Answer({"n": 1}, 84)
    assert "n is not of type integer" in server.asked[1]["messages"][1]["content"]


@pytest.mark.parametrize("text", ["I'd rather talk about the weather.", '{"n": 1', "", None])
def test_nonsense_parts_and_silence_are_no_answer(server: StandInServer, text: str | None) -> None:
    server.plays(said(text))
    error = Asker(server.url).is_told(ModelFailed)
    assert "answered twice, and not as it was asked" in error.message
    assert getattr(error, "tokens", None) == 84
    assert len(server.asked) == 2


@pytest.mark.parametrize(
    ("play", "saying"),
    [
        (said(None, message={"refusal": "I can't help with that"}), "refused to answer"),
        (said("", finish_reason="content_filter"), "refused to answer"),
        (said('{"n": 1', finish_reason="length"), "cut off before its answer was whole"),
        ({"json": {"choices": []}}, "without an answer"),
        ({"json": {"choices": [{"message": None}]}}, "without an answer"),
        ({"status": 400, "json": {"error": {"message": "maximum context length is 8192"}}}, "context length"),
        ({"status": 413, "raw": b"<html>too large</html>"}, "refuses the question (413)"),
    ],
)
def test_what_only_this_question_is_to_blame_for_fails_it_at_once(
    server: StandInServer, play: Play, saying: str
) -> None:
    server.plays(play)
    assert saying in Asker(server.url).is_told(ModelFailed).message
    assert len(server.asked) == 1


def test_a_busy_server_is_asked_again_with_growing_pauses(server: StandInServer) -> None:
    server.plays(DOWN, {**DOWN, "status": 503}, CUT, GOOD)
    asker = Asker(server.url)
    assert asker.asks().data == {"n": 1}
    assert len(asker.pauses) == 3
    for least, pause in zip((0.25, 0.5, 1.0), asker.pauses, strict=True):
        assert least <= pause <= 2 * least


def test_a_server_that_stays_busy_is_away(server: StandInServer) -> None:
    server.plays(DOWN)
    error = Asker(server.url, KEY).is_told(ModelAway)
    assert error.message == f"openai:qwen3 at {server.url[:-3]} is away: it answered 500, tried 4 times"
    assert error.code == 4
    assert len(server.asked) == 4


def test_a_connection_that_breaks_in_mid_answer_is_tried_again_and_then_away(server: StandInServer) -> None:
    server.plays(CUT)
    assert "the connection broke, tried 4 times" in Asker(server.url).is_told(ModelAway).message


def test_who_asks_us_to_wait_is_waited_for_within_reason(server: StandInServer) -> None:
    soon = format_datetime(datetime.now(UTC) + timedelta(seconds=10))
    waits = [{**OVER_LIMIT, "headers": {"Retry-After": asked}} for asked in ("7", soon, "soon")]
    server.plays(*waits, GOOD)
    asker = Asker(server.url)
    assert asker.asks().data == {"n": 1}
    assert asker.pauses[0] == 7
    assert 5 < asker.pauses[1] <= 10
    assert asker.pauses[2] <= 2
    server.plays({**OVER_LIMIT, "headers": {"Retry-After": "3600"}})
    assert "asks to wait 3600 s" in Asker(server.url).is_told(ModelAway).message
    assert len(server.asked) == 1


@pytest.mark.parametrize(
    ("play", "saying", "hint"),
    [
        ({"status": 401, "json": {"error": f"bad {KEY}"}}, "refuses the key", "EDGE_MODEL_KEY"),
        ({"status": 403, "raw": b"no"}, "refuses the key (403)", "EDGE_MODEL_KEY"),
        ({"status": 402, "json": {}}, "nothing left to spend", "top it up"),
        ({"status": 404, "json": NOT_FOUND}, "model 'qwen3' not found", "model_url"),
        ({"status": 400, "json": NO_MODEL}, "no such model", "model_url"),
        ({"status": 302, "headers": {"Location": "/"}, "raw": b""}, "leads elsewhere (302)", "model_url"),
        ({"raw": b"<html>welcome</html>"}, "speaks no OpenAI-shaped API", "/v1"),
        ({"raw": b"\xff\xfe"}, "speaks no OpenAI-shaped API", "/v1"),
        ({"json": [1]}, "speaks no OpenAI-shaped API", "/v1"),
        ({"json": {"error": {"code": 402, "message": "no credits"}}}, "nothing left to spend", "top it up"),
        ({"raw": b"x", "headers": {"Content-Encoding": "gzip"}}, "compresses", "proxy"),
    ],
)
def test_what_no_waiting_mends_is_away_at_once_and_says_what_to_do(
    server: StandInServer, play: Play, saying: str, hint: str
) -> None:
    server.plays(play)
    error = Asker(server.url, KEY).is_told(ModelAway)
    assert saying in error.message
    assert hint in error.hint
    assert len(server.asked) == 1


def test_a_server_that_wants_a_key_says_so_where_none_is_set(server: StandInServer) -> None:
    server.plays({"status": 401, "json": {}})
    assert "it wants a key (401)" in Asker(server.url).is_told(ModelAway).message


def test_a_key_that_can_be_none_is_refused_and_not_said(server: StandInServer) -> None:
    error = Asker(server.url, f"{KEY}\nX-Evil: 1").is_told(ModelAway)
    assert "its key holds what no key can" in error.message
    assert "EDGE_MODEL_KEY" in error.hint
    assert server.asked == []


def test_words_of_a_server_are_cut_and_lose_the_key(server: StandInServer) -> None:
    server.plays({"status": 400, "json": {"error": f"bad {KEY} " + "x" * 9_000}})
    assert "bad … xxx" in Asker(server.url, KEY).is_told(ModelFailed).message


@pytest.mark.parametrize("play", [HANG, {"drip": True}])
def test_an_answer_that_does_not_come_is_not_waited_for_for_ever(server: StandInServer, play: Play) -> None:
    server.plays({"json": {}, **play})
    asker = Asker(server.url, timeout=0.3)
    assert "did not answer" in asker.is_told(ModelAway).message
    assert asker.pauses == []


def test_an_enormous_answer_is_not_taken_in(server: StandInServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(openai_api, "MAX_BODY", 3 * 1024 * 1024)
    server.plays({"json": {}, "enormous": 64})
    assert "sent more than 3,145,728 bytes" in Asker(server.url).is_told(ModelFailed).message


def test_where_nothing_answers_the_model_is_away() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{taken.getsockname()[1]}/v1"
        asker = Asker(url)
        assert "nothing answers there, tried 4 times" in asker.is_told(ModelAway).message
        assert len(asker.pauses) == 3


def test_a_server_that_speaks_no_tls_is_away_at_once(server: StandInServer) -> None:
    asker = Asker(server.url.replace("http:", "https:"))
    assert "no safe connection" in asker.is_told(ModelAway).message
    assert asker.pauses == []


@pytest.mark.parametrize("host", ["a" * 70 + ".example", "a..example", "xn--"])
def test_a_host_that_can_be_none_is_away(host: str) -> None:
    assert Asker(f"http://{host}/v1").is_told(ModelAway).hint


def test_no_proxy_stands_before_this_host(server: StandInServer, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    server.plays(GOOD)
    assert Asker(server.url).asks().data == {"n": 1}


def test_half_a_character_in_a_question_is_replaced(server: StandInServer) -> None:
    server.plays(GOOD)
    assert Asker(server.url).asks("a\ud800b").data == {"n": 1}
    assert server.asked[0]["messages"][1]["content"] == "a?b"


def test_a_question_given_up_lets_go_at_once(server: StandInServer) -> None:
    server.plays(HANG)

    async def given_up() -> None:
        task = asyncio.create_task(Asker(server.url).model.ask("", "?", SCHEMA, purpose="test"))
        while not server.asked:
            await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(given_up())


def test_looking_tells_whether_the_model_is_there(server: StandInServer) -> None:
    server.plays({"json": {"data": [{"id": "llama3"}, {"id": "qwen3:latest"}]}})
    assert Asker(server.url).model.look() == f"openai:qwen3 at {server.url[:-3]}"
    assert server.paths == ["/v1/models"]
    server.plays({"json": {"data": [{"id": "llama3"}]}})
    with pytest.raises(ModelAway, match="no such model") as raised:
        Asker(server.url).model.look()
    assert raised.value.hint == "it has llama3"
    server.plays({"status": 401, "json": {}})
    with pytest.raises(ModelAway, match="wants a key"):
        Asker(server.url).model.look()
