"""What a prompt came with: files, folders, selections, pages and pictures. Their contents are not the user's words."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import PurePosixPath
from typing import Any, Final

from archive_pipeline.domain.records import AttachmentRecord
from archive_pipeline.readers.json.fields import Fields, is_empty
from archive_pipeline.readers.json.shapes import as_object, as_text
from archive_pipeline.readers.vscode_places import address_of

_CONTEXT: Final = "context"
_IN_CONTEXT: Final = ("fileSelections", "folderSelections", "selections", "externalLinks", "selectedImages")
_BESIDE: Final = ("attachedCodeChunks", "images")
_TEXTS: Final = ("rawText", "text", "content")
_NAMES: Final = ("relativeWorkspacePath", "relativePath", "path", "filename")
_ADDRESSES: Final = ("uri", "url")


def attached_files(fields: Fields) -> tuple[AttachmentRecord, ...]:
    """Takes what has an address, or is named as a file; else it stays."""
    found: list[AttachmentRecord] = []
    context = Fields(fields.fields_left().get(_CONTEXT))
    for name in _IN_CONTEXT:
        found += _of(context, name)
    if found:
        fields.fields_left()[_CONTEXT] = context.rest()
    for name in _BESIDE:
        found += _of(fields, name)
    return tuple(found)


def _of(fields: Fields, name: str) -> Iterator[AttachmentRecord]:
    items = fields.fields_left().get(name)
    if not isinstance(items, list):
        return
    left: list[Any] = []
    for item in fields.take_items(name):
        address, path = _address(item), _path(item)
        if address is not None or path is not None:
            yield _file(Fields(item), address, path)
        elif not is_empty(item):
            left.append(item)
    fields.put_back(name, left)


def _address(item: Any) -> str | None:
    own = as_object(item)
    return next((said for name in _ADDRESSES if (said := _address_in(own.get(name)))), None)


def _address_in(value: Any) -> str | None:
    place = as_object(value)
    return address_of(value) or as_text(place.get("fsPath")) or as_text(place.get("path"))


def _path(item: Any) -> str | None:
    return next((said for name in _NAMES if (said := as_text(as_object(item).get(name)))), None)


def _file(fields: Fields, address: str | None, path: str | None) -> AttachmentRecord:
    text = fields.first_text(_TEXTS) or "\n".join(fields.take_texts("lines")) or None
    name = PurePosixPath(path or address or "").name
    return AttachmentRecord(file_name=name or None, uri=address, extracted_text=text, source=fields.rest())
