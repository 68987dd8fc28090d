"""Which producer logged an object, and the spans in it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

from archive_pipeline.readers.json.fields import is_empty
from archive_pipeline.readers.llm_spans import langfuse, langsmith, otlp, phoenix
from archive_pipeline.readers.llm_spans.spans import Span

Producer = Callable[[Mapping[str, Any]], Iterator[Span] | None]
_PRODUCERS: Final[tuple[Producer, ...]] = (
    otlp.spans_of,
    phoenix.spans_of,
    langfuse.spans_of,
    langsmith.spans_of,
)
# In these, answers of interfaces have the spans.
_ENVELOPES: Final = ("data", "spans", "runs")


def spans_of(value: Mapping[str, Any]) -> Iterator[Span] | None:
    """Returns the spans of an object; None if it has none that are known."""
    return _alone(value) or _in_envelope(value)


def _in_envelope(value: Mapping[str, Any]) -> Iterator[Span] | None:
    name = next((name for name in _ENVELOPES if isinstance(value.get(name), list) and value[name]), None)
    if name is None or not isinstance(value[name][0], dict) or _alone(value[name][0]) is None:
        return None
    return _of_envelope(value, name)


def _alone(value: Mapping[str, Any]) -> Iterator[Span] | None:
    return next(filter(None, (spans(value) for spans in _PRODUCERS)), None)


def _of_envelope(value: Mapping[str, Any], name: str) -> Iterator[Span]:
    rest = {field: item for field, item in value.items() if field != name and not is_empty(item)}
    last: Span | None = None
    for item in value[name]:
        spans = _alone(item) if isinstance(item, dict) else None
        for last in spans or ():
            yield last
        if spans is None and not is_empty(item):
            rest.setdefault(name, []).append(item)
    if rest and last is not None:  # what is beside all of them, such as where the next page begins
        yield Span(last.trace, None, last.session, None, None, None, rest)
