"""Pictures, recordings and films that blocks of OpenAI's APIs have, by their address or with their content."""

from __future__ import annotations

from archive_pipeline.domain.records import PartRecord, PartType
from archive_pipeline.readers.json.fields import Fields
from archive_pipeline.readers.json.shapes import as_object, as_text, base64_sha256


def take_medium(part_type: PartType, name: str, fields: Fields, field: str) -> PartRecord | None:
    """Takes the medium that a field of a block has; None if there is neither an address nor content.

    Args:
        part_type: what it is.
        name: what the source calls the block.
        fields: of the block; content stays in it, to be kept where it is hashed.
        field: the one with the address, or with an object that has it as ``url``.
    """
    value = fields.fields_left().get(field)
    address = as_text(value) or as_text(as_object(value).get("url"))
    if address is None:
        return None
    if address.startswith("data:"):
        header, _, content = address.removeprefix("data:").partition(",")
        mime_type = header.partition(";")[0] or None
        digest = base64_sha256(content) if header.endswith(";base64") else None
        return PartRecord(part_type, None, name, mime_type=mime_type, content_sha256=digest, source=fields.rest())
    if isinstance(value, str):
        fields.take(field)
    return PartRecord(part_type, None, name, uri=address, source=fields.rest())
