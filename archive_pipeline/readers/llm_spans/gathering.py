"""Spans of one dialogue, gathered from a file in memory that does not grow with it.

Each call repeats the history before it. A message that was there is held once, and calls name their messages by
number; what else calls repeat is held as what is new in it (``repeats``). What is handed on is an object with
``spans_of``, the id of the dialogue, and in ``messages``, ``calls`` and ``others`` what its spans say.
"""

from __future__ import annotations

import hashlib
from collections import OrderedDict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from archive_pipeline.readers.gathered import HELD_BYTES, passed_over
from archive_pipeline.readers.json.fields import is_empty
from archive_pipeline.readers.json.nesting import as_json
from archive_pipeline.readers.json.parsing import parse_json
from archive_pipeline.readers.json.scanner import MAX_ELEMENT_BYTES
from archive_pipeline.readers.llm_spans.producers import spans_of
from archive_pipeline.readers.llm_spans.repeats import Repeats
from archive_pipeline.readers.llm_spans.spans import Call, Span

SPANS_OF: Final = "spans_of"
MESSAGES: Final = "messages"
CALLS: Final = "calls"
OTHERS: Final = "others"
ORIGINS: Final = "origins"
# Traces of which it is known which dialogue they belong to.
_KNOWN_TRACES: Final = 100_000
# What is read of a span, and all else that it says, as JSON.
_Entry = tuple[dict[str, Any], bytes]


@dataclass(slots=True)
class _Held:
    """What is held of one dialogue.

    Attributes:
        numbers: of its messages, by their digests.
        messages: each once, as JSON.
        calls: calls of models or agents; ``given`` and ``answers`` have numbers of messages.
        others: all other spans.
        origins: who logged them, by digest, as JSON.
        size: bytes that are held.
    """

    numbers: dict[bytes, int] = field(default_factory=dict)
    messages: list[bytes] = field(default_factory=list)
    calls: list[_Entry] = field(default_factory=list)
    others: list[_Entry] = field(default_factory=list)
    origins: dict[str, bytes] = field(default_factory=dict)
    repeats: Repeats = field(default_factory=Repeats)
    size: int = 0

    def add(self, span: Span) -> None:
        """Adds a span."""
        before = self.repeats.size
        said = {name: item for name, item in span.rest.items() if not is_empty(item)}
        rest = as_json(self.repeats.shortened(said, span.id))
        read = {"trace": span.trace, "id": span.id, "start": span.start, "end": span.end}
        entry: dict[str, Any] = {name: item for name, item in read.items() if item is not None}
        if span.origin is not None:
            entry["origin"] = self._origin(span.origin)
        if span.call is not None:
            entry |= self._call(span.call)
        (self.others if span.call is None else self.calls).append((entry, rest))
        self.size += len(rest) + self.repeats.size - before + 100

    def _call(self, call: Call) -> dict[str, Any]:
        said = {"model": call.model, "error": call.error, "is_of_agent": call.is_of_agent or None}
        given = [self._number(as_json(message)) for message in call.given]
        answers = [[self._number(as_json(message)) for message in answer] for answer in call.answers]
        self.size += 6 * len(given)
        return {**{name: item for name, item in said.items() if item is not None}, "given": given, "answers": answers}

    def _number(self, message: bytes) -> int:
        digest = hashlib.blake2b(message, digest_size=16).digest()
        number = self.numbers.setdefault(digest, len(self.messages))
        if number == len(self.messages):
            self.messages.append(message)
            self.size += len(message)
        return number

    def _origin(self, origin: dict[str, Any]) -> str:
        said = as_json(origin)
        name = hashlib.blake2b(said, digest_size=6).hexdigest()
        if name not in self.origins:
            self.origins[name] = said
            self.size += len(said)
        return name

    def take(self, other: _Held) -> None:
        """Adds all that is held of another one."""
        numbers = [self._number(message) for message in other.messages]
        for call, rest in other.calls:
            given = [numbers[number] for number in call["given"]]
            answers = [[numbers[number] for number in answer] for answer in call["answers"]]
            self.calls.append(({**call, "given": given, "answers": answers}, rest))
        self.others += other.others
        self.origins |= other.origins
        self.size += other.size

    def as_bytes(self, name: str) -> bytes:
        """Returns the object that is handed on."""
        fields = {
            SPANS_OF: as_json(name),
            MESSAGES: b"[" + b",\n".join(self.messages) + b"]",
            CALLS: _array(self.calls),
            OTHERS: _array(self.others),
            ORIGINS: b"{" + b",".join(as_json(key) + b":" + said for key, said in self.origins.items()) + b"}",
        }
        return b"{" + b",\n".join(as_json(key) + b":" + said for key, said in fields.items()) + b"}"


def _array(entries: list[_Entry]) -> bytes:
    return b"[" + b",\n".join(map(_object, entries)) + b"]"


def _object(entry: _Entry) -> bytes:
    said, rest = entry
    return as_json(said)[:-1] + (b"," if said else b"") + b'"rest":' + rest + b"}"


class SpanGatherer:
    """Gathers the spans of a file by dialogue: by the session that they or their trace name, else by trace.

    Args:
        held_bytes: how much is held.
        keeps_all: traces without a call are handed on, too.
    """

    def __init__(self, *, held_bytes: int = HELD_BYTES, keeps_all: bool = False) -> None:
        self._keeps_all = keeps_all
        self._held: OrderedDict[str, _Held] = OrderedDict()
        self._sessions: OrderedDict[str, str] = OrderedDict()
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
        name = self._name(span)
        held = self._held.setdefault(name, _Held())
        self._held.move_to_end(name)
        self._size -= held.size
        if span.session is not None and span.trace is not None and span.trace != name:
            before = self._held.pop(span.trace, None)
            if before is not None:
                self._size -= before.size
                held.take(before)
        held.add(span)
        self._size += held.size

    def _name(self, span: Span) -> str:
        """Returns the dialogue that a span belongs to."""
        if span.session is not None and span.trace is not None:
            self._sessions[span.trace] = span.session
            if len(self._sessions) > _KNOWN_TRACES:
                self._sessions.popitem(last=False)
        if span.session is not None:
            return span.session
        if span.trace is not None:
            return self._sessions.get(span.trace, span.trace)
        return f"span-{span.id or hashlib.blake2b(as_json(span.rest), digest_size=12).hexdigest()}"

    def _take(self) -> Iterator[bytes]:
        """Takes the dialogue that was not added to for the longest time; yields it if it has a call."""
        name, held = self._held.popitem(last=False)
        self._size -= held.size
        if held.calls or self._keeps_all:
            yield held.as_bytes(name)
        else:
            self._spans_left_out += len(held.others)


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
