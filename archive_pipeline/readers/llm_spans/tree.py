"""The messages of a dialogue's calls as one tree: a call goes on from what it repeats, and departs where it differs."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any, Final

from archive_pipeline.domain.records import MessageRecord, PartRecord, PartType
from archive_pipeline.readers.llm_spans.folding import Said, hashed, said_by

# Of a message that was said often, so many places are tried, the last first.
_MAX_PLACES: Final = 20
# One message that is the same may be chance.
_SHORTEST_OVERLAP: Final = 2
# Of all messages together, where the same one may be in many places: more is no conversation.
_MAX_CHARACTERS: Final = 256 * 1024 * 1024


class TooLargeError(ValueError):
    """Calls say more than one conversation does."""


@dataclass(slots=True)
class _Calls:
    """What one answer calls.

    Attributes:
        tools: by the ids of calls, in their order.
        ids: of those for which no result without an id was taken, the next one last.
    """

    tools: dict[str, str | None] = field(default_factory=dict)
    ids: list[str] = field(default_factory=list)


@dataclass(slots=True, eq=False)
class Node:
    """A message in its place.

    Attributes:
        record: of it, with ids.
        said: what it says: ids of calls that it names, all values.
        parent: the message before it; None of the first.
        children: by their keys.
        calls: those of the answer that it is, or that it gives the results of.
        is_answer: a call gave it.
        checked: numbers of messages that were found to say no more than it.
    """

    record: MessageRecord
    said: Said
    parent: Node | None
    children: defaultdict[str, list[Node]] = field(default_factory=lambda: defaultdict(list))
    calls: _Calls = field(default_factory=_Calls)
    is_answer: bool = False
    checked: set[int] = field(default_factory=set)

    @property
    def id(self) -> str:
        """The id of the message."""
        return self.record.source_id or ""


class CallTree:
    """The messages of all calls, each once.

    Args:
        messages: of all calls; these name them by number.
        warnings: where anomalies are counted.

    Attributes:
        nodes: in the order in which they were first said.
        repeated: messages that say more than those which they repeat, by hash.
    """

    def __init__(self, messages: Sequence[dict[str, Any]], warnings: Counter[str]) -> None:
        self.nodes: list[Node] = []
        self.repeated: dict[str, Any] = {}
        self._messages = messages
        self._warnings = warnings
        self._said: dict[int, list[Said]] = {}
        self._roots: defaultdict[str, list[Node]] = defaultdict(list)
        self._characters = 0
        self._places: defaultdict[str, list[Node]] = defaultdict(list)

    def said(self, number: int) -> list[Said]:
        """Returns what a message says."""
        if number not in self._said:
            self._said[number] = said_by(self._messages[number], self._warnings)
        return self._said[number]

    def add_given(self, numbers: Sequence[int], moment: datetime | None) -> tuple[Node | None, int | None]:
        """Adds the input of a call.

        Returns:
            Its last message, and how many messages of it overlap with others if it was cut at its beginning.
        """
        given = [(number, said) for number in numbers for said in self.said(number)]
        first = next((place for place, (_, said) in enumerate(given) if said.record.role != "system"), len(given))
        known, begin = self._known(None, given, 0), 0
        if len(known) <= first < len(given) and (joined := self._overlapping(given, first)):
            known, begin = joined, first
            self._keep_unsaid(given[:first])
        for repeated, (number, said) in zip(known, given[begin:], strict=False):
            self._check(repeated, number, said)
        node = known[-1] if known else None
        count = begin + len(known)
        last = max((place for place, (_, said) in enumerate(given) if said.record.role == "assistant"), default=-1)
        for place in range(count, len(given)):
            node = self._add(node, *given[place], moment if place > last else None)
        return node, len(known) if begin else None

    def add_answer(self, node: Node | None, numbers: Sequence[int]) -> list[Node]:
        """Adds an answer below the input of its call; returns its messages."""
        found: list[Node] = []
        for number in numbers:
            for said in self.said(number):
                known = self._child(node, said)
                node = self._add(node, number, said, None) if known is None else known
                if known is not None and not known.is_answer and said.record.role == "assistant":
                    self._say(known, said)
                elif known is not None:
                    self._check(known, number, said)
                found.append(node)
        return found

    def add_error(self, node: Node | None, error: str) -> Node:
        """Adds an answer that a failed call has in place of one."""
        part = PartRecord(PartType.ERROR, error, "error")
        record = MessageRecord(None, None, "assistant", (part,), state="error")
        said = Said(record, hashed(["error", error]), (), frozenset([error]))
        return self._child(node, said) or self._add(node, -1, said, None)

    def _known(self, node: Node | None, given: list[tuple[int, Said]], count: int) -> list[Node]:
        """Returns the messages below a place that an input repeats from its message of that count on."""
        known: list[Node] = []
        while count + len(known) < len(given):
            child = self._child(node, given[count + len(known)][1])
            if child is None:
                break
            known.append(child)
            node = child
        return known

    def _overlapping(self, given: list[tuple[int, Said]], first: int) -> list[Node]:
        """Returns the longest run of messages that an input repeats from its first one behind instructions on."""
        said = given[first][1]
        places = [place for place in self._places.get(said.key, ())[-_MAX_PLACES:] if said.is_like(place.said.tool_ids)]
        runs = [[place, *self._known(place, given, first + 1)] for place in reversed(places)]
        best = max(runs, key=len, default=[])
        return best if len(best) >= _SHORTEST_OVERLAP else []

    def _keep_unsaid(self, given: list[tuple[int, Said]]) -> None:
        """Keeps instructions of an input that joins others, where these never had them."""
        for number, said in given:
            if said.key not in self._places:
                self.repeated.setdefault(hashed(self._messages[number]), self._messages[number])

    def _child(self, node: Node | None, said: Said) -> Node | None:
        children = self._roots if node is None else node.children
        return next((child for child in children.get(said.key, ()) if said.is_like(child.said.tool_ids)), None)

    def _check(self, node: Node, number: int, said: Said) -> None:
        """Keeps a message that says more than the one that it repeats."""
        if number in node.checked:
            return
        node.checked.add(number)
        if not said.values <= node.said.values:
            self.repeated.setdefault(hashed(self._messages[number]), self._messages[number])

    def _say(self, node: Node, said: Said) -> None:
        """Puts the record of an answer in the place of one that was known from what a call repeats of it."""
        before = node.record
        own, above = before.source_id, before.parent_source_id
        node.record = replace(said.record, source_id=own, parent_source_id=above, parts=_named(said.record.parts, node))
        known, node.said = node.said, said
        if not known.values <= said.values:
            for number in node.checked:
                self.repeated.setdefault(hashed(self._messages[number]), self._messages[number])

    def _add(self, parent: Node | None, number: int, said: Said, moment: datetime | None) -> Node:
        self._characters += 100 + sum(len(value) for value in said.values if isinstance(value, str))
        if self._characters > _MAX_CHARACTERS:
            raise TooLargeError
        above = None if parent is None else parent.id
        own = hashed([above, said.key, said.tool_ids])
        record = replace(
            said.record, source_id=own, parent_source_id=above, created_at=said.record.created_at or moment
        )
        node = Node(record, said, parent, checked={number})
        if parent is not None and record.role == "tool":
            node.calls = parent.calls
        record.parts = _named(record.parts, node)
        self._warnings["unpaired_tool_result"] += sum(_is_unpaired(part, node) for part in record.parts)
        (self._roots if parent is None else parent.children)[said.key].append(node)
        self._places[said.key].append(node)
        self.nodes.append(node)
        return node


def _is_unpaired(part: PartRecord, node: Node) -> bool:
    return part.part_type is PartType.TOOL_RESULT and part.tool_use_id not in node.calls.tools


def _named(parts: Sequence[PartRecord], node: Node) -> tuple[PartRecord, ...]:
    """Returns parts, calls without an id with one, and results with the id and the tool of their call."""
    named = [replace(part) for part in parts]
    called = [part for part in named if part.part_type is PartType.TOOL_USE]
    for count, part in enumerate(called, 1):
        part.tool_use_id = part.tool_use_id or f"{node.id}-{count}"
    if called or node.record.role != "tool":
        tools = {part.tool_use_id or "": part.tool_name for part in called}
        node.calls = _Calls(tools, [*reversed(tools)])
    for part in named:
        if part.part_type is PartType.TOOL_RESULT:
            if part.tool_use_id is None and node.calls.ids:
                part.tool_use_id = node.calls.ids.pop()
            part.tool_name = part.tool_name or node.calls.tools.get(part.tool_use_id or "")
    return tuple(named)
