"""The entries of a session of Pi, and where it goes on, which OpenClaw may leave to put an entry beside."""

from __future__ import annotations

from collections import Counter
from typing import Any, Final

from archive_pipeline.readers.json.shapes import as_identifier
from archive_pipeline.readers.session_entries import Entries, Entry

_LEAF: Final = "leaf"  # says where the session goes on
_APPENDED: Final = "appendParentId"


class SessionEntries(Entries):
    """The entries of one session, taken in the order of the file.

    What is put beside, such as a message that a tool has sent, leads nowhere: an entry that names it as the one before
    it follows what the session goes on from.
    """

    def __init__(self, warnings: Counter[str], *, is_path: bool) -> None:
        super().__init__(warnings, is_path)
        self._beside: str | None = None  # the entry that was put last, if the session goes on from another one

    def add(self, line: dict[str, Any], made: str) -> Entry | None:
        """Takes the next line; None if it is the same as one before it."""
        last = self.last
        entry = super().add(line, made)
        if entry is not None:
            self._beside = None
            if _is_put_beside(line):
                self.last, self._beside = last, entry.id
        return entry

    def pass_over(self, number: int, entry: Entry) -> None:
        """Keeps an entry that is no message, and goes where it leads."""
        super().pass_over(number, entry)
        if entry.line.get("type") == _LEAF:
            self.go_to(entry.line.get("targetId"))
            appended = as_identifier(entry.line.get(_APPENDED))
            self._beside = None if appended is None else self._latest.get(appended)

    def _parent(self, line: dict[str, Any]) -> str | None:
        parent = super()._parent(line)
        is_led_back = parent is not None and parent == self._beside and not _is_put_beside(line)
        return self.last if is_led_back else parent


def _is_put_beside(line: dict[str, Any]) -> bool:
    return line.get("type") != _LEAF and line.get("appendMode") == "side"
