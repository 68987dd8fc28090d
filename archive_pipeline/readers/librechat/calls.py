"""Calls of tools in LibreChat's content, each with what came of it: its own agents' and OpenAI's assistants'."""

from __future__ import annotations

from typing import Any, Final

from archive_pipeline.domain.records import PartRecord, PartType
from archive_pipeline.readers.chat_arrays.calls import call_arguments
from archive_pipeline.readers.json.fields import Fields, is_empty
from archive_pipeline.readers.json.shapes import as_list, as_object, as_text, joined

# Where a call of an assistant has what the tool was given; an agent's has it in the call itself.
_INNER: Final = ("function", "code_interpreter", "retrieval", "file_search")
_GIVEN: Final = ("args", "arguments", "input")
_GAVE: Final = ("output", "outputs")


def call_parts(kind: str, fields: Fields) -> list[PartRecord]:
    """Takes a call and, where there is one, its result; none if the part has no call."""
    if not isinstance(fields.fields_left().get(kind), dict):
        return []
    call = Fields(fields.take(kind))
    if call.fields_left().get("type") == kind:
        call.take("type")
    name = next((name for name in _INNER if isinstance(call.fields_left().get(name), dict)), None)
    inner = call if name is None else Fields(call.take(name))
    tool, call_id = inner.take_text("name") or name, call.take_identifier("id")
    given = next((field for field in _GIVEN if field in inner.fields_left()), None)
    arguments, text = call_arguments(inner.take(given) if given is not None else None)
    result = _result(inner, kind)
    if name is not None and (rest := inner.rest()):
        call.fields_left()[name] = rest
    if rest := call.rest():
        fields.fields_left()[kind] = rest
    use = PartRecord(PartType.TOOL_USE, text, kind, tool, call_id, arguments, source=fields.rest())
    if result is None:
        return [use]
    result.tool_name, result.tool_use_id = tool, call_id
    return [use, result]


def _result(fields: Fields, kind: str) -> PartRecord | None:
    """Takes what a tool gave back: a text, or outputs of code with their logs."""
    text = fields.take_text("output")
    source: dict[str, Any] = {}
    for name in _GAVE:
        if not is_empty(fields.fields_left().get(name)):
            source[name] = fields.take(name)
            text = joined([text, *map(_log, as_list(source[name]))])
    return PartRecord(PartType.TOOL_RESULT, text, kind, source=source or None) if text or source else None


def _log(output: object) -> str | None:
    return as_text(output) or as_text(as_object(output).get("logs")) or as_text(as_object(output).get("text"))
