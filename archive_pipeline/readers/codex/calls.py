"""Calls of tools and their outputs: a text, an array of texts and pictures, also as a text, or an object around these.

Commands say how they ended in the output itself: earlier versions in a text that is JSON, later ones in lines above it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping
from typing import Any, Final

import orjson

from archive_pipeline.domain.records import PartRecord, PartType
from archive_pipeline.readers.chat_arrays.calls import call_arguments
from archive_pipeline.readers.json.fields import Fields, is_empty
from archive_pipeline.readers.json.shapes import as_identifier, as_list, as_object, as_text, base64_sha256, joined

CALL: Final = "_call"
OUTPUT: Final = "_output"
_IMAGE: Final = "image_generation_call"
_GIVEN: Final = ("arguments", "input", "action", "revised_prompt")
_ENDED: Final = re.compile(r"^(?:Process exited with code|Exit code:) (-?[0-9]+)$", re.MULTILINE)
_HEAD: Final = 300  # characters within which an output says how its command ended
# Of MCP, the blocks that are read in a text, each with the field of its content.
_BLOCKS: Final[Mapping[str, str]] = {"text": "text", "image": "data", "audio": "data"}
_OUTPUT_FIELDS: Final = {"output", "metadata"}

# Reads one block of a content.
BlockReader = Callable[[object], list[PartRecord]]


class Calls:
    """The calls of a session, by their ids."""

    def __init__(self, warnings: Counter[str]) -> None:
        self._warnings = warnings
        self._tools: dict[str, str] = {}

    def call(self, name: str, fields: Fields) -> list[PartRecord]:
        """Takes a call; ``name`` is the type of the item."""
        tool = fields.take_text("name") or name.removesuffix(CALL)
        call_id = fields.take_identifier("call_id") or as_identifier(fields.fields_left().get("id"))
        if call_id is not None:
            self._tools[call_id] = tool
        given = next((field for field in _GIVEN if not is_empty(fields.fields_left().get(field))), None)
        tool_input, text = call_arguments(None if given is None else fields.take(given))
        use = PartRecord(
            PartType.TOOL_USE, text, name, tool_name=tool, tool_use_id=call_id, tool_input=tool_input, source=None
        )
        return [use, *_picture(fields, call_id)] if name == _IMAGE else [use]

    def output(self, name: str, fields: Fields, read_block: BlockReader) -> list[PartRecord]:
        """Takes what a tool gave back: its texts in one part, and a part for each picture."""
        call_id = fields.take_identifier("call_id")
        tool = self._tools.get(call_id or "")
        self._warnings["unpaired_tool_result"] += tool is None
        text, is_error, left, media = _read_output(fields.take("output"), read_block)
        result = PartRecord(
            PartType.TOOL_RESULT,
            text,
            name,
            tool_name=fields.take_text("name") or tool,
            tool_use_id=call_id,
            is_error=is_error,
            source=None if is_empty(left) else {"output": left},
        )
        for part in media:
            part.tool_use_id = call_id
        return [result, *media]


def _picture(fields: Fields, call_id: str | None) -> list[PartRecord]:
    """Takes the picture that a call has made, which comes with the call."""
    content = fields.take_text("result")
    if content is None:
        return []
    source = {"result": content}
    digest = base64_sha256(content)
    return [PartRecord(PartType.IMAGE, None, "result", tool_use_id=call_id, content_sha256=digest, source=source)]


_Read = tuple[str | None, bool | None, Any, list[PartRecord]]


def _read_output(output: object, read_block: BlockReader) -> _Read:
    """Returns the text of an output, whether it is an error, what is left of it, and its pictures."""
    if isinstance(output, str):
        return _read_blocks(output, read_block) or _read_text(output)
    if isinstance(output, list):
        text, left, media = _read_items(output, read_block)
        return text, None, left, media
    if isinstance(output, dict):
        return _read_object(Fields(output), read_block)
    return None, None, output, []


def _read_blocks(output: str, read_block: BlockReader) -> _Read | None:
    """Reads what a tool of MCP gave back, in versions that wrote its blocks as a text; None of one without media.

    The text is kept unless its blocks say it to the letter, so that pictures are not kept twice.
    """
    if not output.startswith('[{"'):
        return None
    try:
        items = orjson.loads(output)
    except ValueError:
        return None
    if not all(map(_says_what_it_has, items)) or all(item["type"] == "text" for item in items):
        return None
    text, left, media = _read_items(items, read_block)
    is_told = left is None and _is_as_written(items, output)
    return text, None, None if is_told else output, media


def _is_as_written(items: list[Any], output: str) -> bool:
    try:
        return orjson.dumps(items).decode() == output
    except orjson.JSONEncodeError:  # deeper than it writes
        return False


def _says_what_it_has(block: object) -> bool:
    fields = as_object(block)
    content = _BLOCKS.get(as_text(fields.get("type")) or "")
    return content is not None and as_text(fields.get(content)) is not None


def _read_text(output: str) -> _Read:
    inner = _wrapped(output)
    if inner is not None:
        code = as_object(inner["metadata"]).get("exit_code")
        return as_text(inner["output"]), code != 0 if isinstance(code, int) else None, output, []
    ended = _ENDED.search(output[:_HEAD].partition("\nOutput:")[0])
    return output or None, int(ended[1]) != 0 if ended else None, None, []


def _wrapped(output: str) -> dict[str, Any] | None:
    """Returns the object that an output is the JSON text of, if it is one of Codex's."""
    if not output.startswith('{"output":'):
        return None
    try:
        found = orjson.loads(output)
    except ValueError:
        return None
    is_own = set(found) == _OUTPUT_FIELDS and isinstance(found["output"], str)
    return dict(found) if is_own else None


def _read_object(fields: Fields, read_block: BlockReader) -> _Read:
    success = fields.take_flag("success")
    is_error = fields.take_flag("is_error") if success is None else not success
    if isinstance(fields.fields_left().get("content"), str):
        return fields.take_text("content"), is_error, fields.rest(), []
    text, left, media = _read_items(fields.take_items("content"), read_block)
    fields.put_back("content", as_list(left))
    return text, is_error, fields.rest(), media


def _read_items(items: list[Any], read_block: BlockReader) -> tuple[str | None, list[Any] | None, list[PartRecord]]:
    """Returns the texts of an array joined, what its texts are beside that, and the pictures."""
    texts: list[str | None] = []
    left: list[Any] = []
    media: list[PartRecord] = []
    for item in items:
        made = read_block(item)
        if not made and not is_empty(item):
            left.append(item)
        for part in made:
            if part.part_type is not PartType.TEXT:
                media.append(part)
                continue
            texts.append(part.text)
            if part.source is not None or part.source_type != "text":
                left.append({"type": part.source_type, **(part.source or {})})
    return joined(texts), left or None, media
