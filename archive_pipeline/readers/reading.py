"""The door to the readers: paths in, files and their dialogues out.

``read_paths`` finds the files and knows what to expect (sizes, what is skipped); iterating ``FileReading.records``
streams one file. A file that cannot be read is a file whose only record is a rejected one, so that a caller's loop
has no special case. Nothing here knows a database.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
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
        total_bytes: to read, for progress.
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
        self.total_bytes = 0
        # Of the files that were iterated; the present one goes on growing.
        self._bytes_read = 0
        self._present: FileReading | None = None
        self._by_locator: dict[str, FileReading] = {}
        self._companions: list[tuple[FileReading, SourceFile]] = []
        self._left_out: list[SkippedFile] = []
        self._digests: dict[Path, str] = {}
        self._seen: set[tuple[str, str]] = set()
        self.locators: list[str] = []
        for place in self.places:
            for found in find_files(place):
                self._add(found, place.path, source)

    def __iter__(self) -> Iterator[FileReading]:
        for file in self._files_and_companions():
            self._present = file
            yield file
            self._present = None
            self._bytes_read += file.bytes_read

    def _files_and_companions(self) -> Iterator[FileReading]:
        yield from tuple(self.files)
        while self._companions:
            file, found = self._companions.pop(0)
            companion = file.companion()
            if companion is None:
                self._take(file)
                yield file
                continue
            self._left_out.append(companion)
            self.companions.append(found)
        for manifest in (found for found in self.companions if found.companion == MANIFEST):
            self.missing += missing_files(manifest, self.locators)

    def file(self, locator: str) -> FileReading | None:
        """Returns the file with a locator, companions that may hold conversations included; None if there is none."""
        return self._by_locator.get(locator)

    def tell(self, progress: Progress) -> None:
        """Say how many bytes of the iterated files were read, as the stage ``reading``."""
        done = self._bytes_read + (self._present.bytes_read if self._present is not None else 0)
        progress(READING, done, max(done, self.total_bytes))

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
        self._by_locator.setdefault(file.locator, file)
        if isinstance(found, SourceFile) and found.companion is not None and not (found.is_named and source):
            self._companions.append((file, found))
        else:
            self._take(file)

    def _take(self, file: FileReading) -> None:
        self.files.append(file)
        self.total_bytes += file.size


def read_paths(paths: Iterable[Path | str | Place], *, source: str | None = None) -> ArchiveReading:
    """Finds the files at the paths; nothing is read before they are iterated.

    Args:
        paths: files, folders and zips, or places of them.
        source: the vendor's name if the user gives it; else each file's content tells.

    Raises:
        ConfigurationError: if ``source`` is not the name of one.
    """
    return ArchiveReading(paths, source=source)
