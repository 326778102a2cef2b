"""An install that has been lived in for some weeks: what every page of the dashboard has to show."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Final
from uuid import NAMESPACE_URL, uuid5

from edge.dispatch import Artefact
from edge.domain.events import NO_STREAM, Data, Draft
from edge.domain.knowledge import entity_id, fact_id
from edge.init import initialise
from edge.journal import Act
from edge.settings import Settings
from edge.wiring import Edge
from tests.support.house import HandClock

NOW: Final = datetime(2026, 11, 30, 18, tzinfo=UTC)
WEEKS: Final = 5
SLUG: Final = "retry-study"

_KNOWN: Final = (
    # source, relation, target, statement
    ("courier", "USES", "RabbitMQ", "courier takes its jobs from RabbitMQ"),
    ("courier", "RETRIES_WITH", "jitter", "courier tenta de novo com jitter, no máximo cinco vezes"),
    ("notify.py", "PART_OF", "courier", "notify.py faz parte do courier"),
    ("notify.py", "CALLS", "SMS gateway", "notify.py calls the SMS gateway without a time limit"),
    ("limits.py", "PART_OF", "courier", "limits.py holds every time limit of courier"),
    ("RabbitMQ", "KEEPS", "dead letters", "RabbitMQ keeps dead letters for a week"),
    ("Marta", "PREFERS", "prose", "Marta prefers prose; tables are for figures"),
    ("Marta", "WORKS_ON", "courier", "Marta works on courier"),
    ("partner", "ASKED_FOR", "retry policy", "the partner asked for our retry policy"),
    ("retry policy", "STANDS_IN", "limits.py", "the retry policy stands in limits.py"),
    ("horta", "USES", "SQLite", "horta guarda tudo em SQLite"),
    ("horta", "RUNS_ON", "Raspberry Pi", "a horta corre num Raspberry Pi"),
    ("Rui", "WORKS_ON", "horta", "Rui trabalha na horta ao fim de semana"),
    ("SQLite", "BACKED_UP_TO", "disk", "SQLite is backed up to the disk in the drawer every night"),
    ("report", "NAMES", "sources", "every report names its sources"),
    ("Marta", "READS", "report", "Marta reads the report on Fridays"),
    ("queue", "PART_OF", "RabbitMQ", "the queue grows when the SMS gateway is down"),
    ("SMS gateway", "FAILS_WITH", "timeout", "the SMS gateway fails with a timeout at night"),
)

_STUDY: Final = """# What a retry may and may not do

We send a message again when the gateway *may not* have taken it, and never when it has.

## What we found

| call | limit | retried |
|---|---|---|
| `notify.py` | none | yes |
| `ledger.py` | 5 s | no |

1. A key makes a message land once.
2. Without one, a retry is a **second** message.

