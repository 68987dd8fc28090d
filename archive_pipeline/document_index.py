"""Documents as entries of the vector store: pure, from rows of ``store.documents.pages_of_documents``.

Chroma has no NULL: what is not known is an empty text.
"""

from __future__ import annotations

import base64
import gzip
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from archive_pipeline.context.pages import join_pages

FULL_MARKDOWN: Final = "full_markdown_compressed"


@dataclass(frozen=True, slots=True)
class PageRecord:
    """A page as the vector store keeps it.

    Attributes:
        id: ``<document>:<page>``.
        text: its text, to embed; empty for a picture.
        metadata: the fields of seed 002. The first page carries the whole document.
    """

    id: str
    text: str
    metadata: dict[str, str | int]


def page_records(pages: Sequence[Any], home: Path) -> list[PageRecord]:
    """Return the entries of one document.

    Args:
        pages: all its pages, in order.
        home: ``ARCHIVE_HOME``, below which the images are.
    """
    whole = join_pages(page.markdown for page in pages)
    records = [PageRecord(f"{page.document_id}:{page.page}", page.markdown, _metadata(page, home)) for page in pages]
    if records:
        records[0].metadata[FULL_MARKDOWN] = base64.b64encode(gzip.compress(whole.encode(), mtime=0)).decode()
    return records


def _metadata(page: Any, home: Path) -> dict[str, str | int]:
    return {
        "doc_id": page.document_id,
        "filename": page.file_name,
        "page": page.page,
        "extension": page.extension,
        "timestamp": page.added_at.isoformat(),
        "source_path": page.source_path,
        "image_path": "" if page.image_path is None else str(home / page.image_path),
        "thumb_path": "" if page.thumb_path is None else str(home / page.thumb_path),
        "section_path": page.section_path or "",
        "parent_heading": page.parent_heading or "",
        "num_headings": page.num_headings,
        "num_tables": page.num_tables,
        "num_pictures": page.num_pictures,
    }
