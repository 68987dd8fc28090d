"""The sessions of traces: which spans name one, and which of several a span belongs to that names none."""

from __future__ import annotations

import sys
from collections import OrderedDict
from collections.abc import Iterable, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from typing import Final

from archive_pipeline.readers.json.shapes import as_identifier
from archive_pipeline.readers.llm_spans.spans import Span, first_of

# Spans that name a session, of which it is known.
_KNOWN_SPANS: Final = 100_000
# Of a span that names its parent in one of these fields.
_PARENTS: Final = (
    *("parentSpanId", "parent_span_id", "parent_id", "parentObservationId", "parent_observation_id", "parent_run_id"),
)


@dataclass(frozen=True, slots=True)
class _Named:
    """What spans of one trace name: sessions, by the spans' ids and all."""

    by_span: dict[str | None, str] = field(default_factory=dict)
    sessions: set[str] = field(default_factory=set)


class Traces:
    """The sessions that spans name, by trace and span; of too many the trace that came first is forgotten."""

    def __init__(self) -> None:
        self._named: OrderedDict[str, _Named] = OrderedDict()
        self._count = 0

    def add(self, span: Span) -> None:
        """Notes the session that a span of a trace names."""
        if span.trace is None or span.session is None:
            return
        named = self._named.setdefault(span.trace, _Named())
        self._count -= len(named.by_span)
        named.by_span[span.id] = sys.intern(span.session)
        named.sessions.add(span.session)
        self._count += len(named.by_span)
        while self._count > _KNOWN_SPANS and len(self._named) > 1:
            self._count -= len(self._named.popitem(last=False)[1].by_span)

    def sessions(self, trace: str) -> AbstractSet[str]:
        """Returns the sessions that spans of a trace name."""
        return self._named[trace].sessions if trace in self._named else frozenset()

    def session_of(self, span: Span, parents: Mapping[str | None, str | None]) -> str:
        """Returns the session of the nearest span above one that names any, else the first one of the trace.

        Args:
            span: one that names none, of a trace of which others do.
            parents: of the spans of the trace that name none, by id.
        """
        named = self._named[span.trace or ""].by_span
        passed: set[str | None] = {None}
        current = span.id if span.id is not None else parent_of(span)
        while current not in named and current not in passed:
            passed.add(current)
            current = parents.get(current)
        return named[current] if current in named and current is not None else min(named.values())


def parent_of(span: Span) -> str | None:
    """Returns the id of the span that a span names as its parent."""
    return as_identifier(first_of(span.rest, _PARENTS))


def parents_of(spans: Iterable[Span]) -> dict[str | None, str | None]:
    """Returns the parents of spans, by id."""
    return {span.id: parent_of(span) for span in spans if span.id is not None}
