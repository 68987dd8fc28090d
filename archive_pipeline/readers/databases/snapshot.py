"""A private copy of a database, with what was committed last, that is read in place of the database itself.

To open a database is to write: SQLite makes files for a write-ahead log beside it, and rolls back what a killed program
left. So its files are copied, and taken for a copy of one moment if none of them changed meanwhile.
"""

from __future__ import annotations

import shutil
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from archive_pipeline.errors import UnreadableInputError
from archive_pipeline.readers.json.blocks import ByteSource

MAGIC: Final = b"SQLite format 3\0"
# What SQLite keeps beside a database: newest transactions, or what is to be rolled back. ``-shm`` is made anew.
LOGS: Final = ("-wal", "-journal")
_TRIES: Final = 20
_SECONDS_BETWEEN: Final = 0.25
_BLOCK_BYTES: Final = 1024 * 1024
# The last bytes of a journal that names a journal of several databases, which SQLite would open, and delete.
_OF_SEVERAL: Final = b"\xd9\xd5\x05\xf9\x20\xa1\x63\xd7"
_PAGE_SIZE: Final = slice(16, 18)
_PAGE_COUNT: Final = slice(28, 32)
_HEADER_BYTES: Final = 100
_LARGEST_PAGE: Final = 65_536
# Size and time of writing, of the database and of its logs; None where there is none.
_State = tuple[tuple[int, int] | None, ...]


@dataclass(frozen=True, slots=True)
class Snapshot:
    """A copy of a database, in a folder that is gone with it.

    Attributes:
        path: of the copy; nobody else has it open.
        size: bytes of it and its logs.
        missing_bytes: how many bytes a database that is cut off says that it has beyond its end.
    """

    path: Path
    size: int
    missing_bytes: int


@contextmanager
def snapshot(source: ByteSource, original: Path | None) -> Iterator[Snapshot]:
    """Copies a database.

    Args:
        source: its content, at the start.
        original: where it stands; None if that is in a zip, where nobody writes to it.

    Raises:
        OSError: it cannot be read, or not be copied.
        UnreadableInputError: the same, or it is written to all the time.
    """
    with tempfile.TemporaryDirectory(prefix="llm-archive-") as folder:
        copy = Path(folder) / "copy.db"
        original = original and original.resolve()  # the logs stand beside what a link leads to
        state = _state(original)
        with copy.open("wb") as target:
            while block := source.read(_BLOCK_BYTES):
                target.write(block)
        if original is not None:
            _copy_unchanged(original, copy, state)
        size = sum(path.stat().st_size for path in Path(folder).iterdir())
        yield Snapshot(copy, size, _mend_length(copy))


def _copy_unchanged(original: Path, copy: Path, state: _State) -> None:
    """Copies the logs, and everything again as long as something changes meanwhile."""
    for _ in range(_TRIES):
        for log in LOGS:
            _copy_log(Path(f"{original}{log}"), Path(f"{copy}{log}"))
        now = _state(original)
        if now == state:
            return
        time.sleep(_SECONDS_BETWEEN)
        state = _state(original)
        shutil.copyfile(original, copy)
    msg = f"{original} is written to all the time: end the program that has it open and import it again"
    raise UnreadableInputError(msg)


def _copy_log(log: Path, copy: Path) -> None:
    copy.unlink(missing_ok=True)
    try:
        shutil.copyfile(log, copy)
    except FileNotFoundError:
        return
    with copy.open("rb") as file:
        file.seek(max(copy.stat().st_size - len(_OF_SEVERAL), 0))
        is_of_several = file.read() == _OF_SEVERAL
    if is_of_several:
        copy.unlink()


def _state(original: Path | None) -> _State:
    if original is None:
        return ()
    return tuple(_state_of(Path(f"{original}{suffix}")) for suffix in ("", *LOGS))


def _state_of(path: Path) -> tuple[int, int] | None:
    try:
        found = path.stat()
    except FileNotFoundError:
        return None
    return found.st_size, found.st_mtime_ns


def _mend_length(copy: Path) -> int:
    """Writes into a copy how long it really is, if it says that it is longer; returns how many bytes it lacks.

    SQLite reads nothing at all of a database that is shorter than it says.
    """
    if any(Path(f"{copy}{log}").exists() for log in LOGS):
        return 0
    with copy.open("r+b") as file:
        header = file.read(_HEADER_BYTES)
        if len(header) < _HEADER_BYTES:
            return 0
        said = int.from_bytes(header[_PAGE_SIZE], "big")
        page = _LARGEST_PAGE if said == 1 else said
        size = copy.stat().st_size
        missing = int.from_bytes(header[_PAGE_COUNT], "big") * page - size
        if page == 0 or missing <= 0:
            return 0
        file.seek(_PAGE_COUNT.start)
        file.write((size // page).to_bytes(4, "big"))
    return missing
