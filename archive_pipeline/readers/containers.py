"""From the paths a user names to the JSON files in them: single files, folders (walked in sorted order) and zips.

What the files say is not looked at here. Zips are opened in ``zip_members``.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import BinaryIO

from archive_pipeline.domain.records import RejectedRecord
from archive_pipeline.errors import UnreadableInputError
from archive_pipeline.readers.companions import companion_kind, private_part
from archive_pipeline.readers.found import (
    ATTACHED_FILES,
    CONVERSATIONS,
    Found,
    Selection,
    SkippedFile,
    SourceFile,
    is_container,
    is_passed_over,
    rejected,
)
from archive_pipeline.readers.zip_members import zip_members


def require_paths(paths: Iterable[Path | str]) -> None:
    """Raises ``UnreadableInputError`` if a path does not exist: a mistyped one is no import and leaves no trace."""
    for path in map(Path, paths):
        try:
            path.stat()
        except (FileNotFoundError, NotADirectoryError):
            msg = f"{path} does not exist: check the path"
            raise UnreadableInputError(msg) from None
        except OSError:
            continue  # it is there, and its reading says why it cannot be read


def find_files(path: Path) -> Iterator[Found]:
    """Yields what stands at a path the user named: each file once, in sorted order, and what cannot be used."""
    try:
        mode = path.stat().st_mode
    except OSError as error:
        yield rejected(str(path), _what_is_wrong(error), error)
        return
    if stat.S_ISDIR(mode):
        yield from _walk(path, CONVERSATIONS)
    elif stat.S_ISREG(mode):
        yield from _open_file(path, CONVERSATIONS, companion=companion_kind(path.name), is_named=True)
    else:
        yield rejected(str(path), "is neither a file nor a folder")


def find_all_files(path: Path) -> Iterator[Found]:
    """Yields every file at a path the user named but private ones, as ``find_files``; links in folders are left out.

    A member of a zip is to be opened, if at all, before the next file is asked for.
    """
    if path.is_dir():
        yield from _walk(path, ATTACHED_FILES)
    else:
        yield from _open_file(path, ATTACHED_FILES, companion=None, is_named=True)


def _walk(folder: Path, selection: Selection) -> Iterator[Found]:
    broken: list[OSError] = []
    for root, folders, names in os.walk(folder, onerror=broken.append):
        while broken:
            yield _from_walk_error(broken.pop())
        folders[:] = sorted(name for name in folders if not is_passed_over(name))
        for name in tuple(folders):
            reason = _why_not_entered(Path(root) / name, folder)
            if reason is not None:
                folders.remove(name)
                yield reason
        for name in sorted(names):
            if not is_passed_over(name):
                yield from _found_in_folder(Path(root) / name, folder, selection)
    while broken:
        yield _from_walk_error(broken.pop())


def _why_not_entered(path: Path, folder: Path) -> SkippedFile | None:
    if path.is_symlink():
        return SkippedFile(str(path), "a link to a folder is not followed", may_hold_conversations=True)
    private = private_part(path.relative_to(folder).as_posix())
    return None if private is None else SkippedFile(str(path), f"private and never opened: {private}")


def _found_in_folder(path: Path, folder: Path, selection: Selection) -> Iterator[Found]:
    name = path.relative_to(folder).as_posix()
    skipped = selection.leave_out(name, str(path))
    if skipped is not None:
        yield skipped
    elif selection.follows_links or not path.is_symlink():
        yield from _open_file(path, selection, companion=companion_kind(name))


def _open_file(path: Path, selection: Selection, *, companion: str | None, is_named: bool = False) -> Iterator[Found]:
    try:
        status = path.stat()
        if not stat.S_ISREG(status.st_mode):
            yield rejected(str(path), "is not a regular file")
            return
        with path.open("rb") as file:
            magic = file.read(4)
    except OSError as error:
        yield rejected(str(path), _what_is_wrong(error), error)
        return
    # An office document is a zip too.
    may_be_zip = is_named or path.suffix.lower() == ".json"
    if is_container(path.name) or (may_be_zip and magic.startswith((b"PK\x03\x04", b"PK\x05\x06"))):
        yield from zip_members(path, selection)
    else:
        opener = partial(_open_plain, path)
        yield SourceFile(path, str(path), status.st_size, opener, is_named=is_named, companion=companion)


def _open_plain(path: Path) -> BinaryIO:
    return path.open("rb")


def _from_walk_error(error: OSError) -> RejectedRecord:
    return rejected(str(error.filename), _what_is_wrong(error), error)


def _what_is_wrong(error: OSError) -> str:
    if isinstance(error, FileNotFoundError):
        return "does not exist: check the path"
    if isinstance(error, PermissionError):
        return "may not be read: check its permissions"
    return f"cannot be read: {error.strerror or error}"
