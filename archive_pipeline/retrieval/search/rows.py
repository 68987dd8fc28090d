"""Rows that search reads."""

from __future__ import annotations

from datetime import datetime
from typing import NamedTuple


class FoundChunk(NamedTuple):
    """What is shown of a chunk, or of a page's image: a row of ``search_chunks`` or ``search_page_images``.

    What a page of a document has none of is None, and so is what its image has none of: chunk and hash. A tuple, since
    wide filters fetch thousands.
    """

    chunk_id: str | None
    doc_id: str
    page: int
    side: str | None
    role: str | None
    text: str
    content_hash: str | None
    pair_id: str | None
    part_id: str | None
    pair_type: str | None
    workspace_id: str | None
    session_id: str | None
    is_on_primary_path: bool | None
    question_message_id: str | None
    answer_message_id: str | None
    message_id: str | None
    model: str | None
    happened_at: datetime | None
    source: str
    partition_key: str | None
    filename: str
    extension: str
    created_at: datetime | None
    added_at: datetime
    section_path: str | None
    parent_heading: str | None
    image_path: str | None
    thumb_path: str | None


class BesidePage(NamedTuple):
    """A row of ``beside_pages``; ``page`` is that of a cluster."""

    kind: str
    name: str
    page: int | None
    value: str


class AllowedChunk(NamedTuple):
    """A row of ``search_allowed``."""

    chunk_id: str
    content_hash: str


class StoredVector(NamedTuple):
    """A row of ``search_vectors``."""

    content_hash: str
    vector: bytes


class NewestPage(NamedTuple):
    """A row of ``newest_pages``."""

    doc_id: str
    page: int


class AllowedDocument(NamedTuple):
    """A row of ``search_allowed_documents``."""

    document_id: str


class ChunkOnPage(NamedTuple):
    """A row of ``lexical/numbers_on_pages``."""

    doc_id: str
    page: int
    chunk_number: int
    is_near_duplicate: bool


class Frequency(NamedTuple):
    """A row of ``lexical/term_frequencies`` or ``lexical/terms_with_prefix``."""

    term: str
    frequency: int


class ChunkText(NamedTuple):
    """A row of ``lexical/texts_of_numbers``."""

    chunk_number: int
    text: str
    language: str


class ChunkEdge(NamedTuple):
    """A row of ``lexical/texts_over_edges``."""

    chunk_number: int
    text: str
    following_text: str
    overlap: int | None
    language: str


class NumberedChunk(NamedTuple):
    """A row of ``lexical/chunks_of_numbers``."""

    chunk_number: int
    chunk_id: str


class ArchiveHas(NamedTuple):
    """The row of ``archive_has``."""

    has_content: bool
    has_chunks: bool


class KnownDates(NamedTuple):
    """The row of ``known_dates``."""

    first_at: datetime | None
    last_at: datetime | None
