"""How spans are told: as they were gathered, or as a producer wrote them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from archive_pipeline.readers.declaration import Evidence
from archive_pipeline.readers.llm_spans.held import CALLS, MESSAGES, ORIGINS, OTHERS, SPANS_OF
from archive_pipeline.readers.llm_spans.producers import spans_of

_FIELDS: Final = frozenset({SPANS_OF, MESSAGES, CALLS, OTHERS, ORIGINS})
_OF_SPANS: Final = frozenset({"trace", "id", "start", "end", "origin", "rest"})
_OF_CALLS: Final = _OF_SPANS | {"model", "error", "is_of_agent", "given", "answers"}


def recognise(value: Mapping[str, Any]) -> Evidence:
    """Judges an object: gathered spans, or one with spans of a producer."""
    if SPANS_OF in value:
        return Evidence(1.0 if is_gathered(value) else 0.0, "spans of one dialogue")
    spans = spans_of(value)
    if spans is None:
        return Evidence(0.0, "no spans of OpenTelemetry, Phoenix, Langfuse or LangSmith")
    if any(span.call is not None for span in spans):
        return Evidence(1.0, "spans, and calls of models with messages")
    return Evidence(0.1, "spans, but no call of a model with messages")


def is_gathered(value: Mapping[str, Any]) -> bool:
    """Tells whether an object is as spans are gathered: its calls name the messages that it has."""
    if value.keys() != _FIELDS or not isinstance(value[SPANS_OF], str) or not isinstance(value[ORIGINS], dict):
        return False
    messages = value[MESSAGES]
    if not isinstance(messages, list) or not all(isinstance(message, dict) for message in messages):
        return False
    are_entries = all(
        isinstance(value[name], list) and all(_is_entry(entry, known, len(messages)) for entry in value[name])
        for name, known in ((CALLS, _OF_CALLS), (OTHERS, _OF_SPANS))
    )
    return are_entries and _named(value[CALLS]) == len(messages)


def _named(calls: list[dict[str, Any]]) -> int:
    """Returns how many messages calls name."""
    return len({number for call in calls for numbers in (call["given"], *call["answers"]) for number in numbers})


def _is_entry(entry: object, known: frozenset[str], count: int) -> bool:
    if not isinstance(entry, dict) or not entry.keys() <= known or not isinstance(entry.get("rest"), dict):
        return False
    if known is _OF_SPANS:
        return True
    answers = entry.get("answers")
    if not isinstance(answers, list):
        return False
    return all(_are_numbers(numbers, count) for numbers in (entry.get("given"), *answers))


def _are_numbers(numbers: object, count: int) -> bool:
    return isinstance(numbers, list) and all(type(number) is int and 0 <= number < count for number in numbers)
