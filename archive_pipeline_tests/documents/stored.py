"""Documents straight into ``raw``, without a file that is read."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from dataclasses import replace

import pytest

from archive_pipeline.derive.asset import Frames
from archive_pipeline.derive.registry import DOCUMENT_ASSETS
from archive_pipeline.domain.batch import DocumentBatch
from archive_pipeline.domain.frames import frame
from archive_pipeline.settings import Settings
from archive_pipeline.store import documents
from archive_pipeline.store.database import Database
from archive_pipeline.store.document_chunks import DOCUMENT_CHUNKS

PAGE = "Feed the starter with rye flour each evening. Let it rise until bubbles show on top."


def store_document(database: Database, name: str, pages: Sequence[str]) -> str:
    """Store a document of these pages, or read the one of this name again; return its id."""
    identifier = str(uuid.uuid5(uuid.NAMESPACE_URL, name))
    row = {
        "id": identifier,
        "sha256": name,
        "file_name": f"{name}.md",
        "extension": "md",
        "size_bytes": 1,
        "source_path": name,
        "origin": "path",
        "status": "done",
        "error": None,
        "page_count": len(pages),
        "reader_version": 1,
    }
    columns = {
        "document_id": [identifier] * len(pages),
        "page": list(range(1, len(pages) + 1)),
        "markdown": list(pages),
        **{name: [None] * len(pages) for name in ("section_path", "parent_heading", "image_path", "thumb_path")},
        **{name: [0] * len(pages) for name in ("num_headings", "num_tables", "num_pictures")},
    }
    with database.session() as connection:
        documents.write_document(connection, row, frame(columns), ())
    return identifier


def remove_document(database: Database, name: str) -> None:
    """Remove the document of this name, if it is there."""
    with database.session() as connection:
        documents.delete(connection, str(uuid.uuid5(uuid.NAMESPACE_URL, name)))


def refuse_to_chunk(patch: pytest.MonkeyPatch, refused: str, error: Exception) -> None:
    """Let cutting one document raise the error."""

    asset = DOCUMENT_ASSETS[DOCUMENT_CHUNKS]

    def refuse(batch: DocumentBatch, settings: Settings) -> Frames:
        if refused in batch.document_ids:
            raise error
        return asset.derive(batch, settings)

    patch.setitem(DOCUMENT_ASSETS, DOCUMENT_CHUNKS, replace(asset, derive=refuse))  # type: ignore[arg-type]
