"""The door to the readers: paths in, files and their dialogues out.

``read_paths`` finds the files and knows what to expect (sizes, what is skipped); iterating ``FileReading.records``
streams one file. A file that cannot be read is a file whose only record is a rejected one, so that a caller's loop
has no special case. Nothing here knows a database.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain
from pathlib import Path
from typing import Final

from archive_pipeline.domain.progress import Progress
from archive_pipeline.errors import ConfigurationError
from archive_pipeline.readers.companions import MANIFEST
from archive_pipeline.readers.containers import find_files
from archive_pipeline.readers.file_reading import FileReading
from archive_pipeline.readers.found import Found, SkippedFile, SourceFile
from archive_pipeline.readers.manifests import missing_files
from archive_pipeline.readers.places import Place
from archive_pipeline.readers.recognised import ReadDialogue
from archive_pipeline.readers.registry import readers

__all__ = ["ArchiveReading", "FileReading", "ReadDialogue", "read_paths"]

READING: Final = "reading"


class ArchiveReading:
    """Everything found at the paths a user named, in order, to be iterated once.

    Attributes:
        places, source: what the user named.
        files: the files to read, each once however often it was named. Companions in which conversations are found
            join them when all others have been iterated.
        companions: what stands beside the conversations, to be opened by whoever has a use for it; ``companion`` names
            its kind. Complete when every file has been read.
        locators: of everything that stands at the paths, whatever becomes of it.
        missing: a line for each file of conversations that a manifest names and that was not given; as complete.
    """

    def __init__(self, paths: Iterable[Path | str | Place], *, source: str | None = None) -> None:
        if source is not None and source not in readers():
            msg = f"unknown source {source!r}: choose one of {', '.join(readers())}"
            raise ConfigurationError(msg)
        self.places = tuple(map(Place.of, paths))
        self.source = source
        self.files: list[FileReading] = []
        self.companions: list[SourceFile] = []
        self.missing: list[str] = []
        self._companions: list[tuple[FileReading, SourceFile]] = []
        self._left_out: list[SkippedFile] = []
        self._digests: dict[Path, str] = {}
        self._seen: set[tuple[str, str]] = set()
        self.locators: list[str] = []
        for place in self.places:
            for found in find_files(place):
                self._add(found, place.path, source)

    def __iter__(self) -> Iterator[FileReading]:
        yield from tuple(self.files)
        while self._companions:
            file, found = self._companions.pop(0)
            companion = file.companion()
            if companion is None:
                self.files.append(file)
                yield file
                continue
            self._left_out.append(companion)
            self.companions.append(found)
        for manifest in (found for found in self.companions if found.companion == MANIFEST):
            self.missing += missing_files(manifest, self.locators)

    def file(self, locator: str) -> FileReading | None:
        """Returns the file with a locator, companions that may hold conversations included; None if there is none."""
        companions = (file for file, _ in self._companions)
        return next((file for file in chain(self.files, companions) if file.locator == locator), None)

    def tell(self, progress: Progress) -> None:
        """Say how many bytes of the files were read, as the stage ``reading``."""
        done = sum(file.bytes_read for file in self.files)
        progress(READING, done, max(done, self.total_bytes))

    @property
    def total_bytes(self) -> int:
        """Bytes to read, for progress."""
        return sum(file.size for file in self.files)

    @property
    def skipped(self) -> list[SkippedFile]:
        """What is left out on purpose; complete when every file has been read."""
        of_files = [item for file in self.files for item in (file.skipped, *file.beside) if item is not None]
        return self._left_out + of_files

    @property
    def not_understood(self) -> list[str]:
        """A line for each file of which not everything was understood; complete when every file has been read."""
        left_out = [f"{file.locator}: {file.reason}" for file in self.skipped if file.may_hold_conversations]
        return left_out + [
            f"{file.locator}: {', '.join(f'{name} ({number:,})' for name, number in sorted(file.anomalies.items()))}"
            for file in self.files
            if not file.is_understood and file.skipped is None
        ]

    def _add(self, found: Found, path: Path, source: str | None) -> None:
        if isinstance(found, SourceFile):
            path, what = found.path, found.member or ""
        else:
            what = found.reason
        key = (str(Path(path).resolve()) if isinstance(found, SourceFile) else found.locator, what)
        if key in self._seen:
            return
        self._seen.add(key)
        self.locators.append(found.locator)
        if isinstance(found, SkippedFile):
            self._left_out.append(found)
            return
        file = FileReading(found, path=path, source=source, digests=self._digests)
        if isinstance(found, SourceFile) and found.companion is not None and not (found.is_named and source):
            self._companions.append((file, found))
        else:
            self.files.append(file)


def read_paths(paths: Iterable[Path | str | Place], *, source: str | None = None) -> ArchiveReading:
    """Finds the files at the paths; nothing is read before they are iterated.

    Args:
        paths: files, folders and zips, or places of them.
        source: the vendor's name if the user gives it; else each file's content tells.

    Raises:
        ConfigurationError: if ``source`` is not the name of one.
    """
    return ArchiveReading(paths, source=source)
