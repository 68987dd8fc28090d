"""Traces in OTLP's JSON, as the Collector's file exporter and OTLP's exporters write them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from archive_pipeline.readers.json.fields import is_empty
from archive_pipeline.readers.json.shapes import as_identifier, as_list, as_object, as_text
from archive_pipeline.readers.llm_spans.attributes import take_call
from archive_pipeline.readers.llm_spans.spans import Span, first_of, session_of

_RESOURCES: Final = ("resourceSpans", "resource_spans")
_SCOPES: Final = ("scopeSpans", "scope_spans", "instrumentationLibrarySpans")
_SPANS: Final = "spans"
_ATTRIBUTES: Final = "attributes"
_EVENTS: Final = "events"
_ERROR_CODES: Final = (2, "2", "STATUS_CODE_ERROR", "ERROR")
_STARTS: Final = ("startTimeUnixNano", "start_time_unix_nano")
_ENDS: Final = ("endTimeUnixNano", "end_time_unix_nano")
_MAX_DEPTH: Final = 100
_ABSENT: Final = object()
# In these a span stands alone, as Phoenix's API lists them.
_IDS: Final = (("traceId", "spanId"), ("trace_id", "span_id"))
# JSON of OTLP writes integers of 64 bits as text.
_INTEGER: Final = re.compile(r"0|-?[1-9][0-9]{0,18}", re.ASCII)


def spans_of(value: Mapping[str, Any]) -> Iterator[Span] | None:
    """Returns the spans of an object of OTLP, or the span that it is; None if it is neither."""
    name = next((name for name in _RESOURCES if isinstance(value.get(name), list)), None)
    if name is not None:
        return _spans(value, name)
    return iter((span_of(dict(value), {}),)) if _is_span(value) else None


def _is_span(value: Mapping[str, Any]) -> bool:
    is_named = any(as_text(value.get(trace)) and as_text(value.get(span)) for trace, span in _IDS)
    return is_named and isinstance(value.get(_ATTRIBUTES), list) and any(name in value for name in _STARTS)


def _spans(value: Mapping[str, Any], name: str) -> Iterator[Span]:
    yield from _left({field: item for field, item in value.items() if field != name})
    for resource in value[name]:
        scopes = next((each for each in _SCOPES if isinstance(as_object(resource).get(each), list)), None)
        if scopes is None:
            yield from _left({name: [resource]} if not is_empty(resource) else {})
            continue
        origin = {field: item for field, item in resource.items() if field != scopes}
        for scope in resource[scopes]:
            yield from _of_scope(scope, origin)


def _of_scope(scope: Any, origin: dict[str, Any]) -> Iterator[Span]:
    spans = as_object(scope).get(_SPANS)
    if not isinstance(spans, list):
        yield from _left({**origin, _SCOPES[0]: [scope]} if not is_empty(scope) else {})
        return
    rest = {field: item for field, item in scope.items() if field != _SPANS}
    whole = {field: item for field, item in {**origin, "of_scope": rest}.items() if not is_empty(item)}
    if not spans:
        yield from _left(whole)
    for span in spans:
        if isinstance(span, dict):
            yield span_of(span, whole)
        else:
            yield from _left({_SPANS: [span]} if not is_empty(span) else {})


def _left(rest: dict[str, Any]) -> Iterator[Span]:
    """Yields what is no span as one that names no trace."""
    rest = {field: item for field, item in rest.items() if not is_empty(item)}
    if rest:
        yield Span(None, None, None, None, None, None, rest)


def span_of(span: dict[str, Any], origin: dict[str, Any]) -> Span:
    """Returns a span with its attributes by name."""
    rest = dict(span)
    attributes = _take_attributes(rest)
    events = [_event(item) for item in as_list(rest.get(_EVENTS))]
    error = _error(as_object(span.get("status")))
    call = take_call(attributes, events, error)
    session = session_of(attributes) or session_of(_named(as_object(origin.get("resource")).get(_ATTRIBUTES)))
    if attributes:
        rest[_ATTRIBUTES] = {**attributes, **_items(rest.get(_ATTRIBUTES))}
    if events:
        rest[_EVENTS] = events
    trace = as_identifier(span.get("traceId", span.get("trace_id")))
    own = as_identifier(span.get("spanId", span.get("span_id")))
    start, end = first_of(span, _STARTS), first_of(span, _ENDS)
    return Span(trace, own, session, start, end, call, rest, origin or None)


def _items(left: Any) -> dict[str, Any]:
    return {"unread": left} if not is_empty(left) else {}


def _error(status: Mapping[str, Any]) -> str | None:
    return (as_text(status.get("message")) or "error") if status.get("code") in _ERROR_CODES else None


def _event(item: Any) -> Any:
    if not isinstance(item, dict) or not isinstance(item.get(_ATTRIBUTES), list):
        return item
    rest = dict(item)
    attributes = _take_attributes(rest)
    return {**rest, _ATTRIBUTES: {**attributes, **_items(rest.get(_ATTRIBUTES))}}


def _named(items: Any) -> dict[str, Any]:
    return _take_attributes({_ATTRIBUTES: items})


def _take_attributes(span: dict[str, Any]) -> dict[str, Any]:
    """Takes attributes: a list of keys with typed values, or an object; what is neither stays in the list."""
    given = span.get(_ATTRIBUTES)
    if isinstance(given, dict):
        return dict(span.pop(_ATTRIBUTES))
    if not isinstance(given, list):
        return {}
    attributes: dict[str, Any] = {}
    left = []
    for item in given:
        key = as_text(as_object(item).get("key"))
        value = _value(item.get("value")) if key is not None and item.keys() == {"key", "value"} else _ABSENT
        if key is None or key in attributes or value is _ABSENT:
            left.append(item)
        else:
            attributes[key] = value
    span[_ATTRIBUTES] = left
    return attributes


def _value(value: Any, depth: int = 0) -> Any:
    """Returns a typed value as plain JSON; ``_ABSENT`` if it is none."""
    if not isinstance(value, dict) or depth > _MAX_DEPTH:
        return _ABSENT
    said = value if len(value) == 1 else {kind: inner for kind, inner in value.items() if inner is not None}
    if len(said) != 1:
        return _ABSENT
    ((kind, inner),) = said.items()
    read = _KINDS.get(kind)
    return _ABSENT if read is None else read(inner, depth)


def _plain(inner: Any, _depth: int) -> Any:
    return inner if not isinstance(inner, dict | list) else _ABSENT


def _integer(inner: Any, depth: int) -> Any:
    is_text = isinstance(inner, str) and _INTEGER.fullmatch(inner)
    return int(inner) if is_text else _plain(inner, depth)


def _array(inner: Any, depth: int) -> Any:
    values = inner.get("values", []) if isinstance(inner, dict) and inner.keys() <= {"values"} else None
    if not isinstance(values, list):
        return _ABSENT
    found = [_value(item, depth + 1) for item in values]
    return _ABSENT if any(item is _ABSENT for item in found) else found


def _pairs(inner: Any, depth: int) -> Any:
    if not isinstance(inner, dict) or not inner.keys() <= {"values"} or not isinstance(inner.get("values", []), list):
        return _ABSENT
    found: dict[str, Any] = {}
    for item in inner.get("values", []):
        key = as_text(as_object(item).get("key"))
        value = _value(item["value"], depth + 1) if key is not None and item.keys() == {"key", "value"} else _ABSENT
        if key is None or key in found or value is _ABSENT:
            return _ABSENT
        found[key] = value
    return found


_PLAIN: Final = ("stringValue", "doubleValue", "boolValue", "bytesValue")
_KINDS: Final = {
    **dict.fromkeys(_PLAIN, _plain),
    **dict.fromkeys(("string_value", "double_value", "bool_value", "bytes_value"), _plain),
    **dict.fromkeys(("intValue", "int_value"), _integer),
    "arrayValue": _array,
    "array_value": _array,
    "kvlistValue": _pairs,
    "kvlist_value": _pairs,
}
