"""Groups: dialogues of a file that were read and prepared together, and are written in one transaction.

What is to become of a dialogue is decided by its header. Rows and prepared dialogues are asked of the group only where
they are needed: it may be in another process (``archive_pipeline.ingest.ahead``).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final, Protocol

from archive_pipeline.domain.records import RejectedRecord
from archive_pipeline.ingest.dialogue_values import fingerprint_of
from archive_pipeline.ingest.linking import NOTHING_KNOWN
from archive_pipeline.ingest.new_rows import Kinds, encode_new
from archive_pipeline.ingest.prepare import PreparedDialogue, content_derived_id, prepare
from archive_pipeline.readers.file_reading import ReadDialogue
from archive_pipeline.store.copy_text import EncodedTable

# A group is one transaction: large enough that round trips do not count, small enough to be held in memory.
GROUP_DIALOGUES: Final = 200
GROUP_BYTES: Final = 8_000_000
GROUP_REJECTED: Final = 1_000


@dataclass(frozen=True, slots=True)
class Header:
    """What decides about a dialogue that was read.

    Attributes:
        id: its row id.
        source, source_id, locator, vintage, updated_at: of its record.
        fingerprint: of its content.
        metadata: columns of ``raw.dialogues`` that the fingerprint leaves out, by name.
        counts: surprises by name.
    """

    id: str
    source: str
    source_id: str
    locator: str
    vintage: str
    updated_at: datetime | None
    fingerprint: str
    metadata: Mapping[str, str | None]
    counts: Mapping[str, int]


class Group(Protocol):
    """Dialogues and rejected records of a file, in its order; a position is an index of ``items``."""

    @property
    def items(self) -> Sequence[Header | RejectedRecord]:
        """Headers of the dialogues, and what could not be read or prepared as one."""
        ...

    def rows(self, positions: Sequence[int]) -> Mapping[str, EncodedTable]:
        """Returns all rows of some dialogues, as of new ones, by table."""
        ...

    def prepared(self, position: int, known: Mapping[str, str | None] = NOTHING_KNOWN) -> PreparedDialogue:
        """Returns a dialogue; ``known`` are stored live messages that a partial export may point to."""
        ...


@dataclass(frozen=True, slots=True)
class ImportContext:
    """What the dialogues of one file have in common."""

    import_id: str
    is_partial: bool


class ReadGroup:
    """A group that was read in this process."""

    def __init__(self, context: ImportContext, kinds: Kinds) -> None:
        self.items: list[Header | RejectedRecord] = []
        self._context = context
        self._kinds = kinds
        self._prepared: dict[int, PreparedDialogue] = {}
        self._read: dict[int, tuple[ReadDialogue, int]] = {}
        self._bytes = 0
        self._rejected = 0

    @property
    def is_full(self) -> bool:
        """Whether what is read next belongs to another group."""
        return len(self._prepared) >= GROUP_DIALOGUES or self._bytes >= GROUP_BYTES or self._rejected >= GROUP_REJECTED

    def add(self, item: ReadDialogue | RejectedRecord, occurrences: Counter[str]) -> None:
        """Prepare what was read; ``occurrences`` counts the file's dialogues without an id by their beginnings."""
        prepared = self._prepare(item, occurrences) if isinstance(item, ReadDialogue) else item
        self.items.append(prepared)
        self._rejected += isinstance(prepared, RejectedRecord)

    def _prepare(self, item: ReadDialogue, occurrences: Counter[str]) -> Header | RejectedRecord:
        try:
            occurrence = _occurrence(item, occurrences)
            dialogue = prepare(item.record, item.raw, occurrence=occurrence)
            header = header_of(dialogue)
        except (ValueError, TypeError, RecursionError, OverflowError) as error:
            cause = f"{type(error).__name__}: {error}"
            return RejectedRecord(item.record.locator, "the dialogue cannot be prepared", cause)
        position = len(self.items)
        self._prepared[position] = dialogue
        self._bytes += len(item.raw)
        if self._context.is_partial:
            self._read[position] = item, occurrence
        return header

    def rows(self, positions: Sequence[int]) -> Mapping[str, EncodedTable]:
        """Return all rows of some dialogues, as of new ones, by table."""
        return encode_new([self._prepared[position] for position in positions], self._context.import_id, self._kinds)

    def prepared(self, position: int, known: Mapping[str, str | None] = NOTHING_KNOWN) -> PreparedDialogue:
        """Return a dialogue; of a partial export, with ``known``, prepared anew below them."""
        if not known:
            return self._prepared[position]
        item, occurrence = self._read[position]
        return prepare(item.record, item.raw, occurrence=occurrence, known=known)


def header_of(dialogue: PreparedDialogue) -> Header:
    """Return the header of a prepared dialogue."""
    record = dialogue.record
    return Header(
        id=dialogue.id,
        source=record.source,
        source_id=dialogue.source_id,
        locator=record.locator,
        vintage=record.vintage,
        updated_at=record.updated_at,
        fingerprint=fingerprint_of(dialogue),
        metadata={
            "custom_gpt_id": record.custom_gpt_id,
            "project_id": record.project_id,
            "source_json": record.source_json,
        },
        counts=dialogue.counts,
    )


def read_groups(
    records: Iterable[ReadDialogue | RejectedRecord], context: ImportContext, kinds: Kinds
) -> Iterator[ReadGroup]:
    """Yield the groups of a file's records, each when it is whole; the last one may be empty."""
    occurrences: Counter[str] = Counter()
    group = ReadGroup(context, kinds)
    for item in records:
        group.add(item, occurrences)
        if group.is_full:
            yield group
            group = ReadGroup(context, kinds)
    yield group


def _occurrence(item: ReadDialogue, occurrences: Counter[str]) -> int:
    if item.record.source_id is not None:
        return 0
    beginning = content_derived_id(item.record, 0)
    occurrences[beginning] += 1
    return occurrences[beginning] - 1
