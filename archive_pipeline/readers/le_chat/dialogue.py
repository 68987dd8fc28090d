"""One chat of Le Chat to a dialogue record.

Nothing in an export says whether it has all versions of a message, and a file may be cut off, so each counts as a
partial one: what it lacks is not gone.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any, Final

from archive_pipeline.domain.records import (
    FULL,
    AttachmentRecord,
    DialogueRecord,
    MessageRecord,
    MessageState,
    RejectedRecord,
)
from archive_pipeline.domain.vintages import partial_of
from archive_pipeline.readers.file_ids import chat_file
from archive_pipeline.readers.gathered import MESSAGES, TREE
from archive_pipeline.readers.json.fields import Fields, is_empty
from archive_pipeline.readers.json.shapes import as_identifier, unique_messages
from archive_pipeline.readers.le_chat.content import ContentReader
from archive_pipeline.readers.le_chat.recognition import CHAT
from archive_pipeline.readers.le_chat.tree import Placed, placed
from archive_pipeline.readers.roles import OPENAI_ROLES, read_role
from archive_pipeline.readers.timestamps import read_timestamp

SOURCE: Final = "le_chat"
_STATES: Final[Mapping[object, MessageState]] = {"in-progress": "in_progress"}


def read_chat(value: Mapping[str, Any], locator: str) -> DialogueRecord | RejectedRecord:
    """Returns the dialogue of a chat, or why it is none."""
    if not isinstance(value.get(MESSAGES), list):
        return RejectedRecord(locator, "the chat has no 'messages'", "missing messages")
    own = Fields(value)
    items = own.take_items(MESSAGES)
    found = placed(item for item in items if isinstance(item, dict) and item)
    unread = [item for item in items if not isinstance(item, dict) and not is_empty(item)]
    warnings: Counter[str] = Counter({"malformed_message": len(unread)})
    chat = _chat(own, found)
    messages, repeated = unique_messages([_message(each, chat, warnings) for each in found], warnings)
    unread += [found[place].item for place, first in repeated.items() if found[place].item != found[first].item]
    own.put_back(MESSAGES, unread)
    times = [message.created_at for message in messages if message.created_at is not None]
    return DialogueRecord(
        source=SOURCE,
        source_id=chat,
        locator=locator,
        created_at=min(times, default=None),
        updated_at=max(times, default=None),
        messages=messages,
        vintage=partial_of(FULL),
        warnings=+warnings,
        source_json=own.fields_left(),
    )


def _chat(own: Fields, found: list[Placed]) -> str | None:
    named = (as_identifier(each.item.get(CHAT)) for each in found)
    return own.take_identifier(TREE) or next(filter(None, named), None)


def _message(each: Placed, chat: str | None, warnings: Counter[str]) -> MessageRecord:
    fields = Fields(each.item)
    role = read_role(each.item.get("role"), OPENAI_ROLES, warnings)
    for name, known in (("id", each.name), (CHAT, chat), ("role", role)):
        if as_identifier(each.item.get(name)) == known:
            fields.take(name)
    parts = tuple(ContentReader(each.name, warnings).take_parts(fields))
    return MessageRecord(
        source_id=each.name,
        parent_source_id=each.parent,
        role=role,
        parts=parts,
        attachments=tuple(_files(fields, chat)),
        created_at=read_timestamp(each.item.get("createdAt"), warnings),
        model=fields.take_text("model") if role == "assistant" else None,
        state=_STATES.get(as_identifier(each.item.get("generationStatus")), "complete"),
        source=fields.rest(),
    )


def _files(fields: Fields, chat: str | None) -> Iterator[AttachmentRecord]:
    """Takes the files that came with a message; the export has them in the chat's folder by their names."""
    for item in fields.take_objects("files"):
        file = Fields(item)
        name = file.take_text("name")
        pointer = chat_file(chat, name) if chat and name else file.take_identifier("id")
        yield AttachmentRecord(
            source_id=pointer,
            file_name=name,
            size_bytes=file.take_size("size"),
            uri=file.take_text("url"),
            source=file.rest(),
        )
