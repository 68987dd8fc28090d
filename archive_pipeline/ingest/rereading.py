"""Exports that are read again by a newer reader: whether a stored dialogue has every value that the reader keeps.

Fingerprints leave out times, models, files and whatever else is no content, so equal ones do not say that the rows are
equal. The rows that an import would write are compared with those that are stored.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, Final

import psycopg

from archive_pipeline.ingest import rows
from archive_pipeline.ingest.dialogue_values import dialogue_values
from archive_pipeline.ingest.prepare import PreparedDialogue
from archive_pipeline.ingest.source_json import json_value
from archive_pipeline.ingest.stored_layer import layer_of_rows
from archive_pipeline.readers.registry import reader_versions
from archive_pipeline.store.layers import StoredVintage, dialogue_rows

_JSON: Final = frozenset({"source_json", "tool_input", "diagnostics"})
# What follows from other columns, or says when and not what.
_NOT_COMPARED: Final = frozenset({"source_updated_at", "fingerprint", "message_count"})

Row = dict[str, Any]


def is_outdated(source: str, stored: StoredVintage | None) -> bool:
    """Tell whether an older reader than the present one read what is stored of a dialogue in one vintage."""
    version = stored.reader_version if stored is not None else None
    return (version or 0) < reader_versions().get(source, 0)


def has_all_values(
    connection: psycopg.Connection[Any], dialogue: PreparedDialogue, stored: StoredVintage | None, *, is_partial: bool
) -> bool:
    """Tell whether the rows that are stored of a dialogue are those that an import would write.

    Args:
        connection: in a transaction that holds the dialogue's row.
        dialogue: as it was read now; its content is the stored one, or a part of that.
        stored: what is stored of its newest export of this vintage.
        is_partial: only messages are compared, those that the export has.
    """
    known = stored or StoredVintage(dialogue.id, dialogue.record.vintage, dialogue.record.updated_at, None)
    before = layer_of_rows(dialogue_rows(connection, dialogue.id), known)
    if not is_partial and _dialogue(before) != _dialogue(dialogue):
        return False
    own = {message.id for message in dialogue.messages}
    return _messages(before, own) == _messages(dialogue, own)


def _dialogue(dialogue: PreparedDialogue) -> Row:
    return _row((name, value) for name, value in dialogue_values(dialogue, 0, "").items() if name not in _NOT_COMPARED)


def _messages(dialogue: PreparedDialogue, ids: set[str]) -> dict[str, Row]:
    """Return the rows of some messages, and of their parts and attachments, by id; they have no sequence numbers."""
    numbers = dict.fromkeys((message.source_id for message in dialogue.messages), 0)
    chosen = [message for message in dialogue.messages if message.id in ids]
    found = {row["id"]: row for row in _rows(rows.MESSAGE_COLUMNS, rows.message_rows(dialogue, numbers))}
    below = {
        row["id"]: row
        for columns, values in (
            (rows.PART_COLUMNS, rows.part_rows(dialogue, chosen)),
            (rows.ATTACHMENT_COLUMNS, rows.attachment_rows(dialogue, chosen)),
        )
        for row in _rows(columns, values)
    }
    return {message.id: found[message.id] for message in chosen} | below


def _rows(columns: tuple[str, ...], values: Iterable[tuple[Any, ...]]) -> Iterator[Row]:
    return (_row(zip(columns, row, strict=True)) for row in values)


def _row(items: Iterable[tuple[str, Any]]) -> Row:
    return {name: json_value(value) if name in _JSON else value for name, value in items}
