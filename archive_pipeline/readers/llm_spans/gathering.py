"""Spans of one dialogue, gathered from a file in memory that does not grow with it.

Each call repeats the history before it. A message that was there is held once, and calls name their messages by
number; what else calls repeat is held as what is new in it (``repeats``). What is handed on is an object with
``spans_of``, the id of the dialogue, and in ``messages``, ``calls`` and ``others`` what its spans say.
"""

from __future__ import annotations

import hashlib
from collections import OrderedDict
from collections.abc import Iterator, Mapping
from typing import Any

from archive_pipeline.readers.gathered import HELD_BYTES, passed_over
from archive_pipeline.readers.json.nesting import as_json
from archive_pipeline.readers.json.parsing import parse_json
from archive_pipeline.readers.json.scanner import MAX_ELEMENT_BYTES
from archive_pipeline.readers.llm_spans.held import CALLS, OTHERS, SPANS_OF, Held
from archive_pipeline.readers.llm_spans.producers import spans_of
from archive_pipeline.readers.llm_spans.spans import Span
from archive_pipeline.readers.llm_spans.traces import Traces, parents_of

# The id of a session, or of a trace of spans that name none, and whether it is a trace.
_Key = tuple[str, bool]


class SpanGatherer:
    """Gathers the spans of a file by dialogue: by the session that they or spans above them name, else by trace.

    Which session a span belongs to that names none is told when its trace is taken: the span that names it may come
    later.

    Args:
        held_bytes: how much is held.
        keeps_all: traces without a call are handed on, too.
    """

    def __init__(self, *, held_bytes: int = HELD_BYTES, keeps_all: bool = False) -> None:
        self._keeps_all = keeps_all
        self._held: OrderedDict[_Key, Held] = OrderedDict()
        self._traces = Traces()
        self._most = held_bytes
        self._size = 0
        self._spans_left_out = 0

    @property
    def left_out(self) -> str | None:
        """What is left out of the file, when all was taken: what is logged of other things than calls of models."""
        if not self._spans_left_out:
            return None
        return f"spans of traces in which no call of a model has messages: {self._spans_left_out:,}"

    def takes(self, value: Mapping[str, Any]) -> bool:
        """Tells whether an object has spans."""
        return spans_of(value) is not None

    def add(self, raw: bytes, value: object) -> Iterator[bytes]:
        """Adds an item of the file; yields dialogues that are no longer held, and what has no spans as it is."""
        spans = spans_of(value) if isinstance(value, dict) else None
        if spans is None:
            yield passed_over(raw, value)
            return
        for span in spans:
            if span.trace is None and span.session is None and span.call is None:
                yield as_json(span.rest)
            else:
                self._add(span)
        while self._size > self._most:
            yield from self._take()

    def all(self) -> Iterator[bytes]:
        """Yields all that are held."""
        while self._held:
            yield from self._take()

    def _add(self, span: Span) -> None:
        self._traces.add(span)
        key = _key_of(span)
        self._add_to(key, span)
        for session in self._traces.sessions(key[0]) if key[1] else ():
            if (session, False) in self._held:
                self._held.move_to_end((session, False))  # so that it is not taken before its traces

    def _add_to(self, key: _Key, span: Span) -> None:
        held = self._changing(key)
        held.add(span)
        self._size += held.size

    def _changing(self, key: _Key) -> Held:
        """Returns what is held under a key, as what was added to last, and takes its size away."""
        held = self._held.pop(key, None) or Held()
        self._size -= held.size if held.entries else 0
        self._held[key] = held
        return held

    def _take(self) -> Iterator[bytes]:
        """Takes what was not added to for the longest time: a trace of sessions for these, else yields a dialogue."""
        (name, is_trace), held = self._held.popitem(last=False)
        self._size -= held.size
        sessions = self._traces.sessions(name) if is_trace else ()
        if sessions:
            self._hand_over(held, sorted(sessions))
        elif held.has_calls or self._keeps_all:
            yield held.as_bytes(name)
        else:
            self._spans_left_out += len(held.entries)

    def _hand_over(self, held: Held, sessions: list[str]) -> None:
        """Adds the spans of a trace to the sessions that others of it name."""
        if len(sessions) == 1:
            session = self._changing((sessions[0], False))
            session.take(held)
            self._size += session.size
            return
        spans = list(held.spans())
        parents = parents_of(spans)
        for span in spans:
            self._add_to((self._traces.session_of(span, parents), False), span)


def _key_of(span: Span) -> _Key:
    if span.session is not None:
        return span.session, False
    if span.trace is not None:
        return span.trace, True
    return f"span-{span.id or hashlib.blake2b(as_json(span.rest), digest_size=12).hexdigest()}", False


def dialogues_in(value: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Returns the dialogues of an object by itself; the first has all that is of no dialogue, too."""
    if spans_of(value) is None:
        return []
    gatherer = SpanGatherer(held_bytes=MAX_ELEMENT_BYTES, keeps_all=True)
    made = [*gatherer.add(as_json(value), value), *gatherer.all()]
    found = [parse_json(text)[0] for text in made]
    dialogues = [each for each in found if SPANS_OF in each and each[CALLS]]
    if dialogues:
        others = [{"rest": each} for each in found if SPANS_OF not in each]
        others += [entry for each in found if SPANS_OF in each and not each[CALLS] for entry in each[OTHERS]]
        dialogues[0][OTHERS] += others
    return dialogues
