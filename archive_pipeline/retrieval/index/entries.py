"""From rows of PostgreSQL to entries of Chroma: id, vector, text, and the metadata fields of seed 002.

Chroma has no NULL: what is not known is an empty text.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np
import numpy.typing as npt

from archive_pipeline.retrieval.pages.joined import join_pages
from archive_pipeline.retrieval.pages.markdown import compress, page_text
from archive_pipeline.store.embeddings import from_bytes
from archive_pipeline.store.page_texts import PageTexts
from archive_pipeline.store.vector_indexes import EntryRow, PageEntry, TextEntry
from archive_pipeline.text.markdown import Structure, structure_of

FULL_MARKDOWN: Final = "full_markdown_compressed"
HAS_VECTOR: Final = "has_vector"

Metadata = dict[str, str | int | bool]


@dataclass(frozen=True, slots=True)
class Entry:
    """One entry of a collection.

    Attributes:
        id, vector, text, metadata: what Chroma stores.
    """

    id: str
    vector: npt.NDArray[np.float32]
    text: str
    metadata: Metadata


def chunk_entry(row: TextEntry, home: Path) -> Entry:
    """Return the entry of a row of ``derived.text_entries``; images of pages are below ``home``."""
    return Entry(
        id=row.entry_id,
        vector=from_bytes(row.vector),
        text=row.text,
        metadata={
            **_document(row, home),
            "pair_id": row.pair_id or "",
            "side": row.side or "",
            "chunk_index": row.chunk_index,
            "start_offset": row.start_offset,
            "end_offset": row.end_offset,
            "content_hash": row.content_hash,
        },
    )


def page_entries(
    rows: Sequence[PageEntry], documents: Mapping[str, Sequence[PageTexts]], dimensions: int, home: Path
) -> list[Entry]:
    """Return the entries of rows of ``derived.page_entries``.

    Args:
        rows: the pages, with the vectors of their chunks.
        documents: for each document whose first page is among them, the texts of all its pages: the first page's entry
            carries the whole document.
        dimensions: numbers in a vector.
        home: ``ARCHIVE_HOME``, below which the images of pages are.
    """
    whole = {doc_id: compress(join_pages(page_text(page) for page in pages)) for doc_id, pages in documents.items()}
    return [_page_entry(row, whole, dimensions, home) for row in rows]


def _page_entry(row: PageEntry, whole: Mapping[str, str], dimensions: int, home: Path) -> Entry:
    text = page_text(row)
    structure = structure_of(text) if row.markdown is None else _counted(row)
    metadata: Metadata = {
        **_document(row, home),
        "num_headings": structure.headings,
        "num_tables": structure.tables,
        "num_pictures": structure.pictures,
        HAS_VECTOR: bool(row.vectors),
    }
    if row.page == 1:
        metadata[FULL_MARKDOWN] = whole[row.doc_id]
    return Entry(row.entry_id, page_vector([from_bytes(vector) for vector in row.vectors], dimensions), text, metadata)


def _counted(row: PageEntry) -> Structure:
    """Return what was counted of a document's page when it was read."""
    return Structure(row.num_headings or 0, row.num_tables or 0, row.num_pictures or 0)


def page_vector(vectors: Sequence[npt.NDArray[np.float32]], dimensions: int) -> npt.NDArray[np.float32]:
    """Return the direction of the mean of a page's chunks; the first axis for a page without chunks.

    Chroma stores nothing without a vector; such a page is found by its metadata only (``has_vector`` is false).
    """
    total = np.zeros(dimensions, dtype=np.float32)
    for vector in vectors:
        total += vector
    length = np.linalg.norm(total)
    if length == 0:
        axis = np.zeros(dimensions, dtype=np.float32)
        axis[0] = 1
        return axis
    unit: npt.NDArray[np.float32] = (total / length).astype(np.float32)
    return unit


def _document(row: EntryRow, home: Path) -> Metadata:
    return {
        "doc_id": row.doc_id,
        "filename": row.filename,
        "page": row.page,
        "extension": row.extension,
        "timestamp": row.added_at.isoformat(),
        "created_at": row.created_at.isoformat() if row.created_at else "",
        "source_path": row.source_path,
        "image_path": str(home / row.image_path) if row.image_path else "",
        "thumb_path": str(home / row.thumb_path) if row.thumb_path else "",
        "section_path": row.section_path or "",
        "parent_heading": row.parent_heading or "",
        "source": row.source,
    }
