"""The attachments of a messages array, as seed 003 has them."""

from __future__ import annotations

import base64
from collections.abc import Mapping

from archive_pipeline.domain.records import AttachmentRecord
from archive_pipeline.errors import InvalidMessagesError
from archive_pipeline.readers.chat_arrays.digests import sha256, sha256_of_base64
from archive_pipeline.readers.json.fields import Fields


def attachment(file: object, place: str) -> AttachmentRecord:
    """Return an attachment of seed 003: an object with ``content`` (bytes, or base64 text), ``url`` or ``path``.

    Raises:
        InvalidMessagesError: it has none of them.
    """
    fields = file if isinstance(file, Mapping) else getattr(file, "__dict__", None)
    if not isinstance(fields, Mapping):
        raise InvalidMessagesError(f"{place} is a {type(file).__name__}, not an object with content, url or path")
    left = Fields(fields)
    content, url, path = (fields.get(name) for name in ("content", "url", "path"))
    if not any((content, url, path)):
        raise InvalidMessagesError(f"{place} has neither content nor url nor path")
    digest = None
    encoded: dict[str, str] = {}
    if isinstance(content, bytes):
        left.take("content")
        digest, encoded = sha256(content), {"content": base64.b64encode(content).decode()}
    elif isinstance(content, str):
        digest = sha256_of_base64(content, place)
    if path is not None:
        left.take("path")
    return AttachmentRecord(
        file_name=None if path is None else str(path),
        mime_type=left.take_text("type") or left.take_text("mime_type"),
        uri=left.take_text("url"),
        content_sha256=digest,
        source={**(left.rest() or {}), **encoded} or None,
    )
