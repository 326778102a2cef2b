"""The peer: ``eventsourcing`` from PyPI on its own SQLite recorders, as its documentation uses it.

Its SQLite recorder has no subscriptions: catching up is a follower that pulls the notification
log and records where it is with each event, here with a policy that does nothing more.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from uuid import UUID

from eventsourcing.application import Application
from eventsourcing.domain import Aggregate, event
from eventsourcing.system import Follower, Leader


class Chat(Aggregate):
    """As much of a chat as three events need."""

    def __init__(self, body: str) -> None:
        self.body = body
        self.reply = ""
        self.outcome = ""

    @event("Replied")
    def replied(self, body: str, by: str) -> None:
        self.reply = body

    @event("Resolved")
    def resolved(self, outcome: str, direction_id: str) -> None:
        self.outcome = outcome


def _chat(n: int) -> Chat:
    chat = Chat(body=f"retry with a budget {n} " + "and say why " * 12)
    chat.replied(body=f"set as a steer {n} " + "porque a fila cresce " * 10, by="run")
    chat.resolved(outcome="folded-to-direction", direction_id=f"steer-{n}")
    return chat


def _environment(path: Path) -> dict[str, str]:
    return {"PERSISTENCE_MODULE": "eventsourcing.sqlite", "SQLITE_DBNAME": str(path)}


class Saver:
    """Saves aggregates of three pending events each."""

    def __init__(self, path: Path) -> None:
        self.application: Application[UUID] = Application(_environment(path))

    @staticmethod
    def ready(n: int) -> list[Chat]:
        return [_chat(i) for i in range(n)]

    def save_all(self, chats: list[Chat]) -> None:
        for chat in chats:
            self.application.save(chat)


@contextlib.contextmanager
def saver(path: Path) -> Iterator[Saver]:
    made = Saver(path)
    try:
        yield made
    finally:
        made.application.close()


class Chats(Leader[UUID]):
    """The application whose events are followed."""


class Followed(Follower[UUID]):
    """A projection that is as cheap as the peer allows: it only records how far it is."""

    def policy(self, domain_event: Any, processing_event: Any) -> None:
        """Nothing but the tracking."""


class CatchUp:
    """A log of chats, and fresh followers of it."""

    def __init__(self, directory: Path, chats: int) -> None:
        self._directory = directory
        self.leader = Chats(_environment(directory / "leader.db"))
        self.events = 3 * chats
        for n in range(chats):
            self.leader.save(_chat(n))
        self._made = 0

    def follower(self) -> Followed:
        self._made += 1
        follower = Followed(_environment(self._directory / f"follower-{self._made}.db"))
        follower.follow(self.leader.name, self.leader.notification_log)
        return follower

    def run(self, follower: Followed) -> None:
        follower.pull_and_process(self.leader.name)
        reached = follower.recorder.max_tracking_id(self.leader.name)
        assert reached == self.events, f"the peer stopped at {reached} of {self.events}"

    def close(self) -> None:
        self.leader.close()
