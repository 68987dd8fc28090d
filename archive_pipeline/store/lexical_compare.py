"""Comparing the lexical index with the chunks it is about, some thousand chunks at a time.

What it says of chunks that are gone is no drift: it finds nothing, and the segment is written anew when much of it is
gone. Chunks of stale dialogues are compared like all others, since index and chunks are written together.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt
import psycopg

from archive_pipeline.store.compare import DIFFERENT, EXAMPLES, EXTRA, MISSING, DriftingRow, TableDrift
from archive_pipeline.store.rows import fetch_row, fetch_rows
from archive_pipeline.text.search_terms import index_texts

# Chunks that are compared at a time: what is computed of them takes some hundred bytes per word.
MOST_COMPARED: Final = 8_192
# Numbers are 64-bit integers.
_LAST_NUMBER: Final = (1 << 63) - 1
Numbers = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class _Segment:
    first_number: int
    last_number: int


@dataclass(frozen=True, slots=True)
class _Chunk:
    chunk_number: int
    text: str
    language: str
    is_found: bool


@dataclass(frozen=True, slots=True)
class _Posting:
    term: str
    chunk_count: int
    ordinals: bytes
    weights: bytes


class _Matches(NamedTuple):
    """Chunks that have a term, ascending by number, and the weight of the term in each, in hundredths."""

    numbers: Numbers
    weights: npt.NDArray[np.uint8]


_NO_MATCHES: Final = _Matches(np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.uint8))


def compare_next(connection: psycopg.Connection[Any], number: int) -> tuple[TableDrift, int | None]:
    """Compare what the index says of the first chunks after a number with these.

    Args:
        connection: in a transaction that sees one state of both.
        number: what was compared already ends with it; -1 in the beginning.

    Returns:
        What is wrong, a row being a term in a chunk; and the last number that was compared, None if nothing is left.
    """
    segment = fetch_row(connection, "lexical/next_segment", _Segment, {"number": number})
    last = _LAST_NUMBER if segment is None else segment.last_number
    asked = {"number": number, "last_number": last, "most": MOST_COMPARED}
    chunks = fetch_rows(connection, "lexical/chunks_between", _Chunk, asked)
    if len(chunks) == MOST_COMPARED:
        last = chunks[-1].chunk_number
    elif segment is None and not chunks:
        return TableDrift(), None
    # Chunks before the segment, which no segment has, are missing from the index.
    stored = _stored(connection, segment, chunks) if segment is not None and segment.first_number <= last else {}
    return _compared(_expected(chunks), stored), last


def _expected(chunks: Sequence[_Chunk]) -> dict[str, _Matches]:
    """Return what the index should say: per term, the chunks that have it."""
    found = [chunk for chunk in chunks if chunk.is_found]
    numbers = _numbers(found)
    postings = index_texts([chunk.text for chunk in found], [chunk.language for chunk in found])
    bounds = zip(postings.bounds, postings.bounds[1:], strict=False)
    return {
        term: _Matches(numbers[postings.ordinals[start:end]], postings.weights[start:end])
        for term, (start, end) in zip(postings.terms, bounds, strict=True)
    }


def _stored(connection: psycopg.Connection[Any], segment: _Segment, chunks: Sequence[_Chunk]) -> dict[str, _Matches]:
    """Return what a segment says of some chunks; a list that contradicts itself says nothing."""
    there = _numbers(chunks)
    asked = {"first_number": segment.first_number}
    stored: dict[str, _Matches] = {}
    for posting in fetch_rows(connection, "lexical/postings_of_segment", _Posting, asked):
        if 2 * posting.chunk_count == 2 * len(posting.weights) == len(posting.ordinals):
            numbers = np.frombuffer(posting.ordinals, dtype="<u2").astype(np.int64) + segment.first_number
            kept = np.isin(numbers, there, assume_unique=True)
            stored[posting.term] = _Matches(numbers[kept], np.frombuffer(posting.weights, dtype=np.uint8)[kept])
    return stored


def _numbers(chunks: Sequence[_Chunk]) -> Numbers:
    return np.array([chunk.chunk_number for chunk in chunks], dtype=np.int64)


def _compared(expected: dict[str, _Matches], stored: dict[str, _Matches]) -> TableDrift:
    drift = TableDrift(sum(len(matches.numbers) for matches in expected.values()))
    for term in sorted({*expected, *stored}):
        for kind, number in _differences(expected.get(term, _NO_MATCHES), stored.get(term, _NO_MATCHES)):
            drift.counts[kind] += 1
            if drift.counts[kind] <= EXAMPLES:
                columns = ("weights",) if kind == DIFFERENT else ()
                drift.examples.append(DriftingRow(kind, f"{term} {number}", columns))
    return drift


def _differences(expected: _Matches, stored: _Matches) -> Iterator[tuple[str, int]]:
    """Yield kind and chunk of what differs of a term."""
    if np.array_equal(expected.numbers, stored.numbers) and np.array_equal(expected.weights, stored.weights):
        return
    wanted = dict(zip(expected.numbers.tolist(), expected.weights.tolist(), strict=True))
    held = dict(zip(stored.numbers.tolist(), stored.weights.tolist(), strict=True))
    for number in sorted({*wanted, *held}):
        if number not in held:
            yield MISSING, number
        elif number not in wanted:
            yield EXTRA, number
        elif wanted[number] != held[number]:
            yield DIFFERENT, number
