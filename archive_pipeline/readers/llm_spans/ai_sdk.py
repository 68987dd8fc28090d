"""What Vercel's AI SDK logs in words of its own: blocks of messages, and the answer of a call beside its messages.

Spans such as ``ai.generateText`` are of what calls the model, those of ``.doGenerate`` and ``.doStream`` are the calls.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from archive_pipeline.domain.records import PartType
from archive_pipeline.readers.json.fields import Fields
from archive_pipeline.readers.json.shapes import as_object, as_text, base64_sha256
from archive_pipeline.readers.llm_spans.parts import OF_ROWS, parsed, text_of

_Row = dict[str, Any]
_OPERATIONS: Final = ("ai.operationId", "operation.name")
_CALLS_OF_MODELS: Final = (".doGenerate", ".doStream")
# Its names of the answer, the older ones last.
_TEXTS: Final = ("ai.response.text", "ai.result.text", "ai.response.object", "ai.result.object")
_TOOL_CALLS: Final = ("ai.response.toolCalls", "ai.result.toolCalls")
_THOUGHTS: Final = "ai.response.reasoning"
_MEDIA: Final = {"image": PartType.IMAGE, "audio": PartType.AUDIO, "video": PartType.VIDEO}


def is_of_agent(attributes: Mapping[str, Any]) -> bool:
    """Tells whether a span is one of the AI SDK, but no call of a model."""
    named = next(filter(None, (as_text(attributes.get(name)) for name in _OPERATIONS)), "")
    operation = named.split(" ")[0]  # behind it is what the program calls the function
    return operation.startswith("ai.") and not operation.endswith(_CALLS_OF_MODELS)


def take_answer(attributes: dict[str, Any]) -> _Row | None:
    """Takes the answer of a call; None if there is none."""
    text = next((name for name in _TEXTS if as_text(attributes.get(name))), None)
    called = next((name for name in _TOOL_CALLS if _calls(attributes.get(name))), None)
    if text is None and called is None:
        return None
    message: _Row = {"role": "assistant"}
    if as_text(attributes.get(_THOUGHTS)):
        message["reasoning"] = attributes.pop(_THOUGHTS)
    if text is not None:
        message["content"] = attributes.pop(text)
    if called is not None:
        message["tool_calls"] = _calls(attributes.pop(called))
    return message


def _calls(value: Any) -> list[Any]:
    said = parsed(value)
    return said if isinstance(said, list) else []


def block_of(block: Any) -> Any:
    """Returns a block as a row of content parts; one of another form as it is."""
    kind = as_text(as_object(block).get("type")) or ""
    read = _READERS.get(kind)
    if read is None or not _OF_ROWS.isdisjoint(block):
        return block
    fields = Fields(block)
    fields.take("type")
    columns = read(fields)
    return block if columns is None else {**(fields.rest() or {}), **columns, "source_type": kind}


def _call(block: Fields) -> _Row | None:
    given = next((name for name in ("args", "input") if name in block.fields_left()), None)
    own, tool = block.take_identifier("toolCallId"), block.take_text("toolName")
    if given is None or own is None or tool is None:
        return None
    called = {"tool_use_id": own, "tool_name": tool, "tool_input": parsed(block.take(given))}
    return {"part_type": PartType.TOOL_USE.value, **called}


def _result(block: Fields) -> _Row | None:
    given = next((name for name in ("output", "result") if name in block.fields_left()), None)
    own, tool, flag = block.take_identifier("toolCallId"), block.take_text("toolName"), block.take_flag("isError")
    if given is None or own is None:
        return None
    output = block.take(given)
    kind = as_text(as_object(output).get("type")) or ""
    if kind and output.keys() == {"type", "value"} and kind in _OUTPUTS:
        output = output["value"]
        flag = kind.startswith("error") or flag
    columns = {"tool_use_id": own, "tool_name": tool, "is_error": flag, "text_content": text_of(output)}
    return {"part_type": PartType.TOOL_RESULT.value, **columns}


def _file(name: str) -> Callable[[Fields], _Row | None]:
    """Returns what reads a file, which is an address or base64; base64 stays in the row."""

    def read(block: Fields) -> _Row | None:
        value = as_text(block.fields_left().get(name))
        if value is None:
            return None
        mime_type = block.take_text("mediaType") or block.take_text("mimeType")
        part_type = _MEDIA.get((mime_type or name).partition("/")[0], PartType.FILE)
        is_data = value.startswith("data:")
        digest = base64_sha256(value.partition(",")[2] if is_data else value)
        uri = None if digest else block.take_text(name)
        columns = {"mime_type": mime_type, "content_sha256": digest, "uri": uri}
        return {"part_type": part_type.value, **{name: item for name, item in columns.items() if item is not None}}

    return read


def _thought(block: Fields) -> _Row | None:
    text = block.take_text("text")
    return None if text is None else {"part_type": PartType.THINKING.value, "text_content": text}


_OUTPUTS: Final = frozenset({"text", "json", "error-text", "error-json"})
# A block that has one of these beside what is read of it would be taken for a row.
_OF_ROWS: Final = OF_ROWS | {"part_type", "is_error", "mime_type", "uri"}
_READERS: Final[Mapping[str, Callable[[Fields], _Row | None]]] = {
    "tool-call": _call,
    "tool-result": _result,
    "image": _file("image"),
    "file": _file("data"),
    "reasoning": _thought,
}
