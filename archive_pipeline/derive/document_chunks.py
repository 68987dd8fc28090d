"""``document_chunks``: pages of documents in pieces that are embedded and searched, cut as the texts of pairs are."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Final

from archive_pipeline.derive.asset import DerivedAsset
from archive_pipeline.domain.batch import BLANK_LINE, DocumentBatch
from archive_pipeline.domain.frames import frame_of_rows, join
from archive_pipeline.domain.identity import row_id
from archive_pipeline.settings import Settings
from archive_pipeline.text.chunks import split_into_pieces
from archive_pipeline.text.languages import MOST_CHARACTERS, text_language
from archive_pipeline.text.runtime import chunking_runtime

if TYPE_CHECKING:
    import pandas as pd

# Raised whenever rows of the same pages become others.
CODE_VERSION: Final = "7"

_COLUMNS: Final = (
    "chunk_id",
    "document_id",
    "page",
    "chunk_index",
    "start_offset",
    "end_offset",
    "text",
    "token_count",
    "content_hash",
    "language",
)


def _full_version(chunk_tokens: int) -> str:
    """Return what ``derived.document_builds`` records of code, settings and the packages that cut chunks."""
    return f"{CODE_VERSION};tokens={chunk_tokens};{chunking_runtime()}"


def document_chunks(document_id: str, pages: Sequence[tuple[int, str]], chunk_tokens: int) -> pd.DataFrame:
    """Return the chunks of a document.

    Args:
        document_id: its id.
        pages: numbers and texts of its pages, in order. A page that is too short to tell its language has that of the
            document's beginning.
        chunk_tokens: most tokens of a chunk.
    """
    language = text_language(_beginning(text for _, text in pages))
    pieces_of_pages = split_into_pieces([(text, language) for _, text in pages], chunk_tokens)
    rows = [
        (
            row_id("document_chunk", document_id, str(page), str(index)),
            document_id,
            page,
            index,
            piece.chunk.start,
            piece.chunk.end,
            piece.text,
            piece.chunk.tokens,
            piece.content_hash,
            piece.language,
        )
        for (page, _), pieces in zip(pages, pieces_of_pages, strict=True)
        for index, piece in enumerate(pieces)
    ]
    return frame_of_rows(_COLUMNS, rows)


def _beginning(texts: Iterable[str]) -> str:
    parts: list[str] = []
    length = 0
    for text in texts:
        if length >= MOST_CHARACTERS:
            break
        parts.append(text[:MOST_CHARACTERS])
        length += len(text)
    return BLANK_LINE.join(parts)


def _derive(batch: DocumentBatch, settings: Settings) -> dict[str, pd.DataFrame]:
    documents = zip(batch.document_ids, batch.pages, strict=True)
    frames = [document_chunks(document_id, pages, settings.chunk_tokens) for document_id, pages in documents]
    return {"document_chunks": join(frames) if frames else document_chunks("", [], 1)}


ASSET: Final = DerivedAsset(
    name="document_chunks",
    of=DocumentBatch,
    tables=("document_chunks",),
    derive=_derive,
    code_version=CODE_VERSION,
    full_version=lambda settings: _full_version(settings.chunk_tokens),
    description="Cut are documents that are new, were read again, or were cut by another version or to another size.",
    reads=("documents", "document_pages"),
    lineage={
        "document_id": ("raw/documents.id",),
        "page": ("raw/document_pages.page",),
        "text": ("raw/document_pages.markdown",),
        "content_hash": ("raw/document_pages.markdown",),
        "language": ("raw/document_pages.markdown",),
    },
)
