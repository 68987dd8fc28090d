"""What a message of Open WebUI says: its text, thoughts, calls of tools, pictures, files and sources.

Newer versions write what a model gave as items (``output``), whose rendering is in ``content``; older ones only the
rendering, in which thoughts and calls are ``<details>`` elements.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any, Final

from archive_pipeline.domain.records import AttachmentRecord, PartRecord, PartType, Role
from archive_pipeline.readers.json.fields import Fields, is_empty
from archive_pipeline.readers.json.shapes import as_identifier, as_object, as_size, as_text, base64_sha256, joined
from archive_pipeline.readers.open_webui.details import rendered_parts
from archive_pipeline.readers.open_webui.output import output_parts
from archive_pipeline.readers.open_webui.pictures import IMAGE

_SOURCES: Final = ("sources", "citations")
_SAID: Final = frozenset({PartType.TEXT, PartType.IMAGE})
_DATA: Final = "data:"


def message_parts(fields: Fields, role: Role, warnings: Counter[str]) -> Iterator[PartRecord]:
    """Takes what a message says, in its order; then its error, its pictures, and what it cites."""
    given = list(output_parts(fields, warnings)) if role == "assistant" else []
    yield from given
    # A text that the items do not have is that of a version that only rendered it.
    if not any(part.part_type in _SAID for part in given):
        yield from _content(fields, role, is_rendered=not given, warnings=warnings)
    yield from _error(fields)
    yield from _pictures(fields)
    for name in _SOURCES:
        yield from _cited(fields, name)


def _content(fields: Fields, role: Role, *, is_rendered: bool, warnings: Counter[str]) -> Iterator[PartRecord]:
    text = as_text(fields.fields_left().get("content"))
    if text is not None:
        parts = rendered_parts(text) if role == "assistant" else [PartRecord(PartType.TEXT, text, "content")]
        if [part.text for part in parts] == [text]:  # else it is kept as it was rendered, too
            fields.take("content")
        yield from parts if is_rendered else (part for part in parts if part.part_type in _SAID)
        return
    unread: list[Any] = []
    items = fields.take_items("content")
    for item in items:
        part = _item(item)
        if part is not None:
            yield part
        elif not is_empty(item):
            unread.append(item)
    warnings["malformed_text"] += bool(unread)
    fields.put_back("content", unread)


def _item(item: object) -> PartRecord | None:
    """Returns an item of a content that is an array, in the form of OpenAI's API."""
    fields = Fields(item)
    if as_object(item).get("type") == "image_url":
        value = as_object(item).get("image_url")
        return _picture(as_text(value) or as_text(as_object(value).get("url")), as_object(item))
    text = fields.take_text("text")
    if as_object(item).get("type") == "text":
        fields.take("type")
    return PartRecord(PartType.TEXT, text, "text", source=fields.rest()) if text else None


def _error(fields: Fields) -> Iterator[PartRecord]:
    error = fields.take("error")
    inner = Fields(error)
    text = as_text(error) or inner.take_text("content")
    if text is not None:
        yield PartRecord(PartType.ERROR, text, "error", source=inner.rest())
    elif not is_empty(error):
        fields.fields_left()["error"] = error


def _pictures(fields: Fields) -> Iterator[PartRecord]:
    """Takes the pictures among the files; the other files are attachments."""
    others: list[Any] = []
    for item in fields.take_items("files"):
        address = as_text(as_object(item).get("url"))
        is_picture = as_object(item).get("type") == IMAGE or (address or "").startswith(f"{_DATA}{IMAGE}/")
        part = _picture(address, as_object(item)) if is_picture else None
        if part is not None:
            yield part
        else:
            others.append(item)
    fields.put_back("files", others)


def _picture(address: str | None, item: Mapping[str, Any]) -> PartRecord | None:
    if address is None:
        return None
    fields = Fields(item)
    if not address.startswith(_DATA):
        if address == item.get("url"):
            fields.take("url")
        return PartRecord(PartType.IMAGE, source_type=IMAGE, uri=address, source=fields.rest())
    header, _, data = address.removeprefix(_DATA).partition(",")
    digest = base64_sha256(data) if header.endswith(";base64") else None
    kind = header.partition(";")[0] or None
    return PartRecord(
        PartType.IMAGE, source_type=IMAGE, mime_type=kind, content_sha256=digest, source=fields.fields_left()
    )


def attached_files(fields: Fields) -> Iterator[AttachmentRecord]:
    """Takes the files, collections and pages that came with a message."""
    yield from map(_file, fields.take_objects("files"))


def _file(item: Mapping[str, Any]) -> AttachmentRecord:
    own, stored = Fields(item), Fields(item.get("file"))
    meta = as_object(as_object(item.get("file")).get("meta"))
    data = Fields(as_object(item.get("file")).get("data"))
    text = data.take_text("content")
    if text is not None:
        stored.take("data")
        rest = {**stored.fields_left(), **({"data": left} if (left := data.rest()) else {})}
        own.take("file")
        own.fields_left()["file"] = rest
    kind = as_text(item.get("content_type")) or as_text(meta.get("content_type"))
    return AttachmentRecord(
        source_id=as_identifier(item.get("id")) or as_identifier(as_object(item.get("file")).get("id")),
        file_name=as_text(item.get("name")) or as_text(meta.get("name")),
        mime_type=kind if kind and "/" in kind else None,
        size_bytes=as_size(item.get("size")) or as_size(meta.get("size")),
        uri=as_text(item.get("url")),
        extracted_text=text,
        source=own.rest(),
    )


def _cited(fields: Fields, name: str) -> Iterator[PartRecord]:
    """Takes what an answer cites: a part for each document or page, with the passages that the model got."""
    unread: list[Any] = []
    for item in fields.take_items(name):
        about = as_object(as_object(item).get("source"))
        if not isinstance(item, dict) or not item:
            unread.append(item)
            continue
        title = as_text(about.get("name")) or as_text(about.get("title"))
        address = as_text(about.get("url")) or next(_addresses(item), None)
        yield PartRecord(PartType.CITATION, joined([title]), name, uri=address, source=item)
    fields.put_back(name, unread)


def _addresses(item: Mapping[str, Any]) -> Iterator[str]:
    """Yields the addresses of the pages that the passages are of."""
    metadata = item.get("metadata")
    for passage in metadata if isinstance(metadata, list) else [metadata]:
        address = as_text(as_object(passage).get("source"))
        if address and "://" in address:
            yield address
