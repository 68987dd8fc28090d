"""The files that messages came with, wherever in an export they stand: in folders, in zips, and in zips in them.

They are looked for apart from the conversations: their order is another one, most are of no message, and a zip of them
that is damaged or a bomb must cost no conversation. The bounds of zips are the same, counted anew.
"""

from __future__ import annotations

import os
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any, BinaryIO, Final

from archive_pipeline.domain.records import RejectedRecord
from archive_pipeline.errors import UnreadableInputError
from archive_pipeline.readers.companions import ASSET_NAMES, FILE_DESCRIPTION, FILES, LIBRARY
from archive_pipeline.readers.containers import find_all_files
from archive_pipeline.readers.databases.stored_files import may_hold_files, stored_files
from archive_pipeline.readers.declaration import DatabaseReader
from archive_pipeline.readers.file_ids import ids_of, own_name, word_of
from archive_pipeline.readers.found import SkippedFile, SourceFile, companion
from archive_pipeline.readers.json.parsing import parse_json
from archive_pipeline.readers.json.shapes import as_object, as_text
from archive_pipeline.readers.places import Place
from archive_pipeline.readers.registry import database_readers

_MAX_NAMES_BYTES: Final = 64 * 1024 * 1024
_LINES: Final = ".jsonl"
_JSON: Final = ".json"
_UPLOADS: Final = ("file-", "file_")


@dataclass(frozen=True, slots=True)
class AttachedFile:
    """A file that messages may point to.

    Attributes:
        ids: by which they do; at least one.
        file_name: what the user called it; None if the export does not say.
        found: the file, to be opened before the next one is asked for.
    """

    ids: tuple[str, ...]
    file_name: str | None
    found: SourceFile

    @property
    def locator(self) -> str:
        """Its name for people: ``export.zip/file-abc.dat``."""
        return self.found.locator

    @property
    def size(self) -> int:
        """Bytes of its content."""
        return self.found.size

    def open(self) -> BinaryIO:
        """Opens the file at its start; may raise ``OSError`` or ``UnreadableInputError``."""
        return self.found.open()


def attached_files(
    places: Iterable[Path | Place], companions: Iterable[SourceFile] = (), pointed: Container[str] = frozenset()
) -> Iterator[AttachedFile | RejectedRecord]:
    """Yields the files at some places whose names say that messages may point to them, and what cannot be read.

    Args:
        places: of files, folders and zips of exports; each is looked at once.
        companions: what stands beside the conversations in them, of which some give files their names.
        pointed: ids that messages point to: a file that is named by one of them is found whatever the id looks like.
    """
    names = file_names(companions)
    # Not Path.resolve, which raises at a link that leads to itself.
    for place in {os.path.realpath(place.path): place for place in map(Place.of, places)}.values():
        for found in find_all_files(place):
            if isinstance(found, RejectedRecord):
                yield found
            elif isinstance(found, SourceFile) and (ids := _ids(_path_of(found), names, pointed)):
                yield AttachedFile(ids, own_name(_path_of(found), names), found)
            elif isinstance(found, SourceFile) and may_hold_files(found):
                yield from _in_database(found, database_readers())


def attached_as_companions(
    skipped: Sequence[SkippedFile], companions: Iterable[SourceFile], pointed: Container[str]
) -> list[SkippedFile]:
    """Returns what an import left out; what messages point to is a companion, whatever its name looks like.

    Args:
        skipped: what is no file of conversations.
        companions: as of ``attached_files``.
        pointed: ids that messages point to.
    """
    if all(file.kind is not None for file in skipped):
        return list(skipped)
    names = file_names(companions)
    return [
        companion(file.locator, FILES)
        if file.kind is None and any(name in pointed for name in _ids(file.locator, names, pointed))
        else file
        for file in skipped
    ]


def _in_database(found: SourceFile, readers: Mapping[str, DatabaseReader]) -> Iterator[AttachedFile]:
    for file in stored_files(found, readers):
        yield AttachedFile((file.file_id,), None, file.content)


def _ids(path: str, names: Mapping[str, str], pointed: Container[str]) -> tuple[str, ...]:
    ids = ids_of(path, names)
    if _may_be_conversation(PurePosixPath(path)):
        return tuple(name for name in ids if name in pointed)
    return ids or ((word,) if (word := word_of(path)) in pointed else ())


def _may_be_conversation(file: PurePosixPath) -> bool:
    """Tells files that may be named by ids though no message points to them: sessions, trajectories, projects."""
    suffix = file.suffix.lower()
    return suffix == _LINES or (suffix == _JSON and not file.name.startswith(_UPLOADS))


def file_names(companions: Iterable[SourceFile]) -> dict[str, str]:
    """Returns what companions of an export call its files, by their names in the export or their ids; ``{}`` if none.

    ``conversation_asset_file_names.json`` has names by name, ``library_files.json`` an array of objects; LM Studio has
    a description of each file.
    """
    names: dict[str, str] = {}
    for file in companions:
        if file.companion == ASSET_NAMES:
            given = as_object(_value_of(file))
            names.update({key: text for key, value in given.items() if (text := as_text(value))})
        elif file.companion == LIBRARY:
            names.update({key: name for key, name in _library_names(_value_of(file)) if key not in names})
        elif file.companion == FILE_DESCRIPTION:
            about = as_object(_value_of(file))
            key, name = as_text(about.get("fileIdentifier")), as_text(about.get("originalName"))
            names.update({key: name} if key and name else {})
    return names


def _library_names(value: Any) -> Iterator[tuple[str, str]]:
    for entry in map(as_object, value if isinstance(value, list) else ()):
        file_id, name = as_text(entry.get("file_id")), as_text(entry.get("file_name"))
        if file_id and name:
            yield f"{file_id}.dat", name


def _value_of(companion: SourceFile) -> Any:
    """Returns what a companion says; None if it cannot be read, which costs names and no file."""
    try:
        with companion.open() as stream:
            return parse_json(stream.read(_MAX_NAMES_BYTES))[0]
    except (OSError, ValueError, UnreadableInputError):
        return None


def _path_of(found: SourceFile) -> str:
    """Returns the path of a file in its export, with the folders around it that are in no zip."""
    return str(found.path) if found.member is None else str(PurePosixPath(found.path.name) / found.member)
