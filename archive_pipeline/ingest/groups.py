"""Groups: dialogues of a file that were read and prepared together, and are written in one transaction.

What is to become of a dialogue is decided by its header. Rows and prepared dialogues are asked of the group only where
they are needed: it may be in another process (``archive_pipeline.ingest.ahead``).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Protocol

from archive_pipeline.domain.records import RejectedRecord
from archive_pipeline.domain.vintages import is_partial, partial_of, vintage
from archive_pipeline.ingest.dialogue_values import fingerprint_of
from archive_pipeline.ingest.linking import NOTHING_KNOWN
from archive_pipeline.ingest.new_rows import Kinds, encode_contents, encode_heads
from archive_pipeline.ingest.prepare import PreparedDialogue, content_derived_id, prepare
from archive_pipeline.readers.anomalies import Noticed
from archive_pipeline.readers.file_reading import FileReading
from archive_pipeline.readers.recognised import ReadDialogue
from archive_pipeline.readers.shares import Share
from archive_pipeline.store.copy_binary import EncodedTable


@dataclass(frozen=True, slots=True)
class Header:
    """What decides about a dialogue that was read.

    Attributes:
        id: its row id.
        source, source_id, locator, vintage, updated_at: of its record.
        fingerprint: of its content.
        metadata: columns of ``raw.dialogues`` that the fingerprint leaves out, by name.
        counts: anomalies by name.
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


@dataclass(slots=True)
class GroupContents:
    """What was read of a group; a position is an index of ``items``.

    Attributes:
        items: headers of the dialogues, and what could not be read or prepared as one, in the file's order.
        beginnings: of dialogues without an id, what they begin with, by position; each is prepared as the first of the
            file that begins so.
        noticed: what was noticed in its records.
    """

    items: list[Header | RejectedRecord] = field(default_factory=list)
    beginnings: dict[int, str] = field(default_factory=dict)
    noticed: Noticed = field(default_factory=Noticed)


class Group(Protocol):
    """Dialogues and rejected records of a file, in its order."""

    @property
    def contents(self) -> GroupContents:
        """What was read."""
        ...

    def prepare_again(self, position: int, occurrence: int) -> Header | RejectedRecord:
        """Returns a dialogue without an id anew, of which the file has so many before that begin like it."""
        ...

    def rows(self, positions: Sequence[int], import_id: str) -> Mapping[str, EncodedTable]:
        """Returns all rows of some dialogues, as of new ones that an import brings, by table."""
        ...

    def prepared(self, position: int, known: Mapping[str, str | None] = NOTHING_KNOWN) -> PreparedDialogue:
        """Returns a dialogue; ``known`` are stored live messages that a partial export may point to."""
        ...


@dataclass(frozen=True, slots=True)
class ImportContext:
    """What the dialogues of one file have in common.

    Attributes:
        import_id: of the import of the file.
        is_partial: messages that the file does not have stay.
        deleted: ids of dialogues that were deleted for good, which are left out.
    """

    import_id: str
    is_partial: bool
    deleted: frozenset[str] = frozenset()


