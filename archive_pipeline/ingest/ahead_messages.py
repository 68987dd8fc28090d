"""What the process that imports and those that read ahead say to each other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from archive_pipeline.ingest.groups import GroupContents
from archive_pipeline.ingest.new_rows import Kinds
from archive_pipeline.readers.places import Place
from archive_pipeline.readers.shares import FileOutcome


@dataclass(frozen=True, slots=True)
class Begin:
    """The first message: what ``read_paths`` is given, and how columns are written."""

    places: Sequence[Place]
    source: str | None
    kinds: Kinds


@dataclass(frozen=True, slots=True)
class ReadFile:
    """Asks for the groups that a share of a file has, up to ``FileRead``, ``Misguessed`` or ``NoSuchFile``.

    Files are read in the order in which they are asked for, each as soon as those before it are read.

    Attributes:
        locator: of the file.
        number, of, exact_from: of the share.
    """

    locator: str
    number: int = 0
    of: int = 1
    exact_from: int | None = None


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
    contents: GroupContents
    bytes_read: int


@dataclass(frozen=True, slots=True)
class Misguessed:
    """Says in place of a group that the file is to be read exactly from there on."""


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
    """The process ends, because of an error that nobody foresaw.

    Attributes:
        error: what it was.
        locator: of the file that was read.
    """

    error: str
    locator: str


Request = ReadFile | Call | Release
Reply = NoSuchFile | GroupRead | Misguessed | FileRead | Answer | Failed
