"""Attached files beside exported notes: where they go, and how a note leads to them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Final
from urllib.parse import quote

from archive_pipeline.retrieval.reading.attached_files import AttachedContent
from archive_pipeline.text.shown_names import TURNING_MARKS, is_visible, on_one_line

FOLDER: Final = "files"
_DIGITS: Final = 16
_NAME_BYTES: Final = 120
# What the file systems of the three systems have another meaning for; a name that begins with a dot would be hidden.
_NOT_IN_NAMES: Final = re.compile(rf'[\\/:*?"<>|\x00-\x1f\x7f-\x9f{TURNING_MARKS}]+')


@dataclass(frozen=True, slots=True)
class NoteFiles:
    """The files of a note's messages, by the id of the message, and the line of Markdown that each is."""

    of_messages: Mapping[str, Sequence[AttachedContent]]
    line: Callable[[AttachedContent], str]


def exported_name(content: AttachedContent) -> str:
    """Return ``files/<beginning of the hash>/<name>``: equal contents of one name are one file; of kept files only."""
    name = _NOT_IN_NAMES.sub(" ", content.name).strip(" .")
    path = PurePosixPath(name if is_visible(name) else content.file_id)
    suffix = path.suffix.encode()[:_NAME_BYTES].decode(errors="ignore")
    stem = path.stem.encode()[: _NAME_BYTES - len(suffix.encode())].decode(errors="ignore").strip()
    return f"{FOLDER}/{(content.sha256 or '')[:_DIGITS]}/{stem}{suffix}"


def linked_files(files: Mapping[str, Sequence[AttachedContent]], note: str) -> NoteFiles:
    """Return the files of a note in an export, which has their contents.

    Args:
        files: ``retrieval.reading.attached_files.attached_files``.
        note: path of the note in the export, from which the links lead.
    """
    up = "../" * (len(PurePosixPath(note).parts) - 1)
    return NoteFiles(files, lambda content: _link(content, up))


def named_files(files: Mapping[str, Sequence[AttachedContent]]) -> NoteFiles:
    """Return the files of a note that stands alone: nothing beside it has their contents."""
    return NoteFiles(files, _named)


def redacted_files(files: Mapping[str, Sequence[AttachedContent]], redact: Callable[[str], str]) -> NoteFiles:
    """Return the files of a redacted note, which has their names redacted; its parts have redacted pointers."""
    redacted = {
        message_id: [
            content._replace(file_name=redact(content.name), pointers=[*map(redact, content.pointers)])
            for content in contents
        ]
        for message_id, contents in files.items()
    }
    return NoteFiles(redacted, lambda content: f"*[not exported: {_label(content)}]*")


def kept(files: Iterable[AttachedContent]) -> list[AttachedContent]:
    """Return the files that are not missing."""
    return [content for content in files if content.sha256 is not None]


def _link(content: AttachedContent, up: str) -> str:
    if content.sha256 is None:
        return _named(content)
    is_picture = (content.media_type or "").startswith("image/")
    return f"{'!' if is_picture else ''}[{_label(content)}]({up}{quote(exported_name(content))})"


def _named(content: AttachedContent) -> str:
    if content.sha256 is None:
        return f"*[missing: {_label(content)}]*"
    return f"*[file: {_label(content)} ({content.media_type}, {content.size_bytes:,} bytes)]*"


def _label(content: AttachedContent) -> str:
    return re.sub(r"([\\\[\]])", r"\\\1", on_one_line(content.name))
