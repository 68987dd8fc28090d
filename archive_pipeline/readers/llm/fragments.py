"""Fragments: texts that a database has once and that prompts name, of which they may consist."""

from __future__ import annotations

from typing import Final

from archive_pipeline.readers.json.shapes import as_text
from archive_pipeline.readers.llm.rows import Tables

MISSING_FRAGMENT: Final = "missing_fragment"
_CONTENT: Final = "content"


def fragment_text(tables: Tables, fragment_id: object) -> str | None:
    """Returns the text of a fragment; None if there is none, empty if it is."""
    row = tables.first("fragments", "id", fragment_id)
    return None if row is None else as_text(row.get(_CONTENT)) or ""


def fragment_said(tables: Tables, fragment_id: object, text: str) -> None:
    """Leaves the text of a fragment out of what is kept of its row if a message has it."""
    content = fragment_text(tables, fragment_id)
    if content and content in text:
        tables.take_column("fragments", "id", fragment_id, _CONTENT)
