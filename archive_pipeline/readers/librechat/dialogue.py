"""LibreChat's export of a conversation: messages in a row or in a tree, of all branches or of the one shown."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any, Final

from archive_pipeline.domain.records import FULL, DialogueRecord, MessageRecord, RejectedRecord
from archive_pipeline.readers.json.shapes import DUPLICATE_MESSAGE, as_identifier, as_object, as_text
from archive_pipeline.readers.librechat.messages import MessageReader
from archive_pipeline.readers.librechat.recognition import messages_field
from archive_pipeline.readers.librechat.tree import Node, nodes_of
from archive_pipeline.readers.timestamps import read_timestamp

SOURCE: Final = "librechat"
_BRANCH: Final = "branch"
_UNTITLED: Final = "New Chat"
_ASSISTANTS: Final = {"agent_id": "agent_", "assistant_id": "asst_"}


def read_conversation(value: Mapping[str, Any], locator: str) -> DialogueRecord | RejectedRecord:
    """Returns the dialogue of an export, or why it is none."""
    field = messages_field(value)
    if field is None:
        return RejectedRecord(locator, "the conversation has no 'messages', so no messages", "missing messages")
    warnings: Counter[str] = Counter()
    nodes, unread = nodes_of(value[field])
    warnings["malformed_message"] += len(unread) + sum(node.unread for node in nodes)
    nodes, repeated = _unique(nodes, warnings)
    unread += repeated
    source_id = as_identifier(value.get("conversationId"))
    messages = _messages(nodes, source_id, warnings)
    is_linear = len(messages) > 1 and not any(message.parent_source_id for message in messages)
    warnings["no_parent_pointers"] += is_linear
    source = {name: item for name, item in value.items() if name != field}
    title = as_text(value.get("title"))
    return DialogueRecord(
        source=SOURCE,
        source_id=source_id,
        locator=locator,
        title=None if title == _UNTITLED else title,
        created_at=read_timestamp(value.get("createdAt"), warnings) or min(_times(messages), default=None),
        updated_at=read_timestamp(value.get("updatedAt"), warnings) or max(_times(messages), default=None),
        messages=messages,
        is_linear_source=is_linear,
        vintage=_BRANCH if value.get("branches") is False else FULL,
        custom_gpt_id=_assistant(value),
        warnings=+warnings,
        source_json={**source, field: unread} if unread else source,
    )


def _messages(nodes: list[Node], conversation: str | None, warnings: Counter[str]) -> tuple[MessageRecord, ...]:
    reader = MessageReader(conversation, {node.id for node in nodes if node.id is not None}, warnings)
    read = [reader.read(node) for node in nodes]
    for first, *_ in read:
        parent = first.parent_source_id
        first.parent_source_id = reader.last.get(parent, parent) if parent is not None else None
    return tuple(message for records in read for message in records)


def _unique(nodes: Iterable[Node], warnings: Counter[str]) -> tuple[list[Node], list[Any]]:
    """Returns the first message of each id, and what the others say that say something else."""
    first: dict[str, Node] = {}
    kept: list[Node] = []
    others: list[Any] = []
    for node in nodes:
        if node.id is None or first.setdefault(node.id, node) is node:
            kept.append(node)
            continue
        warnings[DUPLICATE_MESSAGE] += 1
        if node.fields != first[node.id].fields:
            others.append(node.fields)
    return kept, others


def _times(messages: Iterable[MessageRecord]) -> list[datetime]:
    times = (moment for message in messages for moment in (message.created_at, message.updated_at))
    return [moment for moment in times if moment is not None]


def _assistant(value: Mapping[str, Any]) -> str | None:
    """Returns the id of the agent or assistant that the conversation is set to, not one made up for a model."""
    options = as_object(value.get("options"))
    named = ((as_text(fields.get(name)), prefix) for name, prefix in _ASSISTANTS.items() for fields in (options, value))
    return next((said for said, prefix in named if said is not None and said.startswith(prefix)), None)
