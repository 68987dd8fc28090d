"""A text cut into chunks, each with its text's hash and language: what questions, answers and pages have in common."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from archive_pipeline.text.chunking import Chunk, ChunkSizes, chunk_text
from archive_pipeline.text.languages import text_languages
from archive_pipeline.text.token_sums import word_tokens

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


def split_into_pieces(texts: Sequence[tuple[str, str]], chunk_tokens: int) -> Iterator[list[Piece]]:
    """Yield the chunks of each text in order.

    Args:
        texts: texts, and the language of the dialogue or document that each is from.
        chunk_tokens: most tokens of a chunk.
    """
    sizes = ChunkSizes(limit=chunk_tokens, overlap=chunk_tokens // OVERLAP_SHARE)
    counted_texts = word_tokens().count([text for text, _ in texts])
    for counted, (text, _), language in zip(counted_texts, texts, text_languages(texts), strict=True):
        yield [_piece(text, chunk, language) for chunk in chunk_text(counted, sizes)]


def _piece(text: str, chunk: Chunk, language: str) -> Piece:
    own = text[chunk.start : chunk.end]
    return Piece(chunk, own, hashlib.sha256(own.encode()).hexdigest(), language)
