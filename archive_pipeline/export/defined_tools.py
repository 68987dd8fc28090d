"""Tools as the source of a conversation defines them, in the one form of OpenAI's API.

Sources have them as a list or as its JSON text; each definition stands in OpenAI's envelope (``function``) or alone,
with ``parameters``, or with ``input_schema`` as Anthropic has it. What is nothing of the kind defines no tool.
"""

from __future__ import annotations

from collections import Counter
from typing import Any, Final

from archive_pipeline.export.call_arguments import parse_arguments
from archive_pipeline.export.tool_names import tool_name
from archive_pipeline.readers.json.parsing import parse_json
from archive_pipeline.text.sanitize import json_text

_SCHEMAS: Final = ("parameters", "input_schema")


def defined_tools(text: str) -> list[dict[str, Any]]:
    """Return the tools that JSON text defines, in its order; of several with one name the first."""
    value = parse_arguments(text)
    if isinstance(value, str):
        value = _value_of(value)
    found: dict[str, dict[str, Any]] = {}
    for item in value if isinstance(value, list) else ():
        function = _function(item)
        if function is not None:
            found.setdefault(function["name"], {"type": "function", "function": function})
    return list(found.values())


def _value_of(text: str) -> Any:
    """Return the value of JSON text that anybody wrote, as exports can hold it; None if it is none."""
    try:
        value, _ = parse_json(text.encode())
    except ValueError:
        return None
    return parse_arguments(json_text(value, Counter()) or "null")


def _function(item: Any) -> dict[str, Any] | None:
    if not isinstance(item, dict):
        return None
    envelope = item.get("function")
    given = envelope if isinstance(envelope, dict) else item
    parameters = _parameters(given, is_function=given is envelope or item.get("type") == "function")
    if not isinstance(given.get("name"), str) or parameters is None:
        return None
    description, strict = given.get("description"), given.get("strict")
    function = {
        "name": tool_name(given["name"]),
        "description": description if isinstance(description, str) else "",
        "parameters": parameters,
    }
    return function | ({"strict": strict} if isinstance(strict, bool) else {})


def _parameters(given: dict[str, Any], *, is_function: bool) -> dict[str, Any] | None:
    """Return the schema of a function's parameters; None if there is none and nothing else tells that it is one."""
    if not is_function and given.keys().isdisjoint(_SCHEMAS):
        return None  # a name alone may be anything
    parameters = next(filter(None, map(given.get, _SCHEMAS)), {"type": "object", "properties": {}})
    return parameters if isinstance(parameters, dict) else None
