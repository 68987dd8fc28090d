"""An export over a dialogue that exports of other vintages brought: their layers, old and new, as one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

import psycopg

from archive_pipeline.domain.vintages import at_time, is_partial, time_of, untimed, vintage
from archive_pipeline.ingest.layer import Layer
from archive_pipeline.ingest.layer_bytes import (
    decode_layer,
    encode_layer,
    hash_of_layer,
    is_same_layer,
    layer_beside_rows,
    stored_hash,
)
from archive_pipeline.ingest.layers import merge
from archive_pipeline.ingest.prepare import PreparedDialogue, ways_past_nodes
from archive_pipeline.ingest.rereading import is_outdated
from archive_pipeline.ingest.source_json import joined_objects
from archive_pipeline.ingest.stored_layer import layer_of_rows
from archive_pipeline.ingest.superseded import without_repeated, without_superseded
from archive_pipeline.readers.left_out_lines import is_unread
from archive_pipeline.readers.registry import reader_versions
from archive_pipeline.store.layers import StoredVintage, delete_vintages, dialogue_rows, write_vintages


@dataclass(frozen=True, slots=True)
class Merged:
    """A dialogue of several vintages.

    Attributes:
        dialogue: what its layers are together.
        layers: those that are not stored so.
        gone: vintages that are stored and are not needed any more.
        own: vintage of that which the import brings.
    """

    dialogue: PreparedDialogue
    layers: Sequence[StoredVintage]
    gone: Sequence[str]
    own: str

    @property
    def is_as_stored(self) -> bool:
        """Whether nothing is to be written."""
        return not self.layers and not self.gone


def merge_with_stored(
    connection: psycopg.Connection[Any],
    dialogue: PreparedDialogue,
    stored: Mapping[str, StoredVintage],
    updated_at: datetime | None,
) -> Merged | None:
    """Return what an export makes of a dialogue that others brought; None if later ones say all that it says.

    Args:
        connection: in a transaction.
        dialogue: the dialogue as the export has it.
        stored: what is stored of its exports, by vintage; of another vintage at least.
        updated_at: time of the dialogue as it is stored.
    """
    layers: dict[str, Layer] = {}
    versions: dict[str, int | None] = {}
    for each in stored.values():
        layer = _timed(_stored_layer(connection, each, updated_at))
        layers[layer.record.vintage], versions[layer.record.vintage] = Layer.of(layer), each.reader_version
    version, brought = reader_versions().get(dialogue.record.source), len(dialogue.messages)
    if is_partial(dialogue.record.vintage):
        dialogue = _beside(layers, dialogue)
    own = dialogue.record.vintage
    if vintage(dialogue.record.source, own).repeats:
        dialogue = replace(dialogue, layer_hash=hash_of_layer(replace(dialogue, layer_hash=None)))
    if len(dialogue.messages) > brought:
        version = min(version or 0, versions[own] or 0)  # of what another part brought, an older reader may have read
    brings = Layer.of(dialogue)
    if own in layers and layers[own].is_after(brings):
        return None
    needed = without_superseded({**layers, own: brings})
    if own not in needed:
        return None
    versions[own] = version
    if len(needed) == 1:
        return _alone(brings, stored, version)
    before, layers = layers, without_repeated(needed)
    # What is stored as a layer and is not the import's is as it was, but for messages that the import repeats.
    stays = {name for name in layers if name in stored and stored[name].layer and layers[name] is before[name]}
    changing = [name for name in layers if name == own or name not in stays]
    encoded = [_encoded(layers[name].dialogue, versions[name]) for name in changing]
    new = [layer for layer in encoded if not _is_stored(layer, stored.get(layer.vintage))]
    gone = [name for name in stored if name not in layers]
    return Merged(merge([*layers.values()]) if new or gone else dialogue, new, gone, own)


def is_stored_layer(dialogue: PreparedDialogue, stored: Mapping[str, StoredVintage]) -> bool:
    """Tell whether an export that repeats others is a stored layer, as today's reader reads it."""
    record = dialogue.record
    name = at_time(record.vintage, record.updated_at)
    known = stored.get(name)
    if not vintage(record.source, record.vintage).repeats or known is None or known.layer is None:
        return False
    own = replace(dialogue, record=replace(record, vintage=name))
    return not is_outdated(record.source, known) and stored_hash(known.layer) == hash_of_layer(own)


