"""Projects and memories of a Claude.ai export, from their parsed JSON: what of them is text to be searched.

Exports up to 2026 have one array ``projects.json``, later ones a file per project; memories were an array of one object
and are an object, since September 2026 with files of Markdown in it. No key leads from a conversation to its project.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from archive_pipeline.domain.records import RejectedRecord
from archive_pipeline.readers.json.fields import is_empty
from archive_pipeline.readers.json.shapes import as_identifier, as_text

MEMORY_NAME: Final = "Memory of conversations"


@dataclass(frozen=True, slots=True)
class ProjectText:
    """A text that belongs to a project, or to the account.

    Attributes:
        file_name: name of the document, as a person sees it.
        text: all of it.
        project_id: id of the project in the export; None for what belongs to the account.
        project_name: name of the project, where the export has it.
        source_id: id of the text in the export, where it has one.
    """

    file_name: str
    text: str
    project_id: str | None = None
    project_name: str | None = None
    source_id: str | None = None


def project_texts(value: object, place: str) -> Iterator[ProjectText | RejectedRecord]:
    """Yields the documents and the instructions of projects, and what stands in their place and is no text.

    Args:
        value: the JSON of ``projects.json`` (an array) or of one file of ``projects/`` (an object).
        place: of the value, for people.
    """
    for project, here in _entries(value, place):
        if isinstance(project, dict):
            yield from _texts_of(project, here)
        else:
            yield from _unread(project, here)


def _texts_of(project: Mapping[str, Any], place: str) -> Iterator[ProjectText | RejectedRecord]:
    project_id, name = as_identifier(project.get("uuid")), as_text(project.get("name"))
    about = f"{name or project_id or 'project'} - instructions"
    yield from _text(project.get("prompt_template"), f"{place}.prompt_template", about, project_id, name)
    documents = project.get("docs")
    if not isinstance(documents, list):
        yield from _unread(documents, f"{place}.docs")
        return
    for document, here in _entries(documents, f"{place}.docs"):
        if not isinstance(document, dict):
            yield from _unread(document, here)
            continue
        source_id = as_identifier(document.get("uuid"))
        file_name = as_text(document.get("filename")) or as_text(document.get("file_name")) or source_id or "document"
        yield from _text(document.get("content"), f"{here}.content", file_name, project_id, name, source_id)


def memory_texts(
    value: object, place: str, project_names: Mapping[str, str] | None = None
) -> Iterator[ProjectText | RejectedRecord]:
    """Yields what Claude.ai remembers of the account and of each project, and what stands in its place and is no text.

    Args:
        value: the JSON of ``memories.json``: an object, or an array of such.
        place: of the value, for people.
        project_names: names of projects by their ids, for those whose files were read.
    """
    names = project_names or {}
    for memories, here in _entries(value, place):
        if not isinstance(memories, dict):
            yield from _unread(memories, here)
            continue
        yield from _text(memories.get("conversations_memory"), f"{here}.conversations_memory", MEMORY_NAME)
        yield from _memories_of_projects(memories.get("project_memories"), f"{here}.project_memories", names)
        yield from _memory_files(memories.get("memory_files"), f"{here}.memory_files")


def _memories_of_projects(
    value: object, place: str, names: Mapping[str, str]
) -> Iterator[ProjectText | RejectedRecord]:
    if not isinstance(value, dict):
        yield from _unread(value, place)
        return
    for project_id, remembered in value.items():
        name = names.get(project_id)
        yield from _text(remembered, f"{place}.{project_id}", f"Memory of {name or project_id}", project_id, name)


def _memory_files(value: object, place: str) -> Iterator[ProjectText | RejectedRecord]:
    """Yields the files in which memories are kept, by their paths."""
    if not isinstance(value, list):
        yield from _unread(value, place)
        return
    for file, here in _entries(value, place):
        if not isinstance(file, dict) or "content" not in file:  # a text under another name must not go unseen
            yield from _unread(file, here)
            continue
        name = (as_text(file.get("path")) or "").strip("/") or "memory"
        yield from _text(file.get("content"), f"{here}.content", name)


def _entries(value: object, place: str) -> Iterator[tuple[object, str]]:
    """Yields the entries of an array with their places, or the one that is not in an array."""
    if isinstance(value, list):
        yield from ((entry, f"{place}[{number}]") for number, entry in enumerate(value))
    else:
        yield value, place


def _text(value: object, place: str, file_name: str, *about: str | None) -> Iterator[ProjectText | RejectedRecord]:
    """Yields a text with what is known about it, as ``ProjectText`` takes it, or what stands in its place."""
    if text := as_text(value):
        yield ProjectText(file_name, text, *about)
    else:
        yield from _unread(value, place)


def _unread(value: object, place: str) -> Iterator[RejectedRecord]:
    if not is_empty(value):
        yield RejectedRecord(place, f"{place} is no text, and is not read")
