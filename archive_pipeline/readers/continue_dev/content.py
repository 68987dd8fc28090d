"""What an item of a session's history says: texts, pictures, thoughts, files, calls of tools and what they gave."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any, Final

import orjson

from archive_pipeline.domain.records import AttachmentRecord, JsonText, PartRecord, PartType
from archive_pipeline.readers.chat_arrays.calls import call_arguments
from archive_pipeline.readers.json.fields import Fields, is_empty
from archive_pipeline.readers.json.shapes import as_identifier, as_list, as_object, as_text, is_same, joined
from archive_pipeline.readers.media import take_medium

_CONTENT: Final = "content"
_TEXT: Final = "text"
_IMAGE: Final = "imageUrl"
_ITEMS: Final = "contextItems"
_CALL: Final = "toolCall"
_CALLS: Final = "toolCalls"
_OUTPUT: Final = "output"
_FUNCTION: Final = "function"
_ARGUMENTS: Final = "arguments"
_STATES: Final = "toolCallStates"
_EARLY_STATE: Final = "toolCallState"  # before an answer could have several calls
_FAILED: Final = {"done": False, "errored": True}


class ContentReader:
    """Reads the items of one session, in their order: results bear the names of tools called before.

    Args:
        answered: texts of results that are messages of their own, by the id of the call.
        warnings: where anomalies are counted.
    """

    def __init__(self, answered: Mapping[str, str | None], warnings: Counter[str]) -> None:
        self._answered = answered
        self._warnings = warnings
        self._tools: dict[str, str | None] = {}

    def said(self, message: Fields, text_type: PartType) -> list[PartRecord]:
        """Takes the content of a message: a text, or an array of texts and pictures.

        Args:
            message: its fields.
            text_type: what its texts are.
        """
        return [part for item in message.take_items(_CONTENT) for part in self._said(item, text_type)]

    def _said(self, item: Any, text_type: PartType) -> Iterator[PartRecord]:
        if isinstance(item, str):
            if item:
                yield PartRecord(text_type, item, _TEXT)
            return
        kind = as_text(as_object(item).get("type")) or "none"
        fields = Fields(item)
        fields.take("type")
        part: PartRecord | None = None
        if kind == _TEXT and (text := fields.take_text(_TEXT)) is not None:
            part = PartRecord(text_type, text, kind, source=fields.rest())
        elif kind == _IMAGE:
            part = take_medium(PartType.IMAGE, kind, fields, _IMAGE)
        if part is not None:
            yield part
        elif not is_empty(item) and (kind != _TEXT or fields.rest() is not None):
            self._warnings[f"unknown_part:{kind}"] += 1
            yield PartRecord(PartType.UNKNOWN, source_type=kind, source=item)

    def calls(self, item: Fields, message: Fields) -> tuple[list[PartRecord], list[PartRecord]]:
        """Takes the calls of an answer, and how far each came; returns them, and results that no message has."""
        states = self._states(item)
        calls: list[PartRecord] = []
        results: list[PartRecord] = []
        for call in message.take_objects(_CALLS):
            state = states.pop(as_identifier(call.get("id")) or "", None)
            calls.append(self._call(call, state, results))
        calls += [self._call(as_object(state.fields_left().get(_CALL)), state, results) for state in states.values()]
        return calls, results

    def _states(self, item: Fields) -> dict[str, Fields]:
        """Takes the states of calls by the ids of these; one that cannot be told from others stays."""
        states: dict[str, Fields] = {}
        for name in (_STATES, _EARLY_STATE):
            left = []
            for state in item.take_objects(name):
                call = as_identifier(state.get("toolCallId")) or as_identifier(as_object(state.get(_CALL)).get("id"))
                if call is None or call in states:
                    left.append(state)
                else:
                    states[call] = Fields(state)
            item.put_back(name, [*as_list(item.fields_left().get(name)), *left])
        return states

    def _call(self, said: Any, state: Fields | None, results: list[PartRecord]) -> PartRecord:
        call = Fields(said)
        if state is not None and is_same(state.fields_left().get(_CALL), said):
            state.take(_CALL)
        function = Fields(call.fields_left().get(_FUNCTION))
        tool, name = function.take_text("name"), call.take_identifier("id")
        given, text = call_arguments(function.take(_ARGUMENTS))
        if isinstance(call.fields_left().get(_FUNCTION), dict):
            call.fields_left()[_FUNCTION] = function.rest()
        if call.fields_left().get("type") == _FUNCTION:
            call.take("type")
        source = call.rest()
        if state is not None:
            name = self._take_name(state, name)
            self._tools.setdefault(name or "", tool)
            _take_parsed(state, given)
            results += self._result(state, name)
            source = Fields({**(source or {}), "state": state.rest()}).rest()
        self._tools.setdefault(name or "", tool)
        arguments = None if given == "" else given
        return PartRecord(PartType.TOOL_USE, text, _CALL, tool, name, arguments, source=source)

    def _take_name(self, state: Fields, name: str | None) -> str | None:
        said = as_identifier(state.fields_left().get("toolCallId"))
        if name is None or said == name:
            return state.take_identifier("toolCallId") or name
        return name

    def _result(self, state: Fields, call: str | None) -> list[PartRecord]:
        """Takes what a tool gave; nothing if a message has it, which the state then only repeats."""
        items = _as_items(state.fields_left().get(_OUTPUT))
        text = joined(map(_text_of, items))
        if text is None:
            return []
        left = _without_text(items)
        if call is not None and call in self._answered:
            if text == self._answered[call]:
                state.fields_left()[_OUTPUT] = left
            return []
        state.take(_OUTPUT)
        failed = _FAILED.get(as_text(state.fields_left().get("status")) or "")
        source = {_OUTPUT: left} if left else None
        tool = self._tools.get(call or "")
        return [PartRecord(PartType.TOOL_RESULT, text, _OUTPUT, tool, call, None, failed, source=source)]

    def result(self, item: Fields, message: Fields) -> list[PartRecord]:
        """Takes a result that is a message of its own; items beside it mostly repeat it."""
        call = message.take_identifier("toolCallId")
        self._warnings["unpaired_tool_result"] += call is None or call not in self._tools
        texts = self.said(message, PartType.TOOL_RESULT)
        tool = self._tools.get(call or "")
        for part in texts:
            part.tool_name, part.tool_use_id = tool, call
        items = as_list(item.fields_left().get(_ITEMS))
        if texts and joined(map(_text_of, items)) == texts[0].text:
            item.fields_left()[_ITEMS] = _without_text(items)
        return texts or [PartRecord(PartType.TOOL_RESULT, None, _CONTENT, tool, call)]


def take_context(item: Fields) -> tuple[list[PartRecord], list[AttachmentRecord]]:
    """Takes what came with a prompt: files and pages as attachments, other texts as context."""
    texts: list[PartRecord] = []
    files: list[AttachmentRecord] = []
    left: list[Any] = []
    for each in item.take_items(_ITEMS):
        fields = Fields(each)
        text = fields.take_text(_CONTENT)
        uri = Fields(fields.fields_left().get("uri"))
        address = uri.take_text("value")
        if address is not None:
            fields.fields_left()["uri"] = uri.rest()
            name = fields.take_text("name")
            files.append(AttachmentRecord(file_name=name, uri=address, extracted_text=text, source=fields.rest()))
        elif text is not None:
            kind = as_text(as_object(fields.fields_left().get("id")).get("providerTitle")) or "contextItem"
            texts.append(PartRecord(PartType.CONTEXT, text, kind, source=fields.rest()))
        elif not is_empty(each):
            left.append(each)
    item.put_back(_ITEMS, left)
    return texts, files


def take_thoughts(item: Fields) -> list[PartRecord]:
    """Takes what the model thought before an answer, which stands beside it."""
    reasoning = Fields(item.fields_left().get("reasoning"))
    text = reasoning.take_text(_TEXT)
    if text is None:
        return []
    item.take("reasoning")
    return [PartRecord(PartType.THINKING, text, "reasoning", source=reasoning.rest())]


def text_of(content: Any) -> str | None:
    """Returns the texts of a message's content."""
    return joined(as_text(item) or as_text(as_object(item).get(_TEXT)) for item in _as_items(content))


def _text_of(item: Any) -> str | None:
    return as_text(item) or as_text(as_object(item).get(_CONTENT))


def _as_items(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def _without_text(items: list[Any]) -> list[Any]:
    """Returns what items have beside the texts that a part has."""
    left = [_beside_text(item) for item in items if not isinstance(item, str)]
    return [item for item in left if not is_empty(item)]


def _beside_text(item: Any) -> Any:
    fields = Fields(item)
    fields.take_text(_CONTENT)
    return fields.rest() if isinstance(item, dict) else item


def _take_parsed(state: Fields, given: Any) -> None:
    """Takes arguments that only repeat those of the call."""
    try:
        said = orjson.loads(given.text) if isinstance(given, JsonText) else given
    except orjson.JSONDecodeError:
        return
    for name in ("parsedArgs", "processedArgs"):
        if not is_empty(said) and is_same(state.fields_left().get(name), said):
            state.take(name)
