"""Finds where each element of a JSON file's top-level array begins and ends, in blocks, without parsing.

The file may also be an object with the array under the key ``conversations``, whose other fields are a last element,
or one conversation object (a single element), or several such documents. Where the first entry of an array is a
message, the array is that of one conversation: it is the element, or the object around it. Only brackets, commas and
quotes are looked at, so memory is one element and a malformed element whose brackets balance costs only itself.
Turning bytes into values and errors into records is ``json.stream``'s part.
"""

from __future__ import annotations

from collections.abc import Callable

from archive_pipeline.readers.json.brackets import BETWEEN, INSIDE, unmatched, without_escapes
from archive_pipeline.readers.json.documents import Place, opens_conversations
from archive_pipeline.readers.json.slices import BLANK, LOOK_BACK, HeldBytes, Slice

MAX_ELEMENT_BYTES = 128 * 1024 * 1024

_QUOTE, _COMMA, _CLOSING_BRACE = b'",}'
_OPENING = b"[{"
_BETWEEN_DOCUMENTS = BLANK + b","  # the commas of an array that lost its bracket, and of lines that were taken from one
_STRIDE = 1024  # a block that holds the end of an element is looked at in pieces of this size


def _is_never(_: bytes) -> bool:
    """Takes nothing for a message: without knowing the format every array is one of conversations."""
    return False


