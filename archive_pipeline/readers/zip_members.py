"""The members of zips, and of zips in them, which are never trusted.

Names that leave the archive, encrypted or damaged members and decompression bombs are turned away one by one, and
everything else is still found. A zip inside is held to the limits of the outermost one: what all of them unpack to
together is measured by its size on disk, and their files are counted together.
"""

from __future__ import annotations

import zipfile
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path, PurePosixPath, PureWindowsPath
from typing import BinaryIO, Final

from archive_pipeline.domain.zip_errors import DAMAGED_ZIP
from archive_pipeline.domain.zip_limits import MAX_MEMBERS, ZipAllowance, is_bomb
from archive_pipeline.errors import UnreadableInputError
from archive_pipeline.readers.companions import companion_kind
from archive_pipeline.readers.found import (
    CONVERSATIONS,
    FIRST_PART,
    Found,
    Selection,
    SkippedFile,
    SourceFile,
    is_container,
    is_passed_over,
    open_plain,
    rejected,
)
from archive_pipeline.readers.places import Place
from archive_pipeline.readers.zip_streams import OpenZip, lists_all

# A privacy portal's export has its conversations in a zip inside the zip; one level more is a mail or a backup of it.
MAX_LEVELS: Final = 3
_MS_DOS: Final = 0  # of the systems on which zips are made
_PART: Final = "is a part of a zip that was split: join the parts, as `zip -s 0` and `cat` do, and import the whole one"
_ERRORS: Final[tuple[type[Exception], ...]] = (OSError, UnreadableInputError, *DAMAGED_ZIP)


@dataclass(slots=True)
class _Limits:
    """What is left for a zip on disk and all zips in it, and what is looked for in them."""

    allowance: ZipAllowance
    members: int
    selection: Selection

    def are_spent(self) -> bool:
        """Tells whether more files were found than are read."""
        return self.members < 0


def zip_members(place: Place, selection: Selection = CONVERSATIONS) -> Iterator[Found]:
    """Yields what stands in a zip on disk, in the order of the names, and in the zips in it."""
    path = place.path
    size = path.stat().st_size
    limits = _Limits(ZipAllowance(size), MAX_MEMBERS, selection)
    yield from _Zip(path, place.name, partial(open_plain, path), limits, is_empty=size == 0).found()


class _Zip:
    """A zip: on disk, or a member of another.

    Attributes:
        locator: its name for people.
    """

    def __init__(
        self,
        path: Path,
        locator: str,
        opener: Callable[[], BinaryIO],
        limits: _Limits,
        *,
        prefix: str = "",
        outer: OpenZip | None = None,
        level: int = 1,
        is_empty: bool = False,
    ) -> None:
        self._path = path
        self.locator = locator
        self._opener = opener
        self._limits = limits
        self._prefix = prefix
        self._outer = outer
        self._level = level
        self._is_empty = is_empty
        self._zip = OpenZip(opener)
        self._names: Counter[str] = Counter()

    def found(self) -> Iterator[Found]:
        """Yields what its members are."""
        if self._has_parts_before():
            yield rejected(self.locator, _PART)
            return
        try:
            with self._opener() as file, zipfile.ZipFile(file) as archive:
                entries = [entry for entry in archive.infolist() if not _path_in_zip(entry).endswith("/")]
                is_complete = lists_all(archive, file)
        except _ERRORS as error:
            yield rejected(self.locator, self._why_unreadable(), error)
            return
        with self._zip.held():
            yield from self._members(entries)
        if not self._limits.selection.is_read_later:
            self._zip.close()
        elif self._outer is not None and self._zip.unread > 0:
            self._outer.unread += 1
        if not is_complete:
            yield rejected(self.locator, "does not name all the files in it: copy or download it again")

    def _has_parts_before(self) -> bool:
        """Tells whether it is the last of several files that are a zip together: it names members that it lacks."""
        return self._level == 1 and any(self._path.with_suffix(suffix).exists() for suffix in (".z01", ".Z01"))

    def _why_unreadable(self) -> str:
        if self._is_empty:
            return "is empty"
        is_part = self.locator.lower().endswith(FIRST_PART)
        return _PART if is_part else "is not a readable zip: copy or download it again"

    def _members(self, entries: Iterable[zipfile.ZipInfo]) -> Iterator[Found]:
        for entry in sorted(entries, key=lambda entry: entry.filename):
            if any(map(is_passed_over, PurePosixPath(_path_in_zip(entry)).parts)):
                continue
            found = self._member(entry)
            self._limits.members -= not isinstance(found, SkippedFile)
            if self._limits.are_spent():
                reason = f"comes after {MAX_MEMBERS:,} files: neither it nor what follows is read"
                yield rejected(found.locator, reason)
                return
            if isinstance(found, _Zip):
                yield from found.found()
            else:
                yield found
            if self._limits.are_spent():
                return  # said by the zip inside

    def _member(self, entry: zipfile.ZipInfo) -> Found | _Zip:
        name = self._name_of(entry)
        locator = f"{self.locator}/{name}"
        path = f"{PurePosixPath(self.locator).name}/{_path_in_zip(entry)}"
        is_zip = is_container(_path_in_zip(entry))
        skipped = self._limits.selection.leave_out(path, locator)
        if skipped is None and is_zip and self._level == MAX_LEVELS:
            reason = f"a zip inside {MAX_LEVELS} zips is not opened: unpack it and import it by itself"
            skipped = SkippedFile(locator, reason, may_hold_conversations=True)
        if skipped is not None and not _escapes(entry.filename):
            return skipped
        obstacle = _why_unreadable(entry) or self._limits.allowance.take(entry.file_size)
        if obstacle is not None:
            return rejected(locator, obstacle)
        self._zip.unread += 1
        if is_zip:
            return self._inner(entry, name)
        opener = partial(self._zip.open_member, entry)
        kind = companion_kind(path)
        return SourceFile(self._path, locator, entry.file_size, opener, member=self._prefix + name, companion=kind)

    def _inner(self, entry: zipfile.ZipInfo, name: str) -> _Zip:
        return _Zip(
            self._path,
            f"{self.locator}/{name}",
            partial(self._zip.open_zip, entry),
            self._limits,
            prefix=f"{self._prefix}{name}/",
            outer=self._zip,
            level=self._level + 1,
            is_empty=entry.file_size == 0,
        )

    def _name_of(self, entry: zipfile.ZipInfo) -> str:
        name = _path_in_zip(entry)
        self._names[name] += 1
        number = self._names[name]
        return name if number == 1 else f"{name} ({number})"


def _path_in_zip(entry: zipfile.ZipInfo) -> str:
    """Returns the path of a member. What Windows' own programs make may have backslashes between its parts."""
    is_of_windows = entry.create_system == _MS_DOS and "/" not in entry.filename
    return entry.filename.replace("\\", "/") if is_of_windows else entry.filename


def _why_unreadable(entry: zipfile.ZipInfo) -> str | None:
    if _escapes(entry.filename):
        return "has a name that leads out of the zip and is not read"
    if entry.flag_bits & 0x1:
        return "is encrypted: unpack the zip with its password and import the folder"
    if is_bomb(entry.file_size, entry.compress_size):
        ratio = entry.file_size / max(entry.compress_size, 1)
        return f"unpacks to {ratio:.0f} times its size, as no export does, and is not read"
    return None


def _escapes(name: str) -> bool:
    posix, windows = PurePosixPath(name), PureWindowsPath(name)
    return posix.is_absolute() or bool(windows.drive or windows.root) or ".." in posix.parts + windows.parts
