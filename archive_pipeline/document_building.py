"""Chunks of documents that lack them, document by document, each in a transaction of its own."""

from __future__ import annotations

from archive_pipeline.derive.document_chunks import chunks_version, document_chunks
from archive_pipeline.settings import Settings
from archive_pipeline.store import document_chunks as stored
from archive_pipeline.store.database import Database


def build_document_chunks(database: Database, settings: Settings) -> int:
    """Cut the pages of documents that are new, were read again, or were cut by another version or to another size.

    Two processes that do it at once write the same rows. Returns the number of documents.
    """
    version = chunks_version(settings.chunk_tokens)
    with database.session() as connection:
        stale = stored.stale_documents(connection, version)
    return sum(_build(database, document_id, settings.chunk_tokens, version) for document_id in stale)


def _build(database: Database, document_id: str, chunk_tokens: int, version: str) -> bool:
    with database.session() as connection:
        read_at = stored.lock_document(connection, document_id)
        if read_at is None:
            return False
        chunks = document_chunks(document_id, stored.texts_of_document(connection, document_id), chunk_tokens)
        stored.replace_chunks(connection, document_id, chunks, read_at=read_at, code_version=version)
    return True
