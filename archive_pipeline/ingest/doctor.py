"""What an import of some files would find, without a database and without writing anything.

The files are read and prepared as an import does it. Kept of each dialogue are hashes and its place, to tell what comes
of those that come twice; all else is counted, so that memory does not grow with the texts.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final

from archive_pipeline.domain.progress import Progress, no_progress
from archive_pipeline.domain.records import PartType, RejectedRecord
from archive_pipeline.ingest.doctor_states import Met, MetDialogues
from archive_pipeline.ingest.estimates import Estimate, estimate
from archive_pipeline.ingest.prepare import PreparedDialogue, content_derived_id, prepare
from archive_pipeline.ingest.seen import Again, reject_rival
from archive_pipeline.ingest.shards import missing_shards
from archive_pipeline.readers.attached_files import AttachedFile, attached_as_companions, attached_files
from archive_pipeline.readers.drift import Drift
from archive_pipeline.readers.file_ids import pointed_id
from archive_pipeline.readers.found import SkippedFile
from archive_pipeline.readers.reading import ArchiveReading, FileReading, ReadDialogue

_UNKNOWN_PART: Final = "unknown_part:"
_POINTED: Final = frozenset({PartType.IMAGE, PartType.AUDIO, PartType.VIDEO, PartType.FILE})
_SHOWN_REJECTED: Final = 1_000
_PROGRESS_EVERY: Final = 200


@dataclass
class SourceFindings:
    """What files of one source have.

    Attributes:
        files: how many.
        dialogues, messages: how many; a dialogue that comes twice counts once, with the messages of its latest state.
        vintages: dialogues by their vintage (``archive_pipeline.domain.vintages``); one of several counts in each, and
            its messages are those that an import would merge of them.
        first_at, last_at: times of the first and the last message; None without any.
    """

    files: int = 0
    dialogues: int = 0
    messages: int = 0
    vintages: Counter[str] = field(default_factory=Counter)
    first_at: datetime | None = None
    last_at: datetime | None = None

    def add_times(self, dialogue: PreparedDialogue) -> None:
        """Widen the span to the messages of a dialogue."""
        times = [message.record.created_at for message in dialogue.messages if message.record.created_at is not None]
        if times:
            self.first_at = min(times if self.first_at is None else [*times, self.first_at])
            self.last_at = max(times if self.last_at is None else [*times, self.last_at])


@dataclass
class Findings:
    """What an import would find.

    Attributes:
        files: of each file with conversations its locator, source (None if nobody recognises it), bytes and dialogues.
        containers: of each folder or zip with conversations, how many files in it have some.
        sources: by source.
        anomalies: everything unusual, by name, as an import counts it.
        unknown_types: types of content that readers do not know, with how often.
        duplicates: dialogues that come again: ``identical``, ``different`` (which an import rejects), or of
            another time or vintage (``states``).
        attachments: files that messages point to, each once: ``present`` in what was given, or ``missing``.
        attachment_bytes: of those that are present, which an import copies.
        rejected: what could not be read, up to a bound; ``rejected_count`` has the number.
        skipped: what is left out; ``missing`` what was not given though it belongs to it.
        drift: what readers do not know.
        size_bytes: of the files with conversations, unpacked.
    """

    files: list[tuple[str, str | None, int, int]] = field(default_factory=list)
    containers: Counter[str] = field(default_factory=Counter)
    sources: dict[str, SourceFindings] = field(default_factory=dict)
    anomalies: Counter[str] = field(default_factory=Counter)
    duplicates: Counter[str] = field(default_factory=Counter)
    attachments: Counter[str] = field(default_factory=Counter)
    attachment_bytes: int = 0
    rejected: list[RejectedRecord] = field(default_factory=list)
    rejected_count: int = 0
    skipped: list[SkippedFile] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)
    drift: Drift = field(default_factory=Drift)
    size_bytes: int = 0

    @property
    def dialogues(self) -> int:
        """All dialogues."""
        return sum(source.dialogues for source in self.sources.values())

    @property
    def messages(self) -> int:
        """All messages."""
        return sum(source.messages for source in self.sources.values())

    @property
    def unknown_types(self) -> dict[str, int]:
        """Types of content that readers do not know, with how often."""
        return {
            name.removeprefix(_UNKNOWN_PART): count
            for name, count in sorted(self.anomalies.items())
            if name.startswith(_UNKNOWN_PART)
        }

    def estimate(self) -> Estimate:
        """Return what an import takes."""
        return estimate(self.size_bytes, self.dialogues, self.messages)


def examine(reading: ArchiveReading, *, progress: Progress = no_progress) -> Findings:
    """Read all files of ``reading`` and return what an import would find.

    Args:
        reading: the files.
        progress: told of bytes as ``reading``.
    """
    examination = _Examination(reading)
    for file in reading:
        examination.add_file(file, lambda: reading.tell(progress))
    examination.look_for_attachments()
    findings = examination.findings
    findings.skipped = examination.left_out()
    findings.missing = [*missing_shards(file.locator for file in reading.files), *reading.missing]
    return findings


class _Examination:
    def __init__(self, reading: ArchiveReading) -> None:
        self.findings = Findings()
        self._reading = reading
        self._pointed: set[str] = set()
        self._met = MetDialogues()
        self._made: Counter[str] = Counter()

    def add_file(self, file: FileReading, tell: Callable[[], None]) -> None:
        dialogues = 0
        for number, item in enumerate(file.records()):
            if isinstance(item, RejectedRecord):
                self._reject(item)
            else:
                dialogues += self._add(item)
            if number % _PROGRESS_EVERY == 0:
                tell()
        self.findings.drift.add(file.drift)
        if file.skipped is None:
            self.findings.files.append((file.locator, file.source, file.size, dialogues))
            self.findings.containers[_container_of(file.locator)] += 1
            self.findings.size_bytes += file.size
        if file.source is not None:
            self._source(file.source).files += 1
        tell()

    def _source(self, name: str) -> SourceFindings:
        return self.findings.sources.setdefault(name, SourceFindings())

    def _reject(self, record: RejectedRecord) -> None:
        self.findings.rejected_count += 1
        if len(self.findings.rejected) < _SHOWN_REJECTED:
            self.findings.rejected.append(record)

    def _add(self, item: ReadDialogue) -> bool:
        """Count a dialogue, and tell whether it is there for the first time."""
        occurrence = 0
        if item.record.source_id is None:
            beginning = content_derived_id(item.record, 0)
            occurrence = self._made[beginning]
            self._made[beginning] += 1
        try:
            dialogue = prepare(item.record, item.raw, occurrence=occurrence)
        except (ValueError, TypeError, RecursionError, OverflowError) as error:
            technical = f"{type(error).__name__}: {error}"
            self._reject(RejectedRecord(item.record.locator, "the dialogue cannot be prepared", technical))
            return False
        met = self._met.meet(dialogue)
        self._count_again(met, dialogue.source_id)
        if met.counts is None:
            return False
        source = self._source(item.record.source)
        source.dialogues += met.is_new
        source.messages += met.messages
        source.vintages[item.record.vintage] += met.first is None
        source.add_times(dialogue)
        self.findings.anomalies.update({name: count for name, count in met.counts.items() if count})
        self._pointed.update(_pointed_files(dialogue))
        return met.is_new

    def _count_again(self, met: Met, source_id: str) -> None:
        """Count a dialogue that comes again, and reject what an import would reject of it."""
        if met.first is None:
            self.findings.duplicates["states"] += not met.is_new
        elif met.again is Again.RIVAL:
            self.findings.duplicates["different"] += 1
            self._reject(reject_rival(met.now, met.first, source_id))
        else:
            is_identical = met.first.fingerprint == met.now.fingerprint
            self.findings.duplicates["identical" if is_identical else "states"] += 1

    def look_for_attachments(self) -> None:
        """Count the files that messages point to, when all messages are known."""
        sizes: dict[str, int] = {}
        for file in attached_files(self._reading.places, self._reading.companions, self._pointed):
            if isinstance(file, AttachedFile) and file.size:
                for name in self._pointed.intersection(file.ids):
                    sizes[name] = max(file.size, sizes.get(name, 0))
        self.findings.attachments = Counter(present=len(sizes), missing=len(self._pointed) - len(sizes))
        self.findings.attachment_bytes = sum(sizes.values())

    def left_out(self) -> list[SkippedFile]:
        """Return what is left out, when all messages are known."""
        return attached_as_companions(self._reading.skipped, self._reading.companions, self._pointed)


def _pointed_files(dialogue: PreparedDialogue) -> set[str]:
    pointers: list[str | None] = []
    for message in dialogue.messages:
        record = message.record
        pointers += [part.uri for part in record.parts if part.part_type in _POINTED]
        pointers += [attachment.source_id or attachment.uri for attachment in record.attachments]
    return {name for pointer in pointers if pointer and (name := pointed_id(pointer))}


def _container_of(locator: str) -> str:
    """Return the innermost zip around a file, or its folder."""
    parts = locator.split("/")[:-1]  # not as a path, which has no two slashes
    zips = (end for end in range(len(parts), 0, -1) if parts[end - 1].lower().endswith(".zip"))
    return "/".join(parts[: next(zips, len(parts))]) or ("/" if parts else ".")
