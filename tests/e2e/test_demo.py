"""The demo, run as ``make run`` runs it: in a person's shell, and in an agent's."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.pages import blocks, plain

REPO = Path(__file__).parents[2]
EDGE = Path(sys.executable).parent / "edge"


class Demo:
    """A finished demo: what it printed, and its home to ask further."""

    def __init__(self, home: Path, environ: dict[str, str]) -> None:
        self._environ = environ | {"EDGE_HOME": str(home)}
        demo = [sys.executable, str(REPO / "demo" / "run.py"), "--home", str(home)]
        # settings of whoever starts it must not reach the demo's home
        started_in = environ | {"EDGE_GROUP": "somebody", "EDGE_ROOT": "/nowhere"}
        done = subprocess.run(
            demo, cwd=REPO, env=started_in, capture_output=True, text=True, encoding="utf-8", check=False
        )
        assert done.returncode == 0, done.stdout + done.stderr
        self.printed = done.stdout

    def edge(self, *words: str) -> str:
        return subprocess.run(
            [EDGE, *words], env=self._environ, capture_output=True, text=True, encoding="utf-8", check=True
        ).stdout

    def json(self, *words: str) -> Any:
        return json.loads(self.edge(*words, "--json"))


def the_comment_was_asked_about_answered_folded_and_closed(demo: Demo) -> None:
    comment, thanks = demo.json("voz", "list")
    (question,) = comment["questions"]
    assert comment["target_ref"] == "retry-study"
    assert comment["body"] in question["question"]
    assert question["answer"] == "yes"
    assert (comment["state"], comment["outcome"]) == ("closed", "folded-to-direction")
    assert (thanks["state"], thanks["outcome"], thanks["questions"]) == ("closed", "acknowledged", [])


def the_steer_says_which_comment_it_came_from(demo: Demo) -> None:
    comment = demo.json("voz", "list")[0]
    direction = demo.json("direction", "list")
    (steer,) = direction["set"]
    (proposal,) = direction["proposed"]
    assert (steer["id"], steer["origin_comment_id"]) == (comment["direction_id"], comment["comment_id"])
    assert steer["body"] == comment["body"]
    assert proposal["from_artefato"] == "retry-study"


def the_log_tells_the_story_in_its_order(demo: Demo) -> None:
    comment = demo.json("voz", "list")[0]["comment_id"]
    chat = [event["type"] for event in demo.json("log", "show", f"voz-demo.{comment}")]
    assert chat == ["voz.comment", "voz.clarify", "voz.clarify_answer", "direction.set", "voz.resolved"]


def no_secret_and_nothing_private_reached_the_log(demo: Demo) -> None:
    exported = demo.edge("log", "export")
    assert "[redacted:aws-key]" in exported
    for left_out in ("AKIAIOSFODNN7EXAMPLE", "cost us a contract", "private>", "changelog entry"):
        assert left_out not in exported
    assert "idempotency key" in exported


def nothing_is_left_owed(demo: Demo) -> None:
    status = demo.json("status")
    assert not status["degraded"]
    assert [status[name] for name in ("open", "awaiting", "naked", "unfinished_runs")] == [0, 0, 0, []]


def it_ends_with_the_briefing_and_what_to_do_next(demo: Demo) -> None:
    briefing = demo.printed.index("$ edge briefing")
    closed = demo.printed.index("folded-to-direction on retry-study")
    assert briefing < closed < demo.printed.index("init --group me")


def the_briefing_in_the_readme_is_the_one_it_prints(demo: Demo) -> None:
    begin, end = "$ edge briefing\n", "# And this became of the comments"
    shown = demo.printed[demo.printed.index(begin) + len(begin) : demo.printed.index(end)]
    (briefing,) = [block for block in blocks(REPO / "README.md") if block.language == "markdown"]
    assert plain(briefing.text) == plain(shown)


CLAIMS = (
    the_comment_was_asked_about_answered_folded_and_closed,
    the_steer_says_which_comment_it_came_from,
    the_log_tells_the_story_in_its_order,
    no_secret_and_nothing_private_reached_the_log,
    nothing_is_left_owed,
    it_ends_with_the_briefing_and_what_to_do_next,
    the_briefing_in_the_readme_is_the_one_it_prints,
)


@pytest.mark.parametrize("environ", [{}, {"CLAUDECODE": "1"}], ids=["a person's shell", "an agent's shell"])
def test_the_demo_closes_the_loop_in(environ: dict[str, str], tmp_path: Path) -> None:
    inherited = {k: v for k, v in os.environ.items() if not k.startswith("EDGE_") and k != "CLAUDECODE"}
    demo = Demo(tmp_path / "home", inherited | environ)
    for claim in CLAIMS:  # one run for all of them: it is the slow part
        claim(demo)
