"""Finds the conversations in an object that is too large to be one, also in other arrays than that of its own.

Up to the bound of an element such an object is read as a whole, so that it may be anything. Only beyond it the arrays
in which exports have conversations are gone into by their names, from the beginning of the object on.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from archive_pipeline.readers.json.documents import Place, opens_named_array, opens_wrapper
from archive_pipeline.readers.json.scanner import ElementScanner
from archive_pipeline.readers.json.slices import Slice

_BLOCK_BYTES: Final = 64 * 1024


class LargeObjectScanner(ElementScanner):
    """Takes a file block by block and gives the elements that each block completes.

    Args:
        max_element_bytes: of larger elements only the beginning is held.
        is_message: tells the first entry of an array, if it is a message of one conversation.
    """

    def __init__(self, *, max_element_bytes: int, is_message: Callable[[bytes], bool]) -> None:
        super().__init__(max_element_bytes=max_element_bytes, is_message=is_message)
        self._most = max_element_bytes
        self._is_large = False

    @property
    def closing(self) -> bytes:
        """What closes the array in which it stands, and the objects around it."""
        return b"]" + b"}" * (self._base - 1)

    def feed(self, block: bytes) -> list[Slice]:
        """Takes the next block and returns the elements it completes, in order."""
        is_held = self.place is Place.OBJECT and not self._has_array and not self._is_large
        if is_held and self._frame.size + len(block) > self._most:
            return self._begin_again() + super().feed(block)
        return super().feed(block)

    def _begin_again(self) -> list[Slice]:
        """Goes back to the beginning of the object, and returns the elements in what is held of it."""
        held, carry = self._frame.all() or b"", self._carry
        self._is_large = True
        self._documents -= 1
        self.place, self.position = Place.START, self._frame.offset
        self._depth, self._in_string, self._carry, self._look_back = 0, False, b"", b""
        found: list[Slice] = []
        for start in range(0, len(held), _BLOCK_BYTES):
            found += super().feed(held[start : start + _BLOCK_BYTES])
        self._carry = carry
        return found

    def _open(self, block: bytes, start: int, position: int) -> int:
        is_outermost = self.place is Place.OBJECT and self._depth == 1
        if self._is_large and is_outermost and opens_wrapper(self._up_to(block, position)):
            self._base = 2
        return super()._open(block, start, position)

    def _close(self, block: bytes, start: int, position: int, found: list[Slice]) -> int:
        start = super()._close(block, start, position, found)
        if self.place is Place.OBJECT:
            self._base = 1
        return start

    def _opens_conversations(self, block: bytes, position: int) -> bool:
        if not self._is_large:
            return super()._opens_conversations(block, position)
        return opens_named_array(self._up_to(block, position + 1))
