"""Which files in the folder of attached files an archive wrote: the only ones that it may remove.

A home may serve several databases one after the other, such as one to try things with beside the true one. What no row
of one database speaks of may be all that there is of the other's.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final, Self

import psycopg

from archive_pipeline.store.rows import fetch_column

LIST: Final = ".written"
_NAME_CHARACTERS: Final = 16
# Whoever wrote what is on no other list, such as an archive that a version without lists has last written to.
_EARLIER: Final = "earlier"
_HASH: Final = re.compile(rb"^[0-9a-f]{64}$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Owner:
    """An archive that writes contents, with the list of those that it wrote.

    The list is written before the file it speaks of; a line that a power cut left broken says nothing. Whoever calls
    holds the archive's writer lock.

    Attributes:
        folder: of the contents.
        name: of the archive's database, for files.
    """

    folder: Path
    name: str

    @classmethod
    def of(cls, folder: Path, connection: psycopg.Connection[Any]) -> Self:
        """Return the archive of a connection; it has another name before its first import, when it owns nothing."""
        [identity] = fetch_column(connection, "attachments/archive_identity", str)
        return cls(folder, hashlib.sha256(identity.encode()).hexdigest()[:_NAME_CHARACTERS])

    @property
    def path(self) -> Path:
        """Where the list is: a hash per line."""
        return self.folder / f"{self.name}{LIST}"

    def written(self) -> set[str] | None:
        """Return the hashes of what the archive wrote; None if it has no list yet."""
        return _hashes_in(self.path) if self.path.exists() else None

    def written_by_others(self) -> set[str]:
        """Return the hashes of what other archives in the home wrote."""
        return set().union(*(_hashes_in(path) for path in self.folder.glob(f"*{LIST}") if path != self.path))

    def claim(self, own: set[str], there: set[str]) -> None:
        """Write the first list of an archive.

        Args:
            own: hashes of what it keeps.
            there: of all contents in the folder; those on no list are taken for an earlier archive's.
        """
        earlier = replace(self, name=_EARLIER)
        of_earlier = earlier.written() or set()
        nobodys = (of_earlier | (there - self.written_by_others())) - own
        self.replace(own)
        if nobodys != of_earlier:
            earlier.replace(nobodys)

    def add(self, sha256: str) -> None:
        """Add a content that is about to be written."""
        with self.path.open("a", encoding="ascii") as file:
            file.write(f"\n{sha256}")  # behind a line that broke off

    def replace(self, hashes: Iterable[str]) -> None:
        """Write the list anew, if there is a folder for it."""
        if not self.folder.is_dir():
            return
        partial = self.path.with_suffix(f"{LIST}-new")
        partial.write_text("".join(f"{sha256}\n" for sha256 in sorted(hashes)), encoding="ascii")
        partial.replace(self.path)


def _hashes_in(path: Path) -> set[str]:
    return {found.decode() for found in _HASH.findall(path.read_bytes())}
