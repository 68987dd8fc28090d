"""From the paths a user names to the JSON files in them: single files, folders (walked in sorted order) and zips.

What the files say is not looked at here. Zips are opened in ``zip_members``.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import Final

from archive_pipeline.domain.addresses import is_address
from archive_pipeline.domain.records import RejectedRecord
from archive_pipeline.errors import UnreadableInputError
from archive_pipeline.readers.companions import companion_kind, private_part
from archive_pipeline.readers.compressed import is_compressed
from archive_pipeline.readers.found import (
    ATTACHED_FILES,
    CONVERSATIONS,
    Found,
    Selection,
    SkippedFile,
    SourceFile,
    is_container,
    is_passed_over,
    left_closed,
    open_plain,
    rejected,
)
from archive_pipeline.readers.places import Place
from archive_pipeline.readers.zip_members import zip_members

# How files that other programs packed begin.
_PACKED: Final = {
    b"\x1f\x8b": "gzip",
    b"BZh": "bzip2",
    b"\xfd7zX": "xz",
    b"\x28\xb5\x2f\xfd": "zstd",
    b"7z\xbc\xaf": "7-Zip",
    b"Rar!": "RAR",
}


def require_paths(paths: Iterable[Path | str]) -> None:
    """Raises ``UnreadableInputError`` if a path does not exist: a mistyped one is no import and leaves no trace.

    Addresses of object storage are looked up when they are copied.
    """
    for path in (Path(path) for path in paths if not is_address(str(path))):
        try:
            path.stat()
        except (FileNotFoundError, NotADirectoryError):
            msg = f"{path} does not exist: check the path"
            raise UnreadableInputError(msg) from None
        except OSError:
            continue  # it is there, and its reading says why it cannot be read


def find_files(place: Place) -> Iterator[Found]:
    """Yields what stands at a place the user named: each file once, in sorted order, and what cannot be used."""
    yield from place.obstacles
    try:
        mode = place.path.stat().st_mode
    except OSError as error:
        yield rejected(place.name, _what_is_wrong(error), error)
        return
    if stat.S_ISDIR(mode):
        yield from _walk(place, CONVERSATIONS)
    elif (private := left_closed(place.path.name, place.name)) is not None:  # also where the user names it, as *.json
        yield private
    elif stat.S_ISREG(mode):
        yield from _open_file(place, CONVERSATIONS, companion=companion_kind(place.path.name), is_named=True)
    else:
        yield rejected(place.name, "is neither a file nor a folder")


def find_all_files(place: Place) -> Iterator[Found]:
    """Yields every file at a place the user named but private ones, as ``find_files``; links in folders are left out.

    A member of a zip is to be opened, if at all, before the next file is asked for.
    """
    if place.path.is_dir():
        yield from _walk(place, ATTACHED_FILES)
    else:
        yield from _open_file(place, ATTACHED_FILES, companion=None, is_named=True)


def _walk(folder: Place, selection: Selection) -> Iterator[Found]:
    broken: list[OSError] = []
    for root, folders, names in os.walk(folder.path, onerror=broken.append):
        while broken:
            yield _from_walk_error(broken.pop())
        folders[:] = sorted(name for name in folders if not is_passed_over(name))
        for name in tuple(folders):
            reason = _why_not_entered(folder.below(Path(root) / name), folder)
            if reason is not None:
                folders.remove(name)
                yield reason
        for name in sorted(names):
            if not is_passed_over(name):
                yield from _found_in_folder(folder.below(Path(root) / name), folder, selection)
    while broken:
        yield _from_walk_error(broken.pop())


def _why_not_entered(place: Place, folder: Place) -> SkippedFile | None:
    if place.path.is_symlink():
        return SkippedFile(place.name, "a link to a folder is not followed", may_hold_conversations=True)
    private = private_part(place.path.relative_to(folder.path).as_posix())
    return None if private is None else SkippedFile(place.name, f"private and never opened: {private}")


def _found_in_folder(place: Place, folder: Place, selection: Selection) -> Iterator[Found]:
    name = place.path.relative_to(folder.path).as_posix()
    skipped = selection.leave_out(name, place.name)
    if skipped is None and place.path.is_symlink():  # what is private is so under any name
        skipped = selection.leave_out("/".join(place.path.resolve().parts[-2:]), place.name)
    if skipped is not None:
        yield skipped
    elif selection.follows_links or not place.path.is_symlink():
        yield from _open_file(place, selection, companion=companion_kind(name))


def _open_file(place: Place, selection: Selection, *, companion: str | None, is_named: bool = False) -> Iterator[Found]:
    path = place.path
    try:
        status = path.stat()
        if not stat.S_ISREG(status.st_mode):
            yield rejected(place.name, "is not a regular file")
            return
        with path.open("rb") as file:
            magic = file.read(4)
    except OSError as error:
        yield rejected(place.name, _what_is_wrong(error), error)
        return
    # An office document is a zip too.
    may_be_zip = is_named or path.suffix.lower() == ".json"
    if is_container(path.name) or (may_be_zip and magic.startswith((b"PK\x03\x04", b"PK\x05\x06"))):
        yield from zip_members(place, selection)
    elif may_be_zip and selection is CONVERSATIONS and not is_compressed(path.name) and (packer := _packer(magic)):
        yield rejected(place.name, f"is packed with {packer}: unpack it and import what was in it")
    else:
        opener = partial(open_plain, path)
        yield SourceFile(path, place.name, status.st_size, opener, is_named=is_named, companion=companion)


def _packer(magic: bytes) -> str | None:
    """Returns what packed a file that begins so; None if it is none of these."""
    return next((name for beginning, name in _PACKED.items() if magic.startswith(beginning)), None)


def _from_walk_error(error: OSError) -> RejectedRecord:
    return rejected(str(error.filename), _what_is_wrong(error), error)


def _what_is_wrong(error: OSError) -> str:
    if isinstance(error, FileNotFoundError):
        return "does not exist: check the path"
    if isinstance(error, PermissionError):
        return "may not be read: check its permissions"
    return f"cannot be read: {error.strerror or error}"