class ReadGroup:
    """A group that was read in this process.

    Args:
        kinds: how columns are written.
        is_partial: of the import: dialogues are prepared again when it is known what they go on from.

    Attributes:
        are_all_new: whether the rows of all its dialogues were asked for.
    """

    def __init__(self, kinds: Kinds, *, is_partial: bool) -> None:
        self.contents = GroupContents()
        self.are_all_new = False
        self._kinds = kinds
        self._is_partial = is_partial
        self._prepared: dict[int, PreparedDialogue] = {}
        self._fingerprints: dict[int, str] = {}
        self._read: dict[int, ReadDialogue] = {}
        self._occurrences: dict[int, int] = {}
        self._encoded: dict[str, EncodedTable] = {}

    def add(self, item: ReadDialogue | RejectedRecord) -> None:
        """Prepare what was read."""
        contents = self.contents
        position = len(contents.items)
        contents.items.append(self._prepare(position, item, 0) if isinstance(item, ReadDialogue) else item)

    def prepare_again(self, position: int, occurrence: int) -> Header | RejectedRecord:
        """Return a dialogue without an id anew, of which the file has so many before that begin like it."""
        self._occurrences[position] = occurrence
        self._encoded = {}
        return self._prepare(position, self._read[position], occurrence)

    def _prepare(self, position: int, item: ReadDialogue, occurrence: int) -> Header | RejectedRecord:
        try:
            if item.record.source_id is None:
                self.contents.beginnings[position] = content_derived_id(item.record, 0)
                self._read[position] = item
            dialogue = self._as_imported(prepare(item.record, item.raw, occurrence=occurrence))
            header = header_of(dialogue)
        except (ValueError, TypeError, RecursionError, OverflowError) as error:
            cause = f"{type(error).__name__}: {error}"
            return RejectedRecord(item.record.locator, "the dialogue cannot be prepared", cause)
        self._prepared[position] = dialogue
        self._fingerprints[position] = header.fingerprint
        if is_partial(dialogue.record.vintage):
            self._read[position] = item
        return header

    def rows(self, positions: Sequence[int], import_id: str) -> Mapping[str, EncodedTable]:
        """Return all rows of some dialogues, as of new ones that an import brings, by table."""
        dialogues = [self._prepared[position] for position in positions]
        fingerprints = [self._fingerprints[position] for position in positions]
        heads = encode_heads(dialogues, fingerprints, import_id, self._kinds)
        self.are_all_new = list(positions) == list(self._prepared)
        contents, self._encoded = self._encoded if self.are_all_new else {}, {}
        return {**heads, **(contents or dict(encode_contents(dialogues, self._kinds)))}

    def encode_ahead(self, meanwhile: Callable[[], None]) -> None:
        """Encode most rows before they are asked for, as of dialogues that are all new.

        Args:
            meanwhile: called between the tables.
        """
        encoded: dict[str, EncodedTable] = {}
        try:
            for table, rows in encode_contents([*self._prepared.values()], self._kinds):
                encoded[table] = rows
                meanwhile()
        except (ValueError, TypeError):
            return  # who asks for the rows meets it, and finds the dialogue
        self._encoded = encoded

    def prepared(self, position: int, known: Mapping[str, str | None] = NOTHING_KNOWN) -> PreparedDialogue:
        """Return a dialogue; of a partial export, with ``known``, prepared anew below them."""
        if not known:
            return self._prepared[position]
        item, occurrence = self._read[position], self._occurrences.get(position, 0)
        return self._as_imported(prepare(item.record, item.raw, occurrence=occurrence, known=known))

    def _as_imported(self, dialogue: PreparedDialogue) -> PreparedDialogue:
        """Return a dialogue as of a partial export, if it is one or not all of its messages could be read."""
        record = dialogue.record
        is_part = self._is_partial or vintage(record.source, record.vintage).is_partial
        if not is_part and not dialogue.may_lack_messages:
            return dialogue
        return replace(dialogue, record=replace(record, vintage=partial_of(record.vintage)))


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
            "source_parent_id": record.parent_source_id,
            "source_json": record.source_json,
        },
        counts=dialogue.counts,
    )


def read_groups(file: FileReading, share: Share, kinds: Kinds, *, is_partial: bool) -> Iterator[ReadGroup]:
    """Yield the groups that a share of a file has, each when it is whole; the file's last one may be empty."""
    group = ReadGroup(kinds, is_partial=is_partial)
    for item in file.shared(share):
        if item is not None:
            group.add(item)
        if share.is_full:
            group.contents.noticed = file.take_noticed()
            if share.has_group:
                yield group
            share.begin_group()
            group = ReadGroup(kinds, is_partial=is_partial)
    group.contents.noticed = file.take_noticed()
    if share.has_group:
        yield group
