"""A text cut into chunks, each with its text's hash and language: what questions, answers and pages have in common."""

from __future__ import annotations

import hashlib
from typing import Final, NamedTuple

from archive_pipeline.text.chunking import Chunk, ChunkSizes, chunk_text
from archive_pipeline.text.languages import text_language
from archive_pipeline.text.tokens import chunk_tokenizer

# A chunk repeats up to this part of its size of the one before it.
OVERLAP_SHARE: Final = 8


class Piece(NamedTuple):
    """A chunk of a text.

    Attributes:
        chunk: where it is, and its size.
        text: the text there.
        content_hash: SHA-256 of it (hex).
        language: text search configuration of the whole text, that of what is around it if it does not tell.
    """

    chunk: Chunk
    text: str
    content_hash: str
    language: str


def split_into_pieces(text: str, chunk_tokens: int, around: str) -> list[Piece]:
    """Return the chunks of a text in order.

    Args:
        text: the text.
        chunk_tokens: most tokens of a chunk.
        around: the language of the dialogue or document.
    """
    sizes = ChunkSizes(limit=chunk_tokens, overlap=chunk_tokens // OVERLAP_SHARE)
    language = text_language(text, around)
    pieces: list[Piece] = []
    for chunk in chunk_text(text, sizes, chunk_tokenizer()):
        own = text[chunk.start : chunk.end]
        pieces.append(Piece(chunk, own, hashlib.sha256(own.encode()).hexdigest(), language))
    return pieces
