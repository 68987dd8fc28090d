"""Chats of Claude Design, which Claude.ai's export has in a folder of their own, each in a file of its own.

A message has its blocks, or a plain text, in an object ``content``. What the user says while the assistant works is a
block of the assistant's message: it becomes a message of the user, and the blocks behind it one of the assistant.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from itertools import groupby
from typing import Any, Final

from archive_pipeline.domain.records import (
    AttachmentRecord,
    DialogueRecord,
    MessageRecord,
    PartRecord,
    PartType,
    RejectedRecord,
    Role,
)
from archive_pipeline.readers.declaration import Evidence, Reader
from archive_pipeline.readers.json.fields import Fields, is_empty
from archive_pipeline.readers.json.shapes import as_identifier, as_object, as_text, unique_messages
from archive_pipeline.readers.roles import read_role
from archive_pipeline.readers.timestamps import read_timestamp

SOURCE: Final = "claude_design"
_MESSAGES: Final = "messages"
_BLOCKS: Final = "contentBlocks"
_TEXT: Final = "content"
_ATTACHMENTS: Final = "attachments"
_INTERJECTION: Final = "user_interjection"
_ROLES: Final[Mapping[str, Role]] = {"user": "user", "assistant": "assistant", "system": "system"}
# What only this product has in the content of a message.
_OWN: Final = frozenset({_BLOCKS, "authorAccountUuid"})


def recognise(value: Mapping[str, Any]) -> Evidence:
    """Judges an object by the contents of its messages, which are objects with blocks or a text."""
    messages = value.get(_MESSAGES)
    if not isinstance(messages, list) or "uuid" not in value:
        return Evidence(0.0, "no messages with a uuid beside them")
    entries = [entry for entry in messages if isinstance(entry, dict)]
    contents = [content for entry in entries if "role" in entry and isinstance(content := entry.get(_TEXT), dict)]
    if any(not _OWN.isdisjoint(content) for content in contents):
        return Evidence(1.0, "messages whose content has contentBlocks or authorAccountUuid")
    if any(isinstance(content.get(_TEXT), str) for content in contents):
        return Evidence(0.6, "messages whose content has a content")
    if not entries and "title" in value and "updated_at" in value:
        return Evidence(0.6, "messages without any, and uuid, title and updated_at")
    return Evidence(0.0, "messages, but none whose content is an object with contentBlocks or content")


def read_chat(value: Mapping[str, Any], locator: str) -> DialogueRecord | RejectedRecord:
    """Returns the dialogue of a chat, or why it is none."""
    if not isinstance(value.get(_MESSAGES), list):
        return RejectedRecord(locator, "the design chat has no 'messages'", "missing messages")
    warnings: Counter[str] = Counter()
    own = Fields(value)
    items = own.take_items(_MESSAGES)
    unread = [item for item in items if not isinstance(item, dict) and not is_empty(item)]
    warnings["malformed_message"] += len(unread)
    said = [(message, item) for item in items if isinstance(item, dict) for message in _said(item, warnings)]
    messages, repeated = unique_messages((message for message, _ in said), warnings)
    again = [said[place][1] for place, first in repeated.items() if said[place][1] != said[first][1]]
    own.put_back(_MESSAGES, [*unread, *({id(item): item for item in again}.values())])
    return DialogueRecord(
        source=SOURCE,
        source_id=as_identifier(value.get("uuid")),
        locator=locator,
        title=as_text(value.get("title")),
        created_at=read_timestamp(value.get("created_at"), warnings),
        updated_at=read_timestamp(value.get("updated_at"), warnings),
        messages=messages,
        is_linear_source=True,
        project_id=as_identifier(as_object(value.get("project")).get("uuid")),
        warnings=+warnings,
        source_json=own.fields_left(),
    )


def _said(item: Mapping[str, Any], warnings: Counter[str]) -> Iterator[MessageRecord]:
    """Yields the message of an item, in pieces where the user spoke between its blocks; one has what is its own."""
    fields = Fields(item)
    given = fields.take(_TEXT)
    content = Fields(given if isinstance(given, dict) else {_TEXT: given})
    groups = [(is_users, tuple(parts)) for is_users, parts in groupby(_parts(content, warnings), _is_interjection)]
    main = next((place for place, (is_users, _) in enumerate(groups) if not is_users), None)
    if main is None:
        groups, main = [(False, ()), *groups], 0
    name = as_identifier(item.get("uuid"))
    role = read_role(item.get("role"), _ROLES, warnings)
    time = item.get("created_at") or content.fields_left().get("timestamp")
    moment = read_timestamp(time, warnings)
    attachments = tuple(_attachments(content))
    author = content.take_text("authorName")
    source = {**fields.fields_left(), **({_TEXT: rest} if (rest := content.rest()) else {})}
    for place, (is_users, parts) in enumerate(groups):
        if place == main:
            yield MessageRecord(
                name, None, role, parts, attachments, created_at=moment, author_name=author, source=source
            )
        else:
            own = None if name is None else f"{name}/{place}"
            yield MessageRecord(own, None, "user" if is_users else role, parts, created_at=moment)


def _is_interjection(part: PartRecord) -> bool:
    return part.part_type is PartType.TEXT and part.source_type == _INTERJECTION


def _parts(content: Fields, warnings: Counter[str]) -> list[PartRecord]:
    """Takes the blocks; the plain text, which repeats those of texts, where they have none."""
    blocks = content.take_items(_BLOCKS)
    if not blocks and isinstance(content.fields_left().get(_TEXT), list | dict):
        blocks = content.take_items(_TEXT)
    parts: list[PartRecord] = []
    silent: list[Any] = []
    for block in blocks:
        part = _part(block, warnings)
        if part is not None:
            parts.append(part)
        elif not is_empty(block):
            silent.append(block)
    content.put_back(_BLOCKS, silent)
    has_text = any(part.part_type is PartType.TEXT and not _is_interjection(part) for part in parts)
    if not has_text and (text := content.take_text(_TEXT)) is not None:
        parts.append(PartRecord(PartType.TEXT, text, _TEXT))
    return parts


def _part(block: Any, warnings: Counter[str]) -> PartRecord | None:
    """Returns the part of a block; None if it says nothing."""
    if is_empty(block):
        return None
    if isinstance(block, str):
        return PartRecord(PartType.TEXT, block, "text")
    fields = Fields(block)
    name = fields.take_text("type") or "none"
    if name in _SPOKEN and is_empty(as_object(block).get(_SPOKEN[name][1])):
        return None
    part = _READERS[name](fields) if name in _READERS else None
    if part is None:
        warnings[f"unknown_part:{name if isinstance(block, dict) else type(block).__name__}"] += 1
        return PartRecord(PartType.UNKNOWN, source_type=name, source=block)
    part.source_type, part.source = name, fields.rest()
    return part


def _spoken(kind: PartType, field: str) -> Callable[[Fields], PartRecord | None]:
    def read(fields: Fields) -> PartRecord | None:
        text = fields.take_text(field)
        return None if text is None else PartRecord(kind, text)

    return read


def _tool_call(fields: Fields) -> PartRecord | None:
    given = fields.take("toolCall")
    call = Fields(given)
    if not isinstance(given, dict):
        return None
    part = PartRecord(
        PartType.TOOL_USE,
        tool_name=call.take_text("name"),
        tool_use_id=call.take_identifier("id"),
        tool_input=call.take("input"),
    )
    if rest := call.rest():
        fields.fields_left()["toolCall"] = rest
    return part


def _interjection(fields: Fields) -> PartRecord | None:
    """Takes what the user said: a text, or a message that has it as its content."""
    given = fields.take("message")
    message = Fields(given if isinstance(given, dict) else {_TEXT: given})
    text = message.take_text(_TEXT)
    if rest := message.rest():
        fields.fields_left()["message"] = rest
    return None if text is None else PartRecord(PartType.TEXT, text)


_SPOKEN: Final = {
    "text": (PartType.TEXT, "text"),
    "thinking": (PartType.THINKING, "text"),
    "error": (PartType.ERROR, "message"),
}
_READERS: Final[Mapping[str, Callable[[Fields], PartRecord | None]]] = {
    **{name: _spoken(kind, field) for name, (kind, field) in _SPOKEN.items()},
    "tool_call": _tool_call,
    _INTERJECTION: _interjection,
}


def _attachments(content: Fields) -> Iterator[AttachmentRecord]:
    """Takes the files: of some the text is here, of others their place in the design project."""
    for entry in content.take_objects(_ATTACHMENTS):
        fields = Fields(entry)
        kind = as_text(entry.get("type"))
        yield AttachmentRecord(
            source_id=as_identifier(entry.get("id")),
            file_name=as_text(entry.get("name")),
            mime_type=kind if kind and "/" in kind else None,
            uri=as_text(entry.get("path")),
            extracted_text=fields.take_text(_TEXT),
            source=fields.fields_left(),
        )


READER: Final = Reader(SOURCE, "Claude Design, of Claude.ai's data export (design_chats)", 1, recognise, read_chat)
