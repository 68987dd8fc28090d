"""Layers of partial exports, and messages in them, that later ones have taken the place of: they need not be kept.

The dialogue is the same without them, also after any export that may still come.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import orjson

from archive_pipeline.domain.records import FULL
from archive_pipeline.domain.vintages import Holds
from archive_pipeline.ingest.layer import Layer, newest_first
from archive_pipeline.ingest.prepare import PreparedDialogue
from archive_pipeline.readers.left_out_lines import is_unread


def without_superseded(layers: Mapping[str, Layer]) -> dict[str, Layer]:
    """Return the layers that are needed, by vintage: without partial ones of which later ones say everything."""
    needed = dict(layers)
    for name in sorted(needed, key=lambda name: newest_first(needed[name].moment, needed[name].rules), reverse=True):
        others = [layer for other, layer in needed.items() if other != name]
        if needed[name].rules.is_partial and others and _is_superseded(needed[name], others):
            del needed[name]
    return needed


def without_repeated(layers: Mapping[str, Layer]) -> dict[str, Layer]:
    """Return the layers without messages that later ones of their shape have, with a time if they have one.

    Only of vintages that repeat messages, of which each layer would have the whole history.
    """
    found: dict[str, Layer] = {}
    said: defaultdict[str, dict[str, bool]] = defaultdict(dict)
    for name in sorted(layers, key=lambda name: newest_first(layers[name].moment, layers[name].rules)):
        layer = layers[name]
        if layer.rules.repeats and layer.moment is not None:
            layer = _news_of(layer, said[layer.rules.name])
        found[name] = layer
    return {name: found[name] for name in layers}


def _news_of(layer: Layer, said: dict[str, bool]) -> Layer:
    """Return a layer without what later ones say, and note what it says: messages, each with whether it has a time."""
    known = {name for name in layer.by_id if name in said and (said[name] or layer.only_repeats(name))}
    if not layer.dialogue.may_lack_messages:
        for name, message in layer.by_id.items():
            if not is_unread(message.record):
                said[name] = said.get(name, False) or not layer.only_repeats(name)
    return layer.without(known) if known else layer


def _is_superseded(layer: Layer, others: Sequence[Layer]) -> bool:
    """Tell whether others say all that a partial layer says.

    A layer without a time may be later than any other.
    """
    if layer.moment is None:
        return False
    replacing = [other for other in others if _may_replace(other, layer)]
    if layer.dialogue.may_lack_messages and any(_completes(other, layer) for other in replacing):
        return True
    are_decided = all(any(_decides(other, layer, name) for other in replacing) for name in layer.by_id)
    return are_decided and _fields(layer.dialogue) <= set().union(*(_fields(other.dialogue) for other in replacing))


def _may_replace(other: Layer, layer: Layer) -> bool:
    """Tell whether a layer is as late and has all fields that another one has.

    What a later export of an own vintage replaces is deleted then, where the vintage could have held it; where that
    cannot be told, the message would be gone with the layer, though a partial export had brought it.
    """
    has_fields = other.rules.name in (FULL, layer.rules.name)
    is_dated = other.dialogue.record.updated_at is not None  # else the next export of its vintage takes its place
    tells_deletions = other.rules.is_partial or (other.rules.holds is not Holds.UNKNOWN and is_dated)
    return has_fields and tells_deletions and (other.is_after(layer) or other.moment == layer.moment)


def _completes(other: Layer, layer: Layer) -> bool:
    """Tell whether an export without damage says all that one with damage or without messages says.

    What could not be read may be a message there, so the damaged one's source has keys that nothing takes the place of.
    Of one time, as where a file was cut off in its last line, that without damage is the later one.
    """
    if other.rules.is_partial:
        return False
    if other.is_after(layer):
        return all(_decides(other, layer, name) for name in layer.by_id)
    return layer.by_id.keys() <= other.by_id.keys()


def _decides(other: Layer, layer: Layer, name: str) -> bool:
    """Tell whether a layer has a message that another has, of a later time or as it is there, or deletes it."""
    said = other.by_id.get(name)
    if said is not None and _says_less(other, layer, name):
        return False
    if other.is_after(layer):
        return said is not None or other.rules.holds is Holds.ALL
    return said is not None and said.content_hash == layer.by_id[name].content_hash


def _says_less(other: Layer, layer: Layer, name: str) -> bool:
    """Tell whether a layer only repeats a message, or could not read it, and another layer of the two did more."""
    if other.only_repeats(name) and not layer.only_repeats(name):
        return True
    return is_unread(other.by_id[name].record) and not is_unread(layer.by_id[name].record)


def _fields(dialogue: PreparedDialogue) -> set[str]:
    """Return what a dialogue has of its own: columns, bytes, and keys of what is kept beside them."""
    record = dialogue.record
    names = ("created_at", "custom_gpt_id", "project_id", "parent_source_id")
    columns = {name: getattr(record, name) for name in names}
    own = {**columns, "raw": dialogue.raw, "active": dialogue.active or record.active_source_id}
    return {f"\n{name}" for name, value in own.items() if value is not None} | set(
        _paths(orjson.loads(record.source_json))
    )


def _paths(value: Mapping[str, Any]) -> Iterable[str]:
    for name, item in value.items():
        yield name
        if isinstance(item, dict):
            yield from (f"{name}\n{inner}" for inner in item)
