"""Streams the elements of a JSON file as values with their original bytes; memory does not grow with the file.

An element that is not JSON is yielded as a rejected record and the next one is read; a file that breaks off gives
every element before the break and then one rejected record that names the byte. Which elements are conversations is
not decided here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial

from archive_pipeline.domain.records import RejectedRecord
from archive_pipeline.errors import UnreadableInputError
from archive_pipeline.readers.json.blocks import ByteSource, blocks_of
from archive_pipeline.readers.json.element_maker import ElementMaker
from archive_pipeline.readers.json.elements import is_message
from archive_pipeline.readers.json.end_of_file import end_of_file
from archive_pipeline.readers.json.guessing import BoundaryGuesser, Guess
from archive_pipeline.readers.json.kinds import NOTHING, Kinds
from archive_pipeline.readers.json.large_objects import LargeObjectScanner
from archive_pipeline.readers.json.lines import LineReader
from archive_pipeline.readers.json.nesting import Element, unfold
from archive_pipeline.readers.json.parsing import complete, parse_json
from archive_pipeline.readers.json.recovery import Gap
from archive_pipeline.readers.json.rejections import unreadable, whole_file
from archive_pipeline.readers.json.scanner import MAX_ELEMENT_BYTES
from archive_pipeline.readers.json.slices import Slice
from archive_pipeline.readers.json.treatment import MisguessedElementError, PassedOver, Treatment

BLOCK_BYTES = 16 * 1024  # small, so that most blocks lie inside one element and are stepped over
MAX_OTHERS = 200_000  # values of a file that are no records; so many are seconds of work
_READ_ERRORS = (OSError, UnreadableInputError)


def stream_elements(
    source: ByteSource,
    locator: str,
    *,
    kinds: Kinds = NOTHING,
    block_bytes: int = BLOCK_BYTES,
    max_element_bytes: int = MAX_ELEMENT_BYTES,
) -> Iterator[Element | RejectedRecord]:
    """Yields the elements of a JSON file one by one.

    Args:
        source: the open file, at its start.
        locator: the file's name for messages.
        kinds: what tells its values apart; of whole records, for finding the next one behind a broken one, too.
        block_bytes: how much is read at a time.
        max_element_bytes: larger elements are rejected instead of held in memory.

    Yields:
        Each element, or a rejected record in its place; the last one may be a ``whole_file`` record.
    """
    stream = _Stream(source, locator, kinds, lambda: Treatment.EXACT, block_bytes, max_element_bytes)
    for item in stream.items():
        if not isinstance(item, PassedOver):
            yield item


def stream_own_elements(
    source: ByteSource,
    locator: str,
    kinds: Kinds,
    treatment: Callable[[], Treatment],
    *,
    block_bytes: int = BLOCK_BYTES,
) -> Iterator[Element | RejectedRecord | PassedOver]:
    """Yields the elements of a JSON file one by one, without those that others read.

    Args:
        source: the open file, at its start.
        locator: the file's name for messages.
        kinds: what tells its values apart.
        treatment: asked what becomes of the next element; whoever reads the file asks for the same elements, until all
            are treated as ``EXACT``. Elements of which it is not easily seen where they end are read by all.
        block_bytes: how much is read at a time, by all.

    Raises:
        MisguessedElementError: an element of this process, that others pass over, is not one whole record.
    """
    return _Stream(source, locator, kinds, treatment, block_bytes, MAX_ELEMENT_BYTES).items()


class _Stream:
    """One file being read: which element it has come to, and what is left of the work allowed for broken ones."""

    def __init__(
        self,
        source: ByteSource,
        locator: str,
        kinds: Kinds,
        treatment: Callable[[], Treatment],
        block_bytes: int,
        most: int,
    ) -> None:
        self._source = source
        self._locator = locator
        self._kinds = kinds
        self._is_record = kinds.is_record
        self._treatment = treatment
        self._block_bytes = block_bytes
        self._scanner = LargeObjectScanner(max_element_bytes=most, is_message=partial(is_message, kinds=kinds))
        self._maker = ElementMaker(locator, kinds)
        self._others = 0  # than records
        self._lines = LineReader(self._scanner, kinds, self._maker.budget)
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
            yield unreadable(self._locator, self._scanner.position, self._maker.records, error)
            return
        if not self._is_over:
            yield from self._last()
        if not self._is_over:
            yield from self._unfolded(end_of_file(self._scanner, self._maker))

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
            self._maker.index += 1
            self._maker.records += 1
            yield PassedOver(guess.size)
        elif guess.treatment is Treatment.EXACT and guess.value is None:
            yield from self._unfolded(self._maker.read(piece))
        else:
            parse = parse_json if guess.value is None else partial(complete, value=guess.value)
            element = self._maker.element(piece, parse)
            yield from self._unfolded([element]) if guess.treatment is Treatment.EXACT else [self._whole(element)]

    def _whole(self, element: Element | RejectedRecord) -> Element:
        if isinstance(element, RejectedRecord) or not self._is_record(element.value):
            raise MisguessedElementError
        self._maker.records += 1
        return element

    def _scanned(self, block: bytes) -> Iterator[Element | RejectedRecord]:
        yield from self._found(self._lines.feed(block))

    def _found(self, pieces: Iterable[Slice | Gap]) -> Iterator[Element | RejectedRecord]:
        for piece in pieces:
            if isinstance(piece, Gap):
                yield from self._unfolded([self._maker.broken(piece)])
            else:
                yield from self._unfolded(self._maker.frame(piece) if piece.is_frame else self._maker.read(piece))
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
                self._maker.records += 1
                yield item
                continue
            for element in unfold(item, self._kinds):
                is_record = self._is_record(element.value)
                self._maker.records += is_record
                self._others += not is_record
                yield element

    def _given_up(self, piece: Slice | Gap) -> RejectedRecord:
        offset = piece.offset + len(piece.raw)
        what = f"{MAX_OTHERS:,} values that are no conversations came before byte {offset}; what follows is not read"
        return whole_file(f"{self._locator} @ byte {offset}", what)
