"""Finds where elements end without scanning them: where the next one seems to begin, the parser tells whether it does.

An object ends where its braces close, so text from the beginning of an element up to a comma that is one valid object
is that element, whatever it holds and whatever follows. Exports write all of their elements alike, which is why nearly
every guess is right; scanning took as long as parsing does. It is left for what the strict parser does not take.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Final

import orjson

from archive_pipeline.readers.json.scanner import ElementScanner
from archive_pipeline.readers.json.slices import BLANK, LOOK_BACK, Slice
from archive_pipeline.readers.json.treatment import MisguessedElementError, Treatment

# Of an element: a larger one is scanned. What its value takes is below any bound then (``structure.may_take``).
MAX_GUESSED_BYTES: Final = 8_000_000
# Wrong guesses that are allowed beyond one in eight: each costs as much as parsing what stands before it.
_WRONG_GUESSES: Final = 3
_RIGHT_FOR_ONE_WRONG: Final = 8
# So many bytes from the beginning of an element on tell that it is one.
_OPENING_BYTES: Final = 1024
_BLANKS: Final = rb"[ \t\r\n]*+"
_KEY: Final = rb'"[^"\\]{1,64}"' + _BLANKS + rb":"
# Of strings, numbers, and names such as null.
_SCALAR: Final = rb'(?:"[^"\\]*+(?:\\.[^"\\]*+)*"|[-+.0-9A-Za-z]++)'
_FIRST_KEY: Final = re.compile(rb"\{" + _BLANKS + _KEY)
_SECOND_KEY: Final = re.compile(
    _BLANKS + rb"(?P<between>" + _SCALAR + _BLANKS + rb",|\{)" + _BLANKS + rb"(?P<key>" + _KEY + rb")", re.DOTALL
)
_LEADING: Final = re.compile(_BLANKS)


@dataclass(frozen=True, slots=True)
class Guess:
    """An element that was found.

    Attributes:
        blanks: how many bytes of white space stand before it.
        size: its bytes, without the white space around them.
        step: how many bytes there are to the beginning of the next element, from that of the white space.
        treatment: what becomes of it.
        raw: its bytes; empty if it is passed over.
        value: what they say, as the strict parser has it; None if it does not take them, or the element is passed over.
    """

    blanks: int
    size: int
    step: int
    treatment: Treatment
    raw: bytes = b""
    value: Any = None


class BoundaryGuesser:
    """Takes what stands from the beginning of an element on, and gives the elements that it can tell."""

    def __init__(self) -> None:
        self._is_active = False
        self._start = b""  # that all elements have, as far as it is the same
        self._opening: re.Pattern[bytes] | None = None
        self._held = bytearray()
        self._searched = 0
        self._right = self._wrong = 0
        self._is_given_up = False

    def is_active(self) -> bool:
        """Tell whether blocks belong here."""
        return self._is_active

    @property
    def can_begin(self) -> bool:
        """Whether it is known how elements begin, and guesses have been right."""
        return self._opening is not None and not self._is_given_up

    def learn(self, raw: bytes) -> None:
        """Take a look at an element that was scanned."""
        first = _FIRST_KEY.match(raw) if self._opening is None else None
        if first is not None:
            self._start = first.group()
            self._opening = _opening_of(first.group(), _SECOND_KEY.match(raw, first.end(), _OPENING_BYTES))

    def begin(self, rest: bytes) -> None:
        """Go on from here; ``rest`` is what is there already of the element that begins here."""
        self._is_active = True
        self._held += rest
        self._searched = 1

    def take_back(self) -> bytes:
        """End guessing, and give back what belongs to no element that was found."""
        self._is_active = False
        rest = bytes(self._held)
        self._held.clear()
        return rest

    def feed(self, block: bytes, treatment: Callable[[], Treatment]) -> Iterator[Guess]:
        """Take the next block, and yield the elements that can be told; ends being active where that is no use.

        Args:
            block: of the file.
            treatment: asked what becomes of the next element. One that is passed over is not looked into.

        Raises:
            MisguessedElementError: an element of this process, that others pass over, does not end there.
        """
        self._held += block
        while self._is_active and (place := self._next_place()) is not None:
            guess = self._guess(place, treatment())
            if guess is not None:
                del self._held[: guess.step]
                self._searched = 1
                yield guess
        if len(self._held) > MAX_GUESSED_BYTES:
            self._give_up()

    def _next_place(self) -> int | None:
        """Return the next place where an element seems to begin behind another one."""
        held, opening = self._held, self._opening
        while opening is not None and (place := held.find(self._start, self._searched)) >= 0:
            if opening.match(held, place, place + _OPENING_BYTES):
                self._searched = place + 1
                return place
            if len(held) < place + _OPENING_BYTES:  # what is missing of it may come
                self._searched = place
                return None
            self._searched = place + 1
        self._searched = max(self._searched, len(held) - len(self._start) + 1, 1)
        return None

    def _guess(self, place: int, treatment: Treatment) -> Guess | None:
        """Return the element that is held if the next one begins at ``place``."""
        end = self._end_before(place)
        leading = _LEADING.match(self._held)
        if end is None or leading is None:
            return None
        blanks = leading.end()
        if treatment is Treatment.PASSED_OVER:
            return Guess(blanks, end - blanks, place, treatment)
        raw = bytes(self._held[blanks:end])
        try:
            value = orjson.loads(raw)
        except orjson.JSONDecodeError:
            if not _is_one_element(raw):
                self._count_wrong(treatment)
                return None
            value = None
        self._right += 1
        return Guess(blanks, end - blanks, place, treatment, raw, value)

    def _count_wrong(self, treatment: Treatment) -> None:
        if treatment is Treatment.OWN:
            raise MisguessedElementError
        self._wrong += 1
        if self._wrong > _WRONG_GUESSES + self._right // _RIGHT_FOR_ONE_WRONG:
            self._give_up()

    def _end_before(self, place: int) -> int | None:
        """Return where an object ends that a comma separates from ``place``; None if none does."""
        start = max(0, place - LOOK_BACK)
        before = self._held[start:place].rstrip(BLANK)
        if not before.endswith(b","):
            return None
        before = before[:-1].rstrip(BLANK)
        return start + len(before) if before.endswith(b"}") else None

    def _give_up(self) -> None:
        self._is_given_up = True
        self._is_active = False


def _opening_of(first: bytes, second: re.Match[bytes] | None) -> re.Pattern[bytes]:
    """Return what elements begin with that begin like one: two keys, the second behind a value or inside an object."""
    if second is None:
        return re.compile(re.escape(first))
    between = rb"\{" if second["between"] == b"{" else _SCALAR + _BLANKS + rb","
    return re.compile(re.escape(first) + _BLANKS + between + _BLANKS + re.escape(second["key"]), re.DOTALL)


def _is_one_element(raw: bytes) -> bool:
    """Tells whether text from the beginning of an element up to a comma is that element, whatever it holds."""
    return ElementScanner().feed(b"[" + raw + b",") == [Slice(1, raw)]
