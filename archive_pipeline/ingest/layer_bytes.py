"""Layers on their way into ``raw.dialogue_vintages`` and out of it: JSON of a prepared dialogue, compressed."""

from __future__ import annotations

import base64
import hashlib
import zlib
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import replace
from datetime import datetime
from typing import Any, Final

import orjson

from archive_pipeline.domain.records import AttachmentRecord, DialogueRecord, MessageRecord, PartRecord, PartType
from archive_pipeline.domain.vintages import is_partial
from archive_pipeline.ingest.linking import Link
from archive_pipeline.ingest.prepare import PreparedDialogue, PreparedMessage, ways_past_nodes
from archive_pipeline.ingest.source_json import json_value

_JSON: Final = frozenset({"source", "tool_input"})


def encode_layer(dialogue: PreparedDialogue) -> bytes:
    """Return the bytes of a prepared dialogue; equal dialogues give equal bytes.

    Nodes without a message are those of partial exports: messages of others may be below them.
    """
    return zlib.compress(_json_of(dialogue))


def hash_of_layer(dialogue: PreparedDialogue) -> str:
    """Return the hash of a layer as an export brings it."""
    return hashlib.sha256(_json_of(dialogue)).hexdigest()


def stored_hash(content: bytes) -> str | None:
    """Return the hash that a layer had when its export brought it; None of one that was made of rows."""
    found = orjson.loads(zlib.decompress(content)).get("layer_hash")
    return found if isinstance(found, str) else None


def _json_of(dialogue: PreparedDialogue) -> bytes:
    record = dialogue.record
    nodes = record.message_less_nodes if is_partial(record.vintage) else {}
    value = {
        "id": dialogue.id,
        "source_id": dialogue.source_id,
        "record": replace(record, locator="", messages=(), message_less_nodes=nodes, warnings={}),
        "messages": dialogue.messages,
        "active": dialogue.active,
        "counts": dict(sorted(dialogue.counts.items())),
        "raw": None if dialogue.raw is None else base64.b64encode(dialogue.raw).decode(),
    }
    if dialogue.layer_hash is not None:
        value["layer_hash"] = dialogue.layer_hash
    return orjson.dumps(value)


def layer_beside_rows(dialogue: PreparedDialogue) -> bytes | None:
    """Return the bytes of a partial export with nodes without a message that its rows say nothing of, else None."""
    is_said = dialogue.record.message_less_nodes.keys() <= ways_past_nodes(dialogue.messages).keys()
    return None if is_said or not is_partial(dialogue.record.vintage) else encode_layer(dialogue)


def has_new_nodes(dialogue: PreparedDialogue, layers: Iterable[bytes]) -> bool:
    """Tell whether a partial export has nodes without a message of which neither its rows nor layers say anything."""
    if not dialogue.record.message_less_nodes:
        return False
    nodes = dialogue.record.message_less_nodes.keys() - ways_past_nodes(dialogue.messages).keys()
    return bool(nodes) and not any(nodes <= decode_layer(each).record.message_less_nodes.keys() for each in layers)


def decode_layer(content: bytes) -> PreparedDialogue:
    """Return the prepared dialogue that ``encode_layer`` was given, without what its preparation was made from."""
    value = orjson.loads(zlib.decompress(content))
    return PreparedDialogue(
        id=value["id"],
        source_id=value["source_id"],
        record=DialogueRecord(**_with_times(value["record"])),
        messages=tuple(map(_message, value["messages"])),
        active=value["active"],
        counts=Counter(value["counts"]),
        raw=None if value["raw"] is None else base64.b64decode(value["raw"]),
        layer_hash=value.get("layer_hash"),
    )


def is_same_layer(content: bytes, other: bytes) -> bool:
    """Tell whether two layers say the same; one that was made of rows has JSON in the form of the database."""
    return content == other or _said(content) == _said(other)


def _said(content: bytes) -> Any:
    value = orjson.loads(zlib.decompress(content))
    value.pop("layer_hash", None)
    records = [message["record"] for message in value["messages"]]
    below = [each for record in records for each in (*record["parts"], *record["attachments"])]
    for each in (*records, *below):
        each.update({name: json_value(each[name]) for name in _JSON & each.keys()})
    dialogue = value["record"]
    dialogue.setdefault("parent_source_id", None)  # earlier layers have none
    # Links and ``active`` have what these made of them.
    dialogue.update(source_json=json_value(dialogue["source_json"]), active_source_id=None, is_linear_source=False)
    dialogue["is_emptied"] = False  # earlier layers have none, and those that are made of rows
    return value


def _message(value: Mapping[str, Any]) -> PreparedMessage:
    record = _with_times(value["record"])
    record["parts"] = tuple(
        PartRecord(**{**part, "part_type": PartType(part["part_type"])}) for part in record["parts"]
    )
    record["attachments"] = tuple(AttachmentRecord(**file) for file in record["attachments"])
    link = Link(**value["link"])
    return PreparedMessage(value["id"], value["source_id"], link, MessageRecord(**record), value["content_hash"])


def _with_times(value: Mapping[str, Any]) -> dict[str, Any]:
    times = {name: datetime.fromisoformat(value[name]) for name in ("created_at", "updated_at") if value[name]}
    return {**value, **times}
