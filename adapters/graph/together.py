"""Questions asked in one turn of the event loop, answered in one go.

Graphiti searches and judges each fact of an episode in a coroutine of its own, all at once: they
reach their question in the same turn, so that waiting for the turn's end gathers them all.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Generic, TypeVar

Question = TypeVar("Question")
Answer = TypeVar("Answer")


class Together(Generic[Question, Answer]):
    """Collects questions and has them answered as one list; an error is everyone's."""

    def __init__(self, answer: Callable[[Sequence[Question]], Awaitable[Sequence[Answer]]]) -> None:
        self._answer = answer
        self._asked: list[tuple[Question, asyncio.Future[Answer]]] = []
        self._running: set[asyncio.Task[None]] = set()

    async def ask(self, question: Question) -> Answer:
        """The answer to one question. Raises what answering the whole raised."""
        loop = asyncio.get_running_loop()
        waiting: asyncio.Future[Answer] = loop.create_future()
        self._asked.append((question, waiting))
        if len(self._asked) == 1:
            loop.call_soon(self._go)
        return await waiting

    def forget(self) -> None:
        """Drop what was asked and not answered; for the end of a loop's work."""
        self._asked = []

    def _go(self) -> None:
        asked, self._asked = self._asked, []
        if asked:
            task = asyncio.ensure_future(self._answered(asked))
            self._running.add(task)
            task.add_done_callback(self._running.discard)

    async def _answered(self, asked: list[tuple[Question, asyncio.Future[Answer]]]) -> None:
        try:
            answers = await self._answer([question for question, _ in asked])
            for (_, waiting), answer in zip(asked, answers, strict=True):
                if not waiting.done():
                    waiting.set_result(answer)
        except BaseException as error:
            for _, waiting in asked:
                if not waiting.done():
                    waiting.set_exception(error) if isinstance(error, Exception) else waiting.cancel()
            if not isinstance(error, Exception):
                raise
