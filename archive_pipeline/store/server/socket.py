"""Where clients find the embedded server's socket: in its data folder, or by a link where that path is no address.

The server itself binds the socket relative to its data folder, whatever the length. A link is in a folder of this user
alone, with a name nobody can foresee, which the home keeps a record of so that all processes use the same.
"""

from __future__ import annotations

import os
import stat
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Final

from archive_pipeline.errors import DatabaseUnavailableError
from archive_pipeline.store.home import PRIVATE_FOLDER

PORT: Final = 5432
SOCKET: Final = f".s.PGSQL.{PORT}"
# An address of a socket holds 108 bytes on Linux and 104 on macOS, one of them for its end.
LONGEST_ADDRESS: Final = 103
# libpq takes a host with a comma for several, however the comma is written.
_BETWEEN_HOSTS: Final = ","
_LINK: Final = "s"
_PREFIX: Final = "llm-archive-"
_OTHERS: Final = 0o077


def socket_folder(folder: Path) -> Path:
    """Return the path by which clients reach the socket in the data folder. For whoever holds the start-up lock.

    Raises:
        DatabaseUnavailableError: there is no place for a link.
    """
    if _is_address(folder):
        return folder
    record = _record(folder)
    holder = _recorded(record)
    if holder is None:
        holder = _new_holder()
        record.write_text(str(holder), encoding="utf-8")
    link = holder / _LINK
    if not (link.is_symlink() and link.readlink() == folder):
        link.unlink(missing_ok=True)
        link.symlink_to(folder)
    return link


def remove_link(folder: Path) -> None:
    """Remove the link, for a server that has ended; its place is used again."""
    record = _record(folder)
    with suppress(OSError):
        holder = Path(record.read_text(encoding="utf-8"))
        if is_private(holder):
            (holder / _LINK).unlink(missing_ok=True)
            holder.rmdir()


def is_private(folder: Path) -> bool:
    """Tell whether the path is a folder, no link to one, that only this user can enter."""
    try:
        state = folder.lstat()
    except OSError:
        return False
    return stat.S_ISDIR(state.st_mode) and state.st_uid == os.geteuid() and not state.st_mode & _OTHERS


def _record(folder: Path) -> Path:
    return folder.parent / "postgres-socket"


def _recorded(record: Path) -> Path | None:
    """Return the recorded folder, made again if it is gone; None if it is not this user's alone."""
    try:
        holder = Path(record.read_text(encoding="utf-8"))
    except OSError:
        return None
    with suppress(OSError):
        holder.mkdir(mode=PRIVATE_FOLDER)
    return holder if is_private(holder) and _is_address(holder / _LINK) else None


def _new_holder() -> Path:
    for place in _places():
        if _is_address(place / f"{_PREFIX}{'x' * 8}" / _LINK):
            with suppress(OSError):
                return Path(tempfile.mkdtemp(prefix=_PREFIX, dir=place))
    raise DatabaseUnavailableError(
        "the path of ARCHIVE_HOME is too long for a socket, or has a comma, and there is no folder for a link to it; "
        "set ARCHIVE_HOME to a shorter path without commas"
    )


def _places() -> Iterator[Path]:
    runtime = os.environ.get("XDG_RUNTIME_DIR")
    if runtime and is_private(Path(runtime)):
        yield Path(runtime)
    yield Path(tempfile.gettempdir())
    yield Path("/tmp")  # noqa: S108 (mkdtemp makes a folder of our own there)


def _is_address(folder: Path) -> bool:
    """Tell whether clients find a socket in the folder by the folder's path."""
    return len(os.fsencode(folder / SOCKET)) <= LONGEST_ADDRESS and _BETWEEN_HOSTS not in str(folder)
