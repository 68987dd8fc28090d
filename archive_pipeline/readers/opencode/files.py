"""Files of OpenCode: those that came with a prompt, and pictures and the like that tools gave."""

from __future__ import annotations

import base64
from typing import Any, Final

from archive_pipeline.domain.records import AttachmentRecord, PartRecord, PartType
from archive_pipeline.readers.json.fields import Fields
from archive_pipeline.readers.json.shapes import as_text, base64_sha256

_DATA: Final = "data:"
_BASE64: Final = ";base64"
_ADDRESSES: Final = ("url", "uri")
_NAMES: Final = ("filename", "name")
_TYPES: Final = {"image": PartType.IMAGE, "audio": PartType.AUDIO, "video": PartType.VIDEO}


def attachment(fields: Fields) -> AttachmentRecord:
    """Takes a file that came with a prompt; a content that is in its address stays where it is."""
    address, digest, size = _content(fields)
    return AttachmentRecord(
        source_id=fields.take_identifier("id"),
        file_name=next((name for field in _NAMES if (name := fields.take_text(field))), None),
        mime_type=_mime(fields),
        size_bytes=size,
        uri=address,
        content_sha256=digest,
        source=fields.rest(),
    )


def medium(fields: Fields, kind: str, call: str | None) -> PartRecord:
    """Takes a file that a tool gave, as a part."""
    address, digest, _ = _content(fields)
    mime = _mime(fields)
    return PartRecord(
        _TYPES.get((mime or "").partition("/")[0], PartType.FILE),
        source_type=kind,
        tool_use_id=call,
        mime_type=mime,
        uri=address,
        content_sha256=digest,
        source=fields.rest(),
    )


def _mime(fields: Fields) -> str | None:
    return fields.take_text("mime") if "/" in (as_text(fields.fields_left().get("mime")) or "") else None


def _content(fields: Fields) -> tuple[str | None, str | None, int | None]:
    """Returns the address of a file, which is taken, or hash and size of a content that is there, which stays."""
    left = fields.fields_left()
    name = next((name for name in _ADDRESSES if as_text(left.get(name))), None)
    if name is None:
        return None, *_hashed(left.get("data"))
    address: str = left[name]
    if not address.startswith(_DATA):
        return fields.take_text(name), None, None
    head, _, data = address.partition(",")
    return None, *(_hashed(data) if head.endswith(_BASE64) else (None, None))


def _hashed(data: Any) -> tuple[str | None, int | None]:
    digest = base64_sha256(data)
    return digest, None if digest is None else len(base64.b64decode(data))
