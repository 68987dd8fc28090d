"""One tree of Open Assistant to a dialogue record.

A node has its replies in it, alternatives of each other; messages that stand alone name their parents. A message that
was deleted on the site is hidden: nobody is shown it there.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from archive_pipeline.domain.records import DialogueRecord, MessageRecord, PartRecord, PartType, RejectedRecord
from archive_pipeline.readers.gathered import MESSAGES, TREE
from archive_pipeline.readers.json.fields import Fields, is_empty
from archive_pipeline.readers.json.shapes import as_identifier, as_list, unique_messages
from archive_pipeline.readers.oasst.recognition import ID_FIELDS, PROMPT, ROLES, TREE_ID
from archive_pipeline.readers.roles import read_role
from archive_pipeline.readers.timestamps import read_timestamp

SOURCE: Final = "oasst"
_REPLIES: Final = "replies"


@dataclass(slots=True)
class _Node:
    """A message as the source has it.

    Attributes:
        item: the whole of it, its replies left out.
        id: its own id.
        parent: that of the node it stands in, or the one it names.
    """

    item: dict[str, Any]
    id: str | None
    parent: str | None


def read_tree(value: Mapping[str, Any], locator: str) -> DialogueRecord | RejectedRecord:
    """Returns the dialogue of a tree, or why it is none."""
    own = Fields(value)
    unread: list[Any] = []
    if isinstance(value.get(PROMPT), dict):
        nodes = list(_in_order(own.take(PROMPT), unread))
    elif isinstance(value.get(MESSAGES), list):
        items = own.take_items(MESSAGES)
        nodes = [_alone(item) for item in items if isinstance(item, dict)]
        unread += [item for item in items if not isinstance(item, dict) and not is_empty(item)]
    else:
        return RejectedRecord(locator, "the tree has no 'prompt', so no messages", "missing prompt")
    warnings: Counter[str] = Counter({"malformed_message": len(unread)})
    tree = as_identifier(value.get(TREE_ID)) or as_identifier(value.get(TREE)) or (nodes[0].id if nodes else None)
    messages, repeated = unique_messages([_message(node, tree, warnings) for node in nodes], warnings)
    unread += [nodes[place].item for place, first in repeated.items() if nodes[place].item != nodes[first].item]
    own.put_back(MESSAGES, [*as_list(own.fields_left().get(MESSAGES)), *unread])
    times = _times(messages)
    return DialogueRecord(
        source=SOURCE,
        source_id=tree,
        locator=locator,
        created_at=min(times, default=None),
        updated_at=max(times, default=None),
        messages=messages,
        warnings=+warnings,
        source_json=own.fields_left(),
    )


def _in_order(prompt: dict[str, Any], unread: list[Any]) -> Iterator[_Node]:
    """Yields a node and what is below it, each before its replies; what is no node is unread."""
    waiting: list[tuple[dict[str, Any], str | None]] = [(prompt, None)]
    count = 0
    while waiting:
        item, parent = waiting.pop()
        fields = Fields(item)
        replies = fields.take_items(_REPLIES)
        count += 1
        # Replies have to name something.
        own = _id(item) or f"node-{count}"
        yield _Node(fields.fields_left(), own, parent)
        waiting += [(reply, own) for reply in reversed(replies) if isinstance(reply, dict)]
        unread += [reply for reply in replies if not isinstance(reply, dict) and not is_empty(reply)]


def _alone(item: dict[str, Any]) -> _Node:
    pointers = (as_identifier(item.get(above)) for _, above in ID_FIELDS)
    return _Node(item, _id(item), next(filter(None, pointers), None))


def _id(item: Mapping[str, Any]) -> str | None:
    return next(filter(None, (as_identifier(item.get(name)) for name, _ in ID_FIELDS)), None)


def _message(node: _Node, tree: str | None, warnings: Counter[str]) -> MessageRecord:
    fields = Fields(node.item)
    _take_ids(fields, node, tree)
    role = read_role(node.item.get("role"), ROLES, warnings)
    if node.item.get("role") == role:
        fields.take("role")
    text = fields.take_text("text")
    warnings["malformed_text"] += not is_empty(fields.fields_left().get("text"))
    return MessageRecord(
        source_id=node.id,
        parent_source_id=node.parent,
        role=role,
        parts=() if text is None else (PartRecord(PartType.TEXT, text, "text"),),
        created_at=read_timestamp(node.item.get("created_date"), warnings),
        model=fields.take_text("model_name") if role == "assistant" else None,
        is_hidden=node.item.get("deleted") is True,
        source=fields.rest(),
    )


def _take_ids(fields: Fields, node: _Node, tree: str | None) -> None:
    """Takes the ids that say what the columns do: where the message stands."""
    said = {TREE_ID: tree}
    for name, above in ID_FIELDS:
        said |= {name: node.id, above: node.parent}
    for name, known in said.items():
        if known is not None and as_identifier(fields.fields_left().get(name)) == known:
            fields.take(name)


def _times(messages: tuple[MessageRecord, ...]) -> list[datetime]:
    return [message.created_at for message in messages if message.created_at is not None]
