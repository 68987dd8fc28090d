"""What the process that imports and the one that reads ahead say to each other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from archive_pipeline.domain.records import RejectedRecord
from archive_pipeline.ingest.groups import Header, ImportContext
from archive_pipeline.ingest.new_rows import Kinds
from archive_pipeline.readers.file_reading import FileOutcome


@dataclass(frozen=True, slots=True)
class Begin:
    """The first message: what ``read_paths`` is given, and how columns are written."""

    paths: Sequence[Path]
    source: str | None
    kinds: Kinds


@dataclass(frozen=True, slots=True)
class ReadFile:
    """Asks for the groups of a file, up to ``FileRead`` or ``NoSuchFile``."""

    locator: str
    context: ImportContext


@dataclass(frozen=True, slots=True)
class Call:
    """Asks for what a method of a group returns, as an ``Answer``."""

    group: int
    method: str
    arguments: tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class Release:
    """Says that a group was written and is of no more use."""

    group: int


@dataclass(frozen=True, slots=True)
class NoSuchFile:
    """Says that the paths do not have the file (any more)."""


@dataclass(frozen=True, slots=True)
class GroupRead:
    """A group of the file, and how many of the file's bytes were read by then."""

    group: int
    items: Sequence[Header | RejectedRecord]
    bytes_read: int


@dataclass(frozen=True, slots=True)
class FileRead:
    """The file was read to its end."""

    outcome: FileOutcome


@dataclass(frozen=True, slots=True)
class Answer:
    """What a group's method returned, or the error that it raised."""

    value: Any = None
    error: Exception | None = None


@dataclass(frozen=True, slots=True)
class Failed:
    """The process ends, because of an error that nobody foresaw."""

    error: str


Request = ReadFile | Call | Release
Reply = NoSuchFile | GroupRead | FileRead | Answer | Failed