class ElementScanner:
    """Takes a file block by block and gives the elements that each block completes.

    Args:
        max_element_bytes: of larger elements only the beginning is held.
        is_message: tells the first entry of an array, if it is a message of one conversation.
    """

    def __init__(
        self, *, max_element_bytes: int = MAX_ELEMENT_BYTES, is_message: Callable[[bytes], bool] = _is_never
    ) -> None:
        self._is_message = is_message
        self.place = Place.START
        self.position = 0  # of the next block
        self.stray_offset: int | None = None  # of the first byte that belongs to no JSON value
        self.comma_offset: int | None = None  # of the first comma behind a document, which no JSON has
        self._documents = 0
        self._has_array = False  # the top-level object has one
        self._is_first = False  # the element is the first one of an array, which tells what the array is
        self._base = 1  # depth at which elements are separated
        self._depth = 0
        self._in_string = False
        self._carry = b""
        self._look_back = b""
        self._element = HeldBytes(max_element_bytes)
        self._frame = HeldBytes(max_element_bytes)

    def feed(self, block: bytes) -> list[Slice]:
        """Takes the next block and returns the elements it completes, in order."""
        if self._carry:
            block = self._carry + block
        backslashes = len(block) - len(block.rstrip(b"\\"))
        # An escape must not be cut in two: its first half waits for the next block.
        self._carry = block[-1:] if backslashes % 2 else b""
        if self._carry:
            block = block[:-1]
        clean = without_escapes(block)
        if self._depth > self._base and self._passes(clean):
            self._hold(block)
            self._advance(block)
            return []
        found: list[Slice] = []
        for start in range(0, len(block), _STRIDE):
            found += self._scan(block[start : start + _STRIDE], clean[start : start + _STRIDE])
        return found

    def finish(self) -> list[Slice]:
        """Ends the file and returns what was begun and not completed: an element, and the object around it."""
        self._hold(self._carry)
        if self._carry and self.place is Place.END and self.stray_offset is None:
            self.stray_offset = self.position
        self.position += len(self._carry)
        self._carry = b""
        rest: list[Slice] = []
        if self.place is Place.ARRAY:
            rest.append(self._element.take())
        if self.place is Place.OBJECT or (self.place is Place.ARRAY and self._has_array):
            rest.append(self._take_frame())
        return rest

    def step_back(self) -> bytes | None:
        """Goes back to the beginning of the element that is begun in an array; returns what is there of it.

        None, and nothing has changed, if the element is too large, or none is begun.
        """
        begun = self._element.all()
        if self.place is not Place.ARRAY or begun is None or self._is_first:
            return None
        begun += self._carry
        self._depth, self._in_string, self._carry, self._look_back = self._base, False, b"", b""
        self.position = self._element.offset
        self._begin(0)
        return begun

    @property
    def is_in_plain_array(self) -> bool:
        """Whether it stands in an array that no object is around."""
        return self.place is Place.ARRAY and not self._has_array

    @property
    def is_in_first(self) -> bool:
        """Whether it stands in the first element of such an array, so that what the array is is not known."""
        return self.is_in_plain_array and self._is_first

    @property
    def is_in_object(self) -> bool:
        """Whether it stands in an object that is not at its end."""
        return self.place is Place.OBJECT or (self.place is Place.ARRAY and self._has_array)

    @property
    def has_documents(self) -> bool:
        """Whether a document has begun."""
        return self._documents > 0

    def abandon(self, stray: bytes) -> Slice:
        """Ends what is not at its end, or is no JSON, and returns it; a document may follow.

        Args:
            stray: the beginning of what is no JSON.
        """
        self._hold(self._carry)
        self.position += len(self._carry)
        if self.stray_offset is not None:
            broken = Slice(self.stray_offset, stray)
        else:
            inner = self._element.take().raw if self.place is Place.ARRAY else b""
            frame = self._frame.take()
            broken = Slice(frame.offset, frame.raw + inner)
        self.place, self.stray_offset, self._has_array, self._is_first = Place.END, None, False, False
        self._base, self._depth, self._in_string, self._carry = 1, 0, False, b""
        return broken

    def skip(self, count: int) -> None:
        """Steps over an element that was found otherwise, from its beginning to that of the next one."""
        self.position += count
        self._begin(0)

    def _advance(self, block: bytes) -> None:
        self.position += len(block)
        self._look_back = (self._look_back + block[-LOOK_BACK:])[-LOOK_BACK:]

    def _scan(self, block: bytes, clean: bytes) -> list[Slice]:
        """Takes a stride of a block; ``clean`` is the same stride with its escapes made harmless."""
        found: list[Slice] = []
        if self._depth > self._base and self._passes(clean):
            self._hold(block)
        else:
            start = 0
            while start < len(block) and self.stray_offset is None:
                if self.place in (Place.START, Place.END):
                    start = self._open_document(block, start)
                if self.place not in (Place.START, Place.END):
                    start = self._walk(block, clean, start, found)
        self._advance(block)
        return found

    def _passes(self, clean: bytes) -> bool:
        """Steps over a block in which the current element cannot end, several times faster than the walk can.

        The closing brackets that are left bound how far the depth sinks; if that may reach the element's own, False,
        and nothing has changed.
        """
        opening, closing, in_string = unmatched(clean, in_string=self._in_string)
        if closing >= self._depth - self._base:
            return False
        self._depth += opening - closing
        self._in_string = in_string
        return True

    def _open_document(self, block: bytes, start: int) -> int:
        rest = block[start:].lstrip(_BETWEEN_DOCUMENTS if self.has_documents else BLANK)
        if self.comma_offset is None and (comma := block.find(b",", start, len(block) - len(rest))) >= 0:
            self.comma_offset = self.position + comma
        start = len(block) - len(rest)
        if not rest:
            return start
        if rest[0] not in _OPENING:
            self.place = Place.END
            self.stray_offset = self.position + start
            return start
        self._documents += 1
        self._has_array, self._base = False, 1
        self._frame.begin(self.position + start)
        if rest[:1] == b"[":
            self._frame.add(b"[")
            self.place, self._depth, self._is_first = Place.ARRAY, 1, True
            return self._begin(start + 1)
        self.place, self._depth = Place.OBJECT, 0
        return start

    def _walk(self, block: bytes, clean: bytes, start: int, found: list[Slice]) -> int:
        """Follows the depth to the end of the block or of the document; returns where it came to."""
        position = start
        end = len(clean)
        if self._in_string:
            position = clean.find(b'"') + 1
            self._in_string = position == 0
        while not self._in_string and self.place is not Place.END:
            pattern = INSIDE if self._depth > self._base else BETWEEN
            skipped = pattern.match(clean, position)
            position = skipped.end() if skipped else position  # the pattern matches the empty string too
            if position == end:
                break
            byte = clean[position]
            position += 1
            if byte == _QUOTE:
                self._in_string = True
            elif self._depth > self._base:
                self._depth += 1 if byte in _OPENING else -1
            else:
                start = self._step(block, start, position, found)
        if self.place is Place.END:
            return start
        self._hold(block[start:])
        return end

    def _step(self, block: bytes, start: int, position: int, found: list[Slice]) -> int:
        """Handles a bracket or comma between elements, the byte before ``position``; returns the new element start."""
        byte = block[position - 1]
        if byte in _OPENING:
            return self._open(block, start, position)
        if byte != _COMMA:
            if self.place is Place.ARRAY and byte == _CLOSING_BRACE:
                return start  # closes nothing: part of a broken element, not the end of the array
            self._depth -= 1
            return self._close(block, start, position, found)
        if self.place is not Place.ARRAY:
            return start
        self._element.add(block[start : position - 1])
        if self._belongs_to_object():
            return position - 1
        found.append(self._element.take())
        return self._begin(position)

    def _open(self, block: bytes, start: int, position: int) -> int:
        self._depth += 1
        if self.place is Place.OBJECT and self._opens_conversations(block, position - 1):
            self._frame.add(block[start:position])
            self.place, self._base, self._has_array, self._is_first = Place.ARRAY, self._depth, True, True
            return self._begin(position)
        return start

    def _close(self, block: bytes, start: int, position: int, found: list[Slice]) -> int:
        if self.place is Place.ARRAY:
            self._element.add(block[start : position - 1])
            start = position - 1
            if not self._belongs_to_object():
                last = self._element.take()
                if last.raw or last.is_oversized:
                    found.append(last)
                self.place, self._base = Place.OBJECT if self._depth else Place.END, 1
                return start if self._depth else position
        if self._depth == 0:
            self._frame.add(block[start:position])
            found.append(self._take_frame())
            self.place = Place.END
            return position
        return start

    def _belongs_to_object(self) -> bool:
        """Looks at the first entry of an array; if it is a message, goes on in what the array belongs to."""
        if not self._is_first:
            return False
        self._is_first = False
        first = self._element.all()
        if first is None or not self._is_message(first.strip(BLANK)):
            return False
        self._frame.add(first)
        self.place, self._base, self._has_array = Place.OBJECT, 1, False
        return True

    def _opens_conversations(self, block: bytes, position: int) -> bool:
        return opens_conversations(self._up_to(block, position + 1))

    def _up_to(self, block: bytes, end: int) -> bytes:
        return self._look_back + block[:end] if end < LOOK_BACK else block[end - LOOK_BACK : end]

    def _begin(self, position: int) -> int:
        self._element.begin(self.position + position)
        return position

    def _hold(self, piece: bytes) -> None:
        if self.place is Place.ARRAY:
            self._element.add(piece)
        elif self.place is Place.OBJECT:
            self._frame.add(piece)

    def _take_frame(self) -> Slice:
        is_alone = self._documents == 1 and not self._has_array
        return self._frame.take(is_whole_file=is_alone, is_frame=self._has_array)
