"""Trees, sequences and prompt-response pairs by their definitions (seeds 000, 001): one path at a time, without speed.

Everything here and in the modules ``reference_…`` is quadratic or worse, works on one dialogue, and follows the
documents' words; nothing is imported from the code under test but its input and the ids.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from archive_pipeline.domain.batch import DialogueBatch

UNKNOWN_TIME = -(2**63)


@dataclass(frozen=True)
class ToolPart:
    """A tool call or a result, known by its number in the batch."""

    number: int
    message: str
    is_result: bool
    id: str | None
    name: str | None
    input: str | None
    text: str | None
    is_error: bool


@dataclass(frozen=True)
class Message:
    """A message of the batch, by id."""

    id: str
    parent: str | None
    role: str
    number: int
    time: int
    text: str | None
    is_usable: bool
    tools: tuple[ToolPart, ...]
    has_other_content: bool


class Dialogue:
    """One dialogue of a batch."""

    def __init__(self, batch: DialogueBatch, index: int) -> None:
        self.id = batch.dialogue_ids[index]
        self.active = batch.active_ids[index]
        parts = tool_parts(batch)
        self.messages = [
            Message(
                batch.message_ids[at],
                None if batch.parent[at] < 0 else batch.message_ids[batch.parent[at]],
                batch.role[at],
                batch.sequence_number[at],
                int(batch.created_at[at]),
                batch.text[at],
                batch.is_complete[at] and not batch.is_hidden[at],
                tuple(part for part in parts if part.message == batch.message_ids[at]),
                batch.has_other_content[at],
            )
            for at in range(len(batch.message_ids))
            if batch.dialogue[at] == index
        ]
        self.by_id = {message.id: message for message in self.messages}

    def ancestors(self, message: Message) -> list[Message]:
        """Root first."""
        found: list[Message] = []
        while message.parent is not None:
            message = self.by_id[message.parent]
            found.insert(0, message)
        return found

    def path(self, message: Message) -> list[Message]:
        return [*self.ancestors(message), message]

    def children(self, parent: str | None) -> list[Message]:
        return [message for message in self.messages if message.parent == parent]

    def leaves(self) -> list[Message]:
        return [message for message in self.messages if not self.children(message.id)]

    def paths(self) -> list[list[Message]]:
        return [self.path(leaf) for leaf in self.leaves()]

    def primary_leaf(self) -> Message | None:
        """Deepest, then most recent, then last in sequence."""
        scored = [(len(self.ancestors(leaf)), leaf.time, leaf.number, leaf) for leaf in self.leaves()]
        return max(scored, key=lambda item: item[:3])[3] if scored else None

    def primary_path(self) -> list[Message]:
        leaf = self.primary_leaf()
        return self.path(leaf) if leaf else []

    def message_paths(self) -> dict[str, dict[str, Any]]:
        primary = self.primary_path()
        active = self.path(self.by_id[self.active]) if self.active in self.by_id else []
        return {
            message.id: {
                "dialogue_id": self.id,
                "depth": len(self.ancestors(message)),
                "is_root": message.parent is None,
                "is_leaf": not self.children(message.id),
                "child_count": len(self.children(message.id)),
                "sibling_index": self.children(message.parent).index(message),
                "is_on_primary_path": message in primary,
                "is_on_active_path": message in active,
            }
            for message in self.messages
        }

    def descendants(self, message: Message) -> set[str]:
        return {other.id for other in self.messages if message in self.ancestors(other)}

    def sibling_class(self, siblings: list[Message]) -> str:
        roles = {message.role for message in siblings}
        if roles in ({"assistant"}, {"tool"}, {"assistant", "tool"}):
            return "regeneration"
        return "edit" if roles == {"user"} else "fork"

    def tree(self) -> dict[str, Any]:
        leaf, roots = self.primary_leaf(), self.children(None)
        branches = [below for message in self.messages if len(below := self.children(message.id)) > 1]
        classes = [self.sibling_class(below) for below in branches]
        return {
            "dialogue_id": self.id,
            "total_nodes": len(self.messages),
            "max_depth": max((len(self.ancestors(message)) for message in self.messages), default=0),
            "root_count": len(roots),
            "branch_count": len(branches),
            "leaf_count": len(self.leaves()),
            "primary_leaf_id": leaf.id if leaf else None,
            "primary_path_length": len(self.path(leaf)) if leaf else None,
            "has_regenerations": "regeneration" in classes,
            "has_edits": "edit" in classes,
            "is_linear": not branches and len(roots) <= 1,
        }

    def sequences(self) -> dict[str, dict[str, Any]]:
        primary = self.primary_path()
        found = {}
        for path in self.paths():
            shared = [message for message in path if message in primary]
            is_primary = path == primary
            if is_primary:
                reason = "primary"
            elif not shared:
                reason = "fork"
            else:
                reason = self.sibling_class(self.children(shared[-1].id))
            branched = None if is_primary or not shared else shared[-1]
            found[path[-1].id] = {
                "dialogue_id": self.id,
                "sequence_length": len(path),
                "is_primary": is_primary,
                "branch_reason": reason,
                "branched_at_depth": None if branched is None else len(self.ancestors(branched)),
                "branched_at_message_id": None if branched is None else branched.id,
            }
        return found

    def prompt_responses(self) -> dict[str, dict[str, Any]]:
        """Seed 001's builder, with the decision that only assistant messages respond."""
        found: dict[str, dict[str, Any]] = {}
        last_user: Message | None = None
        for message in self.messages:
            if message.role == "user":
                last_user = message
            if message.role != "assistant":
                continue
            above = [ancestor for ancestor in self.ancestors(message) if ancestor.role == "user"]
            prompt, rule = (above[-1], "ancestor") if above else (last_user, "fallback")
            if prompt is not None and prompt.id == message.parent:
                rule = "parent"
            if prompt is not None:
                found[message.id] = {
                    "dialogue_id": self.id,
                    "prompt_message_id": prompt.id,
                    "prompt_position": self.messages.index(prompt),
                    "response_position": self.messages.index(message),
                    "prompt_role": "user",
                    "response_role": "assistant",
                    "pairing_rule": rule,
                    "prompt_text": prompt.text,
                    "response_text": message.text,
                    "prompt_word_count": None if prompt.text is None else len(prompt.text.split()),
                    "response_word_count": None if message.text is None else len(message.text.split()),
                }
        return found


def dialogues(batch: DialogueBatch) -> list[Dialogue]:
    return [Dialogue(batch, index) for index in range(len(batch.dialogue_ids))]


def tool_parts(batch: DialogueBatch) -> list[ToolPart]:
    tools = batch.tools
    return [
        ToolPart(
            number,
            batch.message_ids[tools.message[number]],
            tools.is_result[number],
            tools.tool_use_id[number],
            tools.tool_name[number],
            tools.tool_input[number],
            tools.text[number],
            tools.is_error[number],
        )
        for number in range(len(tools.message))
    ]
