"""Errors a person can act on: what happened, why, and what to do about it."""

from __future__ import annotations


class EdgeError(Exception):
    """One clear line and a hint. ``code`` is the exit code, ``name`` the code in JSON errors."""

    code = 1
    name = "failed"

    def __init__(self, message: str, *, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint


class Failed(EdgeError):
    """The work could not be done."""


class Misused(EdgeError):
    """The words of the call are off, or the install has no identity."""

    code = 2
    name = "usage"


class Refused(EdgeError):
    """A rule of the domain forbids it; nothing was written."""

    code = 3
    name = "refused"


class Unreachable(EdgeError):
    """A service edge depends on does not answer.

    ``lasting``: nor will it, however often it is asked, until somebody sets something right.
    """

    code = 4
    name = "unreachable"

    def __init__(self, message: str, *, hint: str = "", lasting: bool = False) -> None:
        super().__init__(message, hint=hint)
        self.lasting = lasting
