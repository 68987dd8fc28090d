"""Texts of projects and memories in an export of Claude.ai, as candidates for documents."""

from __future__ import annotations

import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final, TypeGuard

from archive_pipeline.documents.limits import check_bytes
from archive_pipeline.documents.records import Kind
from archive_pipeline.domain.records import RejectedRecord
from archive_pipeline.errors import UnreadableDocumentError, UnreadableInputError
from archive_pipeline.ingest.documents import Added, Candidate, Outcome
from archive_pipeline.readers.claude_ai.projects import ProjectText, memory_texts, project_texts
from archive_pipeline.readers.companions import MEMORIES, PROJECTS, companion_kind
from archive_pipeline.readers.containers import find_files
from archive_pipeline.readers.found import Found, SourceFile
from archive_pipeline.readers.json.parsing import parse_json
from archive_pipeline.readers.places import Place
from archive_pipeline.text.sanitize import clean_text

MAX_JSON_BYTES: Final = 100_000_000

_KINDS: Final = (PROJECTS, MEMORIES)
_ERRORS: Final = (UnreadableDocumentError, UnreadableInputError, OSError, ValueError)


def is_text_file(name: str) -> bool:
    """Tell by its name whether a file of an export holds projects or memories."""
    return name.lower().endswith(".json") and companion_kind(name) in _KINDS


def texts_of_projects(place: Path | Place) -> Iterator[Candidate | Added]:
    """Yield the documents and instructions of an export's projects, and its memories; of other exports nothing.

    Args:
        place: a zip, a folder, or one of its JSON files. Each text is a file that is gone when the next one is taken.
    """
    names: dict[str, str] = {}
    for file in sorted(filter(_holds_texts, find_files(Place.of(place))), key=_order):
        try:
            value: Any = parse_json(_content(file))[0]
        except _ERRORS as error:
            yield Added(file.locator, Outcome.REJECTED, reason=f"{file.locator} cannot be read: {error}")
            continue
        is_memory = file.companion == MEMORIES
        for text in memory_texts(value, file.locator, names) if is_memory else project_texts(value, file.locator):
            if isinstance(text, RejectedRecord):
                yield Added(text.locator, Outcome.REJECTED, reason=text.reason)
                continue
            if text.project_id and text.project_name:
                names[text.project_id] = text.project_name
            yield from _candidate(text, file.locator)


def _holds_texts(found: Found) -> TypeGuard[SourceFile]:
    """Tell whether a file has projects or memories; what is wrong with a zip is said by those who look for files."""
    return isinstance(found, SourceFile) and found.companion in _KINDS


def _order(file: SourceFile) -> tuple[bool, str]:
    """Memories come last: they name projects by ids alone."""
    return file.companion == MEMORIES, file.locator


def _content(file: SourceFile) -> bytes:
    check_bytes(file.size, file.locator, MAX_JSON_BYTES)
    with file.open() as stream:
        return stream.read()


def _candidate(text: ProjectText, place: str) -> Iterator[Candidate]:
    with tempfile.TemporaryDirectory(prefix="llm-archive-") as folder:
        file = Path(folder) / "text"
        file.write_text(clean_text(text.text, Counter()), encoding="utf-8", newline="")
        project = text.project_name or text.project_id
        project = f"{project}/" if project else ""
        yield Candidate(file, f"{place}/{project}{text.file_name}", text.file_name, kind=Kind.TEXT)
