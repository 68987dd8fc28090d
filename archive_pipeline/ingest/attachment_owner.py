"""Which files in the folder of attached files an archive wrote: the only ones that it may remove.

A home may serve several databases one after the other, such as one to try things with beside the true one. What no row
of one database speaks of may be all that there is of the other's.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Self

import psycopg

from archive_pipeline.store.rows import fetch_column

LIST: Final = ".written"
_NAME_CHARACTERS: Final = 16


@dataclass(frozen=True, slots=True)
class Owner:
    """An archive that writes contents, with the list of those that it wrote.

    The list is written before the file it speaks of. Whoever calls holds the archive's writer lock.

    Attributes:
        folder: of the contents.
        name: of the archive's database, for files.
    """

    folder: Path
    name: str

    @classmethod
    def of(cls, folder: Path, connection: psycopg.Connection[Any]) -> Self:
        """Return the archive of a connection."""
        [identity] = fetch_column(connection, "attachments/archive_identity", str)
        return cls(folder, hashlib.sha256(identity.encode()).hexdigest()[:_NAME_CHARACTERS])

    @property
    def path(self) -> Path:
        """Where the list is: a hash per line."""
        return self.folder / f"{self.name}{LIST}"

    def written(self) -> set[str] | None:
        """Return the hashes of what the archive wrote; None if it has no list yet."""
        try:
            return set(self.path.read_text(encoding="ascii").split())
        except FileNotFoundError:
            return None

    def add(self, sha256: str) -> None:
        """Add a content that is about to be written."""
        with self.path.open("a", encoding="ascii") as file:
            file.write(f"{sha256}\n")

    def replace(self, hashes: Iterable[str]) -> None:
        """Write the list anew, if there is a folder for it."""
        if not self.folder.is_dir():
            return
        partial = self.path.with_suffix(f"{LIST}-new")
        partial.write_text("".join(f"{sha256}\n" for sha256 in sorted(hashes)), encoding="ascii")
        partial.replace(self.path)
