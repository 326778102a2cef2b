"""The notes the sweep keeps of transcript files: a table of this host, and no truth in it."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Final, TypeAlias, cast

import apsw

from edge.ports_transcripts import Bookmark, FileNote, FileStat

TABLES: Final = """
    CREATE TABLE IF NOT EXISTS sweep_files (
        path BLOB PRIMARY KEY, session BLOB NOT NULL, stream TEXT NOT NULL,
        inode BLOB NOT NULL, size INTEGER NOT NULL, mtime INTEGER NOT NULL,
        position INTEGER NOT NULL, left_out INTEGER NOT NULL, rules TEXT NOT NULL,
        "offset" INTEGER NOT NULL, prefix_hash TEXT NOT NULL, pending TEXT NOT NULL, state TEXT NOT NULL
    ) WITHOUT ROWID;
    CREATE INDEX IF NOT EXISTS sweep_files_by_session ON sweep_files (session);
    CREATE INDEX IF NOT EXISTS sweep_files_by_position ON sweep_files (position);
"""
_NOTE: Final = (
    'SELECT stream, inode, size, mtime, position, left_out, rules, "offset", prefix_hash, pending, state'
    " FROM sweep_files WHERE "
)

_Stat: TypeAlias = tuple[bytes, str, int, int, int, str]


class SweepFiles:
    """See :class:`edge.ports_transcripts.FileNotes`. Paths are kept as bytes: any name is one."""

    def __init__(self, connection: apsw.Connection) -> None:
        self._connection = connection
        connection.execute(TABLES)

    def newest(self) -> int:
        row = self._connection.execute("SELECT max(position) FROM sweep_files").get
        return cast("int | None", row) or 0

    def stats(self) -> dict[str, FileStat]:
        rows = self._connection.execute("SELECT path, inode, size, mtime, left_out, rules FROM sweep_files")
        return {
            path.decode("utf-8", "surrogateescape"): FileStat(
                int(inode), size, mtime, rules if left_out else None
            )
            for path, inode, size, mtime, left_out, rules in cast("Iterable[_Stat]", rows)
        }

    def get(self, path: str) -> FileNote | None:
        row = self._connection.execute(_NOTE + "path = ?", (_bytes(path),)).fetchone()
        return _note(row) if row else None

    def of_session(self, session: str) -> list[FileNote]:
        rows = self._connection.execute(_NOTE + "session = ? ORDER BY path", (_bytes(session),))
        return [_note(row) for row in rows]

    def put(self, path: str, session: str, note: FileNote) -> None:
        mark = note.bookmark
        row = (
            *(_bytes(path), _bytes(session), note.stream, str(note.inode), note.size, note.mtime),
            *(note.position, note.left_out, note.rules),
            *(mark.offset, mark.prefix_hash, json.dumps(mark.pending), mark.state),
        )
        self._connection.execute(
            f"INSERT OR REPLACE INTO sweep_files VALUES ({', '.join('?' * len(row))})",
            row,
        )

    def clear(self) -> None:
        self._connection.execute("DELETE FROM sweep_files")


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")


def _note(row: tuple[object, ...]) -> FileNote:
    stream, inode, size, mtime, position, left_out, rules, offset, told_by, pending, state = cast(
        "tuple[str, str, int, int, int, int, str, int, str, str, str]", row
    )
    bookmark = Bookmark(offset, told_by, tuple(json.loads(pending)), state)
    return FileNote(stream, int(inode), size, mtime, position, bool(left_out), rules, bookmark)
