"""What prepared dialogues are as values of ``raw.dialogues`` and ``raw.dialogue_vintages``."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import orjson

from archive_pipeline.domain import identity
from archive_pipeline.ingest.fingerprint import dialogue_fingerprint
from archive_pipeline.ingest.layer_bytes import layer_beside_rows
from archive_pipeline.ingest.prepare import PreparedDialogue
from archive_pipeline.readers.registry import reader_versions

if TYPE_CHECKING:  # a process that reads ahead has no use for what this brings
    from archive_pipeline.store.raw_writes import StoredMessage


def fingerprint_of(dialogue: PreparedDialogue, kept: Iterable[StoredMessage] = ()) -> str:
    """Return the fingerprint of a dialogue; ``kept`` are stored messages that stay though the export lacks them."""
    hashes = {message.source_id: message.content_hash for message in kept}
    hashes.update({message.source_id: message.content_hash for message in dialogue.messages})
    return dialogue_fingerprint(dialogue.record.title, dialogue.active, hashes)


def dialogue_values(dialogue: PreparedDialogue, message_count: int, fingerprint: str) -> dict[str, Any]:
    """Return the columns of ``raw.dialogues`` that every import of a dialogue brings up to date.

    Args:
        dialogue: the dialogue.
        message_count: its live messages, stored ones that stay among them.
        fingerprint: of all of these (``fingerprint_of``).
    """
    record = dialogue.record
    return {
        "id": dialogue.id,
        "title": record.title,
        "source_created_at": record.created_at,
        "source_updated_at": record.updated_at,
        "fingerprint": fingerprint,
        "message_count": message_count,
        "active_message_id": None if dialogue.active is None else identity.message_id(dialogue.id, dialogue.active),
        "diagnostics": orjson.dumps(dict(sorted(dialogue.counts.items()))).decode(),
        "custom_gpt_id": record.custom_gpt_id,
        "project_id": record.project_id,
        "source_parent_id": record.parent_source_id,
        "source_json": record.source_json,
        "source_bytes": dialogue.raw,
    }


def vintage_values(dialogue: PreparedDialogue, import_id: str) -> dict[str, Any]:
    """Return the row of ``raw.dialogue_vintages`` of a dialogue that one vintage alone brought."""
    return {
        "dialogue_id": dialogue.id,
        "vintage": dialogue.record.vintage,
        "import_id": import_id,
        "source_updated_at": dialogue.record.updated_at,
        "layer": layer_beside_rows(dialogue),
        "reader_version": reader_versions().get(dialogue.record.source),
    }
