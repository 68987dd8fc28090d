"""What is held of one dialogue while its file is read: each message once, and its spans as JSON."""

from __future__ import annotations

import hashlib
from array import array
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any, Final

from archive_pipeline.readers.json.fields import is_empty
from archive_pipeline.readers.json.nesting import as_held_json, as_json
from archive_pipeline.readers.json.parsing import parse_json
from archive_pipeline.readers.llm_spans.repeats import Repeats
from archive_pipeline.readers.llm_spans.spans import Call, Span

SPANS_OF: Final = "spans_of"
MESSAGES: Final = "messages"
CALLS: Final = "calls"
OTHERS: Final = "others"
ORIGINS: Final = "origins"
# What Python takes beside the bytes themselves, measured: of a dialogue, of a span, of a call, and of a message.
DIALOGUE_BYTES: Final = 1_200
_SPAN_BYTES: Final = 50
_CALL_BYTES: Final = 500
_MESSAGE_BYTES: Final = 200
_NUMBER_BYTES: Final = 4


@dataclass(frozen=True, slots=True)
class HeldCall:
    """A call of a model or an agent.

    Attributes:
        said: an object with what is read of its span.
        given, answers: numbers of messages.
        rest: an object with all else.
    """

    said: bytes
    given: array[int]
    answers: tuple[array[int], ...]
    rest: bytes

    @property
    def size(self) -> int:
        """Bytes that it takes."""
        numbers = len(self.given) + sum(map(len, self.answers))
        return len(self.said) + len(self.rest) + _NUMBER_BYTES * numbers + _CALL_BYTES


@dataclass(slots=True)
class Held:
    """What is held of one dialogue.

    Attributes:
        numbers: of its messages, by their digests.
        messages: each once, as JSON.
        entries: its spans in the order in which they came; those that are no calls as JSON.
        origins: who logged them, by digest, as JSON.
        repeats: what its spans said last.
        size: bytes that are held.
    """

    numbers: dict[bytes, int] = field(default_factory=dict)
    messages: list[bytes] = field(default_factory=list)
    entries: list[bytes | HeldCall] = field(default_factory=list)
    origins: dict[str, bytes] = field(default_factory=dict)
    repeats: Repeats = field(default_factory=Repeats)
    size: int = DIALOGUE_BYTES

    @property
    def has_calls(self) -> bool:
        """Whether a span is a call."""
        return any(isinstance(entry, HeldCall) for entry in self.entries)

    def add(self, span: Span) -> None:
        """Adds a span."""
        before = self.repeats.size
        said = {name: item for name, item in span.rest.items() if not is_empty(item)}
        rest = as_held_json(self.repeats.shortened(said, span.id))
        self.size += self.repeats.size - before
        read = {"trace": span.trace, "id": span.id, "start": span.start, "end": span.end}
        entry: dict[str, Any] = {name: item for name, item in read.items() if item is not None}
        if span.origin is not None:
            entry["origin"] = self._origin(span.origin)
        self._hold(_with_rest(as_json(entry), rest) if span.call is None else self._call(span.call, entry, rest))

    def _hold(self, entry: bytes | HeldCall) -> None:
        self.entries.append(entry)
        self.size += len(entry) + _SPAN_BYTES if isinstance(entry, bytes) else entry.size

    def _call(self, call: Call, entry: dict[str, Any], rest: bytes) -> HeldCall:
        said = {"model": call.model, "error": call.error, "is_of_agent": call.is_of_agent or None}
        entry |= {name: item for name, item in said.items() if item is not None}
        return HeldCall(as_held_json(entry), self._numbers(call.given), tuple(map(self._numbers, call.answers)), rest)

    def _numbers(self, messages: list[Any]) -> array[int]:
        return array("I", [self._number(as_held_json(message)) for message in messages])

    def _number(self, message: bytes) -> int:
        digest = hashlib.blake2b(message, digest_size=16).digest()
        number = self.numbers.setdefault(digest, len(self.messages))
        if number == len(self.messages):
            self.messages.append(message)
            self.size += len(message) + _MESSAGE_BYTES
        return number

    def _origin(self, origin: dict[str, Any]) -> str:
        said = as_held_json(origin)
        name = hashlib.blake2b(said, digest_size=6).hexdigest()
        self._add_origin(name, said)
        return name

    def _add_origin(self, name: str, said: bytes) -> None:
        if name not in self.origins:
            self.origins[name] = said
            self.size += len(said) + _MESSAGE_BYTES

    def take(self, other: Held) -> None:
        """Adds all that is held of another one."""
        numbers = [self._number(message) for message in other.messages]

        def own(theirs: array[int]) -> array[int]:
            return array("I", [numbers[number] for number in theirs])

        for entry in other.entries:
            if isinstance(entry, HeldCall):
                self._hold(replace(entry, given=own(entry.given), answers=tuple(map(own, entry.answers))))
            else:
                self._hold(entry)
        for name, said in other.origins.items():
            self._add_origin(name, said)

    def spans(self) -> Iterator[Span]:
        """Yields the spans as they were added, if none was taken of another one."""
        repeats = Repeats()
        for entry in self.entries:
            said = parse_json(entry.said if isinstance(entry, HeldCall) else entry)[0]
            rest = parse_json(entry.rest)[0] if isinstance(entry, HeldCall) else said["rest"]
            span = Span(said.get("trace"), said.get("id"), None, said.get("start"), said.get("end"), None, rest)
            span.rest = repeats.restored(rest, span.id)
            if "origin" in said:
                span.origin = parse_json(self.origins[said["origin"]])[0]
            if isinstance(entry, HeldCall):
                given, answers = self._said(entry.given), [self._said(numbers) for numbers in entry.answers]
                span.call = Call(given, answers, said.get("model"), said.get("error"), said.get("is_of_agent", False))
            yield span

    def _said(self, numbers: array[int]) -> list[Any]:
        return [parse_json(self.messages[number])[0] for number in numbers]

    def as_bytes(self, name: str) -> bytes:
        """Returns the object that is handed on."""
        fields = {
            SPANS_OF: as_json(name),
            MESSAGES: _array(self.messages),
            CALLS: _array([_object(entry) for entry in self.entries if isinstance(entry, HeldCall)]),
            OTHERS: _array([entry for entry in self.entries if isinstance(entry, bytes)]),
            ORIGINS: b"{" + b",".join(as_json(key) + b":" + said for key, said in self.origins.items()) + b"}",
        }
        return b"{" + b",\n".join(as_json(key) + b":" + said for key, said in fields.items()) + b"}"


def _array(items: list[bytes]) -> bytes:
    return b"[" + b",\n".join(items) + b"]"


def _object(call: HeldCall) -> bytes:
    numbers = {"given": call.given.tolist(), "answers": [answer.tolist() for answer in call.answers]}
    said = as_json(numbers) if call.said == b"{}" else call.said[:-1] + b"," + as_json(numbers)[1:]
    return _with_rest(said, call.rest)


def _with_rest(said: bytes, rest: bytes) -> bytes:
    return said[:-1] + (b"" if said == b"{}" else b",") + b'"rest":' + rest + b"}"
