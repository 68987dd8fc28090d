"""Prepared dialogues as rows of the ``raw`` tables."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, Final

from archive_pipeline.domain import identity
from archive_pipeline.ingest.prepare import PreparedDialogue, PreparedMessage

if TYPE_CHECKING:
    import pandas as pd

    from archive_pipeline.store.raw_writes import StoredMessage

MESSAGE_COLUMNS: Final = (
    "id",
    "dialogue_id",
    "source_id",
    "parent_id",
    "source_parent_id",
    "parent_flag",
    "role",
    "sequence_number",
    "created_at",
    "updated_at",
    "model",
    "author_name",
    "recipient",
    "channel",
    "state",
    "is_hidden",
    "content_hash",
    "source_json",
)
PART_COLUMNS: Final = (
    "id",
    "message_id",
    "dialogue_id",
    "sequence",
    "part_type",
    "source_type",
    "text_content",
    "tool_name",
    "tool_use_id",
    "tool_input",
    "is_error",
    "language",
    "mime_type",
    "uri",
    "content_sha256",
    "source_json",
)
ATTACHMENT_COLUMNS: Final = (
    "id",
    "message_id",
    "dialogue_id",
    "sequence",
    "source_id",
    "file_name",
    "mime_type",
    "size_bytes",
    "uri",
    "extracted_text",
    "content_sha256",
    "source_json",
)


def message_rows(dialogue: PreparedDialogue, numbers: Mapping[str, int]) -> Iterable[tuple[Any, ...]]:
    """Yield rows of ``raw.messages``; ``numbers`` maps source ids to sequence numbers."""
    ids = {message.source_id: message.id for message in dialogue.messages}
    for message in dialogue.messages:
        record = message.record
        parent = message.link.parent
        yield (
            message.id,
            dialogue.id,
            message.source_id,
            None if parent is None else ids.get(parent) or identity.message_id(dialogue.id, parent),
            record.parent_source_id,
            message.link.flag,
            record.role,
            numbers[message.source_id],
            record.created_at,
            record.updated_at,
            record.model,
            record.author_name,
            record.recipient,
            record.channel,
            record.state,
            record.is_hidden,
            message.content_hash,
            record.source,
        )


def part_rows(dialogue: PreparedDialogue, messages: Iterable[PreparedMessage]) -> Iterable[tuple[Any, ...]]:
    """Yield rows of ``raw.content_parts``."""
    for message in messages:
        for sequence, part in enumerate(message.record.parts):
            yield (
                identity.row_id("part", message.id, str(sequence)),
                message.id,
                dialogue.id,
                sequence,
                part.part_type.value,
                part.source_type,
                part.text,
                part.tool_name,
                part.tool_use_id,
                part.tool_input,
                part.is_error,
                part.language,
                part.mime_type,
                part.uri,
                part.content_sha256,
                part.source,
            )


def attachment_rows(dialogue: PreparedDialogue, messages: Iterable[PreparedMessage]) -> Iterable[tuple[Any, ...]]:
    """Yield rows of ``raw.attachments``."""
    for message in messages:
        for sequence, file in enumerate(message.record.attachments):
            yield (
                identity.row_id("attachment", message.id, str(sequence)),
                message.id,
                dialogue.id,
                sequence,
                file.source_id,
                file.file_name,
                file.mime_type,
                file.size_bytes,
                file.uri,
                file.extracted_text,
                file.content_sha256 or text_hash(file.extracted_text),
                file.source,
            )


def text_hash(text: str | None) -> str | None:
    """Return the SHA-256 of a text (hex), None for none."""
    return hashlib.sha256(text.encode()).hexdigest() if text else None


def named(names: tuple[str, ...], rows: Iterable[tuple[Any, ...]]) -> list[dict[str, Any]]:
    """Return rows with the names of their columns, as parameters of statements."""
    return [dict(zip(names, row, strict=True)) for row in rows]


def sequence_numbers(dialogue: PreparedDialogue, stored: Mapping[str, StoredMessage]) -> dict[str, int]:
    """Stored messages keep their number; new ones get higher ones, in source order."""
    following = max((message.sequence_number for message in stored.values()), default=-1) + 1
    numbers: dict[str, int] = {}
    for message in dialogue.messages:
        known = stored.get(message.source_id)
        numbers[message.source_id] = following if known is None else known.sequence_number
        following += known is None
    return numbers


def part_frame(rows: Iterable[tuple[Any, ...]]) -> pd.DataFrame:
    """Return rows of ``raw.content_parts`` as a frame."""
    return _frame(PART_COLUMNS, rows)


def attachment_frame(rows: Iterable[tuple[Any, ...]]) -> pd.DataFrame:
    """Return rows of ``raw.attachments`` as a frame."""
    return _frame(ATTACHMENT_COLUMNS, rows)


def _frame(names: tuple[str, ...], rows: Iterable[tuple[Any, ...]]) -> pd.DataFrame:
    from archive_pipeline.domain.frames import frame  # noqa: PLC0415 (slow to import, and not needed to read ahead)

    columns = list(zip(*rows, strict=True)) or [()] * len(names)
    return frame(dict(zip(names, columns, strict=True)))
