"""Attachments of prompts and of tools' results: a content in the database, a path on the user's disk, or an address."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import PurePosixPath, PureWindowsPath
from typing import Final

from archive_pipeline.domain.records import AttachmentRecord
from archive_pipeline.readers.json.shapes import as_identifier, as_object, as_size, as_text
from archive_pipeline.readers.llm.rows import Row, Tables, ordered

_SHA256: Final = re.compile(r"[0-9a-f]{64}")


def attachments_of(links: Iterable[Row], tables: Tables) -> tuple[AttachmentRecord, ...]:
    """Returns the attachments that rows of a joining table name, in their order."""
    return tuple(attachment(link.get("attachment_id"), tables, link) for link in ordered(links))


def attachment(attachment_id: object, tables: Tables, link: Row | None = None) -> AttachmentRecord:
    """Returns an attachment by its id; a file at a path is not read: a database says what it likes."""
    row = tables.take_first("attachments", "id", attachment_id)
    content = as_object(row.get("content"))
    path = as_text(row.get("path"))
    mime_type = as_text(row.get("type"))
    return AttachmentRecord(
        source_id=as_identifier(attachment_id),
        file_name=_name(path) if path else None,
        mime_type=mime_type if mime_type and "/" in mime_type else None,
        size_bytes=as_size(content.get("bytes")),
        uri=as_text(row.get("url")) or path,
        content_sha256=digest if (digest := as_text(content.get("sha256"))) and _SHA256.fullmatch(digest) else None,
        source={"attachment": dict(row), "link": dict(link)} if link else dict(row) or None,
    )


def _name(path: str) -> str:
    return PureWindowsPath(path).name if "\\" in path and "/" not in path else PurePosixPath(path).name
