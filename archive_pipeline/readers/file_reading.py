"""One file, or one member of a zip, as a stream of dialogues and of what could not be read as one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import Final

from archive_pipeline.domain.records import RejectedRecord
from archive_pipeline.errors import UnreadableInputError
from archive_pipeline.readers.anomalies import (
    NOT_UNDERSTOOD,
    Noticed,
    limited,
)
from archive_pipeline.readers.compressed import unpacked, unpacked_name
from archive_pipeline.readers.databases.reading import Beginning, FileText, is_database, text_of
from archive_pipeline.readers.drift import Drift
from archive_pipeline.readers.found import SkippedFile, SourceFile, companion
from archive_pipeline.readers.gathered import Gathered, MessageTrees, as_conversations
from archive_pipeline.readers.json.blocks import ByteSource
from archive_pipeline.readers.json.kinds import Kinds
from archive_pipeline.readers.json.nesting import Element
from archive_pipeline.readers.json.stream import stream_elements, stream_own_elements
from archive_pipeline.readers.json.treatment import PassedOver, Treatment
from archive_pipeline.readers.json_lines import SessionOrText, as_one_object
from archive_pipeline.readers.message_files import as_one_conversation
from archive_pipeline.readers.recognised import ReadDialogue, Recognised, inside, read_dialogue
from archive_pipeline.readers.registry import (
    KINDS,
    database_readers,
    gatherers,
    is_inner_conversation,
    is_session_copy,
    is_session_line,
    message_files,
    named_files,
    page_readers,
    table_readers,
    tree_of,
)
from archive_pipeline.readers.shares import FileOutcome, Share
from archive_pipeline.readers.source_decision import SourceDecision
from archive_pipeline.readers.tracked_reader import TrackedReader, sha256_of

_OPEN_ERRORS: Final = (OSError, UnreadableInputError)


class FileReading:
    """One file, or one member of a zip, being read.

    Attributes:
        path: the file on disk; the zip for its members.
        locator: the name for people.
        size: bytes to read, unpacked.
        sha256: of the file on disk, known when ``records`` is exhausted; None before, and if it cannot be read.
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
        self.sha256: str | None = None
        self.anomalies: Counter[str] = Counter()
        self.drift = Drift()
        self.bytes_read_elsewhere = 0
        self._found = found
        self._decision = SourceDecision(found, source)
        locator = PurePosixPath(found.locator)
        self._place = locator.with_name(unpacked_name(locator.name)) if locator.name else locator
        self._digests = digests if digests is not None else {}  # shared by the members of a zip: hashed once
        self._reader: TrackedReader | None = None
        self._is_exhausted = False

    @property
    def source(self) -> str | None:
        """The vendor's name, once recognised (or given by the user)."""
        return self._decision.source

    @property
    def skipped(self) -> SkippedFile | None:
        """Why the file holds no conversations, if it turns out so."""
        return self._decision.skipped

    @property
    def beside(self) -> list[SkippedFile]:
        """What its format has beside the conversations, and is not read."""
        return self._decision.beside

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
        self.sha256 = outcome.sha256
        self._decision.source, self._decision.skipped = outcome.source, outcome.skipped
        self._decision.beside = outcome.beside
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
                if share.has_group:  # the group may be full with the record, so what is inside comes first
                    yield from map(self._dialogue, inside(item))
                yield self._dialogue(item) if share.takes(len(item.element.raw)) else None
        self._is_exhausted = True

    def take_noticed(self) -> Noticed:
        """Returns what was noticed since the last time."""
        noticed, self._decision.noticed = self._decision.noticed, Noticed()
        return noticed

    def add(self, noticed: Noticed) -> None:
        """Adds what was noticed in the next records of the file."""
        self.anomalies.update(noticed.anomalies)
        self.drift.add(noticed.drift)

    def _dialogue(self, recognised: Recognised) -> ReadDialogue | RejectedRecord:
        element = recognised.element
        item = read_dialogue(element, recognised.source)
        if isinstance(item, ReadDialogue):
            self._decision.noticed.drift.look_at(item.record.source, element.value, element.locator)
            for name in NOT_UNDERSTOOD.intersection(item.record.warnings):
                self._decision.noticed.anomalies[name] += item.record.warnings[name]
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
            with text_of(content, self._found, database_readers(), page_readers(), table_readers()) as text:
                yield from self._of_text(text, share)
            self.sha256 = self._hash() if share.is_first else None

    def _of_text(self, text: FileText, share: Share) -> Iterator[Recognised | PassedOver | RejectedRecord]:
        def treatment() -> Treatment:
            return Treatment.EXACT if self.source is None else share.treatment

        if isinstance(text.left_out, RejectedRecord):
            yield text.left_out
            return
        self._decision.is_table = text.rows is not None
        if text.left_out is None:
            session = self._session(text.stream)
            source = _gathered(session)
            elements = stream_own_elements(source, self.locator, KINDS, treatment)
            yield from self._decision.recognised(elements)
            self._leave_out(source.left_out)
            yield from session.rejected(self.locator)
            yield from text.rejected(self.locator)
            self.beside.extend(filter(None, [text.beside(self.locator)]))
        self._decision.skipped = text.left_out or text.skipped(self.locator) or self.skipped

    def _leave_out(self, reason: str | None) -> None:
        """Notes what of the file is not handed on."""
        if reason is None:
            return
        note = SkippedFile(self.locator, reason)
        if self.source is None:
            self._decision.skipped = note
        else:
            self.beside.append(note)

    def _session(self, stream: ByteSource) -> SessionOrText:
        """Returns a file that is one session, by lines or messages, as one of one conversation, any other as it is."""
        source = as_one_conversation(stream, self._place, message_files(), named_files())
        return as_one_object(source, self._place.name, is_session_line, is_session_copy)

    def companion(self) -> SkippedFile | None:
        """Returns what the file is if it is a companion of an export by its name and no conversation is in it.

        What anybody may write, such as a question with an answer or an array of messages alone, is none there.
        """
        if not isinstance(self._found, SourceFile) or self._found.companion is None:
            return None
        try:
            stream = self._found.open()
        except _OPEN_ERRORS:
            return None
        with stream:
            beginning = Beginning(unpacked(stream, self.locator))
            if beginning.is_database or beginning.is_parquet:
                return None
            source = _gathered(self._session(beginning))
            for element in stream_elements(source, self.locator, kinds=Kinds.of(is_inner_conversation)):
                if isinstance(element, Element) and is_inner_conversation(element.value):
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


def _gathered(source: ByteSource) -> Gathered:
    """Returns a file of which the items are of several conversations, or more than one of each, as conversations."""
    return as_conversations(source, [MessageTrees(tree_of), *gatherers()])
