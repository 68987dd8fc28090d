"""Every table is declared here, once: migrations, bulk copies, column schemas in Dagster and the docs follow it."""

from archive_pipeline.store.tables.annotations import ANNOTATION_TABLES
from archive_pipeline.store.tables.attachments import ATTACHMENT_TABLES
from archive_pipeline.store.tables.base import metadata
from archive_pipeline.store.tables.builds import build_errors, build_state
from archive_pipeline.store.tables.derived import DERIVED_TABLES
from archive_pipeline.store.tables.documents import (
    DERIVED_DOCUMENT_TABLES,
    DOCUMENT_TABLES,
    document_builds,
    document_chunks,
    page_vectors,
)
from archive_pipeline.store.tables.lexical import LEXICAL_TABLES, search_postings, search_segments
from archive_pipeline.store.tables.raw import RAW_TABLES
from archive_pipeline.store.tables.search import SEARCH_TABLES

__all__ = [
    "ANNOTATION_TABLES",
    "ATTACHMENT_TABLES",
    "DERIVED_DOCUMENT_TABLES",
    "DERIVED_TABLES",
    "DOCUMENT_TABLES",
    "LEXICAL_TABLES",
    "RAW_TABLES",
    "SEARCH_TABLES",
    "build_errors",
    "build_state",
    "document_builds",
    "document_chunks",
    "metadata",
    "page_vectors",
    "search_postings",
    "search_segments",
]
