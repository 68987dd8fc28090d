"""Open WebUI's export: rows of its table of chats, each with a tree of messages under ``history``.

The branch that was shown last is in ``messages`` once more; it is kept only where it says something else.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any, Final

from archive_pipeline.domain.records import DialogueRecord, MessageRecord, MessageState, RejectedRecord
from archive_pipeline.readers.json.fields import Fields, is_empty
from archive_pipeline.readers.json.shapes import as_identifier, as_list, as_object, as_text, unique_messages
from archive_pipeline.readers.open_webui.content import attached_files, message_parts
from archive_pipeline.readers.open_webui.recognition import chat_of
from archive_pipeline.readers.roles import OPENAI_ROLES, read_role
from archive_pipeline.readers.timestamps import read_timestamp

SOURCE: Final = "open_webui"


def read_conversation(value: Mapping[str, Any], locator: str) -> DialogueRecord | RejectedRecord:
    """Returns the dialogue of a row of the export, or of a chat alone, or why it is none."""
    chat = chat_of(value)
    nodes = as_object(as_object(chat.get("history")).get("messages"))
    listed = as_list(chat.get("messages"))
    if not nodes and not listed and "history" not in chat:
        return RejectedRecord(locator, "the chat has neither 'history' nor 'messages'", "missing messages")
    warnings: Counter[str] = Counter()
    items: list[tuple[str | None, Any]] = list(nodes.items()) if nodes else [(None, item) for item in listed]
    entries = [(key, item) for key, item in items if isinstance(item, dict)]
    records = [_message(key, item, nodes, warnings) for key, item in entries]
    unread = {key: node for key, node in nodes.items() if not isinstance(node, dict)}
    warnings["malformed_message"] += len(unread) + sum(not isinstance(item, dict) for item in listed)
    messages, repeated = unique_messages(records, warnings)
    repeats = [entries[place][1] for place in repeated]
    is_linear = len(messages) > 1 and not any(message.parent_source_id for message in messages)
    warnings["no_parent_pointers"] += is_linear
    return DialogueRecord(
        source=SOURCE,
        source_id=as_identifier(value.get("id")) or as_identifier(chat.get("id")),
        locator=locator,
        title=as_text(value.get("title")) or as_text(chat.get("title")),
        created_at=_first_time(value.get("created_at"), chat.get("timestamp"), warnings=warnings),
        updated_at=_first_time(value.get("updated_at"), warnings=warnings),
        messages=messages,
        active_source_id=_current(value, chat),
        is_linear_source=is_linear,
        project_id=as_identifier(value.get("folder_id")),
        warnings=+warnings,
        source_json=_source(value, chat, unread, repeats),
    )


def _current(value: Mapping[str, Any], chat: Mapping[str, Any]) -> str | None:
    history = as_object(chat.get("history"))
    return as_identifier(history.get("currentId")) or as_identifier(value.get("current_message_id"))


def _first_time(*values: object, warnings: Counter[str]) -> Any:
    return next((moment for value in values if (moment := read_timestamp(value, warnings)) is not None), None)


def _source(
    value: Mapping[str, Any], chat: Mapping[str, Any], unread: dict[str, Any], repeats: list[Any]
) -> dict[str, Any]:
    """Returns the row without its messages."""
    own = dict(chat)
    nodes: Mapping[str, Any] = {}
    if isinstance(chat.get("history"), dict):
        history = dict(chat["history"])
        nodes = as_object(history.get("messages"))
        if nodes:
            history["messages"] = unread
        own["history"] = Fields(history).rest()
    if isinstance(chat.get("messages"), list):
        own["messages"] = [item for item in chat["messages"] if not _is_read(item, nodes)] + repeats
    left = Fields(own).rest() or {}
    return left if chat is value else {**value, "chat": left}


def _is_read(item: object, nodes: Mapping[str, Any]) -> bool:
    """Tells whether an item of the list became a message, or says nothing that its message in the tree does not."""
    if not nodes:
        return isinstance(item, dict)
    key = as_identifier(as_object(item).get("id"))
    return key is not None and nodes.get(key) == item


def _message(key: str | None, item: dict[str, Any], nodes: Mapping[str, Any], warnings: Counter[str]) -> MessageRecord:
    fields = Fields(item)
    source_id = key or as_identifier(item.get("id"))
    if source_id is not None and as_identifier(item.get("id")) == source_id:
        fields.take("id")
    role = read_role(item.get("role"), OPENAI_ROLES, warnings)
    if item.get("role") == role:
        fields.take("role")
    parent = fields.take_identifier("parentId")
    if all(_is_child(child, source_id, nodes) for child in as_list(item.get("childrenIds"))):
        fields.take_items("childrenIds") if isinstance(item.get("childrenIds"), list) else None
    parts = tuple(message_parts(fields, role, warnings))
    attachments = tuple(attached_files(fields))
    return MessageRecord(
        source_id=source_id,
        parent_source_id=parent,
        role=role,
        parts=parts,
        attachments=attachments,
        created_at=read_timestamp(item.get("timestamp"), warnings),
        model=fields.take_text("model") if role == "assistant" else None,
        state=_state(item),
        source=fields.rest(),
    )


def _is_child(child: object, parent: str | None, nodes: Mapping[str, Any]) -> bool:
    node = nodes.get(child) if isinstance(child, str) else None
    return isinstance(node, dict) and node.get("parentId") == parent


def _state(item: Mapping[str, Any]) -> MessageState:
    if item.get("error") is True or not (is_empty(item.get("error")) or item.get("error") is False):
        return "error"
    return "in_progress" if item.get("done") is False else "complete"
