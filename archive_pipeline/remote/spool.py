"""The spool: folders in the home for copies of objects, one per process and import, gone when the import ends.

A file in a folder is locked while its process lives; folders of processes that were killed are removed by the next one.
It is a file that is open for writing, since on a disk of the network only such a lock counts on all machines.
"""

from __future__ import annotations

import fcntl
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from archive_pipeline.errors import ConfigurationError
from archive_pipeline.store.home import private_folder

FOLDER = "spool"
LOCK = "lock"


@contextmanager
def spool_folder(home: Path) -> Iterator[Path]:
    """Yield a folder below a home that nobody else can enter; nothing but ``LOCK`` is in it."""
    root = private_folder(home / FOLDER)
    _remove_abandoned(root)
    folder, lock = _new_folder(root)
    try:
        yield folder
    finally:
        os.close(lock)  # a disk of the network keeps what is open
        shutil.rmtree(folder, ignore_errors=True)


def check_room(folder: Path, needed: int) -> None:
    """Raise ``ConfigurationError`` if the disk of a folder has no room for so many bytes."""
    free = shutil.disk_usage(folder).free
    if needed > free:
        raise ConfigurationError(
            f"copying takes {needed / 1e9:,.2f} GB, and the disk of {folder} has {free / 1e9:,.2f} GB free: make "
            "room, or set ARCHIVE_HOME to another disk"
        )


def _new_folder(root: Path) -> tuple[Path, int]:
    while True:
        folder = Path(tempfile.mkdtemp(dir=root))  # mode 0700
        lock = _opened(folder)
        if lock is None:
            continue
        fcntl.flock(lock, fcntl.LOCK_EX)
        if folder.exists():
            return folder, lock
        os.close(lock)  # taken for an abandoned one before it was locked


def _remove_abandoned(root: Path) -> None:
    for folder in root.iterdir():
        lock = _opened(folder)
        if lock is None:
            continue
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            shutil.rmtree(folder, ignore_errors=True)
        except BlockingIOError:
            continue
        finally:
            os.close(lock)


def _opened(folder: Path) -> int | None:
    """Return a descriptor of a folder's lock; None if its process, or another one, has removed it meanwhile."""
    try:
        return os.open(folder / LOCK, os.O_RDWR | os.O_CREAT, 0o600)
    except (FileNotFoundError, NotADirectoryError):
        return None
