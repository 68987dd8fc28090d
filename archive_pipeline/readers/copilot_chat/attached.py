"""What a prompt came with: files and folders, pictures, and texts that are not the user's words."""

from __future__ import annotations

from typing import Any, Final

from archive_pipeline.domain.records import AttachmentRecord, PartRecord, PartType
from archive_pipeline.readers.json.fields import Fields, is_empty
from archive_pipeline.readers.json.shapes import as_object, as_text, base64_sha256
from archive_pipeline.readers.vscode_places import address_of

_DATA: Final = "variableData"
_VARIABLES: Final = "variables"
_PLACES: Final = ("value", "uri", "resource", "resourceUri")
# What was pasted or stands in a terminal is a text, though it has an address.
_QUOTED: Final = ("code", "output")
_TEXTS: Final = ("code", "value", "output")


def take_attached(request: Fields) -> tuple[list[PartRecord], list[AttachmentRecord]]:
    """Takes texts and files of a request's variables; what is neither, such as the name of a tool, stays."""
    data = Fields(request.fields_left().get(_DATA))
    texts: list[PartRecord] = []
    files: list[AttachmentRecord] = []
    left: list[Any] = []
    for item in data.take_items(_VARIABLES):
        address, picture = _address(as_object(item)), _picture(as_object(item))
        if address is not None or picture is not None:
            files.append(_file(Fields(item), address, picture))
        elif (text := _text(Fields(item))) is not None:
            texts.append(text)
        elif not is_empty(item):
            left.append(item)
    data.put_back(_VARIABLES, left)
    if isinstance(request.fields_left().get(_DATA), dict):
        request.fields_left()[_DATA] = data.rest()
    return texts, files


def _address(item: dict[str, Any]) -> str | None:
    names = () if any(as_text(item.get(name)) for name in _QUOTED) else _PLACES
    return next((address for name in names if (address := address_of(item.get(name)))), None)


def _picture(item: dict[str, Any]) -> str | None:
    return base64_sha256(as_object(item.get("value")).get("$base64"))


def _file(file: Fields, address: str | None, picture: str | None) -> AttachmentRecord:
    left = file.fields_left()
    kind = as_text(left.get("mimeType"))
    return AttachmentRecord(
        source_id=file.take_identifier("id"),
        file_name=file.take_text("name"),
        mime_type=file.take_text("mimeType") if kind is not None and "/" in kind else None,
        uri=address,
        extracted_text=_content(left.get("value")),
        content_sha256=picture,
        source=file.rest(),
    )


def _content(value: object) -> str | None:
    """Returns the text that an entry has of itself, beside its address."""
    text = as_text(value) or as_text(as_object(value).get("value"))
    return None if text is None or address_of(text) is not None else text


def _text(item: Fields) -> PartRecord | None:
    kind = as_text(item.fields_left().get("kind")) or "variable"
    text = next((text for name in _TEXTS if (text := item.take_text(name)) is not None), None)
    return None if text is None else PartRecord(PartType.CONTEXT, text, kind, source=item.rest())
