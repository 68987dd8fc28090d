"""Attached files beside exported notes: where they go, and how a note leads to them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import PurePosixPath
from typing import Final
from urllib.parse import quote

from archive_pipeline.retrieval.reading.attached_files import AttachedContent
from archive_pipeline.text.shown_names import TURNING_MARKS, on_one_line

FOLDER: Final = "files"
_DIGITS: Final = 16
_NAME_BYTES: Final = 120
# What the file systems of the three systems have another meaning for; a name that begins with a dot would be hidden.
_NOT_IN_NAMES: Final = re.compile(rf'[\\/:*?"<>|\x00-\x1f\x7f-\x9f{TURNING_MARKS}]+')


def exported_name(content: AttachedContent) -> str:
    """Return ``files/<beginning of the hash>/<name>``: equal contents of one name are one file; of kept files only."""
    path = PurePosixPath(_NOT_IN_NAMES.sub(" ", content.name).strip(" .") or content.file_id)
    suffix = path.suffix.encode()[:_NAME_BYTES].decode(errors="ignore")
    stem = path.stem.encode()[: _NAME_BYTES - len(suffix.encode())].decode(errors="ignore").strip()
    return f"{FOLDER}/{(content.sha256 or '')[:_DIGITS]}/{stem}{suffix}"


def file_lines(files: Mapping[str, Sequence[AttachedContent]], note: str) -> dict[str, list[str]]:
    """Return a line of Markdown for each file of the messages of a note, by the id of the message.

    Args:
        files: ``retrieval.reading.attached_files.attached_files``.
        note: path of the note in the export, from which the links lead.
    """
    up = "../" * (len(PurePosixPath(note).parts) - 1)
    return {message_id: [_line(content, up) for content in contents] for message_id, contents in files.items()}


def kept(files: Iterable[AttachedContent]) -> list[AttachedContent]:
    """Return the files that are not missing."""
    return [content for content in files if content.sha256 is not None]


def _line(content: AttachedContent, up: str) -> str:
    label = re.sub(r"([\\\[\]])", r"\\\1", on_one_line(content.name))
    if content.sha256 is None:
        return f"*[missing: {label}]*"
    is_picture = (content.media_type or "").startswith("image/")
    return f"{'!' if is_picture else ''}[{label}]({up}{quote(exported_name(content))})"
