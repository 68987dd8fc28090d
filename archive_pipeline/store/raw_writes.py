"""Writing dialogues to ``raw``: what is stored, what changed, and the statements that bring it up to date."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any, Final, NamedTuple
from uuid import UUID

import psycopg
from sqlalchemy import Table

from archive_pipeline.domain.choices import API
from archive_pipeline.domain.identity import MADE
from archive_pipeline.store.copy import CopyFormat, binary_kind_of, copy_frame, copy_pieces, foreign_keys_unchecked
from archive_pipeline.store.copy_binary import BinaryKind, EncodedTable
from archive_pipeline.store.lexical_segments import purge_deleted
from archive_pipeline.store.links import find_links_anew, sharing_dialogues
from archive_pipeline.store.rows import fetch_column, fetch_rows
from archive_pipeline.store.sql_files import load_query
from archive_pipeline.store.tables import raw
from archive_pipeline.store.tables.dialogues import dialogue_vintages

if TYPE_CHECKING:
    import pandas as pd

# What new dialogues have rows in: dialogues themselves, and what refers to them.
_FIRST: Final = raw.dialogues
_BELONGING: Final = (dialogue_vintages, raw.messages, raw.content_parts, raw.attachments)


@dataclass(frozen=True, slots=True)
class StoredDialogue:
    """What the database knows of a dialogue."""

    id: str
    fingerprint: str
    source_updated_at: datetime | None


@dataclass(frozen=True, slots=True)
class StoredMessage:
    """What the database knows of a message; ``missing_parent`` is the source's id of one that no export had."""

    id: str
    source_id: str
    parent_id: str | None
    sequence_number: int
    is_live: bool
    content_hash: str
    origin: str
    missing_parent: str | None


class _TextLink(NamedTuple):
    """A document that was made of a text in an attachment, and the message that it came with."""

    document_id: str
    message_id: str


class InputBesideFingerprint(NamedTuple):
    """A message, one of its attachments (None if it has none), the workspace: what is computed with beside texts."""

    id: UUID
    created_at: datetime | None
    sequence: int | None
    file_name: str | None
    uri: str | None
    content_sha256: str | None
    workspace_id: str | None


def stored_dialogues(connection: psycopg.Connection[Any], ids: Sequence[str]) -> dict[str, StoredDialogue]:
    """Return the stored dialogues among the given ids."""
    return {row.id: row for row in fetch_rows(connection, "raw/stored_dialogues", StoredDialogue, {"ids": list(ids)})}


class AbsentDialogue(NamedTuple):
    """A dialogue that an export does not have; it stays if that does not say that it is gone."""

    dialogue_id: str
    partition_key: str
    stays: bool


def absent_dialogues(
    connection: psycopg.Connection[Any], source: str, present: Collection[str]
) -> list[AbsentDialogue]:
    """Return the dialogues of a source beside those with the given ids."""
    parameters = {"source": source, "present": list(present), "made": f"{MADE}%", "api": API}
    return fetch_rows(connection, "raw/absent_dialogues", AbsentDialogue, parameters)


def delete_dialogues(connection: psycopg.Connection[Any], ids: Sequence[str]) -> list[str]:
    """Delete dialogues with all their rows, raw and derived; what they shared with others is those others' alone.

    It is the last thing that a transaction does, and one transaction at a time does it (``locks.ARCHIVE_WRITER``).
    Documents are locked after dialogues, and nobody locks dialogues after documents without that lock.

    Returns:
        The hashes of documents that are gone too: all that came with messages which are gone or deleted.
    """
    sharing = set(sharing_dialogues(connection, ids)) - set(ids)
    connection.execute(load_query("raw/lock_deleted_dialogues"), {"ids": list(ids), "sharing": sorted(sharing)})
    connection.execute(load_query("raw/delete_dialogues"), {"ids": list(ids)})
    find_links_anew(connection, sorted(sharing))
    hashes = fetch_column(connection, "documents/delete_unlinked_documents", str)
    purge_deleted(connection)
    return hashes


def stored_messages(connection: psycopg.Connection[Any], dialogue_id: str) -> dict[str, StoredMessage]:
    """Return all messages of a dialogue by source id, soft-deleted ones too."""
    rows = fetch_rows(connection, "raw/stored_messages", StoredMessage, {"dialogue_id": dialogue_id})
    return {row.source_id: row for row in rows}


def append(connection: psycopg.Connection[Any], tables: Mapping[str, EncodedTable]) -> dict[str, int]:
    """Append new dialogues with all that belongs to them; return rows per table.

    Args:
        connection: in a transaction.
        tables: rows of all tables that ``column_kinds`` names, or none at all.
    """
    if not tables:
        return {table.name: 0 for table in (_FIRST, *_BELONGING) if table is not dialogue_vintages}
    written = _append(connection, tables, _FIRST)
    with foreign_keys_unchecked(connection):  # messages and parts come with their dialogues
        for table in _BELONGING:
            written |= _append(connection, tables, table)
    del written[dialogue_vintages.name]
    return written


