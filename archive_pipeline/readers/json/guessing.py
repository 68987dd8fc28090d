"""Finds where elements end without scanning them: where the next one seems to begin, the parser tells whether it does.

An object ends where its braces close, so text from the beginning of an element up to a comma that is one valid object
is that element, whatever it holds and whatever follows. Exports write all of their elements alike, which is why nearly
every guess is right; scanning took as long as parsing does.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

import orjson

from archive_pipeline.readers.json.slices import BLANK, LOOK_BACK

# Of an element: a larger one is scanned. What its value takes is below any bound then (``structure.memory_of``).
MAX_GUESSED_BYTES: Final = 8_000_000
# Wrong guesses that are allowed beyond one in eight: each costs as much as parsing what stands before it.
_WRONG_GUESSES: Final = 3
_RIGHT_FOR_ONE_WRONG: Final = 8
_OPENING: Final = re.compile(rb'\{[ \t\r\n]*"[^"\\]{1,64}"[ \t\r\n]*:')
_CLOSING: Final = b"]} \t\r\n"


@dataclass(frozen=True, slots=True)
class Guess:
    """An element that was found.

    Attributes:
        raw: its bytes, after the white space before them.
        value: what they say, as the strict parser has it.
        blanks: how many bytes of white space stand before it.
        step: how many bytes there are to the beginning of the next element.
    """

    raw: bytes
    value: Any
    blanks: int
    step: int


class BoundaryGuesser:
    """Takes what stands from the beginning of an element on, and gives the elements that it can tell."""

    def __init__(self) -> None:
        self._is_active = False
        self._opening = self._closing = b""
        self._held = bytearray()
        self._searched = 0
        self._right = self._wrong = 0
        self._is_given_up = False

    def is_active(self) -> bool:
        """Tell whether blocks belong here."""
        return self._is_active

    @property
    def can_begin(self) -> bool:
        """Whether it is known how elements begin and end, and guesses have been right."""
        return bool(self._opening) and not self._is_given_up

    def learn(self, raw: bytes) -> None:
        """Take a look at an element that was scanned."""
        opening = _OPENING.match(raw)
        if opening is not None and not self._opening:
            self._opening = opening.group()
            self._closing = raw[len(raw.rstrip(_CLOSING)) :][-LOOK_BACK // 2 :]

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

    def feed(self, block: bytes) -> Iterator[Guess]:
        """Take the next block, and yield the elements that can be told; ends being active where that is no use."""
        self._held += block
        while self._is_active and (place := self._held.find(self._opening, self._searched)) >= 0:
            self._searched = place + 1
            guess = self._guess(place)
            if guess is not None:
                del self._held[:place]
                self._searched = 1
                yield guess
        self._searched = max(self._searched, len(self._held) - len(self._opening) + 1, 1)
        if len(self._held) > MAX_GUESSED_BYTES:
            self._give_up()

    def _guess(self, place: int) -> Guess | None:
        """Return the element that is held if the next one begins at ``place``."""
        start = max(0, place - LOOK_BACK)
        before = self._held[start:place].rstrip(BLANK)
        if not before.endswith(b","):
            return None
        before = before[:-1].rstrip(BLANK)
        if not before.endswith(self._closing):
            return None
        text = bytes(self._held[: start + len(before)])
        raw = text.lstrip(BLANK)
        try:
            value = orjson.loads(raw)
        except orjson.JSONDecodeError:
            self._wrong += 1
            if self._wrong > _WRONG_GUESSES + self._right // _RIGHT_FOR_ONE_WRONG:
                self._give_up()
            return None
        self._right += 1
        return Guess(raw, value, len(text) - len(raw), place)

    def _give_up(self) -> None:
        self._is_given_up = True
        self._is_active = False
