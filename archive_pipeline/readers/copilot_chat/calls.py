"""Calls of tools in an answer, each with what came of it.

VS Code keeps of a call what it shows; what the model gave to it and got of it is in the metadata of the answer, by the
same id.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from archive_pipeline.domain.records import PartRecord, PartType
from archive_pipeline.readers.chat_arrays.calls import call_arguments
from archive_pipeline.readers.json.fields import Fields, is_empty
from archive_pipeline.readers.json.shapes import as_identifier, as_list, as_object, as_text, joined

CALL: Final = "toolInvocationSerialized"
# What VS Code adds to ids, so that they are unique.
_ADDED: Final = re.compile(r"__vscode-[0-9]+\Z")
_COMMANDS: Final = ("toolEdited", "userEdited", "original")


class Calls:
    """What the metadata of an answer say of its calls, by their ids."""

    def __init__(self, result: object) -> None:
        metadata = as_object(as_object(result).get("metadata"))
        rounds = (as_list(as_object(item).get("toolCalls")) for item in as_list(metadata.get("toolCallRounds")))
        calls = (as_object(call) for found in rounds for call in found)
        self._given = {name: call.get("arguments") for call in calls if (name := _id(call.get("id"))) is not None}
        results = as_object(metadata.get("toolCallResults"))
        self._results = {_ADDED.sub("", name): result for name, result in results.items()}

    def parts(self, item: Mapping[str, Any]) -> list[PartRecord]:
        """Returns the part of a call, and that of its result if there is one."""
        fields = Fields(item)
        fields.take("kind")
        tool, call = fields.take_text("toolId"), fields.take_identifier("toolCallId")
        name = _id(call)
        details, data = as_object(item.get("resultDetails")), as_object(item.get("toolSpecificData"))
        given = self._given.get(name or "")
        arguments, text = call_arguments(_given(details, data) if is_empty(given) else given)
        use = PartRecord(PartType.TOOL_USE, text, CALL, tool, call, arguments, source=fields.rest())
        output = _output(details) or _came_of(data) or joined(_texts(self._results.get(name or "")))
        is_error = details.get("isError")
        if output is None:
            return [use]
        is_failure = is_error if isinstance(is_error, bool) else None
        return [use, PartRecord(PartType.TOOL_RESULT, output, CALL, tool, call, is_error=is_failure)]


def _id(value: object) -> str | None:
    name = as_identifier(value)
    return None if name is None else _ADDED.sub("", name)


def _given(details: Mapping[str, Any], data: Mapping[str, Any]) -> Any:
    """Returns what a tool was given, as VS Code shows it; of a terminal the command, of another agent its task."""
    if not is_empty(data.get("rawInput")):
        return data["rawInput"]
    if task := as_text(data.get("prompt")):
        return {"prompt": task}
    line = as_object(data.get("commandLine"))
    command = next((text for name in _COMMANDS if (text := as_text(line.get(name)))), as_text(data.get("command")))
    return {"command": command} if command else as_text(details.get("input")) or as_text(data.get("input"))


def _output(details: Mapping[str, Any]) -> str | None:
    output = details.get("output")
    items = map(as_object, as_list(output))
    return as_text(output) or joined(as_text(item.get("value")) for item in items if item.get("isText") is not False)


def _came_of(data: Mapping[str, Any]) -> str | None:
    terminal = as_object(data.get("terminalCommandOutput")).get("text")
    return as_text(terminal) or as_text(data.get("output")) or as_text(data.get("result"))


def _texts(result: object) -> Iterator[str]:
    """Yields the texts of a result: strings, or trees of what was written into the prompt."""
    for item in as_list(as_object(result).get("content")):
        value = as_object(item).get("value")
        text = as_text(value) or "".join(_leaves(as_object(value).get("node")))
        if text:
            yield text


def _leaves(node: object) -> Iterator[str]:
    waiting = [node]
    while waiting:
        fields = as_object(waiting.pop())
        if text := as_text(fields.get("text")):
            yield f"\n{text}" if fields.get("lineBreakBefore") is True else text
        waiting += reversed(as_list(fields.get("children")))
