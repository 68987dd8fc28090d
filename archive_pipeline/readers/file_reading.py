"""One file, or one member of a zip, as a stream of dialogues and of what could not be read as one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path, PurePosixPath
from typing import Final

from archive_pipeline.domain.records import RejectedRecord
from archive_pipeline.errors import UnreadableInputError
from archive_pipeline.readers.anomalies import (
    NOT_UNDERSTOOD,
    UNKNOWN_SHAPE,
    Noticed,
    Undecided,
    limited,
    no_conversations,
    not_a_conversation,
)
from archive_pipeline.readers.compressed import unpacked, unpacked_name
from archive_pipeline.readers.databases.reading import Beginning, FileText, is_database, text_of
from archive_pipeline.readers.drift import Drift
from archive_pipeline.readers.found import SkippedFile, SourceFile, companion
from archive_pipeline.readers.json.nesting import Element
from archive_pipeline.readers.json.stream import stream_elements, stream_own_elements
from archive_pipeline.readers.json.treatment import PassedOver, Treatment
from archive_pipeline.readers.json_lines import as_one_object
from archive_pipeline.readers.recognised import ReadDialogue, Recognised, read_dialogue
from archive_pipeline.readers.registry import (
    database_readers,
    is_conversation,
    is_session_line,
    page_readers,
    readers,
    recognise,
    tried,
)
from archive_pipeline.readers.shares import FileOutcome, Share
from archive_pipeline.readers.tracked_reader import TrackedReader, sha256_of

_OPEN_ERRORS: Final = (OSError, UnreadableInputError)
# An object that has one of these may be a conversation of the file's source that lost what it is recognised by.
_OF_CONVERSATIONS: Final = frozenset({"title", "name", "mapping", "chat_messages"})


class FileReading:
    """One file, or one member of a zip, being read.

    Attributes:
        path: the file on disk; the zip for its members.
        locator: the name for people.
        size: bytes to read, unpacked.
        source: the vendor's name, once recognised (or given by the user).
        sha256: of the file on disk, known when ``records`` is exhausted; None before, and if it cannot be read.
        skipped: why the file holds no conversations, if it turns out so.
        beside: what its format has beside the conversations, and is not read.
        anomalies: what was not understood of the file, by name; complete when ``records`` is exhausted.
        drift: what its dialogues have that this version does not know.
        bytes_read_elsewhere: how far another process that reads the file has come.
    """

    def __init__(
        self,
        found: SourceFile | RejectedRecord,
        *,
        path: Path,
        source: str | None = None,
        digests: dict[Path, str] | None = None,
    ) -> None:
        self.path = path
        self.locator = found.locator
        self.size = found.size if isinstance(found, SourceFile) else 0
        self.source = source
        self.sha256: str | None = None
        self.skipped: SkippedFile | None = None
        self.beside: list[SkippedFile] = []
        self.anomalies: Counter[str] = Counter()
        self.drift = Drift()
        self.bytes_read_elsewhere = 0
        self._noticed = Noticed()
        self._found = found
        self._name = unpacked_name(PurePosixPath(found.locator).name)
        self._digests = digests if digests is not None else {}  # shared by the members of a zip: hashed once
        self._is_source_given = source is not None
        self._reader: TrackedReader | None = None
        self._is_exhausted = False

    @property
    def is_understood(self) -> bool:
        """True if ``records`` came to its end and everything in the file was understood."""
        return self._is_exhausted and not self.anomalies

    @property
    def bytes_read(self) -> int:
        """How far ``records`` has come, in the unit of ``size``."""
        return self._reader.bytes_read if self._reader else self.bytes_read_elsewhere

    @property
    def may_change(self) -> bool:
        """True if it is a database on disk, which may say something else to the next process that reads it."""
        return isinstance(self._found, SourceFile) and self._found.member is None and is_database(self._found.path)

    def outcome(self) -> FileOutcome:
        """Returns what is known of the file, for ``adopt``."""
        return FileOutcome(
            self.source,
            self.sha256,
            self.bytes_read,
            self.skipped,
            self.beside,
            self._is_exhausted,
        )

    def adopt(self, outcome: FileOutcome) -> None:
        """Takes over what another process that read the file knows of it, in place of reading it."""
        self.source, self.sha256 = outcome.source, outcome.sha256
        self.skipped, self.beside = outcome.skipped, outcome.beside
        self.bytes_read_elsewhere = outcome.bytes_read
        self._is_exhausted = outcome.is_exhausted

    def records(self) -> Iterator[ReadDialogue | RejectedRecord]:
        """Yields the file's dialogues and what could not be read as one, in the file's order."""
        items = (item for item in self.shared(Share()) if item is not None)
        yield from limited(items, self.locator, self.anomalies)
        self.add(self.take_noticed())

    def shared(self, share: Share) -> Iterator[ReadDialogue | RejectedRecord | None]:
        """Yields for each of the file's records, in its order, what it is if the share has it, and else None.

        All rejected records are among them, and nothing is added to what is known of the file's ``anomalies`` and
        ``drift``: after each group ``take_noticed`` has what is to be added.

        Raises:
            MisguessedElementError: the present group is not what other shares, which pass over it, take it for.
        """
        for item in self._records(share):
            if isinstance(item, PassedOver):
                share.takes(item.size)
                yield None
            elif isinstance(item, RejectedRecord):
                yield item if share.takes(None) else None
            else:
                yield self._dialogue(item) if share.takes(len(item.element.raw)) else None
        self._is_exhausted = True

    def take_noticed(self) -> Noticed:
        """Returns what was noticed since the last time."""
        noticed, self._noticed = self._noticed, Noticed()
        return noticed

    def add(self, noticed: Noticed) -> None:
        """Adds what was noticed in the next records of the file."""
        self.anomalies.update(noticed.anomalies)
        self.drift.add(noticed.drift)

    def _dialogue(self, recognised: Recognised) -> ReadDialogue | RejectedRecord:
        element = recognised.element
        item = read_dialogue(element, recognised.source)
        if isinstance(item, ReadDialogue):
            self._noticed.drift.look_at(item.record.source, element.value, element.locator)
            for name in NOT_UNDERSTOOD.intersection(item.record.warnings):
                self._noticed.anomalies[name] += item.record.warnings[name]
        return item

    def _records(self, share: Share) -> Iterator[Recognised | PassedOver | RejectedRecord]:
        if isinstance(self._found, RejectedRecord):
            yield self._found
            return
        try:
            stream = self._found.open()
        except _OPEN_ERRORS as error:
            reason = f"{self.locator} cannot be opened: copy or download it again"
            yield RejectedRecord(self.locator, reason, f"{type(error).__name__}: {error}", whole_file=True)
            return

        with stream:
            self._reader = reader = TrackedReader(stream, is_hashed=share.is_first)
            content = unpacked(reader, self.locator)
            with text_of(content, self._found, database_readers(), page_readers()) as text:
                yield from self._of_text(text, share)
            self.sha256 = self._hash() if share.is_first else None

    def _of_text(self, text: FileText, share: Share) -> Iterator[Recognised | PassedOver | RejectedRecord]:
        def treatment() -> Treatment:
            return Treatment.EXACT if self.source is None else share.treatment

        if isinstance(text.left_out, RejectedRecord):
            yield text.left_out
            return
        if text.left_out is None:
            source = as_one_object(text.stream, self._name, is_session_line)
            yield from self._recognised(stream_own_elements(source, self.locator, is_conversation, treatment))
            yield from text.rejected(self.locator)
            self.beside += filter(None, [text.beside(self.locator)])
        self.skipped = text.left_out or text.skipped(self.locator) or self.skipped

    def companion(self) -> SkippedFile | None:
        """Returns what the file is if it is a companion of an export by its name and no conversation is in it."""
        if not isinstance(self._found, SourceFile) or self._found.companion is None:
            return None
        try:
            stream = self._found.open()
        except _OPEN_ERRORS:
            return None
        with stream:
            beginning = Beginning(unpacked(stream, self.locator))
            if beginning.is_database:
                return None
            source = as_one_object(beginning, self._name, is_session_line)
            for element in stream_elements(source, self.locator, is_record=is_conversation):
                if isinstance(element, Element) and is_conversation(element.value):
                    return None
        return companion(self.locator, self._found.companion)

    def _hash(self) -> str | None:
        is_member = isinstance(self._found, SourceFile) and self._found.member is not None
        try:
            if is_member or self._reader is None:
                if self.path not in self._digests:
                    self._digests[self.path] = sha256_of(self.path)
                return self._digests[self.path]
            return self._reader.hexdigest()
        except OSError:
            return None

    def _recognised(
        self, elements: Iterable[Element | RejectedRecord | PassedOver]
    ) -> Iterator[Recognised | RejectedRecord | PassedOver]:
        """Holds back what is no dialogue until one tells the file's source: without any, the file is no export."""
        undecided = Undecided(self.locator)
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
            if self.source is None and (verdict := recognise(element.value)).is_recognised:
                self.source = verdict.source
                yield from self._released(undecided)
            if self.source is None:
                undecided.hold(element)
            else:
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
            yield from self._no_conversations(first)
        elif not undecided.has_rejected:
            self.skipped = SkippedFile(self.locator, "an empty array: holds no conversations")

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
        if self._is_source_given or (not verdict.is_recognised and self._may_be_conversation(element.value)):
            return self.source
        return verdict.source

    def _may_be_conversation(self, value: dict[str, object]) -> bool:
        return recognise(value).source is not None or not _OF_CONVERSATIONS.isdisjoint(value)

    def _without_beside(self, element: Element) -> Element:
        """Notes what the source's format has beside its conversations; returns the element without it."""
        known = readers()[self.source].beside if self.source is not None else frozenset()
        value = element.value
        if element.locator != self.locator or not isinstance(value, dict) or known.isdisjoint(value):
            return element
        if is_conversation(value):
            return element
        names = ", ".join(sorted(known.intersection(value)))
        self.beside.append(SkippedFile(self.locator, f"beside its conversations: {names}"))
        return replace(element, value={key: item for key, item in value.items() if key not in known})

    def _no_conversations(self, first: Element) -> Iterator[RejectedRecord]:
        is_named = isinstance(self._found, SourceFile) and self._found.is_named
        self._noticed.anomalies[UNKNOWN_SHAPE] += 1
        told = no_conversations(first, self.locator, is_named=is_named)
        if isinstance(told, RejectedRecord):
            yield told
        else:
            self.skipped = told
