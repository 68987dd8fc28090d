"""What arrives of a file, group by group: what depends on all that came before, whichever process has read it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from archive_pipeline.domain.records import RejectedRecord
from archive_pipeline.ingest.groups import Group, Header
from archive_pipeline.readers.anomalies import REJECTED, RejectedLimit
from archive_pipeline.readers.reading import FileReading


class ArrivingRecords:
    """The records of a file in its order; adds what was noticed in them to what is known of the file."""

    def __init__(self, file: FileReading) -> None:
        self._file = file
        self._occurrences: Counter[str] = Counter()
        self._limit = RejectedLimit()

    def of(self, group: Group) -> Iterator[tuple[int, Header | RejectedRecord]]:
        """Yield positions and items of the next group, without rejected records that are not told by themselves."""
        contents = group.contents
        self._file.add(contents.noticed)
        for position, read in enumerate(contents.items):
            item = self._numbered(group, position, read)
            if isinstance(item, RejectedRecord):
                self._file.anomalies[REJECTED] += 1
                if not self._limit.passes(item):
                    continue
            yield position, item

    def beyond(self) -> Iterator[RejectedRecord]:
        """Yield the record for all rejected ones that were not told by themselves, after the last group."""
        yield from self._limit.beyond(self._file.locator)

    def _numbered(self, group: Group, position: int, item: Header | RejectedRecord) -> Header | RejectedRecord:
        """Return a dialogue without an id as the one that it is of those that begin alike."""
        beginning = group.contents.beginnings.get(position)
        if beginning is None:
            return item
        occurrence = self._occurrences[beginning]
        self._occurrences[beginning] += 1
        return group.prepare_again(position, occurrence) if occurrence else item
