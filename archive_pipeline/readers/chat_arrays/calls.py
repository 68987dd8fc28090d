"""Calls of tools beside a message's content, as OpenAI's APIs and seed 004 write them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import orjson

from archive_pipeline.domain.records import JsonText, PartRecord, PartType
from archive_pipeline.errors import InvalidMessagesError
from archive_pipeline.readers.chat_arrays.objects import as_mapping
from archive_pipeline.readers.json.fields import Fields
from archive_pipeline.readers.json.parsing import MAX_DEPTH
from archive_pipeline.readers.json.structure import extent_of

_NUL_ESCAPE: Final = "\\u0000"


def tool_call(call: object, place: str) -> PartRecord:
    """Return the part of a call in OpenAI's form, or in that of seed 004 (``name`` and ``parameters``)."""
    said = _said(call, place)
    fields = Fields(said)
    name = next((name for name in ("function", "custom") if isinstance(said.get(name), Mapping)), None)
    if name is None:
        return _call(fields, fields, name)
    return _call(Fields(fields.take(name)), fields, name)


def legacy_call(call: object, place: str) -> PartRecord:
    """Return the part of a ``function_call``, which has no id."""
    function = Fields(_said(call, place))
    return _call(function, Fields({}), None)


def flat_call(call: Fields, source_type: str, *, tool: str, call_id: str) -> PartRecord:
    """Return the part of a call whose ``arguments`` stand beside the fields with the tool's name and the call's id."""
    tool_input, text = call_arguments(call.take("arguments"))
    return PartRecord(
        PartType.TOOL_USE,
        text,
        source_type,
        tool_name=call.take_text(tool),
        tool_use_id=call.take_identifier(call_id),
        tool_input=tool_input,
        source=call.rest(),
    )


def _said(call: object, place: str) -> Mapping[str, Any]:
    said = as_mapping(call)
    if said is None:
        raise InvalidMessagesError(f"{place} is a {type(call).__name__}, not an object")
    return said


def _call(function: Fields, call: Fields, name: str | None) -> PartRecord:
    """Return the part of a call.

    Args:
        function: the fields that name the tool and its arguments.
        call: the fields of the call, which may be the same.
        name: the field of the call in which those of the function stand; None if they stand in it or alone.
    """
    given = next((key for key in ("arguments", "parameters", "input") if key in function.fields_left()), None)
    arguments = None if given is None else function.take(given)
    tool_input, text = call_arguments(arguments)
    tool = function.take_text("name")
    call_id = call.take_identifier("id")
    if call.fields_left().get("type") == "function":
        call.take("type")
    inner = function.rest()
    source = inner if name is None else {**(call.rest() or {}), **({name: inner} if inner else {})}
    return PartRecord(
        PartType.TOOL_USE,
        text=text,
        source_type="tool_call",
        tool_name=tool,
        tool_use_id=call_id,
        tool_input=tool_input,
        source=source or None,
    )


def call_arguments(value: object) -> tuple[object, str | None]:
    """Return arguments, and the text that the source has where they do not say it.

    A text stays what it is: ``JsonText`` if it is JSON, a text if it is none or too deep. JSON of a string becomes the
    string, which alone would be taken for a text that is no JSON.
    """
    if not isinstance(value, str):
        return value, None
    try:
        said = orjson.loads(value)
    except orjson.JSONDecodeError:
        return value, None
    if extent_of(said).depth > MAX_DEPTH:
        return value, None
    if isinstance(said, str):
        return said, value
    return (said if _NUL_ESCAPE in value else JsonText(value)), None
