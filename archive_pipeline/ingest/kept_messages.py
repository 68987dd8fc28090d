"""Messages that are stored of a dialogue and that an export of it does not have."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from archive_pipeline.domain.choices import API
from archive_pipeline.ingest.prepare import PreparedDialogue
from archive_pipeline.store.raw_writes import StoredMessage


def live_beside(dialogue: PreparedDialogue, stored: Mapping[str, StoredMessage]) -> list[StoredMessage]:
    """Return the live messages that are stored of a dialogue and that it does not have."""
    own = {message.source_id for message in dialogue.messages}
    return [message for source_id, message in stored.items() if message.is_live and source_id not in own]


def finds_parents(dialogue: PreparedDialogue, kept: Sequence[StoredMessage]) -> bool:
    """Tell whether what is stored may have a parent for a message of a dialogue, or the other way round."""
    own = {message.source_id for message in dialogue.messages} | dialogue.record.message_less_nodes.keys()
    has_orphans = any(message.link.flag == "missing_parent" for message in dialogue.messages)
    return has_orphans or any(message.missing_parent in own for message in kept)


def with_branches_of_the_api(others: Sequence[StoredMessage]) -> list[StoredMessage]:
    """Return, of the stored messages that the export does not have, those the API added and those they hang on."""
    by_id = {message.id: message for message in others}
    kept: set[str] = set()
    for message in others:
        above = message if message.origin == API else None
        while above is not None and above.id not in kept:
            kept.add(above.id)
            above = by_id.get(above.parent_id or "")
    return [message for message in others if message.id in kept]
