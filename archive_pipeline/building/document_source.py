"""Documents as the engine builds them."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any, Final

import psycopg

from archive_pipeline.building.source import Read, Source
from archive_pipeline.derive.asset import DerivedAsset
from archive_pipeline.derive.registry import DOCUMENT_ASSETS
from archive_pipeline.domain.batch import DocumentBatch
from archive_pipeline.store import document_chunks as stored
from archive_pipeline.store.copy import EncodedRows
from archive_pipeline.store.database import Database
from archive_pipeline.store.document_chunks import DOCUMENT_CHUNKS, DocumentRef


class DocumentSource(Source[DocumentRef, DocumentBatch]):
    """The description of documents: recorded in ``derived.document_builds``."""

    noun = "documents"
    unit = "pages"
    owner = "document_id"
    max_items = 1_000
    max_size = 1_000
    max_bytes = 4_000_000
    max_sampled_size = 1_000

    @property
    def assets(self) -> Mapping[str, DerivedAsset[DocumentBatch]]:
        """The derived assets."""
        return DOCUMENT_ASSETS

    def size(self, item: DocumentRef) -> int:
        """Return how many pages a document has."""
        return item.page_count

    def text_bytes(self, database: Database, items: Sequence[DocumentRef]) -> Mapping[str, int]:
        """Return the bytes of the documents' pages."""
        with database.session() as connection:
            return stored.text_bytes(connection, [item.id for item in items])

    def label(self, item: DocumentRef) -> str:
        """Return its id."""
        return item.id

    def ids(self, batch: DocumentBatch) -> Sequence[str]:
        """Return the documents of a batch."""
        return batch.document_ids

    @contextmanager
    def reader(self, database: Database) -> Iterator[Read[DocumentBatch]]:
        """Yield what reads batches, in a transaction each: one that fails spoils no other."""
        yield partial(_read, database)

    def present(self, database: Database, items: Sequence[DocumentRef]) -> list[DocumentRef]:
        """Return the documents as they were last read."""
        with database.session() as connection:
            return stored.read_documents(connection, "", [item.id for item in items])

    def replace(
        self,
        connection: psycopg.Connection[Any],
        asset: DerivedAsset[DocumentBatch],
        rows: Mapping[str, EncodedRows],
        items: Sequence[DocumentRef],
        version: str,
    ) -> Mapping[str, int]:
        """Replace chunks (`replace_chunks`)."""
        del asset
        return stored.replace_chunks(connection, rows, items, code_version=version)

    def set_aside(
        self,
        connection: psycopg.Connection[Any],
        asset: DerivedAsset[DocumentBatch],
        errors: Mapping[str, str],
        items: Sequence[DocumentRef],
        version: str,
    ) -> None:
        """Record the errors in ``derived.document_builds``; the documents have no chunks then."""
        del asset
        stored.quarantine_documents(connection, errors, items, code_version=version)

    def everything(self, connection: psycopg.Connection[Any]) -> list[DocumentRef]:
        """Return every document that was read."""
        return stored.read_documents(connection, "")

    def sample(
        self, connection: psycopg.Connection[Any], versions: Mapping[str, str], *, number: int, seed: str
    ) -> list[str]:
        """Return documents whose chunks are up to date."""
        version = versions[DOCUMENT_CHUNKS]
        return stored.sample_of_current(connection, version, max_pages=self.max_sampled_size, number=number, seed=seed)

    def fingerprints(self, connection: psycopg.Connection[Any], ids: Sequence[str]) -> dict[str, Hashable]:
        """Return when each document was read."""
        return {document.id: document.read_at for document in stored.read_documents(connection, "", ids)}

    def current(
        self, connection: psycopg.Connection[Any], versions: Mapping[str, str], ids: Sequence[str]
    ) -> Mapping[str, Sequence[str]]:
        """Return the documents whose chunks are up to date."""
        documents = stored.read_documents(connection, versions[DOCUMENT_CHUNKS], ids)
        return {DOCUMENT_CHUNKS: [document.id for document in documents if document.is_current]}


def _read(database: Database, document_ids: Sequence[str]) -> DocumentBatch:
    with database.session() as connection:
        return stored.read_batch(connection, document_ids)


DOCUMENTS: Final = DocumentSource()
