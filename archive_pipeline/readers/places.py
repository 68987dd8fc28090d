"""Places: where files are read, and what they are called. The two differ for copies of objects in a storage."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from archive_pipeline.domain.records import RejectedRecord


@dataclass(frozen=True, slots=True)
class Place:
    """A file or folder to read.

    Attributes:
        path: where it is on this machine.
        address: what it is a copy of; None where the path is what the user named.
        obstacles: what of the original could not be copied, and belongs to what stands here.
    """

    path: Path
    address: str | None = None
    obstacles: tuple[RejectedRecord, ...] = ()

    @staticmethod
    def of(path: Path | str | Place) -> Place:
        """Return the place that a user named."""
        return path if isinstance(path, Place) else Place(Path(path))

    @property
    def name(self) -> str:
        """Its name for people and in the database."""
        return str(self.path) if self.address is None else self.address

    def below(self, path: Path) -> Place:
        """Return the place of what stands below this folder, by its path on this machine."""
        if self.address is None:
            return Place(path)
        return Place(path, f"{self.address.rstrip('/')}/{path.relative_to(self.path).as_posix()}")
