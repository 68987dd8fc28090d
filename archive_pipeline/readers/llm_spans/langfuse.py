"""Observations of Langfuse: rows of its exports, and traces as its API and its page give them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from archive_pipeline.readers.json.fields import is_empty
from archive_pipeline.readers.json.shapes import as_identifier, as_object, as_text
from archive_pipeline.readers.llm_spans.forms import take_input, take_output
from archive_pipeline.readers.llm_spans.spans import Call, Span, first_of, session_of

_GENERATION: Final = "GENERATION"
_TYPES: Final = frozenset(
    {
        *(_GENERATION, "SPAN", "EVENT", "AGENT", "TOOL", "CHAIN", "RETRIEVER", "EVALUATOR", "EMBEDDING", "GUARDRAIL"),
    }
)
_TRACES: Final = ("trace_id", "traceId")
_STARTS: Final = ("start_time", "startTime")
_ENDS: Final = ("end_time", "endTime")
_MODELS: Final = ("provided_model_name", "model", "providedModelName")
_OBSERVATIONS: Final = "observations"
_TRACE: Final = "trace"


def spans_of(value: Mapping[str, Any]) -> Iterator[Span] | None:
    """Returns the spans of an observation, or of a trace with all of its observations; None if it is none."""
    if _is_observation(value):
        return iter((_span(value, None),))
    observations = value.get(_OBSERVATIONS)
    if isinstance(observations, list) and any(map(_is_observation, observations)):
        return _of_trace(value, observations)
    return None


def _is_observation(value: object) -> bool:
    fields = as_object(value)
    kind = fields.get("type")
    is_known = isinstance(kind, str) and kind.upper() in _TYPES
    return is_known and not _missing(fields, _TRACES) and not _missing(fields, _STARTS) and "id" in fields


def _missing(fields: Mapping[str, Any], names: tuple[str, ...]) -> bool:
    return as_text(first_of(fields, names)) is None


def _of_trace(value: Mapping[str, Any], observations: list[Any]) -> Iterator[Span]:
    """Yields the observations of a trace, and the trace itself: what it says of its own is in them, mostly."""
    trace = as_object(value.get(_TRACE)) or value
    session = session_of(trace)
    own = as_identifier(trace.get("id"))
    rest = {name: item for name, item in value.items() if name != _OBSERVATIONS and not is_empty(item)}
    for item in observations:
        if _is_observation(item):
            yield _span(item, session)
        elif not is_empty(item):
            yield Span(own, None, session, None, None, None, {_OBSERVATIONS: [item]})
    yield Span(own, own, session, None, None, None, rest)


def _span(value: Mapping[str, Any], session: str | None) -> Span:
    rest = dict(value)
    call = _take_call(rest) if str(value["type"]).upper() == _GENERATION else None
    return Span(
        trace=as_identifier(first_of(value, _TRACES)),
        id=as_identifier(value.get("id")),
        session=session_of(value) or session,
        start=first_of(value, _STARTS),
        end=first_of(value, _ENDS),
        call=call,
        rest={name: item for name, item in rest.items() if not is_empty(item)},
    )


def _take_call(rest: dict[str, Any]) -> Call | None:
    given, other = take_input(rest.get("input"))
    answers, beside = take_output(rest.get("output"))
    error = None
    if rest.get("level") == "ERROR":
        error = as_text(first_of(rest, ("status_message", "statusMessage"))) or "error"
    if not (given or answers):
        return None
    rest |= {"input": other, "output": beside}
    return Call(given, answers, as_text(first_of(rest, _MODELS)), error)
