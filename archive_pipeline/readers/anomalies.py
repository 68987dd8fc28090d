"""What was not understood of a file, by name and number, and how many rejected records a file may give one by one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Final, TypeVar

from archive_pipeline.domain.records import RejectedRecord
from archive_pipeline.readers.companions import is_named_for_conversations
from archive_pipeline.readers.drift import Drift
from archive_pipeline.readers.found import SkippedFile
from archive_pipeline.readers.json.nesting import Element
from archive_pipeline.readers.json.parsing import DUPLICATE_KEY
from archive_pipeline.readers.json.rejections import excerpt_of
from archive_pipeline.readers.json.shapes import DUPLICATE_MESSAGE
from archive_pipeline.readers.json.structure import memory_of
from archive_pipeline.readers.likeness import may_be_conversation
from archive_pipeline.readers.registry import shape_of, tried

REJECTED: Final = "rejected"
UNKNOWN_SHAPE: Final = "unknown_shape"
# Warnings of a dialogue that mean the same for its file.
NOT_UNDERSTOOD: Final = frozenset({DUPLICATE_KEY, DUPLICATE_MESSAGE})
MAX_REJECTED: Final = 10_000
MAX_HELD_MEMORY: Final = 64 * 1024 * 1024

ItemT = TypeVar("ItemT")


@dataclass(slots=True)
class Noticed:
    """What was noticed in some records of a file.

    Attributes:
        anomalies: what was not understood, by name.
        drift: what this version does not know.
    """

    anomalies: Counter[str] = field(default_factory=Counter)
    drift: Drift = field(default_factory=Drift)


class RejectedLimit:
    """Lets the first rejected records of a file pass; counts the others, and tells of them in one record at the end."""

    def __init__(self, most: int = MAX_REJECTED) -> None:
        self._left = most
        self._beyond = 0
        self._first = self._last = ""

    def passes(self, record: RejectedRecord) -> bool:
        """Tells whether a record is told by itself; one about the rest of the file always is."""
        if self._left > 0 or record.whole_file:
            self._left -= 1
            return True
        self._beyond += 1
        self._first = self._first or record.locator
        self._last = record.locator
        return False

    def beyond(self, locator: str) -> Iterator[RejectedRecord]:
        """Yields the record for all that did not pass, if there are any."""
        if self._beyond:
            reason = (
                f"{self._beyond:,} more records, from {self._first} to {self._last}, could not be read as conversations"
            )
            yield RejectedRecord(f"{locator}: {self._first} to {self._last}", reason)


def limited(
    items: Iterable[ItemT | RejectedRecord], locator: str, anomalies: Counter[str]
) -> Iterator[ItemT | RejectedRecord]:
    """Yields the items of a file, of its rejected records so many as are told by themselves; counts them all."""
    limit = RejectedLimit()
    for item in items:
        if isinstance(item, RejectedRecord):
            anomalies[REJECTED] += 1
            if not limit.passes(item):
                continue
        yield item
    yield from limit.beyond(locator)


class Undecided:
    """What comes before it is known of which source a file is, in its order.

    Attributes:
        items: objects that may be conversations of a source that a later one tells, and what is none.
        has_rejected: the file has records that are no JSON.
        may_be_conversations: a value looks like a conversation of a format that no reader knows.
    """

    def __init__(self, locator: str) -> None:
        self.items: list[Element | RejectedRecord] = []
        self.has_rejected = False
        self.may_be_conversations = is_named_for_conversations(locator)
        self._locator = locator
        self._limit = RejectedLimit()
        self._memory = MAX_HELD_MEMORY

    def hold(self, element: Element, *, speaks_for: str | None) -> None:
        """Keeps an object, or says that there are too many to keep; of other values keeps what is wrong with them.

        Args:
            element: of no known format.
            speaks_for: the source for which something in it speaks, though not clearly.
        """
        is_evident = self.may_be_conversations or speaks_for is not None
        self.may_be_conversations = is_evident or may_be_conversation(element.value)
        if self._memory >= 0:  # counted, as a bound of small texts would turn away what fits
            self._memory -= memory_of(element.raw)
        if isinstance(element.value, dict) and self._memory >= 0:
            self.items.append(element)
            return
        reason = f"is {shape_of(element.value)}, not a conversation"
        if isinstance(element.value, dict):
            reason = f"is {shape_of(element.value)}, and too much stands before the first record of a known format"
        record = RejectedRecord(element.locator, reason, excerpt=excerpt_of(element.raw))
        if self._limit.passes(record):
            self.items.append(record)

    def has_nothing_in(self, number: int) -> bool:
        """Tells whether there are so many objects, and none is like a conversation."""
        return not self.may_be_conversations and len(self.items) >= number

    def beyond(self) -> Iterator[RejectedRecord]:
        """Yields the record for all that there were too many to keep of."""
        yield from self._limit.beyond(self._locator)


def not_a_conversation(element: Element, why: str = "") -> RejectedRecord:
    """Returns the record of an element that is no conversation."""
    reason = f"is {shape_of(element.value)}, not a conversation{why}"
    return RejectedRecord(element.locator, reason, excerpt=excerpt_of(element.raw))


def no_conversations(
    first: Element, locator: str, *, may_be_left_out: bool, is_table: bool
) -> RejectedRecord | SkippedFile:
    """Returns what is to say of a file without a conversation: it cannot be read, or it is left out.

    Args:
        first: its first element.
        locator: of the file.
        may_be_left_out: the user did not name this very file, and nothing in it looks like a conversation.
        is_table: its elements are the rows of a table.
    """
    is_object = first.locator == locator and not is_table
    others = "a table whose first row is " if is_table else "an array whose first record is "
    shape = ("top level is " if is_object else others) + shape_of(first.value)
    reasons = tried(first.value)
    asked = f" (tried {reasons})" if reasons else ""
    if is_object or not may_be_left_out or not isinstance(first.value, dict):
        reason = f"no known export format: {shape}{asked}"
        return RejectedRecord(locator, reason, excerpt=excerpt_of(first.raw), whole_file=True)
    reason = f"holds nothing like a conversation: {shape}{asked}"
    return SkippedFile(locator, reason, may_hold_conversations=True)
