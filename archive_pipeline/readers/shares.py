"""Shares of a file: several processes read one file, and each makes the records of every so-manyth group.

Where the records of a file begin follows from all that stands before; whoever reads a share therefore goes through the
whole file, but does not look into the groups of other shares (``json.treatment``). If a share finds that a group of its
is not what the others took it for, the groups before are right all the same, since each was looked into by its share;
from there on the file is read with all shares looking into everything. Groups follow from the file, whatever the number
of shares is, so that all of them together are what one alone is.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from archive_pipeline.readers.found import SkippedFile
from archive_pipeline.readers.json.treatment import Treatment

# A group is one transaction: large enough that round trips do not count, small enough to be held in memory.
GROUP_RECORDS: Final = 200
GROUP_BYTES: Final = 8_000_000
GROUP_REJECTED: Final = 1_000


@dataclass(frozen=True, slots=True)
class FileOutcome:
    """What is known of a file as a whole when it was read: what ``FileReading`` says of it, from another process."""

    source: str | None
    sha256: str | None
    bytes_read: int
    skipped: SkippedFile | None
    beside: list[SkippedFile]
    is_exhausted: bool


@dataclass(slots=True)
class Share:
    """Goes through the records of a file, and tells which are to be made.

    Attributes:
        number: of this share, from 0; it has the groups ``number``, ``number + of``, and so on.
        of: how many shares there are.
        exact_from: number of the first group that is made, if all shares look into everything, and groups before that
            were made already; None if shares pass over each other's groups.
        group: number of the group that the next record belongs to.
    """

    number: int = 0
    of: int = 1
    exact_from: int | None = None
    group: int = 0
    _records: int = 0
    _bytes: int = 0
    _rejected: int = 0

    @property
    def is_first(self) -> bool:
        """Whether this share says what is known of the file as a whole."""
        return self.number == 0

    @property
    def has_group(self) -> bool:
        """Whether the present group belongs to this share, and is to be made."""
        return self.group % self.of == self.number and self.group >= (self.exact_from or 0)

    @property
    def treatment(self) -> Treatment:
        """What becomes of the next record, once the source of the file is known."""
        if self.of == 1 or self.exact_from is not None:
            return Treatment.EXACT
        return Treatment.OWN if self.has_group else Treatment.PASSED_OVER

    @property
    def is_full(self) -> bool:
        """Whether what comes next belongs to another group."""
        return self._records >= GROUP_RECORDS or self._bytes >= GROUP_BYTES or self._rejected >= GROUP_REJECTED

    def takes(self, size: int | None) -> bool:
        """Count a record into the present group; tell whether it is to be made.

        Args:
            size: its bytes; None for one that is rejected without having been read as a conversation.
        """
        if size is None:
            self._rejected += 1
        else:
            self._records += 1
            self._bytes += size
        return self.has_group

    def begin_group(self) -> None:
        """Go on to the next group."""
        self.group += 1
        self._records = self._bytes = self._rejected = 0
