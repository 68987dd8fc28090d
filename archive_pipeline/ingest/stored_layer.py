"""A stored dialogue as the layer of the one vintage that brought it: its rows are what that export says."""

from __future__ import annotations

from collections import Counter
from typing import Any

from archive_pipeline.domain.records import AttachmentRecord, DialogueRecord, MessageRecord, PartRecord, PartType
from archive_pipeline.ingest.linking import Link
from archive_pipeline.ingest.prepare import PreparedDialogue, PreparedMessage
from archive_pipeline.ingest.rows import text_hash
from archive_pipeline.store.layers import DialogueRows, StoredVintage


def layer_of_rows(rows: DialogueRows, stored: StoredVintage) -> PreparedDialogue:
    """Return the prepared dialogue whose rows these are."""
    row = rows.dialogue
    return PreparedDialogue(
        id=stored.dialogue_id,
        source_id=row.source_id,
        record=DialogueRecord(
            source=row.source,
            source_id=row.source_id,
            locator="",
            title=row.title,
            created_at=row.source_created_at,
            updated_at=stored.source_updated_at,
            vintage=stored.vintage,
            custom_gpt_id=row.custom_gpt_id,
            project_id=row.project_id,
            parent_source_id=row.source_parent_id,
            source_json=row.source_json,
        ),
        messages=tuple(_message(message, rows) for message in rows.messages),
        active=row.active,
        counts=Counter(row.diagnostics),
        raw=row.source_bytes,
    )


def _message(row: Any, rows: DialogueRows) -> PreparedMessage:
    record = MessageRecord(
        source_id=row.source_id,
        parent_source_id=row.source_parent_id,
        role=row.role,
        parts=tuple(map(_part, rows.parts.get(row.id, ()))),
        attachments=tuple(map(_attachment, rows.attachments.get(row.id, ()))),
        created_at=row.created_at,
        updated_at=row.updated_at,
        model=row.model,
        author_name=row.author_name,
        recipient=row.recipient,
        channel=row.channel,
        state=row.state,
        is_hidden=row.is_hidden,
        source=row.source_json,
    )
    return PreparedMessage(row.id, row.source_id, Link(row.parent, row.parent_flag), record, row.content_hash)


def _part(row: Any) -> PartRecord:
    return PartRecord(
        part_type=PartType(row.part_type),
        text=row.text_content,
        source_type=row.source_type,
        tool_name=row.tool_name,
        tool_use_id=row.tool_use_id,
        tool_input=row.tool_input,
        is_error=row.is_error,
        language=row.language,
        mime_type=row.mime_type,
        uri=row.uri,
        content_sha256=row.content_sha256,
        source=row.source_json,
    )


def _attachment(row: Any) -> AttachmentRecord:
    of_text = row.content_sha256 == text_hash(row.extracted_text)
    return AttachmentRecord(
        source_id=row.source_id,
        file_name=row.file_name,
        mime_type=row.mime_type,
        size_bytes=row.size_bytes,
        uri=row.uri,
        extracted_text=row.extracted_text,
        content_sha256=None if of_text else row.content_sha256,
        source=row.source_json,
    )