> The partner asked what happens at night. Now we can say.
"""


def lived_in(home: Path, lang: Any = "en", group: str = "me") -> Edge:
    """The install, open; its clock stands at :data:`NOW`."""
    initialise(Settings(home, group, zone="Europe/Lisbon", lang=lang, root=str(home / "no-transcripts")))
    edge = Edge.at_home(home)
    clock = HandClock()
    clock.at = NOW - timedelta(weeks=WEEKS, days=1)
    edge.__dict__["clock"] = clock
    for week in range(WEEKS):
        _week(edge, clock, week)
    clock.at = NOW - timedelta(hours=3)
    edge.voz.comment("From now on every report names its sources", SLUG, 20)
    edge.voz.comment("Obrigado, ficou ótimo", SLUG)
    edge.dispatches.close(_opened(edge), "Looked at the night's failures", None, {})
    clock.at = NOW - timedelta(hours=2)
    unattended(edge)
    clock.at = NOW - timedelta(hours=1)
    edge.voz.comment("Which of our calls still lack a time limit?")
    clock.at = NOW
    edge.current()
    return edge


def _week(edge: Edge, clock: HandClock, week: int) -> None:
    for day in range(7):
        clock.move(24)
        for n in range((day * 5 + week * 3) % 4 + (day < 5)):
            clock.move(0.5)
            _episode(edge, week * 40 + day * 5 + n)
        clock.move(-0.5 * ((day * 5 + week * 3) % 4 + (day < 5)))
    said = (
        "Prefiro relatórios curtos, duas páginas no máximo",
        "Tests first: no merge without one",
        "Use tables only for figures",
        "Para de resumir o que já está no commit",
        "Ask before deploying on a Friday",
    )[week]
    comment = edge.voz.comment(said)
    clock.move(1)
    _publish(edge, week)
    clock.move(1)
    run = edge.grill.start("attended", 8, 12_000).run
    chats = []
    for loaded in run["loaded"]:
        own = loaded["comment_id"] == comment.id
        entry: Data = {
            "comment_id": loaded["comment_id"],
            "ambiguous": False,
            "evidence": ["says so outright"],
        }
        steer = {"title": said[:80], "body": said, "kind": ("phase", "constraint", "priority")[week % 3]}
        if own:
            chats.append({**entry, "decision": "fold", "reply": "Agreed, from today.", "steer": steer})
        else:
            chats.append({**entry, "decision": "reply", "reply": "None: `limits.py` holds them all."})
    edge.grill.close(run["run_id"], {"chats": chats}, "operator")
    if week == 2:
        first = next(item for item in edge.current().items() if item["tier"] == "set")
        edge.steering.drop(first["id"], "the partner wants them longer")
    if week == 3:
        for proposed in [item for item in edge.current().items() if item["tier"] == "proposed"][:1]:
            edge.steering.accept(proposed["id"])
        facts = edge.current().knowledge.items()
        edge.curation.promote(facts[0].id, None, [])
        edge.curation.contest(facts[3].id, "it has one since Tuesday")
    clock.move(-2)


def _opened(edge: Edge) -> str:
    opened = edge.dispatches.open("report", None, "operator", lambda _: None, lambda _: None, edge.briefing)
    return opened.dispatch_id


def _publish(edge: Edge, week: int) -> None:
    slug = (SLUG, "night-failures", "tables-and-prose", "horta-backup", "what-marta-reads")[week]
    title = (
        "What a retry may and may not do",
        "What fails at night",
        "Tables and prose",
        "A cópia de segurança da horta",
        "What Marta reads",
    )[week]
    cites = [{"ref": "session 6513270e", "kind": "atividade", "relevant": True}]
    if week % 2:
        cites.append({"ref": "https://example.org/retries", "kind": "mundo", "relevant": False})
    proposes = [
        {"title": f"Give {what} a key too", "body": "Messages carry a key too.", "kind": "thread"}
        for what in (("notify.py",), ("the gateway",), (), ("a horta",), ())[week]
    ]
    body = _STUDY if week == 0 else f"# {title}\n\nTwo pages, as agreed.\n"
    data = {"slug": slug, "title": title, "body": body, "cites": cites, "proposes": proposes}
    intent = (
        "The partner wants our retry policy, and it stood only in the code" if week == 0 else "Marta asked"
    )
    edge.dispatches.close(_opened(edge), intent, Artefact(data, republish=False), {})


def unattended(edge: Edge) -> None:
    """What rules settle by themselves, and park."""
    run = edge.grill.start("unattended", 8, 12_000).run
    entries = []
    for loaded in run["loaded"]:
        chat = edge.current().chat(loaded["comment_id"])
        assert chat is not None
        entries.append(edge.cognition.settle(chat, edge.current().items(), edge.settings.lang))
    plan = {"chats": [entry.model_dump(exclude_none=True) for entry in entries]}
    edge.grill.close(run["run_id"], plan, "grill")


def _episode(edge: Edge, n: int) -> None:
    """One episode and what was extracted from it."""
    at = edge.journal.now()
    session = str(uuid5(NAMESPACE_URL, f"session {n // 3}"))
    turns = [
        {
            "id": str(uuid5(NAMESPACE_URL, f"turn {n}")),
            "role": "operator",
            "ts": at,
            "text": _KNOWN[n % len(_KNOWN)][3],
        },
    ]
    captured: Data = {
        "session": session,
        "surface": "cli",
        "tier": "low",
        "presence": "present",
        "from": 0,
        "to": 100,
        "prefix_hash": "0" * 64,
        "pending": [],
        "turns": turns,
        "project": "/home/op/courier",
        "redactions": {},
    }
    stream = edge.streams.episode(f"{session}.{n}")
    done = edge.journal.append(stream, [Draft("episode.captured", captured)], NO_STREAM, Act("sweep"))
    episode = done.events[0].id
    facts = [_KNOWN[(n * 7 + k) % min(len(_KNOWN), 4 + n // 4)] for k in range(2)]
    names = list(dict.fromkeys(name for fact in facts for name in (fact[0], fact[2])))
    extracted: Data = {
        "episode": episode,
        "by": {"extractor": "rules", "version": "1", "model": "rules", "embedder": "hashed"},
        "gist": f"Worked on {names[0]}; {facts[0][3]}.",
        "entities": [{"id": entity_id(name), "name": name, "labels": ["Entity"]} for name in names],
        "facts": [
            {
                "id": fact_id(entity_id(s), r, entity_id(o), words),
                "source": entity_id(s),
                "target": entity_id(o),
                "relation": r,
                "statement": words,
                "valid_from": at,
                "reference_time": at,
            }
            for s, r, o, words in dict.fromkeys(facts)
        ],
        "mentions": [],
        "order": [],
        "cost": {"calls": 0, "tokens": 0, "seconds": 0.02},
    }
    edge.journal.append(
        edge.streams.extraction(episode), [Draft("episode.extracted", extracted)], NO_STREAM, Act("extractor")
    )
