"""What tests compare of records: the types and texts of parts, by the roles of messages."""

from __future__ import annotations

from archive_pipeline.domain.records import DialogueRecord, MessageRecord, PartType


def parts(said: MessageRecord) -> list[tuple[PartType, str | None]]:
    return [(part.part_type, part.text) for part in said.parts]


def said(record: DialogueRecord) -> list[tuple[str, list[tuple[PartType, str | None]]]]:
    return [(item.role, parts(item)) for item in record.messages]
