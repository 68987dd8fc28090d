"""An export over a dialogue that exports of other vintages brought: their layers, old and new, as one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

import psycopg

from archive_pipeline.domain.vintages import is_partial, partial_of
from archive_pipeline.ingest.age import is_newer
from archive_pipeline.ingest.layer_bytes import decode_layer, encode_layer, is_same_layer
from archive_pipeline.ingest.layers import Layer, merge
from archive_pipeline.ingest.prepare import PreparedDialogue
from archive_pipeline.ingest.stored_layer import layer_of_rows
from archive_pipeline.readers.registry import reader_versions
from archive_pipeline.store.layers import StoredVintage, dialogue_rows, write_vintages


@dataclass(frozen=True, slots=True)
class Merged:
    """A dialogue of several vintages.

    Attributes:
        dialogue: what its layers are together.
        layers: those that are not stored so.
    """

    dialogue: PreparedDialogue
    layers: Sequence[StoredVintage]


def merge_with_stored(
    connection: psycopg.Connection[Any],
    dialogue: PreparedDialogue,
    stored: Mapping[str, StoredVintage],
    updated_at: datetime | None,
) -> Merged | None:
    """Return what an export makes of a dialogue that others brought; None if it is older than its own vintage's newest.

    Args:
        connection: in a transaction.
        dialogue: the dialogue as the export has it; of a partial one ``as_partial``.
        stored: what is stored of its exports, by vintage; of another vintage at least.
        updated_at: time of the dialogue as it is stored.
    """
    layers: dict[str, PreparedDialogue] = {}
    versions: dict[str, int | None] = {}
    for vintage in stored.values():
        for layer in _stored_layers(connection, vintage, updated_at):
            layers[layer.record.vintage] = layer
            versions[layer.record.vintage] = vintage.reader_version
    own = dialogue.record.vintage
    before = layers.get(own)
    if before is not None and is_partial(own):
        dialogue = _added(before, dialogue)
    elif before is not None and Layer.of(before).is_after(Layer.of(dialogue)):
        return None
    layers[own] = dialogue
    versions[own] = reader_versions().get(dialogue.record.source)
    encoded = [_encoded(layer, versions[name]) for name, layer in layers.items()]
    new = [layer for layer in encoded if not _is_stored(layer, stored.get(layer.vintage))]
    return Merged(merge([Layer.of(layer) for layer in layers.values()]), new)


def _stored_layers(
    connection: psycopg.Connection[Any], stored: StoredVintage, updated_at: datetime | None
) -> list[PreparedDialogue]:
    """Return a stored layer; rows also have what later partial exports said, which is a layer of theirs."""
    if stored.layer is not None:
        return [decode_layer(stored.layer)]
    of_rows = layer_of_rows(dialogue_rows(connection, stored.dialogue_id), stored)
    return [of_rows, as_partial(of_rows, updated_at)] if is_newer(updated_at, stored.source_updated_at) else [of_rows]


def _is_stored(layer: StoredVintage, known: StoredVintage | None) -> bool:
    if known is None or known.layer is None or layer.layer is None:
        return False
    return is_same_layer(layer.layer, known.layer)


def as_partial(dialogue: PreparedDialogue, updated_at: datetime | None) -> PreparedDialogue:
    """Return a dialogue as what partial exports of its vintage brought until a time."""
    record = replace(dialogue.record, vintage=partial_of(dialogue.record.vintage), updated_at=updated_at)
    return replace(dialogue, record=record)


def _added(before: PreparedDialogue, dialogue: PreparedDialogue) -> PreparedDialogue:
    """Return what partial exports brought, the last one among them."""
    messages = {message.source_id: message for message in (*before.messages, *dialogue.messages)}
    times = [each.record.updated_at for each in (before, dialogue) if each.record.updated_at is not None]
    return replace(as_partial(dialogue, max(times, default=None)), messages=tuple(messages.values()))


def _encoded(layer: PreparedDialogue, reader_version: int | None) -> StoredVintage:
    record = layer.record
    return StoredVintage(layer.id, record.vintage, record.updated_at, encode_layer(layer), reader_version)


def write_layers(
    connection: psycopg.Connection[Any], layers: Sequence[StoredVintage], own: str, import_id: str
) -> None:
    """Store layers of a dialogue; ``own`` is the vintage of the one that the import brought."""
    write_vintages(
        connection,
        [
            {
                "dialogue_id": layer.dialogue_id,
                "vintage": layer.vintage,
                "import_id": import_id if layer.vintage == own else None,
                "source_updated_at": layer.source_updated_at,
                "layer": layer.layer,
                "reader_version": layer.reader_version,
            }
            for layer in layers
        ],
    )
