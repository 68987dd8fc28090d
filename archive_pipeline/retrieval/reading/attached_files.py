"""The files that messages came with, as people see them: kept, or missing."""

from __future__ import annotations

import mimetypes
from collections import defaultdict
from collections.abc import Sequence
from pathlib import PurePosixPath
from typing import Any, Final, Literal, NamedTuple

import psycopg

from archive_pipeline.errors import UnknownDocumentError
from archive_pipeline.store.rows import fetch_row, fetch_rows

Scope = Literal["dialogues", "messages"]

# What nothing tells of gets no suffix.
_UNKNOWN: Final = "application/octet-stream"


class AttachedContent(NamedTuple):
    """A file that a message points to; hash, size and type are those of its content, None while it is missing.

    ``pointers`` are what parts and attachments of the message call it.
    """

    message_id: str
    file_id: str
    file_name: str | None
    sha256: str | None
    size_bytes: int | None
    media_type: str | None
    pointers: Sequence[str] = ()

    @property
    def name(self) -> str:
        """The user's name of the file, or one made of its id and what it is; never a path."""
        given = PurePosixPath((self.file_name or "").replace("\\", "/")).name.strip()
        if given not in ("", ".", ".."):
            return given
        suffix = mimetypes.guess_extension(self.media_type) if self.media_type not in (None, _UNKNOWN) else None
        return f"{self.file_id}{suffix or ''}"


def attached_files(
    connection: psycopg.Connection[Any], ids: Sequence[str], *, scope: Scope = "messages"
) -> dict[str, list[AttachedContent]]:
    """Return the files of some messages, by the id of the message; messages without any are left out.

    Args:
        connection: to the archive.
        ids: of the messages, or of the dialogues that they are in.
        scope: what the ids are of.
    """
    found: dict[str, list[AttachedContent]] = defaultdict(list)
    for file in fetch_rows(connection, "reading/attached_files", AttachedContent, {"scope": scope, "ids": list(ids)}):
        found[file.message_id].append(file)
    for files in found.values():
        files.sort(key=lambda file: (file.name, file.file_id))
    return dict(found)


def attached_content(connection: psycopg.Connection[Any], sha256: str) -> AttachedContent:
    """Return a content by its hash.

    Raises:
        UnknownDocumentError: none is kept that has it.
    """
    found = fetch_row(connection, "reading/attached_content", AttachedContent, {"sha256": sha256})
    if found is None:
        raise UnknownDocumentError(f"no attached file has the hash {sha256!r}")
    return found
