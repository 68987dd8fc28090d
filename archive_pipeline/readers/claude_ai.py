"""Claude.ai's export (and the web API's copy of it): one conversation object to a dialogue record.

Parents come from ``parent_message_uuid`` where the export has it, else each message follows the one before it. What
a message's content blocks become is decided in ``claude_ai_content``.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from typing import Any

from archive_pipeline.readers.claude_ai_content import ContentReader
from archive_pipeline.readers.json_shapes import as_identifier, as_list, as_object, as_size, as_text, unique_messages
from archive_pipeline.readers.records import (
    AttachmentRecord,
    DialogueRecord,
    MessageRecord,
    MessageState,
    RejectedRecord,
    Role,
)
from archive_pipeline.readers.timestamps import read_timestamp

SOURCE = "claude_ai"
_ROLES: dict[str, Role] = {
    "human": "user",
    "user": "user",
    "assistant": "assistant",
    "system": "system",
    "tool": "tool",
}
_STATES: dict[str, MessageState] = {"user_canceled": "aborted", "user_cancelled": "aborted", "error": "error"}
# The root's parent is not null but a UUID of zeros, with or without the version and variant digits.
_NO_PARENT = re.compile(r"0{8}-?0{4}-?[0-9a-f]0{3}-?[089ab]0{3}-?0{12}", re.IGNORECASE)
_HELD_ELSEWHERE = frozenset({"attachments", "files", "files_v2"})


def read_conversation(value: Mapping[str, Any], locator: str) -> DialogueRecord | RejectedRecord:
    """Returns the dialogue of a conversation object, or why it is none."""
    entries = value.get("chat_messages")
    if not isinstance(entries, list):
        title = as_text(value.get("name"))
        name = f" ({title})" if title else ""
        return RejectedRecord(locator, f"the conversation{name} has no 'chat_messages'", "missing chat_messages")
    warnings: Counter[str] = Counter()
    items = [entry for entry in entries if isinstance(entry, dict)]
    if len(items) < len(entries):
        warnings["malformed_message"] += len(entries) - len(items)
    is_linear = not any(as_identifier(item.get("parent_message_uuid")) for item in items)
    if is_linear:
        items = _in_index_order(items)
    content = ContentReader(warnings)
    model = as_text(value.get("model"))
    messages = [_message(item, position, content, model, warnings) for position, item in enumerate(items)]
    return DialogueRecord(
        source=SOURCE,
        source_id=as_identifier(value.get("uuid")) or as_identifier(value.get("conversation_id")),
        locator=locator,
        title=as_text(value.get("name")),
        created_at=read_timestamp(value.get("created_at"), warnings),
        updated_at=read_timestamp(value.get("updated_at"), warnings),
        messages=unique_messages(messages, warnings),
        active_source_id=as_identifier(value.get("current_leaf_message_uuid")),
        is_linear_source=is_linear,
        warnings=warnings,
        source_json={key: item for key, item in value.items() if key != "chat_messages"},
    )


def _in_index_order(items: list[dict[str, Any]]) -> list[dict[str, Any]]:
    indexes = [item.get("index") for item in items]
    if all(isinstance(index, int) and not isinstance(index, bool) for index in indexes):
        return sorted(items, key=lambda item: item["index"])
    return items


def _message(
    item: dict[str, Any], position: int, content: ContentReader, model: str | None, warnings: Counter[str]
) -> MessageRecord:
    role = _role(item.get("sender"), warnings)
    source_id = as_identifier(item.get("uuid"))
    state = item.get("stop_reason")
    return MessageRecord(
        source_id=source_id,
        parent_source_id=_parent(item.get("parent_message_uuid")),
        role=role,
        parts=content.parts(item, role=role, name=source_id or str(position)),
        attachments=(*_pasted(item), *_uploaded(item)),
        created_at=read_timestamp(item.get("created_at"), warnings),
        updated_at=read_timestamp(item.get("updated_at"), warnings),
        model=(as_text(item.get("model")) or model) if role == "assistant" else None,
        state=_STATES.get(state, "complete") if isinstance(state, str) else "complete",
        source=_source(item),
    )


def _role(sender: object, warnings: Counter[str]) -> Role:
    role = _ROLES.get(sender) if isinstance(sender, str) else None
    if role is None:
        warnings["unknown_role"] += 1
        return "system"  # never taken for what the user or the model said
    return role


def _parent(value: object) -> str | None:
    parent = as_identifier(value)
    return None if parent is None or _NO_PARENT.fullmatch(parent) else parent


def _pasted(item: Mapping[str, Any]) -> list[AttachmentRecord]:
    """Reads ``attachments``: files with their text, and long pastes, whose file name is empty."""
    records = []
    for entry in as_list(item.get("attachments")):
        if not isinstance(entry, dict):
            continue
        file_type = as_text(entry.get("file_type"))
        records.append(
            AttachmentRecord(
                source_id=as_identifier(entry.get("id")),
                file_name=as_text(entry.get("file_name")),
                mime_type=file_type if file_type and "/" in file_type else None,
                size_bytes=as_size(entry.get("file_size")),
                extracted_text=as_text(entry.get("extracted_content")),
                source={key: field for key, field in entry.items() if key != "extracted_content"},
            )
        )
    return records


def _uploaded(item: Mapping[str, Any]) -> list[AttachmentRecord]:
    """Reads ``files`` and ``files_v2``, which name the same files: by id, or by name where there is no id."""
    records: dict[str, AttachmentRecord] = {}
    for entry in as_list(item.get("files")) + as_list(item.get("files_v2")):
        file_id, name = as_identifier(as_object(entry).get("file_uuid")), as_text(as_object(entry).get("file_name"))
        if not isinstance(entry, dict) or (file_id or name) is None:
            continue
        uri = as_text(entry.get("preview_url")) or as_text(as_object(entry.get("document_asset")).get("url"))
        size = as_size(entry.get("size_bytes"))
        key = f"id:{file_id}" if file_id else f"name:{name}"
        records.setdefault(key, AttachmentRecord(file_id, name, size_bytes=size, uri=uri, source=entry))
    return list(records.values())


def _source(item: Mapping[str, Any]) -> dict[str, Any]:
    """Keeps what the parts do not: the flattened ``text`` may differ from them, and odd content is kept as it is."""
    held = _HELD_ELSEWHERE | {"content"} if isinstance(item.get("content"), list) else _HELD_ELSEWHERE
    return {key: field for key, field in item.items() if key not in held}