def _append(connection: psycopg.Connection[Any], tables: Mapping[str, EncodedTable], table: Table) -> dict[str, int]:
    rows = tables[table.name]
    if rows.count:
        copy_pieces(connection, table, rows.columns, rows.pieces, form=CopyFormat.BINARY)
    return {table.name: rows.count}


def column_kinds() -> dict[str, dict[str, BinaryKind]]:
    """Return how the columns of the tables that new dialogues have rows in are written, by table and column.

    Names are plain strings: a process that is sent names of SQLAlchemy's own type would have to import SQLAlchemy.
    """
    return {
        str(table.name): {str(column.name): binary_kind_of(column.type) for column in table.columns}
        for table in (_FIRST, *_BELONGING)
    }


def update_dialogue(connection: psycopg.Connection[Any], values: Mapping[str, Any]) -> None:
    """Bring the row of a stored dialogue up to date."""
    connection.execute(load_query("raw/update_dialogue"), values)


class RefreshedDialogue(NamedTuple):
    """A dialogue whose metadata differed; whether it is a subagent's, so that its link may have changed too."""

    id: str
    is_subagent: bool


def refresh_metadata(
    connection: psycopg.Connection[Any], dialogues: Sequence[Mapping[str, str | None]]
) -> list[RefreshedDialogue]:
    """Bring the metadata of dialogues whose content is unchanged up to date; return those that differed.

    Args:
        connection: in a transaction.
        dialogues: for each its ``id``, ``source_json``, ``custom_gpt_id``, ``project_id`` and ``source_parent_id``.
    """
    if not dialogues:
        return []
    names = ("id", "source_json", "custom_gpt_id", "project_id", "source_parent_id")
    parameters = {name: [dialogue[name] for dialogue in dialogues] for name in names}
    return fetch_rows(connection, "raw/refresh_metadata", RefreshedDialogue, parameters)


def inputs_beside_fingerprint(connection: psycopg.Connection[Any], dialogue_id: str) -> list[InputBesideFingerprint]:
    """Return what derived rows of a dialogue are computed from and its fingerprint leaves out."""
    return fetch_rows(connection, "staleness/inputs_beside_fingerprint", InputBesideFingerprint, {"id": dialogue_id})


def purge_builds(connection: psycopg.Connection[Any], dialogue_id: str) -> None:
    """Make what was built of a dialogue stale.

    Saying so is not left to the fingerprint: content that comes back after a change has its old fingerprint, but may
    have other times, which the fingerprint leaves out and derived rows are ordered by.
    """
    connection.execute(load_query("staleness/purge_builds"), {"id": dialogue_id})


def upsert_messages(connection: psycopg.Connection[Any], rows: Sequence[Mapping[str, Any]]) -> int:
    """Insert new messages; update, and bring back to life, those that are stored. Sequence numbers stay."""
    with connection.cursor() as cursor:
        cursor.executemany(load_query("raw/upsert_message"), rows)
    return len(rows)


def replace_parts(
    connection: psycopg.Connection[Any],
    dialogue_id: str,
    message_ids: Sequence[str],
    parts: pd.DataFrame,
    attachments: pd.DataFrame,
) -> dict[str, int]:
    """Replace the content parts and attachments of some messages of a dialogue; return rows written per table.

    A document that was made of a text in an attachment is the messages' only as long as they have that text.
    """
    parameters = {"dialogue_id": dialogue_id, "message_ids": list(message_ids)}
    connection.execute(load_query("raw/delete_parts"), parameters)
    links = fetch_rows(connection, "raw/delete_attachments", _TextLink, parameters)
    written = {
        raw.content_parts.name: copy_frame(connection, raw.content_parts, parts),
        raw.attachments.name: copy_frame(connection, raw.attachments, attachments),
    }
    if links:
        document_ids, message_ids = zip(*links, strict=True)
        parameters = {"document_ids": list(document_ids), "message_ids": list(message_ids)}
        connection.execute(load_query("documents/unlink_changed_texts"), parameters)
    return written


def soft_delete(connection: psycopg.Connection[Any], dialogue_id: str, message_ids: Iterable[str]) -> int:
    """Mark messages of a dialogue as deleted; return how many."""
    parameters = {"dialogue_id": dialogue_id, "message_ids": list(message_ids)}
    return connection.execute(load_query("raw/soft_delete_messages"), parameters).rowcount
