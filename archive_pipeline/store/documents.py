"""Documents and their pages in ``raw``."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import psycopg
from psycopg.rows import dict_row

from archive_pipeline.domain.identity import as_uuid
from archive_pipeline.store.copy import copy_frame
from archive_pipeline.store.lexical_segments import purge_deleted
from archive_pipeline.store.rows import fetch_column, fetch_row, fetch_rows, fetch_value
from archive_pipeline.store.sql_files import load_query
from archive_pipeline.store.tables.documents import document_pages

if TYPE_CHECKING:
    import pandas as pd

_ID_DIGITS: Final = 32
_DIGITS: Final = re.compile(r"[0-9a-f]{4,32}")


class StoredDocument(NamedTuple):
    """What is stored of a document beside its pages."""

    document_id: str
    sha256: str
    status: str
    page_count: int
    reader_version: int
    origin: str


class NamedDocument(NamedTuple):
    """A document and the name of its file."""

    document_id: str
    file_name: str


class AttachmentText(NamedTuple):
    """A text that sources extracted from files.

    Attributes:
        attachment_id, dialogue_id: the first file that has it.
        place: the message of that file, for people.
        file_name: of the first file that has a name.
        message_ids: whatever came with such a file, in order.
    """

    attachment_id: str
    dialogue_id: str
    place: str
    file_name: str | None
    message_ids: list[str]


def find_document(connection: psycopg.Connection[Any], document_id: str) -> StoredDocument | None:
    """Return what is stored of a document, None if it is not there."""
    return fetch_row(connection, "documents/stored_document", StoredDocument, {"id": as_uuid(document_id)})


def begin_with(connection: psycopg.Connection[Any], beginning: str, *, limit: int) -> list[NamedDocument]:
    """Return the documents whose id begins so; of less than 4 digits none does."""
    digits = beginning.strip().lower().replace("-", "")
    if not _DIGITS.fullmatch(digits):
        return []
    bounds = {"first": digits.ljust(_ID_DIGITS, "0"), "last": digits.ljust(_ID_DIGITS, "f")}
    return fetch_rows(connection, "documents/documents_by_beginning", NamedDocument, {**bounds, "limit": limit})


def write_document(
    connection: psycopg.Connection[Any], row: Mapping[str, Any], pages: pd.DataFrame, message_ids: Sequence[str]
) -> None:
    """Store a document that was read, or that could not be, with its pages; those of an earlier reading go.

    Args:
        connection: in a transaction, which ends with this.
        row: of the document.
        pages: rows of its pages.
        message_ids: the messages that it came with; none if it was added by its path.
    """
    connection.execute(load_query("documents/upsert_document"), row)
    deleted = connection.execute(load_query("documents/delete_document_pages"), {"id": row["id"]}).rowcount
    copy_frame(connection, document_pages, pages)
    note_origin(connection, row["id"], message_ids)
    if deleted:
        purge_deleted(connection)


def note_origin(connection: psycopg.Connection[Any], document_id: str, message_ids: Sequence[str]) -> None:
    """Note that the document came with some messages or, without any, that it was added by its path."""
    if message_ids:
        parameters = {"id": document_id, "message_ids": list(message_ids)}
        connection.execute(load_query("documents/link_document"), parameters)
    else:
        connection.execute(load_query("documents/claim_document"), {"id": document_id})


def delete(connection: psycopg.Connection[Any], document_id: str) -> None:
    """Delete a document with all that belongs to it in the database; a transaction ends with it."""
    connection.execute(load_query("documents/delete_document"), {"id": document_id})
    purge_deleted(connection)


def delete_unlinked(connection: psycopg.Connection[Any]) -> list[str]:
    """Delete documents that came with messages which are all gone or deleted; return their hashes.

    A transaction ends with it.
    """
    hashes = fetch_column(connection, "documents/delete_unlinked_documents", str)
    if hashes:
        purge_deleted(connection)
    return hashes


def listed_documents(
    connection: psycopg.Connection[Any], *, is_failed: bool, limit: int | None
) -> list[dict[str, Any]]:
    """Return documents, or those that could not be read, with their number of ``messages``, the latest first."""
    wanted = {"is_failed": is_failed, "limit": limit}
    with connection.cursor(row_factory=dict_row) as cursor:
        return cursor.execute(load_query("documents/list_documents"), wanted).fetchall()


def attachment_texts(connection: psycopg.Connection[Any]) -> list[AttachmentText]:
    """Return the different texts that sources extracted from files of live messages, without the texts themselves."""
    return fetch_rows(connection, "documents/attachment_texts", AttachmentText)


def attachment_text(connection: psycopg.Connection[Any], found: AttachmentText) -> str:
    """Return the text itself; none if it was deleted meanwhile."""
    parameters = {"attachment_id": found.attachment_id, "dialogue_id": found.dialogue_id}
    return fetch_value(connection, "documents/attachment_text", str, parameters) or ""
