"""Streams the elements of a JSON file as values with their original bytes; memory does not grow with the file.

An element that is not JSON is yielded as a rejected record and the next one is read; a file that breaks off gives
every element before the break and then one rejected record that names the byte. Which elements are conversations is
not decided here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from functools import partial
from itertools import chain

from archive_pipeline.domain.records import RejectedRecord
from archive_pipeline.errors import UnreadableInputError
from archive_pipeline.readers.json.blocks import ByteSource, blocks_of
from archive_pipeline.readers.json.documents import Place
from archive_pipeline.readers.json.elements import Parse, element_of, is_message
from archive_pipeline.readers.json.guessing import BoundaryGuesser, Guess
from archive_pipeline.readers.json.lines import LineReader
from archive_pipeline.readers.json.nesting import Element, unfold
from archive_pipeline.readers.json.parsing import complete, parse_json
from archive_pipeline.readers.json.recovery import Gap, RecoveryBudget, resume
from archive_pipeline.readers.json.rejections import broken, cut_off, in_no_array, unreadable, whole_file
from archive_pipeline.readers.json.scanner import MAX_ELEMENT_BYTES, ElementScanner
from archive_pipeline.readers.json.slices import Slice
from archive_pipeline.readers.json.treatment import MisguessedElementError, PassedOver, Treatment

BLOCK_BYTES = 16 * 1024  # small, so that most blocks lie inside one element and are stepped over
MAX_OTHERS = 200_000  # values of a file that are no records; so many are seconds of work
_READ_ERRORS = (OSError, UnreadableInputError)


def _nothing(_: object) -> bool:
    """Takes nothing for a record: without knowing the format no way back is looked for."""
    return False


def stream_elements(
    source: ByteSource,
    locator: str,
    *,
    is_record: Callable[[object], bool] = _nothing,
    block_bytes: int = BLOCK_BYTES,
    max_element_bytes: int = MAX_ELEMENT_BYTES,
) -> Iterator[Element | RejectedRecord]:
    """Yields the elements of a JSON file one by one.

    Args:
        source: the open file, at its start.
        locator: the file's name for messages.
        is_record: tells a whole record, for finding the next one behind a broken one.
        block_bytes: how much is read at a time.
        max_element_bytes: larger elements are rejected instead of held in memory.

    Yields:
        Each element, or a rejected record in its place; the last one may be a ``whole_file`` record.
    """
    stream = _Stream(source, locator, is_record, lambda: Treatment.EXACT, block_bytes, max_element_bytes)
    for item in stream.items():
        if not isinstance(item, PassedOver):
            yield item


def stream_own_elements(
    source: ByteSource,
    locator: str,
    is_record: Callable[[object], bool],
    treatment: Callable[[], Treatment],
    *,
    block_bytes: int = BLOCK_BYTES,
) -> Iterator[Element | RejectedRecord | PassedOver]:
    """Yields the elements of a JSON file one by one, without those that others read.

    Args:
        source: the open file, at its start.
        locator: the file's name for messages.
        is_record: tells a whole record.
        treatment: asked what becomes of the next element; whoever reads the file asks for the same elements, until all
            are treated as ``EXACT``. Elements of which it is not easily seen where they end are read by all.
        block_bytes: how much is read at a time, by all.

    Raises:
        MisguessedElementError: an element of this process, that others pass over, is not one whole record.
    """
    return _Stream(source, locator, is_record, treatment, block_bytes, MAX_ELEMENT_BYTES).items()


class _Stream:
    """One file being read: which element it has come to, and what is left of the work allowed for broken ones."""

    def __init__(
        self,
        source: ByteSource,
        locator: str,
        is_record: Callable[[object], bool],
        treatment: Callable[[], Treatment],
        block_bytes: int,
        most: int,
    ) -> None:
        self._source = source
        self._locator = locator
        self._is_record = is_record
        self._treatment = treatment
        self._block_bytes = block_bytes
        self._scanner = ElementScanner(max_element_bytes=most, is_message=partial(is_message, is_record=is_record))
        self._index = 0
        self._records = 0
        self._others = 0
        self._budget = RecoveryBudget()
        self._lines = LineReader(self._scanner, is_record, self._budget)
        self._guesser = BoundaryGuesser()
        self._is_over = False  # given up: what follows is not read

    def items(self) -> Iterator[Element | RejectedRecord | PassedOver]:
        """Yields the elements, and what cannot be read as one."""
        try:
            for block in blocks_of(self._source, self._block_bytes):
                yield from self._of_block(block)
                if self._is_over or self._lines.is_over:
                    break
        except _READ_ERRORS as error:
            yield from self._last()
            yield unreadable(self._locator, self._scanner.position, self._records, error)
            return
        if not self._is_over:
            yield from self._last()
        if not self._is_over:
            yield from self._unfolded(self._end_of_file())

    def _last(self) -> Iterator[Element | RejectedRecord]:
        """Yields the elements of what was held, when all is read."""
        yield from self._scanned(self._guesser.take_back())
        if not self._is_over:
            yield from self._found(self._lines.finish())

    def _of_block(self, block: bytes) -> Iterator[Element | RejectedRecord | PassedOver]:
        """Yields the elements that a block completes: guessed as long as that goes well, else scanned."""
        if self._guesser.is_active():
            for guess in self._guesser.feed(block, self._treatment):
                piece = Slice(self._scanner.position + guess.blanks, guess.raw)
                self._scanner.skip(guess.step)
                yield from self._guessed(guess, piece)
                if self._has_too_many_others():
                    yield self._given_up(piece)
                    return
            if self._guesser.is_active():
                return
            block = self._guesser.take_back()
        yield from self._scanned(block)
        rest = self._scanner.step_back() if self._guesser.can_begin else None
        if rest is not None:
            self._guesser.begin(rest + self._lines.take_back())

    def _guessed(self, guess: Guess, piece: Slice) -> Iterator[Element | RejectedRecord | PassedOver]:
        if guess.treatment is Treatment.PASSED_OVER:
            self._index += 1
            self._records += 1
            yield PassedOver(guess.size)
        elif guess.treatment is Treatment.EXACT and guess.value is None:
            yield from self._unfolded(self._read(piece))
        else:
            parse = parse_json if guess.value is None else partial(complete, value=guess.value)
            element = self._element(piece, parse)
            yield from self._unfolded([element]) if guess.treatment is Treatment.EXACT else [self._whole(element)]

    def _whole(self, element: Element | RejectedRecord) -> Element:
        if isinstance(element, RejectedRecord) or not self._is_record(element.value):
            raise MisguessedElementError
        self._records += 1
        return element

    def _scanned(self, block: bytes) -> Iterator[Element | RejectedRecord]:
        yield from self._found(self._lines.feed(block))

    def _found(self, pieces: Iterable[Slice | Gap]) -> Iterator[Element | RejectedRecord]:
        for piece in pieces:
            if isinstance(piece, Gap):
                yield from self._unfolded([self._broken(piece)])
            else:
                yield from self._unfolded(self._frame(piece) if piece.is_frame else self._read(piece))
            if self._has_too_many_others():
                yield self._given_up(piece)
                return
            if isinstance(piece, Slice) and not piece.is_frame and not piece.is_whole_file:
                self._guesser.learn(piece.raw)

    def _has_too_many_others(self) -> bool:
        self._is_over = self._others > MAX_OTHERS
        return self._is_over

    def _unfolded(self, items: Iterable[Element | RejectedRecord]) -> Iterator[Element | RejectedRecord]:
        for item in items:
            if isinstance(item, RejectedRecord):
                self._others += 1
                yield item
                continue
            if self._is_record(item.value):
                self._records += 1
                yield item
                continue
            for element in unfold(item, self._is_record):
                is_record = self._is_record(element.value)
                self._records += is_record
                self._others += not is_record
                yield element

    def _given_up(self, piece: Slice | Gap) -> RejectedRecord:
        offset = piece.offset + len(piece.raw)
        what = f"{MAX_OTHERS:,} values that are no conversations came before byte {offset}; what follows is not read"
        return whole_file(f"{self._locator} @ byte {offset}", what)

    def _element(self, piece: Slice, parse: Parse = parse_json) -> Element | RejectedRecord:
        where = self._locator if piece.is_whole_file or piece.is_frame else f"{self._locator}[{self._index}]"
        self._index += not piece.is_frame
        return element_of(piece, where, parse)

    def _frame(self, piece: Slice) -> Iterator[Element | RejectedRecord]:
        """Yields the object around an array of elements, if it says anything beside them."""
        element = self._element(piece)
        if isinstance(element, RejectedRecord) or self._is_record(element.value):
            yield element
        elif beside := {key: item for key, item in element.value.items() if item != []}:
            yield replace(element, value=beside)

    def _read(self, piece: Slice) -> Iterator[Element | RejectedRecord]:
        """Yields an element, or what can be saved of it: two unmatched quotes make one of all the records between."""
        index = self._index
        element = self._element(piece)
        if isinstance(element, Element) or piece.is_whole_file or piece.is_oversized:
            yield element
            return
        saved = resume(piece, self._is_record, self._budget)
        first = next(saved)
        if isinstance(first, Gap) and first.resumes_at is None:
            yield element  # one bad record and nothing else
            return
        self._index = index
        for part in chain([first], saved):
            if isinstance(part, Slice):
                yield self._element(part)
            elif not part.is_blank and not part.begins_container:
                yield self._broken(part)

    def _end_of_file(self) -> Iterator[Element | RejectedRecord]:
        """Yields what the end of the file says about it: nothing, if it is complete."""
        scanner, locator = self._scanner, self._locator
        rest = scanner.finish()
        if scanner.comma_offset is not None:
            yield in_no_array(scanner.comma_offset, locator)
        if scanner.stray_offset is not None:
            what = (
                "unexpected data after the end of the JSON" if self._index else "the file is not a JSON array or object"
            )
            yield whole_file(f"{locator} @ byte {scanner.stray_offset}", what)
        elif scanner.place is Place.START:
            what = "the file holds nothing but white space" if scanner.position else "the file is empty"
            yield whole_file(locator, what)
        elif scanner.place is Place.ARRAY:
            if len(rest) > 1:  # the fields before the array
                yield from self._frame(replace(rest[1], raw=rest[1].raw + b"]}"))
            yield from self._unfinished(rest[0])
        elif scanner.place is Place.OBJECT:
            yield self._cut_off(Gap(rest[0].offset, rest[0].raw, None))

    def _unfinished(self, rest: Slice) -> Iterator[Element | RejectedRecord]:
        """Yields what an array that does not end still holds."""
        if not rest.raw:
            yield self._cut_off(Gap(self._scanner.position, b"", None))
            return
        index = self._index
        last = self._element(rest)
        if isinstance(last, Element) and isinstance(last.value, dict | list):
            yield last  # the break is exactly behind a complete element
            yield self._cut_off(Gap(rest.offset + len(rest.raw), b"", None))
            return
        self._index = index
        inside = 0
        for part in resume(rest, self._is_record, self._budget):
            if isinstance(part, Slice):
                yield self._element(part)
            elif part.begins_container:
                inside += part.opened
            elif part.resumes_at is not None:
                yield self._broken(part)
            elif not part.closes_array(inside):
                yield self._cut_off(part)

    def _broken(self, gap: Gap) -> RejectedRecord:
        where = f"{self._locator}[{self._index}]"
        self._index += 1
        return broken(gap, where)

    def _cut_off(self, gap: Gap) -> RejectedRecord:
        return cut_off(gap, self._locator, self._records)
