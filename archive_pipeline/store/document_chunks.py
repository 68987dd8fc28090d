"""Chunks of documents: which documents lack them, and replacing those of some."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

import psycopg

from archive_pipeline.domain.batch import DocumentBatch
from archive_pipeline.store.copy import EncodedRows
from archive_pipeline.store.lexical_segments import tidy_index
from archive_pipeline.store.replace import ItemsChangedError, copy_encoded
from archive_pipeline.store.rows import fetch_column
from archive_pipeline.store.sql_files import load_query
from archive_pipeline.store.tables import document_chunks

DOCUMENT_CHUNKS: Final = document_chunks.name


@dataclass(frozen=True, slots=True)
class DocumentRef:
    """A document that was read.

    Attributes:
        id: its id.
        page_count: its pages.
        read_at: when it was read.
        is_current: its chunks are those of this reading and version.
        is_quarantined: this version could not chunk this reading.
    """

    id: str
    page_count: int
    read_at: datetime
    is_current: bool
    is_quarantined: bool


def read_documents(
    connection: psycopg.Connection[Any], code_version: str, document_ids: Sequence[str] | None = None
) -> list[DocumentRef]:
    """Return the documents that were read, of some or of all, in order of their ids."""
    parameters = {
        "code_version": code_version,
        "document_ids": None if document_ids is None else list(document_ids),
    }
    return [DocumentRef(*row) for row in connection.execute(load_query("documents/read_documents"), parameters)]


def text_bytes(connection: psycopg.Connection[Any], document_ids: Sequence[str]) -> dict[str, int]:
    """Return the bytes of the pages of documents; those without pages are left out."""
    return dict(connection.execute(load_query("documents/text_bytes"), {"ids": list(document_ids)}).fetchall())


def sample_of_current(
    connection: psycopg.Connection[Any], code_version: str, *, max_pages: int, number: int, seed: str
) -> list[str]:
    """Return the ids of up to ``number`` documents of at most ``max_pages`` pages whose chunks are up to date."""
    parameters = {"code_version": code_version, "max_pages": max_pages, "number": number, "seed": seed}
    return fetch_column(connection, "verify/sample_current_documents", str, parameters)


def stale_documents(
    connection: psycopg.Connection[Any], code_version: str, *, include_current: bool = False
) -> list[DocumentRef]:
    """Return the documents that were read and whose chunks are not those of this reading and version.

    With ``include_current``, all that were read; else those that this version could not chunk are left out.
    """
    documents = read_documents(connection, code_version)
    return [each for each in documents if include_current or not (each.is_current or each.is_quarantined)]


def read_batch(connection: psycopg.Connection[Any], document_ids: Sequence[str]) -> DocumentBatch:
    """Return documents with the texts of their pages; those that are gone are left out."""
    pages: dict[str, list[tuple[int, str]]] = {}
    rows = connection.execute(load_query("documents/texts_of_documents"), {"ids": list(document_ids)})
    for document_id, page, markdown in rows:
        texts = pages.setdefault(document_id, [])
        if page is not None:
            texts.append((page, markdown))
    return DocumentBatch(list(pages), list(pages.values()))


def replace_chunks(
    connection: psycopg.Connection[Any],
    rows: Mapping[str, EncodedRows],
    documents: Sequence[DocumentRef],
    *,
    code_version: str,
) -> dict[str, int]:
    """Write the chunks of documents in place of those they have, and what they were made from.

    Args:
        connection: a connection with a transaction of its own.
        rows: table name -> new rows; all of them belong to the given documents.
        documents: the documents as they were when their pages were read.
        code_version: version of the code that split them.

    Returns:
        Rows written per table.

    Raises:
        ItemsChangedError: a document is gone or was read again; nothing was written.
    """
    parameters = _parameters(documents, code_version, dict.fromkeys(document.id for document in documents))
    locked = connection.execute(load_query("documents/lock_documents"), parameters).fetchall()
    if dict(locked) != {document.id: document.read_at for document in documents}:
        raise ItemsChangedError
    deleted = fetch_column(connection, "documents/delete_chunks_of_documents", int, parameters)
    written = {name: copy_encoded(connection, encoded) for name, encoded in rows.items()}
    connection.execute(load_query("documents/record_document_builds"), parameters)
    tidy_index(connection, deleted)
    return written


def quarantine_documents(
    connection: psycopg.Connection[Any],
    errors: Mapping[str, str],
    documents: Sequence[DocumentRef],
    *,
    code_version: str,
) -> None:
    """Record that some documents cannot be chunked, and delete the chunks they have.

    Documents that are gone or were read again since are passed over: their new reading is tried.

    Args:
        connection: a connection with a transaction of its own.
        errors: document id -> what happened.
        documents: the documents as they were when their pages were read; those of ``errors`` at least.
        code_version: version of the code that could not chunk them.
    """
    ids = [document.id for document in documents if document.id in errors]
    there = dict(connection.execute(load_query("documents/lock_documents"), {"ids": ids}).fetchall())
    failed = [document for document in documents if there.get(document.id) == document.read_at]
    parameters = _parameters(failed, code_version, errors)
    deleted = fetch_column(connection, "documents/delete_chunks_of_documents", int, parameters)
    connection.execute(load_query("documents/record_document_builds"), parameters)
    if deleted:
        tidy_index(connection, deleted)


def quarantined_documents(connection: psycopg.Connection[Any], code_version: str) -> dict[str, str]:
    """Return what this version could not chunk: document id -> first line of the error, in order of the ids."""
    rows = connection.execute(load_query("documents/quarantined_documents"), {"code_version": code_version})
    return {document_id: error.partition("\n")[0] for document_id, error in rows}


def _parameters(
    documents: Sequence[DocumentRef], code_version: str, errors: Mapping[str, str | None]
) -> dict[str, Any]:
    return {
        "ids": [document.id for document in documents],
        "read_at": [document.read_at for document in documents],
        "errors": [errors[document.id] for document in documents],
        "code_version": code_version,
    }
