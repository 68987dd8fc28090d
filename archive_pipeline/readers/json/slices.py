"""The bytes of one element of a JSON file: as they are gathered block by block, and when they are complete."""

from __future__ import annotations

from dataclasses import dataclass

BLANK = b" \t\r\n"
# So many bytes before a place tell what stands there.
LOOK_BACK = 64


@dataclass(frozen=True, slots=True)
class Slice:
    """The bytes of one element.

    Attributes:
        offset: of the first byte, from the start of the file.
        raw: the bytes without surrounding white space; cut short if ``is_oversized``.
        is_whole_file: True if the file is this one object, or begins with it.
        is_frame: True if this is the object around an array of elements, with the array emptied.
        is_oversized: True if it is larger than what may be held.
    """

    offset: int
    raw: bytes
    is_whole_file: bool = False
    is_frame: bool = False
    is_oversized: bool = False


class HeldBytes:
    """The bytes of an element, block by block; of one that is too large only the beginning."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._pieces: list[bytes] = []
        self._held = 0
        self._size = 0
        self.offset = 0

    def begin(self, offset: int) -> None:
        """Starts anew with what stands at an offset of the file."""
        self._pieces = []
        self._held = self._size = 0
        self.offset = offset

    def add(self, piece: bytes) -> None:
        """Adds what follows."""
        self._size += len(piece)
        if self._size <= self._most:
            self._pieces.append(piece)
            self._held += len(piece)
        elif self._held > LOOK_BACK:
            self._pieces = [b"".join(self._pieces)[:LOOK_BACK]]
            self._held = LOOK_BACK

    @property
    def size(self) -> int:
        """How many bytes there are, held or not."""
        return self._size

    def all(self) -> bytes | None:
        """Returns what is held; None if that is not everything."""
        return b"".join(self._pieces) if self._size <= self._most else None

    def take(self, *, is_whole_file: bool = False, is_frame: bool = False) -> Slice:
        """Returns what is held, without white space around it, and starts anew."""
        raw = b"".join(self._pieces)
        text = raw.lstrip(BLANK)
        offset = self.offset + len(raw) - len(text)
        is_oversized = self._size > self._most
        self.begin(offset)
        return Slice(offset, text.rstrip(BLANK), is_whole_file, is_frame, is_oversized)
