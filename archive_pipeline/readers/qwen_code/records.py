"""The lines of a session as entries: each names itself and the one before it, and going back begins a branch.

Where the line before was lost, what follows goes on from the one above it, as Qwen Code does with such a file.
"""

from __future__ import annotations

from collections import Counter
from typing import Any, Final

from archive_pipeline.readers.json.shapes import RELINKED_PARENT, as_identifier
from archive_pipeline.readers.session_entries import Entries, Pointers

_REWIND: Final = "rewind"
_POINTERS: Final = Pointers("uuid", "parentUuid")


class Records(Entries):
    """The entries of one session, taken in the order of the file."""

    def __init__(self, warnings: Counter[str]) -> None:
        super().__init__(warnings, is_path=True, pointers=_POINTERS)

    def _parent(self, line: dict[str, Any]) -> str | None:
        pointer = as_identifier(line.get(_POINTERS.parent))
        if pointer is None or self.last is None or pointer in self._latest:
            return super()._parent(line)
        if line.get("subtype") == _REWIND:
            return None  # the line above is what the user took back
        self.warnings[RELINKED_PARENT] += 1
        return super()._parent(line)
