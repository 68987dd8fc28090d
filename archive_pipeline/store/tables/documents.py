"""Documents: files with pages, in ``raw``; their chunks and vectors of page images, in ``derived``."""

from __future__ import annotations

from typing import Final

from sqlalchemy import (
    BigInteger,
    CheckConstraint,
    Column,
    DateTime,
    ForeignKey,
    ForeignKeyConstraint,
    Index,
    Integer,
    LargeBinary,
    Table,
    Text,
    UniqueConstraint,
    func,
)

from archive_pipeline.store.tables.base import (
    DERIVED,
    RAW,
    message_key,
    metadata,
    one_of,
    parents_dialogue_column,
    uuid_column,
)
from archive_pipeline.store.tables.lexical import CHUNK_NUMBER
from archive_pipeline.store.tables.pairs import search_columns

DOCUMENT_STATUSES: Final = ["done", "failed"]
ORIGINS: Final = ["path", "attachment"]

documents: Final = Table(
    "documents",
    metadata,
    uuid_column("id", "uuid5 of the SHA-256: the same content is the same document", primary_key=True),
    Column("sha256", Text, nullable=False, comment="SHA-256 of the file's bytes (hex)"),
    Column("file_name", Text, nullable=False, comment="Name of the file when it came first"),
    Column(
        "extension", Text, nullable=False, comment="What it is by its content: pdf, docx, …; of text, the file's own"
    ),
    Column("size_bytes", BigInteger, nullable=False, comment="Size of the file"),
    Column("source_path", Text, nullable=False, comment="Where it came from: a path, or a place in an export"),
    Column("origin", Text, nullable=False, comment="path (added by its path) or attachment (found with a message)"),
    Column("status", Text, nullable=False, comment="done, or failed (it could not be read)"),
    Column("error", Text, comment="Why it could not be read; NULL if it was"),
    Column("page_count", Integer, nullable=False, comment="Pages; 0 if it could not be read"),
    Column("reader_version", Integer, nullable=False, comment="Version of the readers that read it"),
    Column(
        "added_at", DateTime(timezone=True), nullable=False, server_default=func.now(), comment="When it came first"
    ),
    Column(
        "read_at", DateTime(timezone=True), nullable=False, server_default=func.now(), comment="When it was last read"
    ),
    UniqueConstraint("sha256"),
    CheckConstraint(one_of("origin", ORIGINS), name="origin"),
    CheckConstraint(one_of("status", DOCUMENT_STATUSES), name="status"),
    schema=RAW,
    comment="Files with pages: added by path or found as attachments",
)

document_pages: Final = Table(
    "document_pages",
    metadata,
    uuid_column("document_id", "The document", ForeignKey("raw.documents.id", ondelete="CASCADE"), primary_key=True),
    Column("page", Integer, primary_key=True, autoincrement=False, comment="Number of the page, from 1"),
    Column("markdown", Text, nullable=False, comment="Text of the page"),
    Column("section_path", Text, comment="Headings that its beginning stands below: Introduction > Methods"),
    Column("parent_heading", Text, comment="The last of them"),
    Column("num_headings", Integer, nullable=False, comment="Headings on it"),
    Column("num_tables", Integer, nullable=False, comment="Tables on it"),
    Column("num_pictures", Integer, nullable=False, comment="Pictures on it"),
    Column("image_path", Text, comment="Its image, below ARCHIVE_HOME; NULL for formats without pages"),
    Column("thumb_path", Text, comment="A small one"),
    CheckConstraint("page >= 1", name="page"),
    schema=RAW,
    comment="Pages of documents",
)

document_attachments: Final = Table(
    "document_attachments",
    metadata,
    uuid_column("document_id", "The document", ForeignKey("raw.documents.id", ondelete="CASCADE"), primary_key=True),
    uuid_column("message_id", "Message it came with", primary_key=True),
    parents_dialogue_column(primary_key=True),
    message_key(),
    Index(None, "message_id"),
    schema=RAW,
    comment="Messages that a document came with",
)

document_chunks: Final = Table(
    "document_chunks",
    metadata,
    uuid_column("chunk_id", "uuid5 of (document, page, index)", primary_key=True),
    uuid_column("document_id", "The document"),
    Column("page", Integer, nullable=False, comment="The page"),
    Column("chunk_index", Integer, nullable=False, comment="Place among the chunks of the page, from 0"),
    Column("start_offset", Integer, nullable=False, comment="Where it begins in the page's text, in characters"),
    Column("end_offset", Integer, nullable=False, comment="Where it ends"),
    Column("text", Text, nullable=False, comment="The page's text between the offsets"),
    Column("token_count", Integer, nullable=False, comment="Tokens of the text (cl100k_base)"),
    Column("content_hash", Text, nullable=False, comment="SHA-256 of the text (hex): equal texts are embedded once"),
    *search_columns(),
    ForeignKeyConstraint(
        ["document_id", "page"], ["raw.document_pages.document_id", "raw.document_pages.page"], ondelete="CASCADE"
    ),
    CheckConstraint("start_offset < end_offset", name="offsets"),
    UniqueConstraint("document_id", "page", "chunk_index"),
    UniqueConstraint(CHUNK_NUMBER),
    Index(None, "content_hash"),
    schema=DERIVED,
    comment="Pieces of the pages of documents, which are embedded and searched",
)

document_builds: Final = Table(
    "document_builds",
    metadata,
    uuid_column("document_id", "The document", ForeignKey("raw.documents.id", ondelete="CASCADE"), primary_key=True),
    Column(
        "read_at", DateTime(timezone=True), nullable=False, comment="The reading of the document they were built from"
    ),
    Column("code_version", Text, nullable=False, comment="Version of the code and settings that built them"),
    Column("built_at", DateTime(timezone=True), nullable=False, server_default=func.now(), comment="When"),
    Column(
        "error", Text, comment="Why this version cannot chunk this reading, which then has no chunks; NULL if it did"
    ),
    schema=DERIVED,
    comment="What the chunks of each document were built from: the truth about what is stale",
)

page_vectors: Final = Table(
    "page_vectors",
    metadata,
    Column("model", Text, primary_key=True, comment="Model that made the vectors, as in ARCHIVE_VISUAL_MODEL"),
    uuid_column("document_id", "The document", primary_key=True),
    Column("page", Integer, primary_key=True, autoincrement=False, comment="The page"),
    Column("dimensions", Integer, nullable=False, comment="Numbers in a vector"),
    Column("pooled", LargeBinary, nullable=False, comment="Direction of their mean: 32-bit floats, little-endian"),
    Column("vectors", LargeBinary, nullable=False, comment="One vector after the other: 16-bit floats, little-endian"),
    ForeignKeyConstraint(
        ["document_id", "page"], ["raw.document_pages.document_id", "raw.document_pages.page"], ondelete="CASCADE"
    ),
    Index(None, "document_id", "page"),
    schema=DERIVED,
    comment="What a late-interaction model makes of page images: many vectors a page, and one to find candidates by",
)

DOCUMENT_TABLES: Final = (documents, document_pages, document_attachments)
DERIVED_DOCUMENT_TABLES: Final = (document_chunks, document_builds, page_vectors)
