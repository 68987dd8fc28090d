"""The calls of one dialogue to a dialogue record: messages once, and what each call says of itself with its answer."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any, Final

from archive_pipeline.domain.records import DialogueRecord, RejectedRecord
from archive_pipeline.readers.json.fields import is_empty
from archive_pipeline.readers.json.shapes import as_identifier, as_text
from archive_pipeline.readers.llm_spans.folding import hashed, scalars
from archive_pipeline.readers.llm_spans.gathering import dialogues_in
from archive_pipeline.readers.llm_spans.held import CALLS, MESSAGES, ORIGINS, OTHERS, SPANS_OF
from archive_pipeline.readers.llm_spans.recognition import is_gathered
from archive_pipeline.readers.llm_spans.spans import moment_of
from archive_pipeline.readers.llm_spans.tree import CallTree, Node, TooLargeError

SOURCE: Final = "llm_spans"
# Each file has a part of what was logged.
PART: Final = "calls"
# What agents say gives way to what calls of models say, also where these come in another file.
_OF_AGENTS: Final = "agents"
_SPANS: Final = "spans"
_CALL: Final = "call"
# What was read of a span; where it is also in the rest of it, it is not kept again.
_READ: Final = ("trace", "id", "start", "end", "model", "error")


def read_calls(value: Mapping[str, Any], locator: str) -> DialogueRecord | RejectedRecord:
    """Returns the dialogue of gathered spans, the first one of spans as their file has them, or why there is none."""
    if SPANS_OF in value:
        if not is_gathered(value):
            return RejectedRecord(locator, "the gathered spans are not as they were gathered", "malformed spans")
        return _read(value, locator)
    found = dialogues_in(value)
    if not found:
        return RejectedRecord(locator, "the spans have no call of a model with messages", "no messages")
    return _read(found[0], locator)


def _read(value: Mapping[str, Any], locator: str) -> DialogueRecord | RejectedRecord:
    try:
        return _Reading(value, locator).dialogue()
    except TooLargeError:
        return RejectedRecord(locator, "the calls say more than one conversation does", "too many characters")


def other_dialogues(value: Mapping[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yields the dialogues of spans as their file has them, all but the first."""
    if SPANS_OF not in value:
        for number, dialogue in enumerate(dialogues_in(value)[1:], 1):
            yield f".{SPANS_OF}[{number}]", dialogue


class _Reading:
    """One dialogue being read."""

    def __init__(self, value: Mapping[str, Any], locator: str) -> None:
        self._value = value
        self._locator = locator
        self._warnings: Counter[str] = Counter()
        self._tree = CallTree(value[MESSAGES], self._warnings)
        self._calls: dict[str, Any] = {}
        self._spans: dict[str, Any] = {}
        self._times: list[datetime] = []

    def dialogue(self) -> DialogueRecord:
        """Returns the dialogue: of its models' calls, or of its agents' if no model's are logged."""
        calls = sorted(self._value[CALLS], key=self._start_of)
        own = [call for call in calls if not call.get("is_of_agent")]
        for call in own or calls:
            self._add_call(call)
        if own:
            said = set().union(*(node.said.values for node in self._tree.nodes))
            for call in calls:
                if call.get("is_of_agent"):
                    self._add_agent(call, said)
        for span in self._value[OTHERS]:
            self._add_span(self._spans, span, self._kept(span))
        kept = {
            CALLS: self._calls,
            _SPANS: self._spans,
            "repeated": self._tree.repeated,
            ORIGINS: self._value[ORIGINS],
        }
        return DialogueRecord(
            source=SOURCE,
            source_id=as_identifier(self._value[SPANS_OF]),
            locator=self._locator,
            created_at=min(self._times, default=None),
            updated_at=max(self._times, default=None),
            messages=tuple(node.record for node in self._tree.nodes),
            vintage=PART if own else _OF_AGENTS,
            warnings=+self._warnings,
            source_json={name: item for name, item in kept.items() if item},
        )

    def _start_of(self, call: Mapping[str, Any]) -> tuple[bool, float]:
        moment = moment_of(call.get("start"), Counter())
        return moment is None, 0.0 if moment is None else moment.timestamp()

    def _time(self, value: Any) -> datetime | None:
        moment = moment_of(value, self._warnings)
        if moment is not None:
            self._times.append(moment)
        return moment

    def _add_call(self, call: Mapping[str, Any]) -> None:
        start, end = self._time(call.get("start")), self._time(call.get("end"))
        node, overlap = self._tree.add_given(call["given"], start)
        answers = [self._tree.add_answer(node, numbers) for numbers in call["answers"]]
        error = as_text(call.get("error"))
        if error is not None and not any(answers):
            answers = [[self._tree.add_error(node, error)]]
        kept = self._kept(call)
        if overlap is not None:
            kept["overlap"] = overlap
        is_agent = bool(call.get("is_of_agent"))
        is_said = False
        for answer in answers:
            for place, said in enumerate(answer):
                is_first = place == 0 and not is_said and not is_agent
                is_said |= self._answer(said, call, end or start, kept if is_first else None)
        if not is_said:
            self._add_span(self._spans if is_agent else self._calls, call, kept)

    def _answer(
        self, node: Node, call: Mapping[str, Any], moment: datetime | None, kept: dict[str, Any] | None
    ) -> bool:
        """Notes with an answer when and by which model it was given; tells whether that was news and was kept."""
        record = node.record
        if record.role != "assistant" or node.is_answer:
            return bool(node.is_answer and kept is not None and (record.source or {}).get(_CALL) == kept)
        node.is_answer = True
        record.created_at = moment or record.created_at
        record.model = record.model or as_text(call.get("model"))
        if as_text(call.get("error")) is not None:
            record.state = "error"
        if kept is None:
            return False
        record.source = {**(record.source or {}), _CALL: kept}
        return True

    def _add_agent(self, call: Mapping[str, Any], said: set[Any]) -> None:
        """Keeps what calls models, and of its messages those that say more than the models' have."""
        numbers = [*call["given"], *(number for answer in call["answers"] for number in answer)]
        unsaid = [
            self._value[MESSAGES][number]
            for number in dict.fromkeys(numbers)
            if not all(each.values <= said for each in self._tree.said(number))
        ]
        kept = self._kept(call)
        self._add_span(self._spans, call, {**kept, MESSAGES: unsaid} if unsaid else kept)

    def _kept(self, span: Mapping[str, Any]) -> dict[str, Any]:
        rest = span["rest"]
        known = scalars(rest)
        read = {name: span[name] for name in _READ if name in span and not _is_known(span[name], known)}
        origin = {} if is_empty(span.get("origin")) else {"origin": span["origin"]}
        return {**rest, **origin, **({"read": read} if read else {})}

    def _add_span(self, spans: dict[str, Any], span: Mapping[str, Any], kept: dict[str, Any]) -> None:
        self._time(span.get("end"))
        name = as_identifier(span.get("id")) or hashed(kept)
        if spans.get(name, kept) != kept:
            name = f"{name}-{hashed(kept)}"
        spans[name] = kept


def _is_known(value: Any, known: set[Any]) -> bool:
    return isinstance(value, str | int | float) and value in known
