"""The exports that dialogues came in by vintage (``raw.dialogue_vintages``), and dialogues as their rows have them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import psycopg
from psycopg.rows import class_row, namedtuple_row

from archive_pipeline.store.sql_files import load_query


@dataclass(frozen=True, slots=True)
class StoredVintage:
    """What is stored of a dialogue's newest export of one vintage; ``layer`` where there are several vintages.

    ``reader_version`` is of the reader that read it; None from before versions were recorded.
    """

    dialogue_id: str
    vintage: str
    source_updated_at: datetime | None
    layer: bytes | None
    reader_version: int | None = None


@dataclass(frozen=True, slots=True)
class DialogueRows:
    """The live rows of one dialogue that imports brought, as named tuples of their columns."""

    dialogue: Any
    messages: Sequence[Any]
    parts: Mapping[str, Sequence[Any]]
    attachments: Mapping[str, Sequence[Any]]


def stored_vintages(
    connection: psycopg.Connection[Any], dialogue_ids: Sequence[str]
) -> dict[str, dict[str, StoredVintage]]:
    """Return, by dialogue and vintage, what is stored of some dialogues' exports."""
    found: defaultdict[str, dict[str, StoredVintage]] = defaultdict(dict)
    with connection.cursor(row_factory=class_row(StoredVintage)) as cursor:
        for row in cursor.execute(load_query("raw/stored_vintages"), {"ids": list(dialogue_ids)}):
            found[row.dialogue_id][row.vintage] = row
    return found


def write_vintages(connection: psycopg.Connection[Any], rows: Sequence[Mapping[str, Any]]) -> None:
    """Note the newest exports of dialogues: ``dialogue_id``, ``vintage``, ``import_id``, time, ``layer``, reader."""
    if rows:
        with connection.cursor() as cursor:
            cursor.executemany(load_query("raw/upsert_vintage"), rows)


def delete_vintages(connection: psycopg.Connection[Any], dialogue_id: str, vintages: Sequence[str]) -> None:
    """Forget exports of a dialogue of which others say everything."""
    if vintages:
        connection.execute(load_query("raw/delete_vintages"), {"dialogue_id": dialogue_id, "vintages": list(vintages)})


def mark_read(connection: psycopg.Connection[Any], rows: Sequence[tuple[str, str, int]]) -> None:
    """Note of dialogues, each with a vintage, that the reader of a version found them as they are stored."""
    if rows:
        names = ("dialogue_id", "vintage", "reader_version")
        parameters = dict(zip(names, map(list, zip(*rows, strict=True)), strict=True))
        connection.execute(load_query("raw/mark_read"), parameters)


def dialogue_row(connection: psycopg.Connection[Any], dialogue_id: str) -> Any:
    """Return the row of a dialogue, as ``DialogueRows`` has it."""
    with connection.cursor(row_factory=namedtuple_row) as cursor:
        return cursor.execute(load_query("raw/layer_dialogue"), {"dialogue_id": dialogue_id}).fetchone()


def dialogue_rows(connection: psycopg.Connection[Any], dialogue_id: str) -> DialogueRows:
    """Return the live rows of a dialogue, messages in the order in which they came."""
    parameters = {"dialogue_id": dialogue_id}
    dialogue = dialogue_row(connection, dialogue_id)
    with connection.cursor(row_factory=namedtuple_row) as cursor:
        messages = cursor.execute(load_query("raw/layer_messages"), parameters).fetchall()
        parts = cursor.execute(load_query("raw/layer_parts"), parameters).fetchall()
        attachments = cursor.execute(load_query("raw/layer_attachments"), parameters).fetchall()
    return DialogueRows(dialogue, messages, _by_message(parts), _by_message(attachments))


def _by_message(rows: Sequence[Any]) -> dict[str, list[Any]]:
    found: defaultdict[str, list[Any]] = defaultdict(list)
    for row in rows:
        found[row.message_id].append(row)
    return found
