"""Secrets that an archive makes for itself on first use and keeps in files of its home."""

from __future__ import annotations

import os
import tempfile
from contextlib import suppress
from pathlib import Path


def keep_secret(path: Path, secret: bytes) -> None:
    """Write a secret to a file that only its user can read, unless there is one already.

    Of several processes one makes the file, and none ever sees a part of it, also where one is killed meanwhile.

    Raises:
        OSError: it cannot be written; there is no file then.
    """
    if path.exists():
        return
    with tempfile.NamedTemporaryFile(dir=path.parent, prefix=f".{path.name}.") as file:
        file.write(secret)
        file.flush()
        os.fsync(file.fileno())
        try:
            os.link(file.name, path)
        except FileExistsError:
            return  # another process was first
        except OSError:  # a file system without hard links
            with suppress(FileExistsError), open(path, "xb", opener=_private) as made:
                made.write(secret)


def _private(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)
