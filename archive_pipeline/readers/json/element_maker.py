"""Elements and rejected records of the pieces of a file, named by their places in it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import chain
from typing import Final

from archive_pipeline.domain.records import RejectedRecord
from archive_pipeline.readers.json.documents import CONVERSATIONS
from archive_pipeline.readers.json.elements import Parse, element_of
from archive_pipeline.readers.json.kinds import Kinds
from archive_pipeline.readers.json.nesting import Element
from archive_pipeline.readers.json.parsing import parse_json
from archive_pipeline.readers.json.recovery import Gap, RecoveryBudget, resume
from archive_pipeline.readers.json.rejections import broken, cut_off
from archive_pipeline.readers.json.slices import Slice

# What is left of an array whose elements were taken out, and of an object around it.
_EMPTIED: Final[tuple[object, ...]] = ([], {CONVERSATIONS: []})


class ElementMaker:
    """Makes the elements of one file, in order.

    Args:
        locator: the file's name for messages.
        kinds: what tells the values of the file apart.

    Attributes:
        index: of the next element.
        records: how many records were found; whoever finds them counts.
        budget: what is left of the work allowed for broken ones.
    """

    def __init__(self, locator: str, kinds: Kinds) -> None:
        self.locator = locator
        self.kinds = kinds
        self.index = 0
        self.records = 0
        self.budget = RecoveryBudget()

    def element(self, piece: Slice, parse: Parse = parse_json) -> Element | RejectedRecord:
        """Returns the next element, or why it cannot be read."""
        where = self.locator if piece.is_whole_file or piece.is_frame else f"{self.locator}[{self.index}]"
        self.index += not piece.is_frame
        return element_of(piece, where, parse)

    def frame(self, piece: Slice) -> Iterator[Element | RejectedRecord]:
        """Yields the object around an array of elements, if it says anything beside them."""
        element = self.element(piece)
        if isinstance(element, RejectedRecord) or self.kinds.is_record(element.value):
            yield element
        else:
            yield from beside(element)

    def read(self, piece: Slice) -> Iterator[Element | RejectedRecord]:
        """Yields an element, or what can be saved of it: two unmatched quotes make one of all the records between."""
        index = self.index
        element = self.element(piece)
        if isinstance(element, Element) or piece.is_oversized:
            yield element
            return
        saved = resume(piece, self.kinds.is_record, self.budget)
        first = next(saved)
        if isinstance(first, Gap) and first.resumes_at is None:
            yield element  # one bad record and nothing else
            return
        self.index = index
        for part in chain([first], saved):
            if isinstance(part, Slice):
                yield self.element(part)
            elif not part.is_blank and not part.begins_container:
                yield self.broken(part)

    def broken(self, gap: Gap) -> RejectedRecord:
        """Returns the record of what stands in the place of the next element."""
        where = f"{self.locator}[{self.index}]"
        self.index += 1
        return broken(gap, where)

    def cut_off(self, gap: Gap) -> RejectedRecord:
        """Returns the record of where the file ends."""
        return cut_off(gap, self.locator, self.records)


def beside(frame: Element) -> Iterator[Element]:
    """Yields what an object says beside an array of elements, if it says anything."""
    if fields := {key: item for key, item in frame.value.items() if item not in _EMPTIED}:
        yield replace(frame, value=fields)
