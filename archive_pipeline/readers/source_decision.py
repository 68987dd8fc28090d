"""Which source the records of a file are of, and which of them are conversations of it.

The first record that a reader recognises by itself tells the source; what came before is judged then.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Final

from archive_pipeline.domain.records import RejectedRecord
from archive_pipeline.readers.anomalies import UNKNOWN_SHAPE, Noticed, Undecided, no_conversations, not_a_conversation
from archive_pipeline.readers.found import SkippedFile, SourceFile
from archive_pipeline.readers.json.nesting import Element
from archive_pipeline.readers.json.treatment import PassedOver
from archive_pipeline.readers.recognised import Recognised, read_dialogue
from archive_pipeline.readers.registry import is_conversation, readers, recognise, tried

# An object that has one of these may be a conversation of the file's source that lost what it is recognised by.
_OF_CONVERSATIONS: Final = frozenset({"title", "name", "mapping", "chat_messages"})

# All rows of a table have the same columns: so many without anything like a conversation tell what the others are.
_ROWS_THAT_TELL: Final = 1_000


class SourceDecision:
    """The source of one file, decided as its elements come.

    Args:
        found: the file.
        source: the vendor's name if the user gives it.

    Attributes:
        source: the vendor's name, once recognised or given.
        skipped: why the file holds no conversations, if it turns out so.
        beside: what its format has beside the conversations, and is not read.
        noticed: what was not understood, and is not taken yet.
        is_table: its elements are the rows of a table.
    """

    def __init__(self, found: SourceFile | RejectedRecord, source: str | None) -> None:
        self.source = source
        self.skipped: SkippedFile | None = None
        self.beside: list[SkippedFile] = []
        self.noticed = Noticed()
        self.is_table = False
        self._locator = found.locator
        self._is_source_given = source is not None
        self._is_named = isinstance(found, SourceFile) and found.is_named

    def recognised(
        self, elements: Iterable[Element | RejectedRecord | PassedOver]
    ) -> Iterator[Recognised | RejectedRecord | PassedOver]:
        """Yields what is to be read as a conversation, and what is none.

        What is no dialogue is held back until one tells the file's source: without any, the file is no export.
        """
        undecided = Undecided(self._locator)
        first: Element | None = None
        for element in elements:
            if isinstance(element, PassedOver):
                yield element
                continue
            if isinstance(element, RejectedRecord):
                undecided.has_rejected = True
                yield element
                continue
            first = first or element
            if self.source is None and not (verdict := recognise(element.value)).is_recognised:
                undecided.hold(element, speaks_for=verdict.source)
                if self.is_table and undecided.has_nothing_in(_ROWS_THAT_TELL):
                    break
                continue
            if self.source is None:
                self.source = verdict.source
                yield from self._released(undecided)
            yield from self._read(element)
        if self.source is None:
            yield from self._undecided(undecided, first)

    def _released(self, undecided: Undecided) -> Iterator[Recognised | RejectedRecord]:
        """Yields what was held back, now that the source is known."""
        for item in undecided.items:
            if isinstance(item, Element):
                yield from self._read(item)
            else:
                yield item
        yield from undecided.beyond()

    def _undecided(self, undecided: Undecided, first: Element | None) -> Iterator[RejectedRecord]:
        """Yields what is to say of a file without a dialogue."""
        items = [self._judged(item) if isinstance(item, Element) else item for item in undecided.items]
        if self.source is not None:
            yield from items
            yield from undecided.beyond()
        elif first is not None:
            yield from self._no_conversations(first, undecided)
        elif not undecided.has_rejected:
            self.skipped = SkippedFile(self._locator, "an empty array: holds no conversations")

    def _judged(self, element: Element) -> RejectedRecord:
        """Returns why a record is no dialogue that nothing but its own fields speaks for; they may name the source."""
        source = recognise(element.value).source
        if source is not None:
            record = read_dialogue(element, source)
            if isinstance(record, RejectedRecord):
                self.source = self.source or source
                return record
        return not_a_conversation(element, f" ({tried(element.value)})")

    def _read(self, element: Element) -> Iterator[Recognised | RejectedRecord]:
        rest = self._without_beside(element)
        if rest is not element and not rest.value:
            return
        source = self._source_of(rest)
        yield not_a_conversation(rest) if source is None else Recognised(rest, source)

    def _source_of(self, element: Element) -> str | None:
        if not isinstance(element.value, dict):
            return None
        verdict = recognise(element.value)
        if verdict.is_recognised and self._is_of_others(verdict.source):
            return None
        if self._is_source_given or (not verdict.is_recognised and self._may_be_conversation(element.value)):
            return self.source
        return verdict.source

    def _is_of_others(self, source: str | None) -> bool:
        """Tells whether a plain record stands in a file of another source."""
        is_plain = source is not None and readers()[source].is_plain
        return is_plain and source != self.source and not self._is_source_given

    def _may_be_conversation(self, value: dict[str, object]) -> bool:
        return recognise(value).source is not None or not _OF_CONVERSATIONS.isdisjoint(value)

    def _without_beside(self, element: Element) -> Element:
        """Notes what the source's format has beside its conversations; returns the element without it."""
        known = readers()[self.source].beside if self.source is not None else frozenset()
        value = element.value
        if element.locator != self._locator or not isinstance(value, dict) or known.isdisjoint(value):
            return element
        if is_conversation(value):
            return element
        names = ", ".join(sorted(known.intersection(value)))
        self.beside.append(SkippedFile(self._locator, f"beside its conversations: {names}"))
        return replace(element, value={key: item for key, item in value.items() if key not in known})

    def _no_conversations(self, first: Element, undecided: Undecided) -> Iterator[RejectedRecord]:
        self.noticed.anomalies[UNKNOWN_SHAPE] += 1
        may_be_left_out = not (self._is_named or undecided.may_be_conversations)
        told = no_conversations(first, self._locator, may_be_left_out=may_be_left_out, is_table=self.is_table)
        if isinstance(told, RejectedRecord):
            yield told
        else:
            self.skipped = told
