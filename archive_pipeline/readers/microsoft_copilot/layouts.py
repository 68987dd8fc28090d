"""The tables of Copilot: one of its own app, one of Chat and of the apps of Microsoft 365, one of Windows' apps."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from archive_pipeline.readers.csv_rows import CSV
from archive_pipeline.readers.declaration import Evidence, TableReader
from archive_pipeline.readers.json.shapes import as_object, as_text

SOURCE: Final = "microsoft_copilot"
ROWS: Final = "rows"


@dataclass(frozen=True, slots=True)
class Layout:
    """The columns of a table.

    Attributes:
        time, message: when something was said, and what.
        author: who said it; None where all rows are prompts.
        title: of the conversation, by which alone its rows are told; None where each row stands alone.
        others: further columns.
    """

    time: str
    message: str
    author: str | None = None
    title: str | None = None
    others: frozenset[str] = frozenset()

    @property
    def columns(self) -> frozenset[str]:
        """The names of all columns."""
        return frozenset(filter(None, (self.time, self.message, self.author, self.title))) | self.others


LAYOUTS: Final = (
    Layout("Time", "Message", "Author", "Conversation"),
    Layout("CreatedAt", "MessageContent", "Author", "ChatName"),
    Layout("Timestamp", "Prompt", others=frozenset({"ClientApp"})),
)
# As ISO 8601 or Americans write it.
_TIME: Final = re.compile(r"\s*(?:[0-9]{4}-[0-9]{2}-|[0-9]{1,2}/[0-9]{1,2}/[0-9]{4})")


def layout_of(row: Mapping[str, Any]) -> Layout:
    """Returns the layout of a row: that of which it has the most columns, so that one that lacks some has one too."""
    return max(LAYOUTS, key=lambda layout: len(layout.columns & row.keys()))


def recognise(value: Mapping[str, Any]) -> Evidence:
    """Judges an object by its rows."""
    if value.get(CSV) != SOURCE:
        return Evidence(0.0, "no rows of a table of Microsoft Copilot")
    if isinstance(value.get(ROWS), list) and any(map(as_object, value[ROWS])):
        return Evidence(1.0, "rows of a table of Microsoft Copilot")
    return Evidence(0.1, "no rows")


def _is_row(row: Mapping[str, str]) -> bool:
    return _TIME.match(as_text(row.get(layout_of(row).time)) or "") is not None


TABLE_READER: Final = TableReader(tuple(layout.columns for layout in LAYOUTS), _is_row)
