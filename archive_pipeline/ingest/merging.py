"""An export of one vintage over a dialogue that exports of another brought: their layers, old and new, as one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import psycopg

from archive_pipeline.ingest.layer_bytes import decode_layer, encode_layer
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
        layers: the bytes of those that are not stored so, by vintage.
    """

    dialogue: PreparedDialogue
    layers: Mapping[str, bytes]


def merge_with_stored(
    connection: psycopg.Connection[Any], dialogue: PreparedDialogue, stored: Mapping[str, StoredVintage]
) -> Merged | None:
    """Return what an export makes of a dialogue that others brought; None if it is older than its own vintage's newest.

    Args:
        connection: in a transaction.
        dialogue: the dialogue as the export has it.
        stored: what is stored of its exports, by vintage; of another vintage at least.
    """
    layers = {name: _stored_layer(connection, vintage) for name, vintage in stored.items()}
    own = dialogue.record.vintage
    incoming = Layer.of(dialogue)
    if own in layers and layers[own].is_after(incoming):
        return None
    layers[own] = incoming
    encoded = {name: encode_layer(layer.dialogue) for name, layer in layers.items()}
    new = {name: content for name, content in encoded.items() if name not in stored or stored[name].layer != content}
    return Merged(merge(list(layers.values())), new)


def _stored_layer(connection: psycopg.Connection[Any], stored: StoredVintage) -> Layer:
    if stored.layer is not None:
        return Layer.of(decode_layer(stored.layer))
    return Layer.of(layer_of_rows(dialogue_rows(connection, stored.dialogue_id), stored))


def write_layers(
    connection: psycopg.Connection[Any],
    dialogue: PreparedDialogue,
    layers: Mapping[str, bytes],
    import_id: str,
    stored: Mapping[str, StoredVintage],
) -> None:
    """Store layers of a dialogue; ``dialogue`` is the one that the import brings, ``stored`` what was there."""
    own = dialogue.record.vintage
    version = reader_versions().get(dialogue.record.source)
    write_vintages(
        connection,
        [
            {
                "dialogue_id": dialogue.id,
                "vintage": name,
                "import_id": import_id if name == own else None,
                "source_updated_at": dialogue.record.updated_at if name == own else stored[name].source_updated_at,
                "layer": content,
                "reader_version": version if name == own else stored[name].reader_version,
            }
            for name, content in layers.items()
        ],
    )
