"""The segments of the lexical index: many small ones are merged, and those of which many chunks are gone written anew.

So a search reads some sixty small ones, as a rule, beside large ones. A segment's numbers are a range that no other one
shares. One transaction at a time rewrites segments; others add theirs meanwhile, whose numbers it must not span: only
neighbours are merged between which no number is left out, or any if nobody else has numbers that are not committed.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from itertools import groupby, pairwise
from operator import itemgetter
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import psycopg
from more_itertools import constrained_batches, peekable, split_when

from archive_pipeline.store import locks
from archive_pipeline.store.copy import EncodedRows, copy_rows, encode_values_of
from archive_pipeline.store.rows import fetch_column, fetch_rows
from archive_pipeline.store.sql_files import load_query
from archive_pipeline.store.tables import search_postings, search_segments
from archive_pipeline.text.search_terms import MOST_TEXTS

# From so many segments of a size and smaller ones on, those next to each other are merged. Merging is a sixth of what
# chunks cost, and a search over 51 segments takes 1 ms more than over 9.
MANY_SEGMENTS: Final = 64
# So many next to each other become one, at least; the next size is so many times as large.
MERGED_SEGMENTS: Final = 8
# A build writes a segment anew if more than this share of its chunks is gone.
DEAD_SHARE: Final = 0.25
# What is read, merged and written at once of a segment: one of 65,536 chunks has some 100 MB.
ROWS_AT_ONCE: Final = 2_000
POSTINGS_AT_ONCE: Final = 1 << 16
CHARACTERS_AT_ONCE: Final = 1 << 20

_POSTING_COLUMNS: Final = ("term", "chunk_count", "ordinals", "weights", "first_number")

# Term, first number of the segment, ordinals, weights.
_Row = tuple[str, int, bytes, bytes]


@dataclass(frozen=True, slots=True)
class Segment:
    """A segment: a range of numbers, and how many chunks were found in it when it was written."""

    first_number: int
    last_number: int
    chunk_count: int


@dataclass(frozen=True, slots=True)
class _LiveCount:
    """How many chunks of a segment are there."""

    first_number: int
    live_count: int


def tidy_index(connection: psycopg.Connection[Any], deleted: Sequence[int]) -> None:
    """Merge small segments if there are many, and write those anew of which many chunks are gone, in the transaction.

    It is the last thing that a transaction does: whoever rewrites segments waits for nobody afterwards. Who has nothing
    to take out does not wait for another one who rewrites them, and leaves merging to the next one.

    Args:
        connection: in a transaction.
        deleted: numbers of chunks that the transaction deleted.
    """
    if _with_dead(connection, _segments_of(connection, deleted), DEAD_SHARE):
        locks.hold_in_transaction(connection, locks.LEXICAL_INDEX)
    elif not _to_merge([_segments(connection)]) or not locks.hold_in_transaction_if_free(
        connection, locks.LEXICAL_INDEX
    ):
        return
    for some in _small_ones(connection):
        _rewrite(connection, some)
    for segment in _with_dead(connection, _segments_of(connection, deleted), DEAD_SHARE):
        _rewrite(connection, [segment])


def purge_deleted(connection: psycopg.Connection[Any]) -> None:
    """Take all that is said of chunks that are gone out of the index: their words go with them.

    It is the last thing that a transaction does.
    """
    locks.hold_in_transaction(connection, locks.LEXICAL_INDEX)
    for segment in _with_dead(connection, _segments(connection), 0.0):
        _rewrite(connection, [segment])


def _segments(connection: psycopg.Connection[Any]) -> list[Segment]:
    return fetch_rows(connection, "lexical/segments", Segment)


def _segments_of(connection: psycopg.Connection[Any], numbers: Sequence[int]) -> list[Segment]:
    """Return the segments in whose ranges the numbers are."""
    if not numbers:
        return []
    segments = _segments(connection)
    starts = [segment.first_number for segment in segments]
    places = {bisect_right(starts, number) - 1 for number in numbers} - {-1}
    return [segments[place] for place in sorted(places)]


def _with_dead(connection: psycopg.Connection[Any], segments: Sequence[Segment], share: float) -> list[Segment]:
    """Return the segments of whose chunks more than a share is gone, but for those that another one has rewritten."""
    if not segments:
        return []
    asked = {"first_numbers": [segment.first_number for segment in segments]}
    live = {
        row.first_number: row.live_count for row in fetch_rows(connection, "lexical/live_counts", _LiveCount, asked)
    }
    return [
        segment
        for segment in segments
        if segment.first_number in live
        and segment.chunk_count - live[segment.first_number] > share * segment.chunk_count
    ]


def _small_ones(connection: psycopg.Connection[Any]) -> list[list[Segment]]:
    """Return the small segments that become one each, of a transaction that rewrites segments."""
    segments = _segments(connection)
    found = _to_merge(_without_gaps(segments))
    if found or not _to_merge([segments]):
        return found
    # Numbers between segments are of chunks that are gone, or of a transaction that has not ended.
    if not locks.hold_in_transaction_if_free(connection, locks.LEXICAL_WRITERS):
        return []
    return _to_merge([_segments(connection)])


def _without_gaps(segments: Sequence[Segment]) -> Iterable[list[Segment]]:
    return split_when(segments, lambda one, other: one.last_number + 1 != other.first_number)


def _to_merge(runs: Iterable[Sequence[Segment]]) -> list[list[Segment]]:
    """Return, of neighbours, those of the smallest size of which there are many that become one each."""
    runs = list(runs)
    size = MERGED_SEGMENTS
    while size < MOST_TEXTS:
        groups = [some for run in runs for some in _groups(run, size)]
        found = [some for some in groups if len(some) >= MERGED_SEGMENTS]
        if found and sum(map(len, groups)) >= MANY_SEGMENTS:
            return found
        size *= MERGED_SEGMENTS
    return []


def _groups(run: Sequence[Segment], size: int) -> Iterator[list[Segment]]:
    """Yield neighbours of a size or smaller, as many at a time as one segment can hold, from the last ones on."""
    group: list[Segment] = []
    for segment in reversed(run):
        if group and (segment.chunk_count > size or group[0].last_number - segment.first_number >= MOST_TEXTS):
            yield group[::-1]
            group = []
        if segment.chunk_count <= size:
            group.append(segment)
    if group:
        yield group[::-1]


def _rewrite(connection: psycopg.Connection[Any], segments: Sequence[Segment]) -> None:
    """Write neighbouring segments as one, without chunks that are gone; a part of their postings is in memory."""
    first, last = segments[0].first_number, segments[-1].last_number
    is_live = np.zeros(last - first + 1, dtype=bool)
    numbers = fetch_column(connection, "lexical/live_numbers", int, {"first_number": first, "last_number": last})
    is_live[[number - first for number in numbers]] = True
    starts = {"first_numbers": [segment.first_number for segment in segments]}
    connection.execute("SET LOCAL cursor_tuple_fraction = 1")  # all of its rows are wanted, not the first ones soon
    with connection.cursor("postings") as rows:
        rows.itersize = ROWS_AT_ONCE
        rows.execute(load_query("lexical/postings_of_segments"), starts, binary=True)
        connection.execute(load_query("lexical/delete_segments"), starts)  # the cursor has what was there before
        lines = (line for some in _by_terms(rows) for line in _merged(some, first, is_live))
        insert_segment(connection, Segment(first, last, int(is_live.sum())), lines)


def _by_terms(rows: Iterable[_Row]) -> Iterator[list[_Row]]:
    """Yield the rows of some terms at a time, all rows of a term together."""
    some: list[_Row] = []
    size = 0
    for _, of_term in groupby(rows, itemgetter(0)):
        for row in of_term:
            some.append(row)
            size += len(row[3])
        if size >= POSTINGS_AT_ONCE:
            yield some
            some, size = [], 0
    if some:
        yield some


def _merged(rows: Sequence[_Row], first: int, is_live: npt.NDArray[np.bool_]) -> Iterator[str]:
    """Yield the lines of terms (`posting_lines`), numbers counted from ``first``; none of a term without live ones."""
    names, starts, ordinals_held, weights_held = zip(*rows, strict=True)
    counts = [len(held) for held in weights_held]  # a byte each
    shift = np.repeat(np.array(starts) - first, counts)
    ordinals = np.frombuffer(b"".join(ordinals_held), dtype="<u2") + shift
    weights = np.frombuffer(b"".join(weights_held), dtype=np.uint8)
    kept = is_live[ordinals]
    live_before = np.concatenate(([0], np.cumsum(kept)))
    first_rows = [at for at, name in enumerate(names) if not at or name != names[at - 1]]
    row_starts = np.concatenate(([0], np.cumsum(counts)))
    bounds = live_before[row_starts[[*first_rows, len(rows)]]].tolist()
    yield from posting_lines([names[at] for at in first_rows], bounds, ordinals[kept], weights[kept])


def posting_lines(
    terms: Sequence[str], bounds: Sequence[int], ordinals: npt.NDArray[Any], weights: npt.NDArray[np.uint8]
) -> Iterator[str]:
    """Yield the postings of each term that has any: all columns but the last one, in COPY's text format.

    Args:
        terms: each once.
        bounds: where the postings of each term begin in the arrays, and where the last one's end.
        ordinals: below ``MOST_TEXTS``.
        weights: beside them.
    """
    # Both in hexadecimal digits: four and two of each.
    of_ordinals, of_weights = ordinals.astype("<u2").tobytes().hex(), weights.tobytes().hex()
    for term, (start, end) in zip(terms, pairwise(bounds), strict=True):
        if start < end:
            yield (
                f"{term}\t{end - start}\t\\\\x{of_ordinals[4 * start : 4 * end]}\t"
                f"\\\\x{of_weights[2 * start : 2 * end]}"
            )


def insert_segment(connection: psycopg.Connection[Any], segment: Segment, lines: Iterable[str]) -> None:
    """Store a segment and its postings, nothing without any; some are asked for at a time.

    Args:
        connection: in a transaction.
        segment: the segment.
        lines: of the postings all columns but the last one, in COPY's text format.
    """
    postings = peekable(lines)
    if not postings:
        return
    copy_rows(connection, encode_values_of(search_segments, {name: [value] for name, value in asdict(segment).items()}))
    end = f"\t{segment.first_number}\n"
    for some in constrained_batches(postings, CHARACTERS_AT_ONCE, strict=False):
        text = end.join(some) + end
        copy_rows(connection, EncodedRows(search_postings, _POSTING_COLUMNS, len(some), [text.encode()]))
