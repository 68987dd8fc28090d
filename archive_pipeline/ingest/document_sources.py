"""Where documents are found: paths, exports that hold the files of their messages, and texts of attachments."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections import defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path, PurePath
from typing import Final

from archive_pipeline.documents.limits import check_bytes
from archive_pipeline.documents.reading import EXTENSIONS
from archive_pipeline.documents.records import Kind
from archive_pipeline.domain.records import RejectedRecord
from archive_pipeline.errors import UnreadableDocumentError, UnreadableInputError
from archive_pipeline.ingest.documents import Added, Candidate, Outcome
from archive_pipeline.readers.attached_files import AttachedFile, attached_files
from archive_pipeline.readers.containers import find_files
from archive_pipeline.readers.file_ids import id_in_name, pointed_id
from archive_pipeline.readers.found import READ_SUFFIXES, SourceFile, is_container
from archive_pipeline.readers.places import Place
from archive_pipeline.store.attachments import Pointer
from archive_pipeline.store.database import Database
from archive_pipeline.store.documents import attachment_text, attachment_texts

PASTED: Final = "pasted text"

# Companions and parts of exports that are named like an upload.
_NO_DOCUMENTS: Final = READ_SUFFIXES | {".index"}

Found = Candidate | Added


def files_at(place: Path | Place, home: Path) -> Iterator[Found]:
    """Yield a file that the user named, or what a folder holds, in sorted order; what is no document is skipped.

    Args:
        place: the file or folder.
        home: the archive's own folder, which is not looked into: it holds images of pages.
    """
    place = Place.of(place)
    for obstacle in place.obstacles:
        yield Added(obstacle.locator, Outcome.REJECTED, reason=obstacle.reason)
    if not place.path.is_dir():
        yield Candidate(place.path, place.name, place.path.name)
        return
    own = os.path.realpath(home)
    for root, folders, names in os.walk(place.path):
        if os.path.realpath(root) == own:
            folders.clear()
            name = place.below(Path(root)).name
            yield Added(name, Outcome.SKIPPED, reason=f"{name} is the archive's own folder")
            continue
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted(name for name in names if not name.startswith(".")):
            file = place.below(Path(root) / name)
            if file.path.suffix.lower().removeprefix(".") in EXTENSIONS:
                yield Candidate(file.path, file.name, name)
            else:
                yield Added(file.name, Outcome.SKIPPED, reason=f"{file.name} is no document by its name")


def files_of_export(place: Path | Place, pointers: Iterable[Pointer]) -> Iterator[Found]:
    """Yield the files in an export, a zip or a folder, that messages of the archive point to.

    They are found wherever ``readers.attached_files`` finds them: in zips in zips, and on Grok's asset server.

    Args:
        place: the export. Files of a zip are unpacked one by one, and are gone when the next one is taken.
        pointers: ``store.attachments.pointers_of`` all dialogues.
    """
    place = Place.of(place)
    messages, names = _by_id(pointers)
    companions = (found for found in find_files(place) if isinstance(found, SourceFile))
    for obstacle in place.obstacles:
        yield Added(obstacle.locator, Outcome.REJECTED, reason=obstacle.reason)
    for item in attached_files([place], companions, messages):
        if isinstance(item, RejectedRecord):
            name = PurePath(item.locator).name
            if id_in_name(name) in messages or is_container(name) or item.locator == place.name:
                yield Added(item.locator, Outcome.REJECTED, reason=item.reason)
            continue
        known = [file_id for file_id in item.ids if file_id in messages]
        if known and PurePath(item.locator).suffix.lower() not in _NO_DOCUMENTS:
            given = next((names[file_id] for file_id in known if file_id in names), None)
            name = given or item.file_name or PurePath(item.locator).name
            yield from _file(item, name, sorted({message for file_id in known for message in messages[file_id]}))


def _file(item: AttachedFile, name: str, messages: list[str]) -> Iterator[Found]:
    if item.found.member is None:
        yield Candidate(item.found.path, item.locator, name, messages)
        return
    with tempfile.TemporaryDirectory(prefix="llm-archive-") as folder:
        unpacked = Path(folder) / "document"
        try:
            check_bytes(item.size, item.locator)
            with item.open() as source, unpacked.open("wb") as target:
                shutil.copyfileobj(source, target)
        except UnreadableDocumentError as error:
            yield Added(item.locator, Outcome.REJECTED, reason=str(error))
            return
        except (OSError, UnreadableInputError) as error:
            yield Added(item.locator, Outcome.REJECTED, reason=f"{item.locator} cannot be unpacked: {error}")
            return
        yield Candidate(unpacked, item.locator, name, messages)


def texts_of_attachments(database: Database) -> Iterator[Candidate]:
    """Yield the texts that sources extracted from files, each different one once.

    A file's text stands for the file where the export lacks it. Texts are read when their turn comes.
    """
    with database.session() as connection:
        texts = attachment_texts(connection)
    for found in texts:
        with database.session() as connection:
            text = attachment_text(connection, found)
        if not text.strip():
            continue
        name = found.file_name or PASTED
        with tempfile.TemporaryDirectory(prefix="llm-archive-") as folder:
            file = Path(folder) / "text"
            file.write_bytes(text.encode())
            yield Candidate(file, f"{found.place}/{name}", name, found.message_ids, Kind.TEXT)


def _by_id(pointers: Iterable[Pointer]) -> tuple[dict[str, list[str]], dict[str, str]]:
    messages: dict[str, set[str]] = defaultdict(set)
    names: dict[str, str] = {}
    for row in pointers:
        key = pointed_id(row.pointer)
        if key:
            messages[key].add(row.message_id)
            if row.file_name:
                names.setdefault(key, row.file_name)
    return {key: sorted(found) for key, found in messages.items()}, names
