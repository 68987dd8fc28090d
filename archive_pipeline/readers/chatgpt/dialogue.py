"""ChatGPT's export: one conversation object, its nodes keyed by id, to a dialogue record.

The tree is built from ``parent`` alone; ``children`` is often incomplete and is read only where no node has a parent.
Message ids are node ids, because parents are. What a message's content becomes is decided in ``chatgpt.content``.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from archive_pipeline.domain.records import (
    AttachmentRecord,
    DialogueRecord,
    MessageRecord,
    MessageState,
    PartRecord,
    PartType,
    RejectedRecord,
    Role,
)
from archive_pipeline.readers.chatgpt.content import ContentReader, is_call
from archive_pipeline.readers.chatgpt.shape import gizmos_of, vintage_of
from archive_pipeline.readers.chatgpt.sources import take_instructions, take_sources, written_texts
from archive_pipeline.readers.json.fields import Fields, is_empty
from archive_pipeline.readers.json.shapes import as_identifier, as_object, as_size, as_text
from archive_pipeline.readers.mapping import aliases_of, parents_of
from archive_pipeline.readers.roles import OPENAI_ROLES, read_role
from archive_pipeline.readers.timestamps import read_timestamp

SOURCE = "chatgpt"
_CONTEXT = PartType.CONTEXT  # looked up once: that takes ten times as long as a name
_ROLES: dict[str, Role] = {**OPENAI_ROLES, "function": "tool"}
_STATES: dict[str, MessageState] = {
    "in_progress": "in_progress",
    "finished_partial_completion": "aborted",
    "error": "error",
    "failed": "error",
}


@dataclass(slots=True)
class _Node:
    """A node of the mapping: its parent as a key of the mapping where that is known, and its message if it has one.

    ``is_call`` tells whether the message is addressed to a tool.
    """

    key: str
    parent: str | None
    message: dict[str, Any] | None
    role: Role
    is_call: bool


def read_conversation(value: Mapping[str, Any], locator: str) -> DialogueRecord | RejectedRecord:
    """Returns the dialogue of a conversation object, or why it is none."""
    mapping = value.get("mapping")
    if not isinstance(mapping, dict):
        title = as_text(value.get("title"))
        name = f" ({title})" if title else ""
        return RejectedRecord(locator, f"the conversation{name} has no 'mapping', so no messages", "missing mapping")
    warnings: Counter[str] = Counter()
    aliases = aliases_of(mapping)
    nodes = _nodes(mapping, aliases, warnings)
    is_linear = _has_no_links(nodes)
    if is_linear:
        warnings["no_parent_pointers"] += 1
    calls = _answered_calls(nodes)
    messages = tuple([m for node in nodes if (m := _message(node, calls, warnings)) is not None])
    current = as_identifier(value.get("current_node"))
    custom_gpt, project = gizmos_of(value)
    return DialogueRecord(
        source=SOURCE,
        source_id=as_identifier(value.get("conversation_id")) or as_identifier(value.get("id")),
        locator=locator,
        title=as_text(value.get("title")),
        created_at=read_timestamp(value.get("create_time"), warnings),
        updated_at=read_timestamp(value.get("update_time"), warnings),
        messages=messages,
        message_less_nodes={node.key: node.parent for node in nodes if node.message is None},
        active_source_id=aliases.get(current, current) if current else None,
        is_linear_source=is_linear,
        vintage=vintage_of(mapping),
        custom_gpt_id=custom_gpt,
        project_id=project,
        warnings=warnings,
        source_json=_source_of_conversation(value, _kept_nodes(mapping, nodes, aliases)),
    )


def _source_of_conversation(value: Mapping[str, Any], kept: Mapping[str, Any]) -> dict[str, Any]:
    source = {key: item for key, item in value.items() if key != "mapping"}
    return {**source, "mapping": kept} if kept else source


def _kept_nodes(mapping: Mapping[str, Any], nodes: list[_Node], aliases: Mapping[str, str]) -> dict[str, Any]:
    """Returns what no message holds: the nodes without one, and what else than a message and its place others have."""
    kept: dict[str, Any] = {}
    for node in nodes:
        value = mapping[node.key]
        rest = _rest_of_node(value, node, mapping, aliases) if isinstance(value, dict) else value
        if node.message is None:
            kept[node.key] = rest or {} if isinstance(value, dict) else value
        elif rest is not None:
            kept[node.key] = rest
    return kept


def _rest_of_node(
    value: Mapping[str, Any], node: _Node, mapping: Mapping[str, Any], aliases: Mapping[str, str]
) -> dict[str, Any] | None:
    rest: dict[str, Any] = {}
    for name, item in value.items():
        # The parent is in source_parent_id, or it is another name of the node that is there.
        if node.message is not None and (name == "message" or (name == "parent" and as_identifier(item) is not None)):
            continue
        if name == "children" and isinstance(item, list) and _are_nodes(item, mapping, aliases):
            continue
        if (name == "id" and as_identifier(item) == node.key) or is_empty(item):
            continue
        rest[name] = item
    return rest or None


def _are_nodes(names: list[Any], mapping: Mapping[str, Any], aliases: Mapping[str, str]) -> bool:
    for item in names:
        name = as_identifier(item)
        if name is None or (name not in mapping and name not in aliases):
            return False
    return True


def _nodes(mapping: Mapping[str, Any], aliases: Mapping[str, str], warnings: Counter[str]) -> list[_Node]:
    parents = parents_of(mapping, aliases)
    nodes: list[_Node] = []
    for key, node in mapping.items():
        message = node.get("message") if isinstance(node, dict) else None
        if not isinstance(node, dict) or (message is not None and not isinstance(message, dict)):
            warnings["malformed_node"] += 1
            message = None
        role = _role(message, warnings) if message is not None else "system"
        is_addressed = role == "assistant" and message is not None and is_call(message, role)
        nodes.append(_Node(key, parents[key], message, role, is_addressed))
    return nodes


def _has_no_links(nodes: list[_Node]) -> bool:
    """True if several messages stand there without a single pointer between them: then their order is all there is."""
    return sum(node.message is not None for node in nodes) > 1 and not any(node.parent for node in nodes)


def _role(message: Mapping[str, Any], warnings: Counter[str]) -> Role:
    author = message.get("author")
    name = author if isinstance(author, str) else as_object(author).get("role")
    return read_role(name, _ROLES, warnings)


def _answered_calls(nodes: list[_Node]) -> dict[str, str]:
    """Returns the call each tool message answers: the nearest one above it, past other answers to the same call."""
    calls = {node.key for node in nodes if node.is_call}
    if not calls:
        return {}
    by_key = {node.key: node for node in nodes}
    answers: dict[str, str | None] = {}
    for node in nodes:
        if node.role != "tool":
            continue
        trail = []
        key: str | None = node.key
        while key in by_key and key not in answers and key not in calls and _is_passed(by_key[key]):
            answers[key] = None  # seen: a cycle ends here
            trail.append(key)
            key = by_key[key].parent
        call = key if key in calls else answers.get(key) if key else None
        answers.update(dict.fromkeys(trail, call))
    return {key: call for key, call in answers.items() if call is not None}


def _is_passed(node: _Node) -> bool:
    return node.message is None or node.role == "tool"


def _message(node: _Node, calls: Mapping[str, str], warnings: Counter[str]) -> MessageRecord | None:
    message = node.message
    if message is None:
        return None
    role, rest = node.role, Fields(message.get("metadata"))
    metadata = as_object(message.get("metadata"))
    call = calls.get(node.key)
    content = ContentReader(message, role=role, key=node.key, call=call, is_call=node.is_call, warnings=warnings)
    parts = _parts(content, rest, role)
    attachments = _attachments(rest)
    status = message.get("status")
    return MessageRecord(
        source_id=node.key,
        parent_source_id=node.parent,
        role=role,
        parts=parts,
        attachments=attachments,
        created_at=read_timestamp(message.get("create_time"), warnings),
        updated_at=read_timestamp(message.get("update_time"), warnings),
        model=as_text(metadata.get("model_slug")) if role == "assistant" else None,
        author_name=as_text(as_object(message.get("author")).get("name")),
        recipient=as_text(message.get("recipient")),
        channel=as_text(message.get("channel")),
        state=_STATES.get(status, "complete") if isinstance(status, str) else "complete",
        is_hidden=_is_hidden(message, metadata) or _is_context(parts),
        source=_source(message, rest, content.rest()),
    )


def _parts(content: ContentReader, metadata: Fields, role: Role) -> tuple[PartRecord, ...]:
    parts = content.parts() or tuple(take_instructions(metadata))
    beside = [*(written_texts(parts) if role == "assistant" else ()), *take_sources(metadata)]
    return (*parts, *beside) if beside else parts


def _is_context(parts: tuple[PartRecord, ...]) -> bool:
    """True for custom instructions that stand in a message of their own, which the vendor's site does not show."""
    return _CONTEXT in [part.part_type for part in parts]


