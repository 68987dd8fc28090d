"""The blocks of a messages array: text, images, audio, files, tool calls and results, by the names APIs give them.

Binary content that comes with a block is hashed here and kept in the block; what only points somewhere keeps its
address. A block of a type that is not known is an error, unlike in exports: a caller can be told. What no column takes
of a block or a call stays in its part's source.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final
from urllib.parse import unquote_to_bytes

from archive_pipeline.domain.records import PartRecord, PartType
from archive_pipeline.errors import InvalidMessagesError
from archive_pipeline.readers.chat_arrays.digests import sha256, sha256_of_base64
from archive_pipeline.readers.chat_arrays.objects import as_mapping
from archive_pipeline.readers.json.fields import Fields
from archive_pipeline.readers.json.shapes import as_object, as_text, joined

# The parts of one block: a tool's result comes with the images in it.
Block = list[PartRecord]
_Fields = Mapping[str, Any]
_TRANSCRIPT: Final = "transcript"
_SHA256: Final = re.compile(r"[0-9a-fA-F]{64}")


def is_result(block: Block) -> bool:
    """Tell whether a block is a tool's result."""
    return bool(block) and block[0].part_type is PartType.TOOL_RESULT


def read_blocks(blocks: Sequence[object], place: str) -> list[Block]:
    """Return the parts of each block.

    Raises:
        InvalidMessagesError: a block is of no known type, or its content cannot be read.
    """
    return [read_block(block, f"{place}[{index}]") for index, block in enumerate(blocks)]


def read_block(block: object, place: str) -> Block:
    """Return the parts of one block; errors are those of ``read_blocks``."""
    if isinstance(block, str):
        return [PartRecord(PartType.TEXT, block, "text")] if block else []
    fields = as_mapping(block)
    if fields is None:
        raise InvalidMessagesError(f"{place} is a {type(block).__name__}, not text or an object")
    if "part_type" in fields:
        return [_own_row(fields, place)]
    name = fields.get("type")
    reader = _READERS.get(name) if isinstance(name, str) else None
    if reader is None:
        raise InvalidMessagesError(f"{place}.type is {name!r}; known are {', '.join(_READERS)}")
    return reader(fields, place)


def _own_row(row: _Fields, place: str) -> PartRecord:
    """A row of ``raw.content_parts``."""
    try:
        part_type = PartType(row["part_type"])
    except ValueError as error:
        raise InvalidMessagesError(
            f"{place}.part_type is {row['part_type']!r}; known are {', '.join(PartType)}"
        ) from error
    fields = Fields(row)
    fields.take("part_type")
    digest = as_text(row.get("content_sha256"))
    is_digest = digest is not None and _SHA256.fullmatch(digest) is not None
    return PartRecord(
        part_type,
        fields.take_text("text_content"),
        fields.take_text("source_type") or part_type.value,
        tool_name=fields.take_text("tool_name"),
        tool_use_id=fields.take_identifier("tool_use_id"),
        tool_input=fields.take("tool_input"),
        is_error=fields.take_flag("is_error"),
        language=fields.take_text("language"),
        mime_type=fields.take_text("mime_type"),
        uri=fields.take_text("uri"),
        content_sha256=fields.take_text("content_sha256") if is_digest else None,
        source=fields.rest(),
    )


def _said_in(name: str) -> Callable[[_Fields, str], Block]:
    def read(block: _Fields, place: str) -> Block:
        value = block.get(name)
        if value is not None and not isinstance(value, str):
            raise InvalidMessagesError(f"{place}.{name} is a {type(value).__name__}, not text")
        fields = _fields_of(block)
        text, source = fields.take_text(name), fields.rest()
        kind = as_text(block.get("type")) or name
        return [PartRecord(PartType.TEXT, text, kind, source=source)] if text or source else []

    return read


def _thinking(block: _Fields, _place: str) -> Block:
    fields = _fields_of(block)
    text = fields.take_text("thinking")
    return [PartRecord(PartType.THINKING, text, as_text(block.get("type")), source=fields.rest())]


def _tool_use(block: _Fields, _place: str) -> Block:
    fields = _fields_of(block)
    return [
        PartRecord(
            PartType.TOOL_USE,
            source_type="tool_use",
            tool_name=fields.take_text("name"),
            tool_use_id=fields.take_identifier("id"),
            tool_input=fields.take("input"),
            source=fields.rest(),
        )
    ]


def _tool_result(block: _Fields, place: str) -> Block:
    fields = _fields_of(block)
    content = fields.take("content")
    items = [] if content is None else [content] if isinstance(content, str) else content
    if not isinstance(items, list | tuple):
        raise InvalidMessagesError(f"{place}.content is a {type(content).__name__}, not text, a list or null")
    parts = [part for inner in read_blocks(items, f"{place}.content") for part in inner]
    result = PartRecord(
        PartType.TOOL_RESULT,
        source_type="tool_result",
        tool_name=fields.take_text("name"),
        tool_use_id=fields.take_identifier("tool_use_id"),
        is_error=fields.take_flag("is_error"),
        source=fields.rest(),
    )
    return result_with_parts(result, parts)


def _fields_of(block: _Fields) -> Fields:
    """Return the fields of a block of known type but the type, which its part names."""
    fields = Fields(block)
    fields.take("type")
    return fields


