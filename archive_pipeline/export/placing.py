"""Putting an export in its place when all of it is there, and removing what a killed export left.

An export is made in a hidden folder beside its place, which the process locks: the kernel releases the lock with the
process. So a folder that nobody locks is of an export that was killed.
"""

from __future__ import annotations

import fcntl
import os
import re
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from archive_pipeline.errors import ExportError

_SUFFIX: Final = ".partial"
# In the hidden folder: what is made, a file's parts that are whole, and what an export takes the place of.
_MADE: Final = "made"
_WHOLE: Final = "whole"
_BEFORE: Final = "before"


@contextmanager
def placed_folder(target: Path, *, replace: bool) -> Iterator[Path]:
    """Yield a folder that becomes ``target`` at the end, and is gone after an error.

    Args:
        target: what it becomes.
        replace: an export that is there gives way; else it is refused.

    Raises:
        ExportError: something is there, or nothing can be written there.
    """
    refuse_existing(target, replace=replace)
    with _work_folder(target, {}) as work:
        yield _new(work)
        refuse_existing(target, replace=replace)
        if target.exists():
            target.rename(work / _BEFORE)
        (work / _MADE).rename(target)


@contextmanager
def placed_file(target: Path, data: str, beside: Mapping[str, Path]) -> Iterator[Path]:
    """Yield a folder of which a file becomes ``target`` at the end and others stand beside it; as ``placed_folder``.

    Args:
        target: what the file becomes.
        data: its name in the folder.
        beside: per other file of the folder what it becomes.
    """
    places = {**beside, data: target}
    for path in places.values():
        refuse_existing(path, replace=False)
    with _work_folder(target, beside) as work:
        yield _new(work)
        for path in places.values():
            refuse_existing(path, replace=False)
        (work / _MADE).rename(work / _WHOLE)
        # The data come last: when they are there, all is.
        for name, path in places.items():
            (work / _WHOLE / name).rename(path)


def remove_remains(target: Path, beside: Mapping[str, Path]) -> int:
    """Remove what killed exports to a place left, and return how many of them there were.

    An export that had given way is put back. Of a file whose parts were being put in their places, those that are there
    are taken back; ``beside`` is as ``placed_file`` takes it.
    """
    made_here = re.compile(rf"\.{re.escape(target.name)}\.[a-z0-9_]+{re.escape(_SUFFIX)}")
    removed = 0
    for work in sorted(target.parent.glob(f".*{_SUFFIX}")):
        lock = _lock(work, wait=False) if made_here.fullmatch(work.name) else None
        if lock is not None:
            _take_back(work, target, beside)
            shutil.rmtree(work, ignore_errors=True)
            os.close(lock)
            removed += 1
    return removed


def refuse_existing(target: Path, *, replace: bool) -> None:
    """Raise ``ExportError`` if something is where an export goes, unless it may be replaced.

    A name that no file can have is refused when the file is made.
    """
    if not replace and os.path.lexists(target):
        raise ExportError(f"{target} exists; an export overwrites nothing: name another path, or remove it")


def _take_back(work: Path, target: Path, beside: Mapping[str, Path]) -> None:
    if (work / _BEFORE).exists() and not target.exists():
        (work / _BEFORE).rename(target)
    if (work / _WHOLE).exists() and not target.exists():
        for name, path in beside.items():
            if not (work / _WHOLE / name).exists():
                path.unlink(missing_ok=True)


def _new(work: Path) -> Path:
    folder = work / _MADE
    folder.mkdir()
    return folder


@contextmanager
def _work_folder(target: Path, beside: Mapping[str, Path]) -> Iterator[Path]:
    """Yield a locked folder beside a place, which is removed afterwards."""
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        work, lock = _made_and_locked(target)
        try:
            yield work
        finally:
            _take_back(work, target, beside)
            shutil.rmtree(work, ignore_errors=True)
            os.close(lock)
    except OSError as error:
        raise ExportError(f"{target} cannot be written: {error.strerror or error}") from error


def _made_and_locked(target: Path) -> tuple[Path, int]:
    while True:
        work = Path(tempfile.mkdtemp(prefix=f".{target.name}.", suffix=_SUFFIX, dir=target.parent))
        lock = _lock(work, wait=True)
        if lock is not None:
            return work, lock
        # Another export took it for one that nobody locks, in the moment before it was locked.


def _lock(folder: Path, *, wait: bool) -> int | None:
    """Return the descriptor that locks a folder, None if another process does or the folder is gone."""
    try:
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    except FileNotFoundError:
        return None
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
        is_locked = True
    except OSError:
        # Held by another, or a file system without locks: then one's own folder is one's own, and no other's is.
        is_locked = wait
    if is_locked and os.fstat(descriptor).st_nlink and folder.exists():
        return descriptor
    os.close(descriptor)
    return None
