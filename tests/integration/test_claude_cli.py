"""A model through the ``claude`` program, asked through the real adapter and a program that only plays."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path
from typing import Any

import pytest

from adapters.cognition import claude_cli
from adapters.cognition.claude_cli import ClaudeCli
from edge.domain.episodes import MODEL_CALL_MARK
from edge.domain.refusal import EdgeError
from edge.ports_knowledge import Answer, ModelAway, ModelFailed
from tests.support.models.claude import StandInClaude

SCHEMA = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}
GOOD: dict[str, Any] = {"answer": {"n": 1}}


@pytest.fixture
def claude(tmp_path: Path) -> StandInClaude:
    return StandInClaude(tmp_path / "bin")


class Asker:
    """Asks one question of the program; its pauses are kept, and not waited for."""

    def __init__(self, claude: StandInClaude, model: str | None = None, timeout: float = 60) -> None:
        self.pauses: list[float] = []
        self.model = ClaudeCli(model, timeout=timeout, pause=self._pause, environ=claude.environ)

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
        assert "s3cret" not in error.message + error.hint
        return error


def failing(result: str, **with_: Any) -> dict[str, Any]:
    return {"result": result, "exit": 1, "with": {"is_error": True, **with_}}


def test_an_answer_comes_with_all_tokens_it_cost(claude: StandInClaude) -> None:
    claude.plays(GOOD)
    asker = Asker(claude, "sonnet")
    assert (asker.model.name, asker.asks()) == ("claude:sonnet", Answer({"n": 1}, 100))


def test_the_question_goes_in_on_standard_input_alone(claude: StandInClaude) -> None:
    claude.plays(GOOD)
    Asker(claude).asks("Quantos são? " + "ação " * 50_000)
    (asked,) = claude.asked
    assert asked["prompt"].startswith(f"{MODEL_CALL_MARK}\nYou count.\n")
    assert asked["prompt"].endswith("ação " * 50_000)
    assert '"required": ["n"]' in asked["prompt"]
    assert not any("count" in word or "Quantos" in word for word in asked["argv"])


def test_the_program_is_asked_as_by_nobody(claude: StandInClaude) -> None:
    claude.plays(GOOD)
    Asker(claude, "haiku").asks()
    (asked,) = claude.asked
    argv = asked["argv"]
    assert {"--print", "--no-session-persistence", "--strict-mcp-config"} <= set(argv)
    assert argv[argv.index("--tools") + 1] == ""
    assert argv[argv.index("--output-format") + 1] == "json"
    assert argv[argv.index("--settings") + 1] == '{"disableAllHooks":true}'
    assert argv[argv.index("--model") + 1] == "haiku"
    assert asked["files"] == []
    assert not Path(asked["cwd"]).exists()
    environ = asked["environ"]
    ours = {name: value for name, value in environ.items() if name.startswith("EDGE_")}
    assert ours == {"EDGE_MODEL_CALL": "1"}
    assert not {"CLAUDECODE", "CLAUDE_CODE_ENTRYPOINT", "CLAUDE_CODE_SSE_PORT"} & environ.keys()
    assert environ["CLAUDE_CODE_SKIP_PROMPT_HISTORY"] == "1"
    assert environ["ANTHROPIC_BASE_URL"] == "http://gateway.example"  # how its user has set it up stays
    assert "CLAUDE_CONFIG_DIR" in environ
    assert "s3cret" not in str(environ)


@pytest.mark.parametrize(
    "play",
    [
        {**GOOD, "listed": True},
        {"result": '```json\n{"n": 1}\n```'},
        {"result": 'It is {"n": 1}.'},
        {**GOOD, "deaf": True},
        {**GOOD, "stderr": "a warning\n"},
    ],
)
def test_an_answer_is_taken_from_whatever_it_comes_in(claude: StandInClaude, play: dict[str, Any]) -> None:
    claude.plays(play)
    assert Asker(claude).asks("x" * 500_000).data == {"n": 1}


@pytest.mark.parametrize("usage", [None, {"output_tokens": 10**30}])
def test_tokens_are_estimated_where_they_are_not_counted(claude: StandInClaude, usage: Any) -> None:
    claude.plays({**GOOD, "with": {"usage": usage}})
    assert 50 < Asker(claude).asks().tokens < 150


def test_a_wrong_answer_gets_one_chance_and_its_mark_again(claude: StandInClaude) -> None:
    claude.plays({"answer": {"n": "one"}}, GOOD)
    assert Asker(claude).asks() == Answer({"n": 1}, 200)
    assert all(asked["prompt"].startswith(MODEL_CALL_MARK) for asked in claude.asked)
    assert "n is not of type integer" in claude.asked[1]["prompt"]


@pytest.mark.parametrize("result", ["The weather is fine.", '{"n": 1', ""])
def test_nonsense_and_parts_are_no_answer(claude: StandInClaude, result: str) -> None:
    claude.plays({"result": result})
    error = Asker(claude).is_told(ModelFailed)
    assert "answered twice, and not as it was asked" in error.message
    assert getattr(error, "tokens", None) == 200


@pytest.mark.parametrize(
    ("play", "saying"),
    [
        ({**GOOD, "with": {"stop_reason": "refusal"}}, "refused to answer"),
        ({**GOOD, "with": {"stop_reason": "max_tokens"}}, "cut off"),
        (failing("Prompt is too long"), "gave an error for an answer: Prompt is too long"),
        (failing("key AKIAIOSFODNN7EXAMPLE leaked"), "[redacted:aws-key]"),
        ({"with": {"subtype": "error_max_turns"}, "result": ""}, "error_max_turns"),
    ],
)
def test_what_only_this_question_is_to_blame_for_fails_it(
    claude: StandInClaude, play: dict[str, Any], saying: str
) -> None:
    claude.plays(play)
    error = Asker(claude).is_told(ModelFailed)
    assert saying in error.message
    assert len(claude.asked) == 1


@pytest.mark.parametrize(
    ("play", "saying", "hint"),
    [
        (failing("Invalid API key · Please run /login"), "not logged in", "log in"),
        (failing('API Error: 401 {"error":{"message":"s3cret"}}'), "not logged in", "log in"),
        (failing("Claude AI usage limit reached|1790000000"), "limit is used up", "reset"),
        (failing("You've hit your session limit · resets 3pm"), "limit is used up", "reset"),
        (failing("There's an issue with the selected model (x)"), "no such model", "edge.toml"),
        ({"stderr": "error: unknown option '--tools'\n", "exit": 1}, "too old", "claude update"),
        (
            {"stderr": "Error: no such thing\n", "exit": 3},
            "ended with code 3: Error: no such thing",
            "doctor",
        ),
        ({"stdout": "hello", "exit": 0}, "ended with code 0: hello", "doctor"),
        ({"stdout": "[1, 2]"}, "ended with code 0: [1, 2]", "doctor"),
        ({"stdout": ""}, "ended with code 0", "doctor"),
    ],
)
def test_what_no_other_question_would_mend_is_away_at_once(
    claude: StandInClaude, play: dict[str, Any], saying: str, hint: str
) -> None:
    claude.plays(play)
    error = Asker(claude).is_told(ModelAway)
    assert saying in error.message
    assert hint in error.hint
    assert len(claude.asked) == 1


@pytest.mark.parametrize(
    "bad", [failing("API Error: 529 Overloaded"), failing("API Error (Connection error.)"), {"die": True}]
)
def test_a_busy_service_is_asked_again_and_then_is_away(claude: StandInClaude, bad: dict[str, Any]) -> None:
    claude.plays(bad, bad, GOOD)
    asker = Asker(claude)
    assert asker.asks().data == {"n": 1}
    assert 0.5 <= asker.pauses[0] <= 1 <= asker.pauses[1] <= 2
    claude.plays(bad)
    assert "tried 3 times" in Asker(claude).is_told(ModelAway).message
    assert len(claude.asked) == 3


def test_a_program_that_is_not_there_is_away(claude: StandInClaude) -> None:
    claude.program.chmod(0o644)
    assert "no program claude on PATH" in Asker(claude).is_told(ModelAway).message
    claude.program.chmod(0o755)
    claude.program.write_text("#!/nowhere/python\n")
    assert "cannot be started" in Asker(claude).is_told(ModelAway).message


def test_a_program_that_hangs_is_ended(claude: StandInClaude) -> None:
    claude.plays({"hang": True})
    assert "did not answer within 1 s" in Asker(claude, timeout=1).is_told(ModelAway).message


def test_an_enormous_answer_is_not_taken_in(claude: StandInClaude, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(claude_cli, "MAX_OUTPUT", 2 * 1024 * 1024)
    claude.plays({"enormous": 64})
    assert "wrote more than 2,097,152 bytes" in Asker(claude).is_told(ModelFailed).message


def test_a_question_given_up_ends_the_program_and_what_it_started(
    claude: StandInClaude, tmp_path: Path
) -> None:
    held = tmp_path / "held"
    os.mkfifo(held)
    claude.plays({"hang": True, "held": str(held)})

    async def given_up() -> str:
        task = asyncio.create_task(Asker(claude).model.ask("", "?", SCHEMA, purpose="test"))
        with await asyncio.to_thread(held.open) as reader:
            assert await asyncio.to_thread(reader.readline) == "ready\n"
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            return await asyncio.to_thread(reader.read)  # ends when nobody holds the pipe any more

    assert asyncio.run(given_up()) == ""


def test_what_an_answering_program_leaves_behind_is_ended_too(claude: StandInClaude, tmp_path: Path) -> None:
    held = tmp_path / "held"
    os.mkfifo(held)
    claude.plays({**GOOD, "held": str(held)})

    async def asked() -> tuple[Answer, str]:
        task = asyncio.create_task(Asker(claude).model.ask("", "?", SCHEMA, purpose="test"))
        with await asyncio.to_thread(held.open) as reader:
            answer = await task
            return answer, await asyncio.to_thread(reader.read)

    assert asyncio.run(asked()) == (Answer({"n": 1}, 100), "ready\n")


def test_only_so_many_run_at_once(claude: StandInClaude, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(claude_cli, "AT_ONCE", 2)
    claude.plays(GOOD)
    model = Asker(claude).model
    running, most, run = 0, 0, model._run

    async def counted(asked: bytes) -> Any:
        nonlocal running, most
        running += 1
        most = max(most, running)
        try:
            return await run(asked)
        finally:
            running -= 1

    monkeypatch.setattr(model, "_run", counted)

    async def together() -> list[Answer]:
        return await asyncio.gather(*(model.ask("", f"{n}?", SCHEMA, purpose="test") for n in range(5)))

    assert len(asyncio.run(together())) == 5
    assert most == 2


def test_looking_finds_the_program_and_asks_it_nothing(claude: StandInClaude) -> None:
    found = Asker(claude).model.look()
    assert found == f"claude by {claude.program}, version 2.1.299 (Claude Code)"
    assert claude.asked == []
    claude.program.write_text("#!/bin/sh\nexit 7\n")
    with pytest.raises(ModelAway, match="--version ended with code 7"):
        Asker(claude).model.look()
