"""The health strip as Prometheus text: numbers, and nothing anybody said."""

from __future__ import annotations

from typing import Final

from edge.domain.events import Data
from edge.domain.grill import moment

_GAUGES: Final = (
    # name, where in the strip, what it is
    ("chats_open", "open", "Chats not closed"),
    ("chats_actionable", "actionable", "Chats a grill can load now"),
    ("chats_awaiting", "awaiting", "Chats parked on a question to the operator"),
    ("chats_backlog", "backlog", "Actionable chats older than the last finished run's cursor"),
    ("chats_overflow", "overflow", "Chats the last run's cap left out"),
    ("acts_naked", "naked", "Open acts without a disposition"),
    ("projection_lag_events", "projection_lag", "Events the read models have not applied"),
    ("knowledge_lag_episodes", "knowledge_lag", "Episodes no extraction has read"),
    ("log_head", "head", "Position of the last event"),
)


def prometheus(strip: Data) -> str:
    """The strip of ``status`` in Prometheus' text format."""
    lines: list[str] = []

    def say(name: str, what: str, value: float, kind: str = "gauge", labels: str = "") -> None:
        lines.append(f"# HELP edge_{name} {what}")
        lines.append(f"# TYPE edge_{name} {kind}")
        lines.append(f"edge_{name}{labels} {value}")

    say("up", "Whether the log answers", int(not strip.get("away")))
    say("degraded", "Whether anything in the health strip is bad", int(strip["degraded"]))
    for name, key, what in _GAUGES:
        say(name, what, strip[key])
    say("runs_unfinished", "Grill runs begun and not ended", len(strip["unfinished_runs"]))
    cost = strip["knowledge"]["cost"]
    for key in ("episodes", "calls", "tokens", "seconds"):
        say(f"extraction_{key}_total", f"What all extraction took: {key}", cost[key], "counter")
    say("episodes_set_aside", "Episodes that could not be extracted", len(strip["knowledge"]["set_aside"]))
    if strip["last_sweep"]:
        swept = moment(strip["last_sweep"], moment("1970-01-01", None))  # type: ignore[arg-type]  # it is a date
        say("last_sweep_timestamp_seconds", "When this host last swept", swept.timestamp())
    if strip["graph"]:
        say("graph_lag_results", "Extractions the graph has not followed", strip["graph"]["lag"])
    lines += ["# HELP edge_errors Consistency errors by kind", "# TYPE edge_errors gauge"]
    lines += [f'edge_errors{{kind="{e["kind"]}"}} {max(1, len(e["ids"]))}' for e in strip["errors"]]
    return "\n".join(lines) + "\n"
