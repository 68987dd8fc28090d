"""From rows of PostgreSQL to entries of Chroma: id, vector, text, and the metadata fields of seed 002.

Chroma has no NULL: what is not known is an empty text.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from archive_pipeline.store.embeddings import from_bytes
from archive_pipeline.vector_store.documents import compress, document_markdown, page_markdown, structure_of

FULL_MARKDOWN: Final = "full_markdown_compressed"
EXTENSION: Final = "md"

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


def chunk_entry(row: Any) -> Entry:
    """Return the entry of a row of ``derived.text_entries``."""
    return Entry(
        id=row.entry_id,
        vector=from_bytes(row.vector),
        text=row.text,
        metadata={
            **_document(row),
            "pair_id": row.pair_id,
            "side": row.side,
            "chunk_index": row.chunk_index,
            "start_offset": row.start_offset,
            "end_offset": row.end_offset,
            "content_hash": row.content_hash,
        },
    )


def page_entries(rows: Sequence[Any], documents: Mapping[str, Sequence[Any]], dimensions: int) -> list[Entry]:
    """Return the entries of rows of ``derived.page_entries``.

    Args:
        rows: the pages, with the vectors of their chunks.
        documents: for each dialogue whose first page is among them, the texts of all its pages: the first page's entry
            carries the whole document.
        dimensions: numbers in a vector.
    """
    whole = {
        dialogue: compress(document_markdown(page_markdown(page.user_text, page.assistant_text) for page in pages))
        for dialogue, pages in documents.items()
    }
    return [_page_entry(row, whole, dimensions) for row in rows]


def _page_entry(row: Any, whole: Mapping[str, str], dimensions: int) -> Entry:
    text = page_markdown(row.user_text, row.assistant_text)
    structure = structure_of(text)
    metadata: Metadata = {
        **_document(row),
        "num_headings": structure.headings,
        "num_tables": structure.tables,
        "num_pictures": structure.pictures,
        "has_vector": bool(row.vectors),
    }
    if row.page == 1:
        metadata[FULL_MARKDOWN] = whole[str(row.dialogue_id)]
    return Entry(row.entry_id, page_vector([from_bytes(vector) for vector in row.vectors], dimensions), text, metadata)


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


def _document(row: Any) -> Metadata:
    title = row.title or row.partition_key
    created = row.source_created_at
    return {
        "doc_id": str(row.dialogue_id),
        "filename": title,
        "page": row.page,
        "extension": EXTENSION,
        "timestamp": created.isoformat() if created else "",
        "source_path": f"{row.source}/{row.partition_key}",
        "image_path": "",
        "thumb_path": "",
        "section_path": title,
        "parent_heading": title,
        "source": row.source,
    }
