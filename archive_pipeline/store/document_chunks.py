"""Chunks of documents: which documents lack them, and writing those of one."""

from __future__ import annotations

from typing import Any

import pandas as pd
import psycopg

from archive_pipeline.store.copy import copy_frame
from archive_pipeline.store.sql_files import load_sql
from archive_pipeline.store.tables.documents import document_chunks


def stale_documents(connection: psycopg.Connection[Any], code_version: str) -> list[str]:
    """Return the ids of documents that were read and whose chunks are not those of this reading and version."""
    return [row[0] for row in connection.execute(load_sql("queries/stale_documents"), {"code_version": code_version})]


def lock_document(connection: psycopg.Connection[Any], document_id: str) -> Any | None:
    """Keep a document as it is until the transaction ends; return when it was read, None if it is gone."""
    row = connection.execute(load_sql("queries/lock_document"), {"id": document_id}).fetchone()
    return None if row is None else row[0]


def texts_of_document(connection: psycopg.Connection[Any], document_id: str) -> list[tuple[int, str]]:
    """Return numbers and texts of a document's pages, in order."""
    rows = connection.execute(load_sql("queries/texts_of_document"), {"id": document_id})
    return [(row[0], row[1]) for row in rows]


def replace_chunks(
    connection: psycopg.Connection[Any], document_id: str, chunks: pd.DataFrame, *, read_at: Any, code_version: str
) -> None:
    """Write the chunks of a document in place of those it has, and what they were made from."""
    connection.execute(load_sql("queries/delete_document_chunks"), {"id": document_id})
    copy_frame(connection, document_chunks, chunks)
    connection.execute(
        load_sql("queries/record_document_build"),
        {"id": document_id, "read_at": read_at, "code_version": code_version},
    )
