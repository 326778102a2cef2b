"""A person with an install of their own."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.e2e.person import Person


@pytest.fixture
def person(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Person:
    """Their home is begun, their transcript store is empty."""
    store = tmp_path / "transcripts"
    store.mkdir()
    person = Person(tmp_path / "home", monkeypatch, capsys)
    begun = person.types("init", "--group", "me", "--zone", "UTC", "--store", store)
    assert begun.code == 0, begun.err
    return person
