"""Rows of prepared dialogues in COPY's binary format, for dialogues that the archive does not have yet.

Nothing here knows a database, so that the process that reads can encode what it read.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Any

from archive_pipeline.domain import identity
from archive_pipeline.ingest import rows
from archive_pipeline.ingest.dialogue_values import dialogue_values, vintage_values
from archive_pipeline.ingest.prepare import PreparedDialogue
from archive_pipeline.store.copy_binary import BinaryKind, EncodedTable, encode_table

# How columns are written, by table and column (``archive_pipeline.store.raw_writes.column_kinds``).
Kinds = Mapping[str, Mapping[str, BinaryKind]]


def encode_heads(
    dialogues: Sequence[PreparedDialogue], fingerprints: Sequence[str], import_id: str, kinds: Kinds
) -> dict[str, EncodedTable]:
    """Return the rows of new dialogues that name the import that brings them, by table."""
    if not dialogues:
        return {}
    vintages = [vintage_values(dialogue, import_id) for dialogue in dialogues]
    new = [
        _new_values(dialogue, fingerprint, import_id)
        for dialogue, fingerprint in zip(dialogues, fingerprints, strict=True)
    ]
    found = {"dialogues": new, "dialogue_vintages": vintages}
    return {
        table: encode_table(tuple(values[0]), map(dict.values, values), kinds[table]) for table, values in found.items()
    }


def encode_contents(dialogues: Sequence[PreparedDialogue], kinds: Kinds) -> Iterator[tuple[str, EncodedTable]]:
    """Yield the other rows of new dialogues, whichever import brings them, table after table."""
    if not dialogues:
        return
    found = {
        "messages": (rows.MESSAGE_COLUMNS, _all(rows.message_rows(one, _numbers(one)) for one in dialogues)),
        "content_parts": (rows.PART_COLUMNS, _all(rows.part_rows(one, one.messages) for one in dialogues)),
        "attachments": (rows.ATTACHMENT_COLUMNS, _all(rows.attachment_rows(one, one.messages) for one in dialogues)),
    }
    for table, (names, values) in found.items():
        yield table, encode_table(names, values, kinds[table])


def _all(several: Iterable[Iterable[tuple[Any, ...]]]) -> Iterable[tuple[Any, ...]]:
    return chain.from_iterable(several)


def _numbers(dialogue: PreparedDialogue) -> dict[str, int]:
    """Return the sequence numbers of a new dialogue's messages: their places in the source's order."""
    return {message.source_id: number for number, message in enumerate(dialogue.messages)}


def _new_values(dialogue: PreparedDialogue, fingerprint: str, import_id: str) -> dict[str, Any]:
    values = dialogue_values(dialogue, len(dialogue.messages), fingerprint)
    return {
        **values,
        "source": dialogue.record.source,
        "source_id": dialogue.source_id,
        "partition_key": dialogue.partition_key,
        "shard_key": identity.shard_key(dialogue.id),
        "first_import_id": import_id,
        "last_import_id": import_id,
    }
