"""Messages in events of spans, as OpenTelemetry's earlier conventions log them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from archive_pipeline.readers.json.fields import is_empty
from archive_pipeline.readers.json.shapes import as_object
from archive_pipeline.readers.llm_spans.forms import message_of
from archive_pipeline.readers.llm_spans.parts import parsed

# By the names of events, with who says what they have.
_SPEAKERS: Final[Mapping[str, str]] = {
    "gen_ai.system.message": "system",
    "gen_ai.user.message": "user",
    "gen_ai.assistant.message": "assistant",
    "gen_ai.tool.message": "tool",
    "gen_ai.choice": "assistant",
}
_CHOICE: Final = "gen_ai.choice"
_BODIES: Final = ("body", "gen_ai.event.content")
_JSON: Final = frozenset({"tool_calls", "message"})
_TOOL_CALL: Final = "tool_call_id"


def take_events(events: list[Any], *, given: bool, answered: bool) -> tuple[list[Any], list[Any]]:
    """Takes the messages of events: those that were given, and the answers; of such an event its time stays.

    Args:
        events: those that are read are replaced.
        given: whether to take those that were given.
        answered: whether to take the answers.
    """
    taken: tuple[list[Any], list[Any]] = ([], [])
    for place, event in enumerate(events):
        name = as_object(event).get("name")
        if not isinstance(name, str) or name not in _SPEAKERS or not isinstance(event.get("attributes"), dict):
            continue
        is_answer = name == _CHOICE
        message = _message(name, event["attributes"]) if (answered if is_answer else given) else None
        if message is not None:
            taken[is_answer].append(message)
            events[place] = {field: item for field, item in event.items() if field != "attributes"}
    return taken


def _message(name: str, attributes: Mapping[str, Any]) -> Any:
    said = _with_bodies(attributes)
    inner = said.get("message")
    if isinstance(inner, dict) and said.keys() & inner.keys():
        return None
    if inner is not None:
        del said["message"]
        said |= inner if isinstance(inner, dict) else {"content": inner}
    if is_empty(said.get("content")) and is_empty(said.get("tool_calls")):
        return None
    if name == "gen_ai.tool.message" and _TOOL_CALL not in said and "id" in said:
        said[_TOOL_CALL] = said.pop("id")
    return message_of({"role": _SPEAKERS[name], **said}, _SPEAKERS[name])


def _with_bodies(attributes: Mapping[str, Any]) -> dict[str, Any]:
    """Returns what an event says: its attributes, and in place of a body what that says."""
    said = dict(attributes)
    for name in _BODIES:
        inner = parsed(said.get(name))
        if isinstance(inner, dict) and inner.keys().isdisjoint(said):
            del said[name]
            said |= inner
    return {name: parsed(item) if name in _JSON else item for name, item in said.items()}
