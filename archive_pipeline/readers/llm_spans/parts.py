"""Parts of messages in OpenTelemetry's conventions as rows of content parts, and items of OpenInference's content."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from typing import Any, Final

from archive_pipeline.domain.records import PartType
from archive_pipeline.readers.json.parsing import parse_json
from archive_pipeline.readers.json.shapes import as_identifier, as_object, as_text, base64_sha256

_MODALITIES: Final = {"image": PartType.IMAGE, "audio": PartType.AUDIO, "video": PartType.VIDEO}
_Row = dict[str, Any]
_NUL_ESCAPE: Final = re.compile(r"(?<!\\)((?:\\\\)*)\\u0000")


def parsed(value: Any) -> Any:
    """Returns what JSON text of an object or array says; any other value as it is."""
    if not isinstance(value, str) or value.lstrip()[:1] not in ("{", "["):
        return value
    try:
        said, warnings = parse_json(value.encode("utf-8", "surrogatepass"))
    except ValueError:
        return value
    return value if warnings else said


def blocks_in(text: str) -> Any:
    """Returns the blocks that OpenLLMetry writes as JSON text, any other text as it is."""
    said = parsed(text) if text.startswith("[{") else None
    return said if isinstance(said, list) and all(map(_is_block, said)) else text


def _is_block(value: Any) -> bool:
    block = as_object(value)
    return any(name in block for name in _FIELDS_OF_BLOCKS.get(as_text(block.get("type")) or "", ()))


def block_of(part: Any) -> Any:
    """Returns a part as a row of content parts; one that is not of a known form as it is, of an unknown type."""
    if isinstance(part, str):
        return part
    kind = as_text(as_object(part).get("type"))
    read = _READERS.get(kind or "")
    row = None if read is None else read(dict(part))
    return {"part_type": PartType.UNKNOWN.value, "source_type": kind or "part", "block": part} if row is None else row


def _row(part_type: PartType, part: _Row, **columns: Any) -> _Row:
    kind = part.pop("type")
    return {**part, "part_type": part_type.value, "source_type": kind, **columns}


def _said(part_type: PartType) -> Callable[[_Row], _Row | None]:
    def read(part: _Row) -> _Row | None:
        name = "content" if "content" in part else "text"
        if not isinstance(part.get(name), str) or "text_content" in part:
            return None
        return _row(part_type, part, text_content=part.pop(name))

    return read


def _call(part: _Row) -> _Row | None:
    name, own = as_text(part.get("name")), as_identifier(part.get("id"))
    if name is None or not OF_ROWS.isdisjoint(part):
        return None
    arguments = parsed(part.pop("arguments", None))
    for taken in ("name", *(["id"] if own else [])):
        del part[taken]
    return _row(PartType.TOOL_USE, part, tool_name=name, tool_use_id=own, tool_input=arguments)


def _result(part: _Row) -> _Row | None:
    name = next((name for name in ("response", "result", "content") if name in part), None)
    own = as_identifier(part.get("id"))
    if name is None or not OF_ROWS.isdisjoint(part):
        return None
    if own:
        del part["id"]
    return _row(PartType.TOOL_RESULT, part, text_content=text_of(part.pop(name)), tool_use_id=own)


def text_of(value: Any) -> str | None:
    """Returns a value as the text that it is, or as JSON text; None of null."""
    if isinstance(value, str) or value is None:
        return value
    return _NUL_ESCAPE.sub(r"\1\0", json.dumps(value, ensure_ascii=False))  # what no table takes is dropped as itself


def _media(part: _Row) -> _Row | None:
    modality = as_text(part.get("modality"))
    uri = as_text(part.get("uri")) or as_identifier(part.get("file_id"))
    digest = base64_sha256(part.get("content", part.get("data")))
    if not OF_ROWS.isdisjoint(part) or not (uri or digest):
        return None
    if as_text(part.get("uri")):
        del part["uri"]
    return _row(_MODALITIES.get(modality or "", PartType.FILE), part, **_filled(uri=uri, content_sha256=digest))


def _filled(**columns: Any) -> _Row:
    return {name: value for name, value in columns.items() if value is not None}


# A part that has one of these beside what is read of it would be taken for a row.
OF_ROWS: Final = frozenset({"text_content", "tool_name", "tool_use_id", "tool_input", "content_sha256", "source_type"})
_READERS: Final[Mapping[str, Callable[[_Row], _Row | None]]] = {
    "text": _said(PartType.TEXT),
    "reasoning": _said(PartType.THINKING),
    "thinking": _said(PartType.THINKING),
    "tool_call": _call,
    "tool_call_response": _result,
    "blob": _media,
    "uri": _media,
    "file": _media,
}


# By their types the fields of which blocks of APIs have one: what models and tools say is JSON with types, too.
_FIELDS_OF_BLOCKS: Final[Mapping[str, tuple[str, ...]]] = {
    **dict.fromkeys(("text", "input_text", "output_text", "reasoning"), ("text", "content")),
    **{kind: (kind,) for kind in ("refusal", "thinking", "image_url", "input_audio")},
    "image": ("source", "image"),
    "input_image": ("image_url", "file_id"),
    "document": ("source",),
    "file": ("file", "data", "file_id"),
    "tool_use": ("input",),
    "tool_result": ("tool_use_id",),
    "tool_call": ("arguments",),
    "tool_call_response": ("response", "result"),
    **dict.fromkeys(("tool-call", "tool-result"), ("toolCallId",)),
    "redacted_thinking": ("data",),
}


def item_of(given: Any) -> Any:
    """Returns an item of content in OpenInference's form as a block of OpenAI's."""
    item = without_prefix(given, "message_content")
    if not isinstance(item, dict):
        return item
    image = item.get("image", item.get("image.image.url", item.get("image.url")))
    if item.get("type") != "image" or image is None:
        return item
    url = as_text(image) or as_text(as_object(as_object(image).get("image", image)).get("url"))
    rest = {name: value for name, value in item.items() if not name.startswith("image") and name != "type"}
    is_only = as_text(image) or as_object(image).keys() <= {"image", "url"}
    return {**rest, "type": "image_url", "image_url": {"url": url}} if url and is_only else item


def without_prefix(value: Any, name: str) -> Any:
    """Returns an object without the name that OpenInference has around its fields, or before each of them."""
    if not isinstance(value, dict):
        return value
    if value.keys() == {name} and isinstance(value[name], dict):
        return value[name]
    prefix = f"{name}."
    if not any(field.startswith(prefix) for field in value):
        return value
    bare = {field.removeprefix(prefix): item for field, item in value.items()}
    return bare if len(bare) == len(value) else value
