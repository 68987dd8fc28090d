"""What the rows of chunks of dialogues have in common, whatever they are pieces of."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from archive_pipeline.text.chunks import Piece
from archive_pipeline.text.citation_marks import Unmarked

CHUNK_COLUMNS: Final = (
    "chunk_index",
    "start_offset",
    "end_offset",
    "text",
    "token_count",
    "page",
    "content_hash",
    "is_near_duplicate",
    "language",
)


def chunk_values(
    pieces: Sequence[Piece], marks: Sequence[bool], unmarked: Unmarked | None, page: int
) -> Iterator[tuple[object, ...]]:
    """Yield the values of ``CHUNK_COLUMNS`` of each piece of a text.

    Args:
        pieces: of the text as readers see it, in order.
        marks: which of them are near-duplicates; empty where none is.
        unmarked: where what readers see is in the text with its citation marks; None where they are the same.
        page: that the text is on.
    """
    for index, (piece, is_near_duplicate) in enumerate(zip(pieces, marks or [False] * len(pieces), strict=True)):
        start, end, tokens = piece.chunk
        if unmarked is not None:
            start, end = unmarked.span(start, end)
        yield index, start, end, piece.text, tokens, page, piece.content_hash, is_near_duplicate, piece.language
