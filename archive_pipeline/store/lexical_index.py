"""Writing the lexical index: chunks and what is said of them, in one transaction; many may do so at the same time.

What a transaction writes is a segment of postings, over numbers that it alone has. ``lexical_segments`` keeps segments
few. Reading them is ``retrieval/search/retrievers/lexical.py``.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import psycopg
from sqlalchemy import Table

from archive_pipeline.store import locks
from archive_pipeline.store.copy import EncodedRows, copy_rows, encode_rows
from archive_pipeline.store.lexical_segments import Segment, insert_segment, posting_lines
from archive_pipeline.store.rows import fetch_column
from archive_pipeline.store.tables.lexical import CHUNK_NUMBER
from archive_pipeline.text.search_terms import index_texts

if TYPE_CHECKING:
    import pandas as pd

# Only a dialogue that is larger than other batches has more: to index it as a whole takes twice the memory.
CHUNKS_AT_ONCE: Final = 1 << 13


@dataclass(frozen=True, slots=True)
class EncodedSegment:
    """A segment in COPY's text format.

    Attributes:
        start: the first of its rows among the rows that are written.
        span: how many rows it is of.
        chunk_count: how many of them are found.
        lines: the columns of its postings but the last one, which is not known before the rows are written.
    """

    start: int
    span: int
    chunk_count: int
    lines: list[str]


@dataclass(frozen=True, slots=True)
class EncodedChunks(EncodedRows):
    """Rows of a table of chunks, and what the index says of them."""

    segments: list[EncodedSegment]


def encode_chunks(table: Table, rows: pd.DataFrame) -> EncodedChunks:
    """Encode a frame for a table of chunks; chunks that are near-duplicates are not found by the index."""
    encoded = encode_rows(table, rows)
    return EncodedChunks(table, encoded.columns, encoded.count, encoded.pieces, _encode_segments(rows))


def is_indexed(table: Table) -> bool:
    """Tell whether a table is one of chunks that the index knows."""
    return CHUNK_NUMBER in table.columns


def _encode_segments(rows: pd.DataFrame) -> list[EncodedSegment]:
    texts, languages = rows["text"].tolist(), rows["language"].tolist()
    is_found = ~rows["is_near_duplicate"].to_numpy(dtype=bool) if "is_near_duplicate" in rows else np.ones(len(rows))
    segments = []
    for start in range(0, len(rows), CHUNKS_AT_ONCE):
        found = np.flatnonzero(is_found[start : start + CHUNKS_AT_ONCE])
        at = (found + start).tolist()
        postings = index_texts([texts[row] for row in at], [languages[row] for row in at])
        ordinals = found.astype("<u2")[postings.ordinals]
        lines = list(posting_lines(postings.terms, postings.bounds, ordinals, postings.weights))
        segments.append(EncodedSegment(start, min(CHUNKS_AT_ONCE, len(rows) - start), len(at), lines))
    return segments


def copy_chunks(connection: psycopg.Connection[Any], rows: EncodedChunks) -> int:
    """Append chunks and what the index says of them, in the current transaction; return how many chunks there were."""
    if not rows.count:
        return 0
    locks.hold_shared_in_transaction(connection, locks.LEXICAL_WRITERS)
    first = _take_numbers(connection, rows.count)
    copy_rows(connection, _numbered(rows, first))
    for segment in rows.segments:
        start = first + segment.start
        insert_segment(connection, Segment(start, start + segment.span - 1, segment.chunk_count), segment.lines)
    return rows.count


def _take_numbers(connection: psycopg.Connection[Any], count: int) -> int:
    """Return the first of so many consecutive numbers that nobody else is given."""
    # What a sequence gave stays given when a savepoint is rolled back; a lock ends with it.
    with connection.transaction(force_rollback=True):
        locks.hold_in_transaction(connection, locks.CHUNK_NUMBERS)
        [last] = fetch_column(connection, "lexical/take_numbers", int, {"count": count})
    return last - count + 1


def _numbered(rows: EncodedChunks, first: int) -> EncodedRows:
    """Put a number before each row, when the row is asked for."""
    return EncodedRows(rows.table, (CHUNK_NUMBER, *rows.columns), rows.count, _numbered_pieces(rows.pieces, first))


def _numbered_pieces(pieces: Iterable[bytes], number: int) -> Iterator[bytes]:
    """Yield pieces with a number before each line, one more each."""
    for piece in pieces:
        lines = piece.splitlines(keepends=True)
        yield b"".join(b"%d\t%b" % numbered for numbered in enumerate(lines, number))
        number += len(lines)
