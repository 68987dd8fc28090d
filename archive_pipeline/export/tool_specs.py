"""The tools of a conversation as JSON schemas: those that its source defines, and others as their calls tell them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from archive_pipeline.export.call_arguments import parse_arguments
from archive_pipeline.export.turns import Turn


def tool_specs(found: Iterable[Turn], defined: Sequence[dict[str, Any]] = ()) -> list[dict[str, Any]]:
    """Return the defined tools, then what else turns call, in the order of names, as OpenAI's API takes them."""
    used: dict[str, list[dict[str, Any]]] = {}
    for turn in found:
        for call in turn.calls:
            used.setdefault(call.name, []).append(parse_arguments(call.arguments))
    known = {tool["function"]["name"] for tool in defined}
    return [*defined, *(_spec(name, calls) for name, calls in sorted(used.items()) if name not in known)]


def _spec(name: str, calls: Sequence[dict[str, Any]]) -> dict[str, Any]:
    given: dict[str, list[Any]] = {}
    for arguments in calls:
        for key, value in arguments.items():
            given.setdefault(key, []).append(value)
    properties = {key: _schema(values) for key, values in sorted(given.items())}
    required = [key for key in properties if all(key in arguments for arguments in calls)]
    parameters = {"type": "object", "properties": properties, "required": required}
    return {"type": "function", "function": {"name": name, "description": "", "parameters": parameters}}


def _schema(values: Sequence[Any]) -> dict[str, Any]:
    """Return a schema that values follow; what lists hold is part of it, since APIs refuse a list of anything."""
    types = sorted({_json_type(value) for value in values})
    schema: dict[str, Any] = {"type": types[0] if len(types) == 1 else types}
    if "array" in types:
        items = [item for value in values if isinstance(value, list) for item in value]
        schema["items"] = _schema(items) if items else {}
    return schema


def _json_type(value: Any) -> str:
    if isinstance(value, bool):
        return "boolean"
    kinds = ((str, "string"), (int, "integer"), (float, "number"), (list, "array"), (dict, "object"))
    return next((name for kind, name in kinds if isinstance(value, kind)), "null")
