"""``edge artefato``: what edge has published."""

from __future__ import annotations

from edge.cli import views
from edge.cli.common import At, Home, Json, group, opened, queries, say
from edge.domain.events import Data
from edge.domain.refusal import Refused

app = group("What edge has published, each with its why")


@app.command("list", epilog="Example: edge artefato list")
def list_(at: At = None, home: Home = None, json_: Json = False) -> None:
    """All artefatos in the order they were first published."""
    with opened(home) as edge:
        known = queries(edge, at)
        with known.snapshot():
            data = [views.artefato(state, known) for state in known.artefatos()]
    lines = [f"{a['slug']}  {a['title']}  why: {a['intent'] or '(none)'}" for a in data]
    say(json_, data, "\n".join(lines) or "nothing is published yet")


@app.command(epilog="Example: edge artefato show retry-study")
def show(slug: str, at: At = None, home: Home = None, json_: Json = False) -> None:
    """One artefato with its text."""
    with opened(home) as edge:
        known = queries(edge, at)
        slug = edge.resolve("artefato", slug)
        state = known.artefato(slug)
        if state is None:
            if edge.was_forgotten(f"artefato-{edge.streams.group}.{slug}"):
                raise Refused(
                    f"artefato {slug} was forgotten", hint="`edge artefato list` shows those there are"
                )
            raise Refused(f"no artefato {slug!r} is published", hint="`edge artefato list` shows them")
        body = known.artefato_body(slug) or ""
        data = {**views.artefato(state, known), "body": body}
    proposed = "".join(f"{_proposal(p)}\n" for p in data["proposes"])
    say(
        json_,
        data,
        f"# {data['title']}\n\nwhy: {data['intent'] or '(none)'}\n{proposed}\n{body}",
    )


def _proposal(proposed: Data) -> str:
    """What it proposed, what became of that, and how to decide it while it is open."""
    line = f"proposes [{proposed['tier']}] {proposed['title']}"
    if proposed["tier"] != "proposed":
        return f"{line} ({proposed['id']})"
    accept, reject = (
        f"edge direction set {proposed['id']}",
        f"edge direction drop {proposed['id']} --reason WHY",
    )
    return f"{line}\n    accept: `{accept}`  reject: `{reject}`"
