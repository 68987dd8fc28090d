"""What calls of models say in attributes of spans: OpenTelemetry's conventions, OpenLLMetry's, OpenInference's.

Attributes are flat: ``llm.input_messages.0.message.role``. What is read as a message is taken from them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

from archive_pipeline.readers.json.fields import is_empty
from archive_pipeline.readers.json.shapes import as_object, as_text
from archive_pipeline.readers.llm_spans import ai_sdk
from archive_pipeline.readers.llm_spans.events import take_events
from archive_pipeline.readers.llm_spans.forms import given_in, listed, message_of, take_input
from archive_pipeline.readers.llm_spans.spans import Call, first_of

# What the AI SDK was asked for, an object with instructions and messages or a prompt, and its answer.
_AI_PROMPT: Final = "ai.prompt"
_AI_ANSWER: Final = "ai.response"
# The conventions, the richest first and both in one order: a span that logs in several says the same in each of them.
_GIVEN: Final = (
    *("gen_ai.input.messages", "ai.prompt.messages", "llm.input_messages", "gen_ai.prompt", "llm.prompts"),
    _AI_PROMPT,
)
_ANSWERED: Final = (
    *("gen_ai.output.messages", _AI_ANSWER, "llm.output_messages", "gen_ai.completion", "llm.completions"),
)
_INSTRUCTIONS: Final = ("gen_ai.system_instructions", "gen_ai.system_instruction")
_MODELS: Final = (
    *("gen_ai.response.model", "llm.model_name", "gen_ai.request.model", "ai.response.model", "ai.model.id"),
    "llm.response.model",
)
_OPERATION: Final = "gen_ai.operation.name"
_CALLS: Final = frozenset({"chat", "text_completion", "generate_content", "completion", "responses"})
_EMBEDDINGS: Final = "embeddings"
_KIND: Final = "openinference.span.kind"
_INDEX_DIGITS: Final = 9
_MAX_LEVELS: Final = 20


def take_call(attributes: dict[str, Any], events: list[Any], error: str | None) -> Call | None:
    """Takes what a call says from the attributes and events of a span; None if it has no messages.

    Args:
        attributes: flat, by name; those that are read are removed.
        events: with ``name`` and ``attributes``; those that are read are removed.
        error: why the span failed.
    """
    if _is_of_embeddings(attributes):
        return None
    places = [[attributes], [event["attributes"] for event in events if _has_attributes(event)]]
    given = _take_first(places, _GIVEN, "user")
    answered = _take_first(places, _ANSWERED, "assistant")
    of_events = take_events(events, given=not given, answered=not answered)
    given, answered = given or of_events[0], answered or of_events[1]
    if not (given or answered):
        return None
    instructions = next(filter(None, (_take_instructions(fields) for place in places for fields in place)), [])
    return Call(
        given=[*instructions, *given],
        answers=alternatives(answered),
        model=as_text(first_of(attributes, _MODELS)),
        error=error,
        is_of_agent=_is_of_agent(attributes),
    )


def _has_attributes(event: object) -> bool:
    return isinstance(event, dict) and isinstance(event.get("attributes"), dict)


def _take_first(places: list[list[dict[str, Any]]], names: Iterable[str], role: str) -> list[Any]:
    """Takes the messages of the first of these attributes that has some; the others stay where they are."""
    for name in names:
        for place in places:
            if messages := [message for fields in place for message in _take(fields, name, role)]:
                return messages
    return []


def _take_instructions(fields: dict[str, Any]) -> list[Any]:
    parts = next(filter(None, (listed(fields.pop(name, None)) for name in _INSTRUCTIONS)), [])
    return [message_of({"role": "system", "parts": parts}, "system")] if parts else []


def _is_of_embeddings(attributes: Mapping[str, Any]) -> bool:
    kind = as_text(attributes.get(_KIND)) or ""
    return attributes.get(_OPERATION) == _EMBEDDINGS or kind.upper() == "EMBEDDING"


def _is_of_agent(attributes: Mapping[str, Any]) -> bool:
    operation, kind = as_text(attributes.get(_OPERATION)), as_text(attributes.get(_KIND))
    return (
        (operation is not None and operation not in _CALLS)
        or (kind is not None and kind.upper() != "LLM")
        or ai_sdk.is_of_agent(attributes)
    )


def alternatives(answered: list[Any]) -> list[list[Any]]:
    """Returns answers: each message is one if all of them say why they ended; else all are one."""
    if len(answered) < 2:
        return [answered] if answered else []
    ended = all(as_text(as_object(message).get("finish_reason")) for message in answered)
    return [[message] for message in answered] if ended else [answered]


def _take(attributes: dict[str, Any], name: str, role: str) -> list[Any]:
    """Takes the messages of an attribute: a list, JSON text of one, or one attribute for each of their fields."""
    if name == _AI_ANSWER:
        answer = ai_sdk.take_answer(attributes)
        return [] if answer is None else [message_of(answer, role)]
    if is_empty(attributes.get(name)):
        return [message_of(item, role) for item in _take_indexed(attributes, f"{name}.")]
    if name == _AI_PROMPT:
        messages, beside = take_input(attributes.pop(name))
        attributes |= {} if beside is None else {name: beside}
        return messages
    if name == "llm.prompts" and isinstance(attributes[name], str):
        return [{"role": role, "content": attributes.pop(name)}]
    return given_in(attributes.pop(name), role)


def _take_indexed(attributes: dict[str, Any], prefix: str) -> list[Any]:
    """Takes attributes ``prefix<number>.<path>`` as the objects that they say together, in the order of the numbers."""
    found: dict[int, dict[str, Any]] = {}
    for name in [name for name in attributes if name.startswith(prefix)]:
        number, dot, path = name[len(prefix) :].partition(".")
        is_index = _is_index(number) and path.count(".") < _MAX_LEVELS
        if is_index and dot and _put(found.setdefault(int(number), {}), path.split("."), attributes[name]):
            del attributes[name]
    return [_with_lists(found[number]) for number in sorted(found) if found[number]]


def _is_index(name: str) -> bool:
    return name.isascii() and name.isdigit() and len(name) <= _INDEX_DIGITS


def _put(target: dict[str, Any], path: list[str], value: Any) -> bool:
    """Puts a value at its path; tells whether the place was free."""
    *above, last = path
    for name in above:
        inner = target.setdefault(name, {})
        if not isinstance(inner, _Nested):
            if inner or (name in target and not isinstance(inner, dict)):
                return False
            inner = target[name] = _Nested()
        target = inner
    if last in target:
        return False
    target[last] = value
    return True


class _Nested(dict[str, Any]):
    """An object that is made of names, not one that an attribute has as its value."""


def _with_lists(value: Any) -> Any:
    """Returns an object in which those whose names are all numbers are lists."""
    if not isinstance(value, dict):
        return value
    inner = {name: _with_lists(item) if isinstance(item, _Nested) else item for name, item in value.items()}
    if isinstance(value, _Nested) and inner and all(map(_is_index, inner)):
        return [inner[name] for name in sorted(inner, key=int)]
    return inner
