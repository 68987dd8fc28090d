"""Runs of LangSmith, as its client and its API list them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from archive_pipeline.readers.json.fields import is_empty
from archive_pipeline.readers.json.shapes import as_identifier, as_object, as_text
from archive_pipeline.readers.llm_spans.forms import take_input, take_output
from archive_pipeline.readers.llm_spans.parts import parsed
from archive_pipeline.readers.llm_spans.spans import Call, Span, first_of, session_of

_MODELS: Final = ("ls_model_name", "model_name", "model")


def spans_of(value: Mapping[str, Any]) -> Iterator[Span] | None:
    """Returns the run that an object is; None if it is none."""
    is_run = isinstance(value.get("run_type"), str) and "id" in value
    is_placed = isinstance(value.get("trace_id"), str) or isinstance(value.get("dotted_order"), str)
    return iter((_span(value),)) if is_run and is_placed else None


def _span(value: Mapping[str, Any]) -> Span:
    extra = as_object(parsed(value.get("extra")))
    metadata = as_object(extra.get("metadata"))
    rest = dict(value)
    call = _take_call(rest, metadata) if value["run_type"] == "llm" else None
    return Span(
        trace=as_identifier(value.get("trace_id")),
        id=as_identifier(value.get("id")),
        session=session_of(metadata) or as_identifier(value.get("thread_id")),  # its own session_id is a project's
        start=value.get("start_time"),
        end=value.get("end_time"),
        call=call,
        rest={name: item for name, item in rest.items() if not is_empty(item)},
    )


def _take_call(rest: dict[str, Any], metadata: Mapping[str, Any]) -> Call | None:
    given, other = take_input(rest.get("inputs"))
    answers, beside = take_output(rest.get("outputs"))
    if not (given or answers):
        return None
    rest["inputs"], rest["outputs"] = other, beside
    return Call(given, answers, as_text(first_of(metadata, _MODELS)), as_text(rest.get("error")))
