"""What tests compare of records: the types and texts of parts, or the tree of texts, by the roles of messages."""

from __future__ import annotations

from archive_pipeline.domain.records import DialogueRecord, MessageRecord, PartType


def parts(said: MessageRecord) -> list[tuple[PartType, str | None]]:
    return [(part.part_type, part.text) for part in said.parts]


def said(record: DialogueRecord) -> list[tuple[str, list[tuple[PartType, str | None]]]]:
    return [(item.role, parts(item)) for item in record.messages]


def words(message: MessageRecord) -> str:
    return " | ".join(part.text or "" for part in message.parts)


def tree(record: DialogueRecord) -> list[tuple[str, str, str | None]]:
    """Role and text of each message, and the text of the one before it."""
    texts = {message.source_id: words(message) for message in record.messages}
    return [
        (message.role, words(message), None if message.parent_source_id is None else texts[message.parent_source_id])
        for message in record.messages
    ]