def _is_hidden(message: Mapping[str, Any], metadata: Mapping[str, Any]) -> bool:
    weight = message.get("weight")
    return metadata.get("is_visually_hidden_from_conversation") is True or (
        isinstance(weight, int | float) and not isinstance(weight, bool) and weight == 0
    )


def _attachments(metadata: Fields) -> tuple[AttachmentRecord, ...]:
    """Takes the attached files; what is no array of objects stays where it is."""
    attachments = metadata.fields_left().get("attachments")
    if not isinstance(attachments, list):
        if is_empty(attachments):
            metadata.take("attachments")
        return ()
    metadata.take("attachments")
    metadata.put_back(
        "attachments", [item for item in attachments if not isinstance(item, dict) and not is_empty(item)]
    )
    return tuple(
        AttachmentRecord(
            source_id=as_identifier(item.get("id")),
            file_name=as_text(item.get("name")),
            mime_type=as_text(item.get("mime_type")) or as_text(item.get("mimeType")),
            size_bytes=as_size(item.get("size")),
            source=item,
        )
        for item in attachments
        if isinstance(item, dict)
    )


def _source(message: Mapping[str, Any], metadata: Fields, content: object) -> dict[str, Any]:
    source = {**message, "content": content}
    if isinstance(message.get("metadata"), dict):
        source["metadata"] = metadata.fields_left()
    return source