def _alone(layer: Layer, stored: Mapping[str, StoredVintage], version: int | None) -> Merged:
    """Return an export that says all that those before it said: the rows are its layer."""
    record = layer.dialogue.record
    own = untimed(record.vintage)
    merged = merge([layer])
    vintage = StoredVintage(layer.dialogue.id, own, record.updated_at, layer_beside_rows(merged), version)
    return Merged(merged, [vintage], [name for name in stored if name != own], own)


def _stored_layer(
    connection: psycopg.Connection[Any], stored: StoredVintage, updated_at: datetime | None
) -> PreparedDialogue:
    """Return a stored layer; what partial exports alone brought is one, of the time of the latest."""
    if stored.layer is not None:
        return decode_layer(stored.layer)
    found = layer_of_rows(dialogue_rows(connection, stored.dialogue_id), stored)
    if not is_partial(stored.vintage):
        return found
    return replace(found, record=replace(found.record, updated_at=updated_at))


def _timed(layer: PreparedDialogue) -> PreparedDialogue:
    """Return a layer; one of partial exports that the rows are has no time in its name until there are others."""
    record = layer.record
    if not is_partial(record.vintage) or time_of(record.vintage):
        return layer
    return replace(layer, record=replace(record, vintage=at_time(record.vintage, record.updated_at)))


def _is_stored(layer: StoredVintage, known: StoredVintage | None) -> bool:
    if known is None or known.layer is None or layer.layer is None:
        return False
    return is_same_layer(layer.layer, known.layer)


def _beside(layers: Mapping[str, Layer], dialogue: PreparedDialogue) -> PreparedDialogue:
    """Return a partial export as a layer among others: with those of its time, or of the latest if it has none."""
    record = dialogue.record
    moments = [layer.moment for layer in layers.values() if layer.moment]
    name = at_time(record.vintage, record.updated_at or max(moments, default=None))
    dialogue = replace(dialogue, record=replace(record, vintage=name))
    if name not in layers:
        return dialogue
    before = layers[name].dialogue
    messages = {message.source_id: message for message in before.messages}
    read = {name for name, message in messages.items() if not is_unread(message.record)}
    own = (message for message in dialogue.messages if message.source_id not in read or not is_unread(message.record))
    messages |= {message.source_id: message for message in own}
    together = with_source_of(before.record.source_json, before.raw, dialogue)
    nodes = {**ways_past_nodes(before.messages), **before.record.message_less_nodes, **record.message_less_nodes}
    nodes = {name: parent for name, parent in nodes.items() if name not in messages}
    record = replace(together.record, message_less_nodes=nodes)
    return replace(together, record=record, messages=tuple(messages.values()))


def with_source_of(source_json: str, raw: bytes | None, dialogue: PreparedDialogue) -> PreparedDialogue:
    """Return a partial export with what is kept of those before it beside columns."""
    joined = joined_objects([source_json, dialogue.record.source_json])
    record = replace(dialogue.record, source_json=joined)
    return replace(dialogue, record=record, raw=raw if dialogue.raw is None else dialogue.raw)


def _encoded(layer: PreparedDialogue, reader_version: int | None) -> StoredVintage:
    record = layer.record
    return StoredVintage(layer.id, record.vintage, record.updated_at, encode_layer(layer), reader_version)


def write_layers(connection: psycopg.Connection[Any], merged: Merged, import_id: str) -> None:
    """Store the layers of a dialogue."""
    delete_vintages(connection, merged.dialogue.id, merged.gone)
    write_vintages(
        connection,
        [
            {
                "dialogue_id": layer.dialogue_id,
                "vintage": layer.vintage,
                "import_id": import_id if layer.vintage == merged.own else None,
                "source_updated_at": layer.source_updated_at,
                "layer": layer.layer,
                "reader_version": layer.reader_version,
            }
            for layer in merged.layers
        ],
    )
