"""The home belongs to one user: nobody else may enter it, and what is written below it is private from creation.

No folder above the home is ever changed. Whoever creates something in a home asks for it here.
"""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path
from typing import Final

from archive_pipeline.errors import ConfigurationError

PRIVATE_FOLDER: Final = 0o700
_OTHERS: Final = 0o077
# What the server writes is private by its own rules; files in the drop folder are as their owner put them there.
_NOT_ENTERED: Final = frozenset({"postgres", "imports"})


def private_umask() -> None:
    """Have this process and those it starts create files that nobody else can read."""
    os.umask(_OTHERS)


def prepare_home(home: Path) -> bool:
    """Create the home, or close one that other users may enter; return whether it was open.

    Raises:
        ConfigurationError: it cannot be created, or belongs to another user.
    """
    try:
        private_folder(home)
        state = home.stat()
        if not stat.S_ISDIR(state.st_mode):
            raise NotADirectoryError(errno.ENOTDIR, "not a folder", str(home))
        _check_owner(home, state)
        if not state.st_mode & _OTHERS:
            return False
        home.chmod(PRIVATE_FOLDER)  # first: from now on nobody reaches what is below
        _close_below(home, state.st_uid)
    except OSError as error:
        raise _unusable(home, error) from error
    return True


def mend_home(home: Path) -> bool:
    """Close a home that other users may enter, if there is one; return whether it was open."""
    try:
        is_there = home.exists()
    except OSError as error:  # in a folder that this user may not enter
        raise _unusable(home, error) from error
    return is_there and prepare_home(home)


def _unusable(home: Path, error: OSError) -> ConfigurationError:
    return ConfigurationError(f"cannot create or protect the folder {home}: {error.strerror}; set ARCHIVE_HOME")


def private_folder(folder: Path) -> Path:
    """Return the folder below a home; it and those above it that are missing are created for this user alone."""
    for path in reversed([path for path in (folder, *folder.parents) if not path.exists()]):
        path.mkdir(mode=PRIVATE_FOLDER, exist_ok=True)
    return folder


def _check_owner(home: Path, state: os.stat_result) -> None:
    # Its owner could replace whatever is in it. Root is left to decide whom to trust.
    if state.st_uid != os.geteuid() != 0:
        raise ConfigurationError(
            f"the folder {home} belongs to another user; set ARCHIVE_HOME to one of your own, such as a folder below it"
        )


def _close_below(home: Path, owner: int) -> None:
    for folder, names, files, descriptor in os.fwalk(home):
        if Path(folder) == home:
            _close(names, descriptor, owner)
            names[:] = [name for name in names if name not in _NOT_ENTERED]
            _close(files, descriptor, owner)
        else:
            _close([*names, *files], descriptor, owner)


def _close(names: list[str], descriptor: int, owner: int) -> None:
    for name in names:
        state = os.stat(name, dir_fd=descriptor, follow_symlinks=False)
        is_plain = stat.S_ISREG(state.st_mode) or stat.S_ISDIR(state.st_mode)
        if is_plain and state.st_uid == owner and state.st_mode & _OTHERS:
            os.chmod(name, stat.S_IMODE(state.st_mode) & ~_OTHERS, dir_fd=descriptor)
