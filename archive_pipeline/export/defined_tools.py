"""Tools as the source of a conversation defines them, in the one form of OpenAI's API.

Sources have them as a list or as its JSON text; each definition stands in OpenAI's envelope (``function``) or alone,
with ``parameters``, or with ``input_schema`` as Anthropic has it. What is nothing of the kind defines no tool.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

from archive_pipeline.export.call_arguments import parse_arguments
from archive_pipeline.export.tool_names import tool_name
from archive_pipeline.readers.json.parsing import parse_json
from archive_pipeline.text.sanitize import json_text


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
    given = item.get("function", item)
    if not isinstance(given, dict) or not isinstance(given.get("name"), str):
        return None
    # In the envelope a function without parameters is one all the same; elsewhere a name alone may be anything.
    nothing = None if given is item else {"type": "object", "properties": {}}
    parameters = given.get("parameters") or given.get("input_schema") or nothing
    if not isinstance(parameters, dict):
        return None
    function = {
        "name": tool_name(given["name"]),
        "description": given.get("description") or "",
        "parameters": parameters,
    }
    return function | ({"strict": given["strict"]} if "strict" in given else {})
