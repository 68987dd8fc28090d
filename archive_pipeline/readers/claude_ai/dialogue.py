"""Claude.ai's export (and the web API's copy of it): one conversation object to a dialogue record.

Parents come from ``parent_message_uuid`` where the export has it, else each message follows the one before it. What
a message's content blocks become is decided in ``claude_ai.content``.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict, deque
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from archive_pipeline.domain.records import (
    FULL,
    AttachmentRecord,
    DialogueRecord,
    MessageRecord,
    MessageState,
    RejectedRecord,
    Role,
)
from archive_pipeline.readers.claude_ai.content import ContentReader
from archive_pipeline.readers.json.fields import Fields, is_empty
from archive_pipeline.readers.json.shapes import as_identifier, as_list, as_object, as_size, as_text, unique_messages
from archive_pipeline.readers.roles import read_role
from archive_pipeline.readers.timestamps import read_timestamp

SOURCE = "claude_ai"
LINEAR = "linear"  # the vintage of exports whose messages have no parents
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
_FILES = ("files", "files_v2")


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
    content = ContentReader(warnings, is_linear=is_linear)
    model = as_text(value.get("model"))
    read = {
        position: _message(items[position], position, content, model, warnings)
        for position in (range(len(items)) if is_linear else _parents_first(items))
    }
    messages, repeated = unique_messages([read[position] for position in range(len(items))], warnings)
    unread = [entry for entry in entries if not isinstance(entry, dict) and not is_empty(entry)]
    unread += [items[position] for position, first in repeated.items() if items[position] != items[first]]
    source = {key: item for key, item in value.items() if key != "chat_messages"}
    return DialogueRecord(
        source=SOURCE,
        source_id=as_identifier(value.get("uuid")) or as_identifier(value.get("conversation_id")),
        locator=locator,
        title=as_text(value.get("name")),
        created_at=read_timestamp(value.get("created_at"), warnings),
        updated_at=read_timestamp(value.get("updated_at"), warnings),
        messages=messages,
        active_source_id=as_identifier(value.get("current_leaf_message_uuid")),
        is_linear_source=is_linear,
        vintage=LINEAR if is_linear else FULL,
        project_id=_project(value),
        warnings=warnings,
        source_json={**source, "chat_messages": unread} if unread else source,
    )


def _project(value: Mapping[str, Any]) -> str | None:
    """Returns the project's id, which only copies of the web API have: exports name none."""
    return as_identifier(value.get("project_uuid")) or as_identifier(as_object(value.get("project")).get("uuid"))


def _parents_first(items: Sequence[Mapping[str, Any]]) -> Iterable[int]:
    """Returns the positions of messages, each after its parent's wherever that stands, else in their order."""
    position_of = {as_identifier(item.get("uuid")): position for position, item in reversed([*enumerate(items)])}
    ordered: dict[int, None] = {}
    for start in range(len(items)):
        above: dict[int, None] = {}
        position: int | None = start
        while position is not None and position not in ordered and position not in above:  # parents may be a circle
            above[position] = None
            position = position_of.get(_parent(items[position].get("parent_message_uuid")) or "")
        ordered.update(dict.fromkeys(reversed(above)))
    return ordered


def _in_index_order(items: list[dict[str, Any]]) -> list[dict[str, Any]]:
    indexes = [item.get("index") for item in items]
    if all(isinstance(index, int) and not isinstance(index, bool) for index in indexes):
        return sorted(items, key=lambda item: item["index"])
    return items


def _message(
    item: dict[str, Any], position: int, content: ContentReader, model: str | None, warnings: Counter[str]
) -> MessageRecord:
    role = read_role(item.get("sender"), _ROLES, warnings)
    source_id = as_identifier(item.get("uuid"))
    state = item.get("stop_reason")
    parent = _parent(item.get("parent_message_uuid"))
    parts, unread_blocks = content.parts(item, role=role, name=source_id or str(position), parent=parent)
    attachments, unread_files = _attachments(item)
    return MessageRecord(
        source_id=source_id,
        parent_source_id=parent,
        role=role,
        parts=parts,
        attachments=tuple(attachments),
        created_at=read_timestamp(item.get("created_at"), warnings),
        updated_at=read_timestamp(item.get("updated_at"), warnings),
        model=(as_text(item.get("model")) or model) if role == "assistant" else None,
        state=_STATES.get(state, "complete") if isinstance(state, str) else "complete",
        source=_source(item, {"content": unread_blocks, **unread_files}),
    )


