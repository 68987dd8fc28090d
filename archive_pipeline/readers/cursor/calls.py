"""Calls of tools: what the model gave, and what it got."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from archive_pipeline.domain.records import PartRecord, PartType
from archive_pipeline.readers.chat_arrays.calls import call_arguments
from archive_pipeline.readers.json.fields import Fields, is_empty
from archive_pipeline.readers.json.shapes import as_object, as_text, joined

CALL: Final = "toolFormerData"
_ADDITIONAL: Final = "additionalData"
# As the model wrote them; as Cursor understood them, which is all that there is of some tools.
_ARGUMENTS: Final = ("rawArgs", "params")


def call_status(call: Mapping[str, Any]) -> str | None:
    """Returns how a call ended; what the tool says goes before what the request for it says."""
    return as_text(as_object(call.get(_ADDITIONAL)).get("status")) or as_text(call.get("status"))


def says_a_call(call: Mapping[str, Any]) -> bool:
    """Tells a call from a status alone, which texts and failures of answers have in its place, too."""
    return any(not is_empty(value) for name, value in call.items() if name != _ADDITIONAL)


def call_parts(call: Mapping[str, Any]) -> Iterator[PartRecord]:
    """Returns the parts of a call: what was called, and the result or error once there is one."""
    fields = Fields(call)
    name = fields.take_text("name")
    call_id = fields.take_identifier("toolCallId")
    given, text = _given(fields)
    texts = [fields.take_text("result"), fields.take_text("error")]
    is_error = texts[1] is not None or call_status(call) == "error"
    other = {} if texts[0] is not None or is_empty(call.get("result")) else {"result": fields.take("result")}
    yield PartRecord(PartType.TOOL_USE, text, CALL, name, call_id, given, source=fields.rest())
    if other or any(texts) or (is_error and name is not None):
        source = other or None
        yield PartRecord(PartType.TOOL_RESULT, joined(texts), CALL, name, call_id, is_error=is_error, source=source)


def _given(fields: Fields) -> tuple[Any, str | None]:
    """Takes the arguments: a value, and the text that says them otherwise."""
    for name in _ARGUMENTS:
        if not is_empty(fields.fields_left().get(name)):
            return call_arguments(fields.take(name))
    return None, None
