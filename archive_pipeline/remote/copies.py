"""From what a user names to places on this machine: paths as they are, addresses as copies in the spool.

What an import would never open is not copied: hidden files are left out, private parts and what nobody asked for are
empty files of their names, so that they are reported as from a folder.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path, PurePosixPath
from typing import Final

from archive_pipeline.domain.addresses import checked_address, is_address
from archive_pipeline.domain.choices import AttachmentHandling
from archive_pipeline.domain.progress import Progress, no_progress
from archive_pipeline.domain.records import RejectedRecord
from archive_pipeline.errors import UnreadableInputError
from archive_pipeline.readers.companions import private_part
from archive_pipeline.readers.found import is_opened, is_passed_over
from archive_pipeline.readers.places import Place
from archive_pipeline.remote.download import Copy, download
from archive_pipeline.remote.spool import check_room, spool_folder
from archive_pipeline.remote.storage import RemoteObject, Storage
from archive_pipeline.settings import Settings

COPYING: Final = "copying"
# A name in a folder may have so many bytes.
_MAX_NAME_BYTES: Final = 255


class Wanted(StrEnum):
    """What of a prefix is copied."""

    ALL = "all"
    CONVERSATIONS = "conversations"  # and companions: .json and .zip
    SIZES = "sizes"  # conversations, and how large everything else is


def wanted_by_import(settings: Settings, *, keeps_attachments: bool) -> Wanted:
    """Return what an import copies: attached files only if they are kept."""
    is_wanted = keeps_attachments and settings.attachments is AttachmentHandling.KEEP
    return Wanted.ALL if is_wanted else Wanted.CONVERSATIONS


@dataclass(frozen=True, slots=True)
class _Plan:
    """What stands at one address.

    Attributes:
        storage: that has it.
        place: where its copy is.
        copies: what is to be copied.
    """

    storage: Storage
    place: Place
    copies: Sequence[Copy]


@contextmanager
def local_places(
    named: Iterable[str | Path], home: Path, *, wanted: Wanted = Wanted.ALL, progress: Progress = no_progress
) -> Iterator[list[Place]]:
    """Yield the places of paths and addresses; copies are gone at the end.

    Args:
        named: paths, and addresses of objects or of prefixes, which are read as folders.
        home: of the archive, below which copies are made.
        wanted: what of prefixes is copied. A single object always is.
        progress: told of copied bytes, as ``copying``.

    Raises:
        ConfigurationError: an address cannot be used, or the disk has no room.
        UnreadableInputError: there is nothing at an address, or a storage does not answer. Nothing is to be imported
            then: what is missing would look like what was deleted.
    """
    items = list(named)
    if not any(is_address(str(item)) for item in items):
        yield [Place.of(item) for item in items]
        return
    with spool_folder(home) as spool:
        plans = {
            number: _planned(checked_address(str(item)), spool / str(number), wanted)
            for number, item in enumerate(items)
            if is_address(str(item))
        }
        sizes = [copy.source.size for plan in plans.values() for copy in plan.copies]
        check_room(spool, sum(sizes))
        counter = _Counter(sum(sizes), progress)
        copied = {number: _copied(plan, counter) for number, plan in plans.items()}
        yield [copied[number] if number in copied else Place.of(item) for number, item in enumerate(items)]


class _Counter:
    def __init__(self, total: int, progress: Progress) -> None:
        self._done = 0
        self._total = total
        self._progress = progress

    def add(self, count: int) -> None:
        self._done += count
        self._progress(COPYING, self._done, max(self._done, self._total))


def _planned(address: str, folder: Path, wanted: Wanted) -> _Plan:
    """List an address and make the folders and empty files of its copy."""
    storage = Storage(address)
    objects, is_prefix = storage.find(address)
    # Folders around files tell what they are: the copy has those of the object.
    target = folder.joinpath(*_parts(address))
    if not is_prefix:
        [source] = objects
        target = target if _is_possible(target.parts) else folder / "object"
        _create(target, 0)
        return _Plan(storage, Place(target, address), [Copy(source, target)])
    target.mkdir(mode=0o700, parents=True)
    copies: list[Copy] = []
    obstacles: list[RejectedRecord] = []
    for source in objects:
        name = source.address[len(address.rstrip("/")) + 1 :]
        if any(map(is_passed_over, name.split("/"))):
            continue
        path = target / name
        is_copied = _is_copied(name, wanted)
        try:
            _create_below(target, name, source.size if wanted is Wanted.SIZES and not is_copied else 0)
        except OSError as error:
            obstacles.append(_obstacle(source, f"{source.address} has a name that no file can have here", error))
            continue
        if is_copied:
            copies.append(Copy(source, path))
    return _Plan(storage, Place(target, address.rstrip("/"), tuple(obstacles)), copies)


def _parts(address: str) -> list[str]:
    return [part for part in PurePosixPath(address.partition("://")[2]).parts if part not in ("/", ".", "..")]


def _is_possible(parts: Iterable[str]) -> bool:
    return all(len(os.fsencode(part)) <= _MAX_NAME_BYTES for part in parts)


def _is_copied(name: str, wanted: Wanted) -> bool:
    if private_part(name) is not None:
        return False
    return wanted is Wanted.ALL or is_opened(name, name)


def _create_below(folder: Path, name: str, size: int) -> None:
    """Create an empty file; raise ``OSError`` if its name leads elsewhere, is too long or is taken."""
    if any(part in ("", ".", "..") for part in name.split("/")):
        raise OSError(errno.EINVAL, "a part of the name is empty or leads elsewhere", name)
    _create(folder / name, size)


def _create(path: Path, size: int) -> None:
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        os.truncate(descriptor, size)
    finally:
        os.close(descriptor)


def _obstacle(source: RemoteObject, reason: str, error: object = "") -> RejectedRecord:
    return RejectedRecord(source.address, reason, str(error), whole_file=True)


def _copied(plan: _Plan, counter: _Counter) -> Place:
    """Copy, and return the place with what could not be copied as obstacles."""
    failed = download(plan.storage, plan.copies, counter.add)
    if failed and not plan.place.path.is_dir():
        raise UnreadableInputError(failed[0][1])
    paths = {copy.source.address: copy.path for copy in plan.copies}
    for source, _ in failed:
        paths[source.address].unlink()
    obstacles = [_obstacle(source, reason) for source, reason in failed]
    return Place(plan.place.path, plan.place.address, (*plan.place.obstacles, *obstacles))