def _parent(value: object) -> str | None:
    parent = as_identifier(value)
    return None if parent is None or (parent[0] == "0" and _NO_PARENT.fullmatch(parent)) else parent


def _attachments(item: Mapping[str, Any]) -> tuple[list[AttachmentRecord], dict[str, list[Any]]]:
    """Reads the files of a message; an uploaded text is one, though its text is in one list and its id in another.

    Returns:
        The files, and by field what is none, or says of a file what another entry does not.
    """
    pasted, unread_pastes = _pasted(item)
    uploaded, unread = _uploaded(item)
    by_name: defaultdict[str, deque[AttachmentRecord]] = defaultdict(deque)
    for file in uploaded:
        by_name[file.file_name or ""].append(file)
    records: list[AttachmentRecord] = []
    for paste in pasted:
        same = by_name.get(paste.file_name) if paste.file_name else None
        records.append(_joined(paste, same.popleft(), unread) if same else paste)
    waiting = {id(file) for files in by_name.values() for file in files}
    return [*records, *(file for file in uploaded if id(file) in waiting)], {"attachments": unread_pastes, **unread}


def _joined(paste: AttachmentRecord, file: AttachmentRecord, unread: dict[str, list[Any]]) -> AttachmentRecord:
    source = {**file.source, **paste.source}
    if not file.source.items() <= source.items():
        unread.setdefault(_FILES[0], []).append(file.source)
    size = paste.size_bytes if paste.size_bytes is not None else file.size_bytes
    return replace(paste, source_id=file.source_id or paste.source_id, size_bytes=size, uri=file.uri, source=source)


def _pasted(item: Mapping[str, Any]) -> tuple[list[AttachmentRecord], list[Any]]:
    """Reads ``attachments``: files with their text, and long pastes, whose file name is empty; and what is neither."""
    records: list[AttachmentRecord] = []
    unread: list[Any] = []
    for entry in as_list(item.get("attachments")):
        if not isinstance(entry, dict):
            unread.append(entry)
            continue
        fields = Fields(entry)
        file_type = as_text(entry.get("file_type"))
        records.append(
            AttachmentRecord(
                source_id=as_identifier(entry.get("id")),
                file_name=as_text(entry.get("file_name")),
                mime_type=file_type if file_type and "/" in file_type else None,
                size_bytes=as_size(entry.get("file_size")),
                extracted_text=fields.take_text("extracted_content"),
                source=fields.fields_left(),
            )
        )
    return records, unread


def _uploaded(item: Mapping[str, Any]) -> tuple[list[AttachmentRecord], dict[str, list[Any]]]:
    """Reads ``files`` and ``files_v2``, which name the same files: by id, or by name where there is no id.

    Returns:
        The files, and by field what is none, or says of a file what its first entry does not.
    """
    records: dict[str, AttachmentRecord] = {}
    unread: dict[str, list[Any]] = {}
    for field in _FILES:
        for entry in as_list(item.get(field)):
            record = _file(entry)
            if record is None:
                unread.setdefault(field, []).append(entry)
                continue
            key = f"id:{record.source_id}" if record.source_id else f"name:{record.file_name}"
            known = records.setdefault(key, record)
            if not entry.items() <= known.source.items():
                unread.setdefault(field, []).append(entry)
    return list(records.values()), unread


def _file(entry: object) -> AttachmentRecord | None:
    fields = as_object(entry)
    file_id, name = as_identifier(fields.get("file_uuid")), as_text(fields.get("file_name"))
    if (file_id or name) is None:
        return None
    uri = as_text(fields.get("preview_url")) or as_text(as_object(fields.get("document_asset")).get("url"))
    return AttachmentRecord(file_id, name, size_bytes=as_size(fields.get("size_bytes")), uri=uri, source=entry)


def _source(item: Mapping[str, Any], unread: Mapping[str, list[Any]]) -> dict[str, Any]:
    """Keeps what the parts and attachments do not: the flattened ``text`` may differ from them.

    Args:
        item: the message.
        unread: of its lists, what was not read.
    """
    source = dict(item)
    for name in ("content", "attachments", *_FILES):
        value = source.get(name)
        left = [entry for entry in unread.get(name, ()) if not is_empty(entry)]
        if left:
            source[name] = left
        elif isinstance(value, list) or (is_empty(value) and name != "content"):
            source.pop(name, None)
    return source
