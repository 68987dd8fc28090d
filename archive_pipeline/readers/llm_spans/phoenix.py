"""Spans as Phoenix gives them: objects of its API and command line, and rows of its data frames."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from archive_pipeline.readers.json.fields import is_empty
from archive_pipeline.readers.json.shapes import as_identifier, as_list, as_object, as_text
from archive_pipeline.readers.llm_spans.attributes import take_call
from archive_pipeline.readers.llm_spans.spans import Span, session_of

_CONTEXT: Final = "context"
_ATTRIBUTES: Final = "attributes"
_OF_ROW: Final = "attributes."
_EVENTS: Final = "events"
_FIELDS: Final = frozenset({"span_kind", "status_code", "start_time", "parent_id"})


def spans_of(value: Mapping[str, Any]) -> Iterator[Span] | None:
    """Returns the span that an object is; None if it is none."""
    is_row = "context.trace_id" in value and "context.span_id" in value
    context = as_object(value.get(_CONTEXT))
    is_object = "trace_id" in context and "span_id" in context and not _FIELDS.isdisjoint(value)
    return iter((_span(value, is_row=is_row),)) if is_row or is_object else None


def _span(value: Mapping[str, Any], *, is_row: bool) -> Span:
    if is_row:
        attributes = {name.removeprefix(_OF_ROW): item for name, item in value.items() if name.startswith(_OF_ROW)}
        context: Mapping[str, Any] = {name: value[f"{_CONTEXT}.{name}"] for name in ("trace_id", "span_id")}
    else:
        attributes = _flat(as_object(value.get(_ATTRIBUTES)))
        context = as_object(value.get(_CONTEXT))
    rest = {name: item for name, item in value.items() if not _is_read(name, item, is_row=is_row)}
    events = [_event(item) for item in as_list(value.get(_EVENTS))]
    is_failed = value.get("status_code") == "ERROR"
    session = session_of(attributes)
    call = take_call(attributes, events, (as_text(value.get("status_message")) or "error") if is_failed else None)
    if call is not None and is_empty(attributes.get("openinference.span.kind")):
        call.is_of_agent = as_text(value.get("span_kind")) not in ("LLM", "UNKNOWN", None)
    if events:
        rest[_EVENTS] = events
    if left := {name: item for name, item in attributes.items() if not is_empty(item)}:
        rest[_ATTRIBUTES] = left
    trace, own = as_identifier(context.get("trace_id")), as_identifier(context.get("span_id"))
    return Span(trace, own, session, value.get("start_time"), value.get("end_time"), call, rest)


def _is_read(name: str, item: Any, *, is_row: bool) -> bool:
    return name.startswith(_OF_ROW) if is_row else name == _ATTRIBUTES and isinstance(item, dict)


def _event(item: Any) -> Any:
    is_read = isinstance(item, dict) and isinstance(item.get(_ATTRIBUTES), dict)
    return {**item, _ATTRIBUTES: dict(item[_ATTRIBUTES])} if is_read else item


def _flat(attributes: Mapping[str, Any]) -> dict[str, Any]:
    """Returns attributes by their whole names: some are objects in objects."""
    flat: dict[str, Any] = {}
    waiting = [("", attributes)]
    while waiting:
        prefix, fields = waiting.pop()
        for name, item in fields.items():
            if isinstance(item, dict) and item and (prefix or name in _NESTED):
                waiting.append((f"{prefix}{name}.", item))
            elif f"{prefix}{name}" not in flat:
                flat[f"{prefix}{name}"] = item
            else:
                flat[f"{prefix}{name} (duplicate)"] = item
    return flat


_NESTED: Final = frozenset({"llm", "openinference", "session", "gen_ai", "input", "output"})