def result_with_parts(result: PartRecord, parts: Sequence[PartRecord]) -> Block:
    """Return a tool's result with the texts among its parts, and the other parts beside it, which bear its id."""
    texts = [part for part in parts if part.part_type is PartType.TEXT]
    media = [part for part in parts if part.part_type is not PartType.TEXT]
    beside = [said for part in texts if (said := _beside_text(part))]
    source = {**(result.source or {}), "content": beside} if beside else result.source
    whole = replace(result, text=joined(part.text for part in texts), source=source)
    return [whole, *(replace(part, tool_use_id=part.tool_use_id or result.tool_use_id) for part in media)]


def _beside_text(part: PartRecord) -> dict[str, Any]:
    """Return what a text in a result says beside it: the type of a block that none of the APIs has, too."""
    is_known = part.source_type is None or part.source_type in _READERS or part.source_type == _TRANSCRIPT
    return {**(part.source or {}), **({} if is_known else {"source_type": part.source_type})}


def _openai_image(block: _Fields, place: str) -> Block:
    value = block.get("image_url")
    url = as_text(value) or as_text(as_object(value).get("url")) or as_text(block.get("file_id"))
    return [_media(PartType.IMAGE, block, place, address=url)]


def _openai_audio(block: _Fields, place: str) -> Block:
    audio = as_object(block.get("input_audio"))
    kind = as_text(audio.get("format"))
    return [
        _media(PartType.AUDIO, block, place, data=audio.get("data"), mime_type=f"audio/{kind}" if kind else None),
    ]


def _spoken(block: _Fields, place: str) -> Block:
    """What a model said aloud: later requests name it by its id alone, and its transcript is what it says."""
    said = as_mapping(block.get("audio")) or {}
    words = as_text(said.get("transcript"))
    audio = _media(PartType.AUDIO, block, f"{place}.audio", address=as_text(said.get("id")), data=said.get("data"))
    return [audio, PartRecord(PartType.TEXT, words, _TRANSCRIPT)] if words else [audio]


def _openai_file(block: _Fields, place: str) -> Block:
    """A file: in a field of its own, or, in a request for responses, beside the type."""
    file = as_object(block.get("file")) or block
    addresses = (as_text(file.get(name)) for name in ("file_data", "file_id", "file_url", "filename"))
    return [_media(PartType.FILE, block, place, address=next(filter(None, addresses), None))]


def _anthropic_media(part_type: PartType) -> Callable[[_Fields, str], Block]:
    def read(block: _Fields, place: str) -> Block:
        source = as_object(block.get("source"))
        mime_type = as_text(source.get("media_type"))
        if source.get("type") == "text":
            digest = _sha256_of_content(as_text(source.get("data")) or "", f"{place}.source.data")
            return [_part(part_type, block, mime_type=mime_type, content_sha256=digest)]
        if source.get("type") == "content":
            digest = _sha256_of_content(source.get("content"), f"{place}.source.content")
            return [_part(part_type, block, content_sha256=digest)]
        address = as_text(source.get("url")) or as_text(source.get("file_id"))
        return [_media(part_type, block, place, address=address, data=source.get("data"), mime_type=mime_type)]

    return read


def _search_result(block: _Fields, place: str) -> Block:
    digest = _sha256_of_content(block.get("content"), f"{place}.content")
    return [_part(PartType.FILE, block, uri=as_text(block.get("source")), content_sha256=digest)]


def _sha256_of_content(content: object, place: str) -> str:
    """Hash what is given as blocks: their texts, and of pictures and files what they are known by."""
    items = [content] if isinstance(content, str) else content
    if not isinstance(items, list | tuple):
        raise InvalidMessagesError(f"{place} is a {type(content).__name__}, not text or a list")
    parts = [part for block in read_blocks(items, place) for part in block]
    said = joined(part.text or part.content_sha256 or part.uri for part in parts) or ""
    return sha256(said.encode("utf-8", "replace"))


_READERS: Final[Mapping[str, Callable[[_Fields, str], Block]]] = {
    "text": _said_in("text"),
    "input_text": _said_in("text"),
    "output_text": _said_in("text"),
    "refusal": _said_in("refusal"),
    "thinking": _thinking,
    "redacted_thinking": _thinking,
    "image_url": _openai_image,
    "input_image": _openai_image,
    "input_audio": _openai_audio,
    "audio": _spoken,
    "file": _openai_file,
    "input_file": _openai_file,
    "image": _anthropic_media(PartType.IMAGE),
    "document": _anthropic_media(PartType.FILE),
    "search_result": _search_result,
    "tool_use": _tool_use,
    "tool_result": _tool_result,
}


def _media(
    part_type: PartType,
    block: _Fields,
    place: str,
    *,
    address: str | None = None,
    data: object = None,
    mime_type: str | None = None,
) -> PartRecord:
    """A part with binary content, given as base64, as a data URL, or by its address."""
    if isinstance(data, str):
        return _part(part_type, block, mime_type=mime_type, content_sha256=sha256_of_base64(data, place))
    if address is not None and address.startswith("data:"):
        header, _, payload = address[len("data:") :].partition(",")
        kind = header.partition(";")[0] or mime_type
        is_base64 = header.endswith(";base64")
        digest = sha256_of_base64(payload, place) if is_base64 else sha256(unquote_to_bytes(payload))
        return _part(part_type, block, mime_type=kind, content_sha256=digest)
    if address is None:
        raise InvalidMessagesError(f"{place} has neither content nor an address")
    return _part(part_type, block, mime_type=mime_type, uri=address)


def _part(part_type: PartType, block: _Fields, **fields: Any) -> PartRecord:
    return PartRecord(part_type, source_type=as_text(block.get("type")), source=dict(block), **fields)
