"""Cutting a text into chunks of bounded size: exact offsets, whole code blocks and tables, no cut grapheme cluster.

A text that fits is one chunk. A longer one is cut into units: blocks (fenced code, tables, paragraphs), and those that
are too large into lines, sentences, words, and runs of grapheme clusters. Units are packed into chunks in order, so
every character but blank lines at the start and white space at the end of a chunk is in some chunk. Time is linear.

No library does all of that. semantic-text-splitter (MarkdownSplitter) is quadratic in what it cannot cut at a
paragraph (100,000 Chinese characters took 18 s), and semchunk knows neither code blocks nor grapheme clusters.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final, NamedTuple

import numpy as np

from archive_pipeline.text.graphemes import grapheme_edges, is_one_cluster
from archive_pipeline.text.markdown import blocks
from archive_pipeline.text.token_sums import CountedText

# No token is shorter than a byte, no character longer than four bytes.
_BYTES_PER_CHARACTER: Final = 4
_GRAPHEMES_PER_UNIT: Final = 16
# In characters; longer ones are runs of white space and the like.
_LONGEST_TOKEN: Final = 16

# Where a text is cut, from the first choice to the last: after lines, sentences, words. Each begins with one class of
# characters, which `re` looks for several times faster than for alternatives and repetitions.
_AFTER_LINE: Final = re.compile(r"\n\n*")
_AFTER_SENTENCE: Final = re.compile(r"[.!?…。！？](?:(?<=[。！？])|[\"'”’)\]]?\s+)")  # noqa: RUF001 (full-width marks)
_AFTER_WORD: Final = re.compile(r"\s\s*")
_PROSE: Final = (_AFTER_LINE, _AFTER_SENTENCE, _AFTER_WORD)
_VERBATIM: Final = (_AFTER_LINE, _AFTER_WORD)


class Chunk(NamedTuple):
    """A piece of a text: ``text[start:end]``, offsets in characters, and its number of tokens."""

    start: int
    end: int
    tokens: int


@dataclass(frozen=True, slots=True)
class ChunkSizes:
    """How large chunks are.

    Attributes:
        limit: most tokens of a chunk. Only a grapheme cluster that alone is larger is cut.
        overlap: most tokens that a chunk repeats of the one before it. Only prose is repeated, from the beginning of a
            sentence, or of a word where no sentence is that short.
    """

    limit: int
    overlap: int


class _Unit(NamedTuple):
    start: int
    end: int
    tokens: int
    is_prose: bool


def chunk_text(counted: CountedText, sizes: ChunkSizes) -> list[Chunk]:
    """Return the chunks of a text in order; none for white space only."""
    text = counted.text
    span = _trimmed(text, 0, len(text), is_prose=False)
    if span is None:
        return []
    tokens = counted.tokens if span == (0, len(text)) else counted.between(*span)
    return [Chunk(*span, tokens)] if tokens <= sizes.limit else list(_Chunker(counted, sizes).chunks())


class _Chunker:
    """The state of cutting one text."""

    def __init__(self, counted: CountedText, sizes: ChunkSizes) -> None:
        self._text = counted.text
        self._sizes = sizes
        self._tokens_between = counted.between
        self._earliest_start = counted.earliest_start
        self._edges = grapheme_edges(counted.text)

    def chunks(self) -> Iterator[Chunk]:
        units = self._units()
        first = 0
        overlap: _Unit | None = None
        while first < len(units):
            if overlap is not None and overlap.tokens + units[first].tokens > self._sizes.limit:
                overlap = None
            chunk, last = self._pack(units, first, overlap)
            if chunk is not None:
                yield chunk
            overlap = self._tail(units[first:last]) if last < len(units) else None
            first = last

    def _pack(self, units: list[_Unit], first: int, overlap: _Unit | None) -> tuple[Chunk | None, int]:
        """Return the chunk of the overlap and as many units as fit after it, at least one, and the end of these."""
        used = units[first].tokens + (overlap.tokens if overlap else 0)
        last = first + 1
        while last < len(units) and used + units[last].tokens <= self._sizes.limit:
            used += units[last].tokens
            last += 1
        while True:
            chunk = self._chunk([overlap, *units[first:last]] if overlap else units[first:last])
            # What units count apart is now and then one token less than what they count together.
            if chunk is None or chunk.tokens <= self._sizes.limit:
                return chunk, last
            if last > first + 1:
                last -= 1
            elif overlap is not None:
                return self._pack(units, first, None)
            else:
                return chunk, last

    def _chunk(self, units: Sequence[_Unit]) -> Chunk | None:
        """Return the chunk of units that follow each other; None for white space only."""
        span = _trimmed(self._text, units[0].start, units[-1].end, is_prose=units[0].is_prose)
        return None if span is None else Chunk(*span, self._tokens_between(*span))

    def _tail(self, units: list[_Unit]) -> _Unit | None:
        """Return the end of a chunk's units that the next chunk repeats: prose only, and never all of it."""
        end = units[-1].end
        earliest = units[0].start + 1
        for unit in reversed(units):
            if not unit.is_prose:
                earliest = max(earliest, unit.end)
                break
        overlap = self._sizes.overlap
        # What begins before these has more tokens than wanted, or white space for the most part.
        earliest = max(earliest, end - overlap * _LONGEST_TOKEN, self._earliest_start(overlap, end))
        for cut in (_AFTER_SENTENCE, _AFTER_WORD):
            starts = [start for start in self._cuts(cut, earliest - 1, end) if earliest <= start < end]
            if starts and (found := self._first_fitting(starts, end)) is not None:
                return found
        return None

    def _first_fitting(self, starts: Sequence[int], end: int) -> _Unit | None:
        """Return what begins at the first of the starts, in ascending order, from which it is short enough."""
        overlap, place = self._sizes.overlap, 0
        tokens = self._tokens_between(starts[0], end)
        if tokens > overlap:
            # The later one starts, the fewer tokens.
            place = bisect_left(starts, -overlap, lo=1, key=lambda start: -self._tokens_between(start, end))
            if place == len(starts):
                return None
            tokens = self._tokens_between(starts[place], end)
        return _Unit(starts[place], end, tokens, is_prose=True)

    def _cuts(self, cut: re.Pattern[str], start: int, end: int) -> list[int]:
        """Return the positions after what a pattern finds, moved to the end of the grapheme cluster they are in."""
        ends = list(map(re.Match.end, cut.finditer(self._text, start, end)))
        if self._edges is None:
            return ends
        return [int(edge) for edge in self._edges[np.searchsorted(self._edges, ends)]]

    def _units(self) -> list[_Unit]:
        units: list[_Unit] = []
        for start, end, kind in blocks(self._text):
            unit = self._unit(start, end, is_prose=kind == "prose")
            if unit.tokens <= self._sizes.limit:
                units.append(unit)
            else:
                units.extend(self._split(unit, _PROSE if unit.is_prose else _VERBATIM))
        return units

    def _split(self, unit: _Unit, cuts: tuple[re.Pattern[str], ...]) -> Iterator[_Unit]:
        """Yield the unit if it fits, else what the first kind of cut makes of it, each split further in turn."""
        if unit.tokens <= self._sizes.limit:
            yield unit
        elif not cuts:
            yield from self._clusters(unit)
        else:
            bounds = _bounds(unit.start, self._cuts(cuts[0], unit.start, unit.end), unit.end)
            for start, end in pairwise(bounds):
                yield from self._split(self._unit(start, end, is_prose=unit.is_prose), cuts[1:])

    def _clusters(self, unit: _Unit) -> Iterator[_Unit]:
        """Yield a few grapheme clusters at a time, single ones where those are too many tokens."""
        edges = self._edges_between(unit.start, unit.end)
        for start, end in pairwise(
            _bounds(unit.start, edges[_GRAPHEMES_PER_UNIT - 1 :: _GRAPHEMES_PER_UNIT], unit.end)
        ):
            few = self._unit(start, end, is_prose=unit.is_prose)
            if few.tokens <= self._sizes.limit:
                yield few
                continue
            for bounds in pairwise(_bounds(start, self._edges_between(start, end), end)):
                yield from self._characters(self._unit(*bounds, is_prose=unit.is_prose))

    def _characters(self, unit: _Unit) -> Iterator[_Unit]:
        if unit.tokens <= self._sizes.limit:
            yield unit
            return
        step = max(self._sizes.limit // _BYTES_PER_CHARACTER, 1)
        for start, end in pairwise(_bounds(unit.start, range(unit.start + step, unit.end, step), unit.end)):
            yield self._unit(start, end, is_prose=False)

    def _unit(self, start: int, end: int, *, is_prose: bool) -> _Unit:
        # A token begins with the space before a word: one at the end counts with what follows.
        counted_end = end - 1 if start < end and self._text[end - 1] == " " else end
        return _Unit(start, end, self._tokens_between(start, counted_end), is_prose)

    def _edges_between(self, start: int, end: int) -> list[int]:
        """Return the positions between two edges at which no grapheme cluster is cut."""
        if self._edges is None:
            return list(range(start + 1, end))
        first, last = np.searchsorted(self._edges, (start + 1, end))
        return [int(edge) for edge in self._edges[first:last]]


def _bounds(start: int, cuts: list[int] | range, end: int) -> list[int]:
    """Return start, the cuts between, and end; ascending, each once."""
    bounds = [start]
    for cut in cuts:
        if bounds[-1] < cut < end:
            bounds.append(cut)
    return [*bounds, end]


def _trimmed(text: str, start: int, end: int, *, is_prose: bool) -> tuple[int, int] | None:
    """Return start and end without white space around; None if nothing is left. Code keeps its indentation."""
    last = start + len(text[start:end].rstrip())
    first = last - len(text[start:last].lstrip())
    if first == last:
        return None
    if not is_prose:
        first = text.rfind("\n", start, first) + 1 or start
    # A mark that combines with white space before it, and the few characters that white space combines with.
    if start < first and is_one_cluster(text, first):
        first -= 1
    if last < end and is_one_cluster(text, last):
        last += 1
    return first, last
