"""Which message each follows: one chain for each turn of the agent, branches only where the user went back.

The source's pointers lead from line to line. A result points to the line of its call, so results of parallel calls look
like branches; they are put behind each other. A pointer may lead to a line that is not in the file.
"""

from __future__ import annotations

from collections import Counter
from typing import Final

from archive_pipeline.readers.claude_code.drafts import Draft, Gathered
from archive_pipeline.readers.json.shapes import RELINKED_PARENT, as_identifier, as_object

_ROOT: Final = ""


class Threads:
    """The parents of one session's messages, found in the file's order.

    Attributes:
        latest: the latest message that is no subagent's; when all have parents, the one that the session goes on from.
    """

    def __init__(self, found: Gathered, warnings: Counter[str]) -> None:
        self._found = found
        self._warnings = warnings
        self._ways: dict[str, str | None] = {}
        self._turn: dict[str, str] = {}  # by message, the answer or root that its turn begins with
        self._last: dict[str, str] = {}  # by turn, its latest message
        self._last_result: dict[str, str] = {}  # by turn, what all but results follow
        self._results: set[str] = set()
        self._caller: dict[str, str] = {}  # by call, the answer that makes it
        self.latest: str | None = None

    def parents(self) -> list[str | None]:
        """Returns the parent of each message: an id, or a pointer that leads nowhere if no message comes before."""
        return [self._parent(draft) for draft in self._found.drafts]

    def _parent(self, draft: Draft) -> str | None:
        parent = self._aside() if draft.is_side else self._on_main(draft)
        if not draft.is_side:
            self.latest = draft.id
        begins = parent is None or (draft.role == "assistant" and not draft.is_side)
        turn = draft.id if begins else self._turn.get(parent or "", draft.id)
        self._turn[draft.id] = turn
        if turn != draft.id:
            self._last[turn] = draft.id
            if draft.role == "tool" or draft.is_side or not draft.lines:
                self._last_result[turn] = draft.id
                self._results.add(draft.id)
        for block in draft.blocks if draft.role == "assistant" else ():
            call = as_identifier(as_object(block).get("id"))
            if call is not None:
                self._caller.setdefault(call, draft.id)
        return parent

    def _aside(self) -> str | None:
        """A subagent's messages come where the file has them, between the call and its result."""
        if self.latest is None:
            return None
        turn = self._turn[self.latest]
        return self._last.get(turn, self.latest)

    def _on_main(self, draft: Draft) -> str | None:
        if draft.role == "tool" and (turn := self._called_in(draft)) is not None:
            return self._last.get(turn, turn)
        parent = self._pointed_at(draft)
        turn = self._turn.get(parent or "")
        if parent is None or turn is None:
            return parent
        is_within = parent == turn or parent in self._results
        return self._last_result.get(turn, parent) if is_within else parent

    def _called_in(self, draft: Draft) -> str | None:
        """Returns the answer whose call a message is the result of."""
        calls = (as_identifier(as_object(block).get("tool_use_id")) for block in draft.blocks)
        return next((self._caller[call] for call in calls if call in self._caller), None)

    def _pointed_at(self, draft: Draft) -> str | None:
        """Only a user begins a conversation anew: whatever else has no line before it follows the message before it."""
        if draft.pointer is None and draft.has_pointer and draft.role == "user":
            return None
        if draft.pointer is None and self.latest is not None:
            self._warnings[RELINKED_PARENT] += draft.has_pointer
            return self.latest
        parent = self.way(draft.pointer) if draft.pointer is not None else _ROOT
        if parent is None and self.latest is not None:
            self._warnings[RELINKED_PARENT] += 1
            return self.latest
        return draft.pointer if parent is None else parent or None

    def way(self, pointer: str) -> str | None:
        """Returns the message that a pointer leads to past other lines; ``_ROOT`` past the first, None to nowhere."""
        passed: list[str] = []
        here: str | None = pointer
        while here is not None and here in self._found.passed and here not in self._ways:
            self._ways[here] = None  # where lines form a circle, they lead nowhere
            passed.append(here)
            here = self._found.passed[here]
        end = _ROOT if here is None else self._ways.get(here) or self._found.message_of.get(here)
        self._ways.update(dict.fromkeys(passed, end))
        return end
