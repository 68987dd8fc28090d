"""From a reader's record to a dialogue ready to be written: clean texts, ids, parents, hashes. No database."""

from __future__ import annotations

import hashlib
import zlib
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from operator import attrgetter
from typing import Any, Final

import orjson

from archive_pipeline.domain import identity
from archive_pipeline.domain.records import LEFT_OUT_LINE, DialogueRecord, MessageRecord
from archive_pipeline.ingest.cleaning import clean_messages
from archive_pipeline.ingest.fingerprint import message_hash
from archive_pipeline.ingest.linking import NOTHING_KNOWN, Link, link_messages
from archive_pipeline.readers.json.parsing import INVALID_UTF8, LENIENT_JSON
from archive_pipeline.readers.json.shapes import unique_messages
from archive_pipeline.text.sanitize import clean_names, clean_optional, clean_text, json_text

SHORTENED_ID: Final = "shortened_id"
# Ids of dialogues are indexed, and an entry of an index holds 2,704 bytes.
MAX_ID_BYTES: Final = 1024
# Liberties of the parser that change what a text or number says.
_CHANGED_BY_PARSER: Final = (INVALID_UTF8, LENIENT_JSON)
# Anomalies of dialogues that have more messages than could be read.
_UNREAD: Final = ("malformed_message", "malformed_node", LEFT_OUT_LINE)
_HASHED_OF_PARTS: Final = attrgetter("part_type", "text", "tool_name", "tool_use_id", "tool_input", "is_error", "uri")


@dataclass(slots=True)
class PreparedMessage:
    """A message ready to be written.

    Attributes:
        id: its row id.
        source_id: the source's id, or one made from its content and position.
        link: its parent.
        record: the record with clean texts; ``source`` fields are JSON text.
        content_hash: hash of its content fields.
    """

    id: str
    source_id: str
    link: Link
    record: MessageRecord
    content_hash: str


@dataclass(frozen=True, slots=True)
class PreparedDialogue:
    """A dialogue ready to be written.

    Attributes:
        id: its row id.
        source_id: the source's id, or one made from its content.
        record: the record with a clean title; ``source_json`` is JSON text.
        messages: in source order.
        active: source id of the message the source's pointer leads to.
        counts: anomalies by name.
        raw: the record's own bytes, zlib-compressed, if reading or sanitising changed something.
        layer_hash: of a layer as its export brought it (``layer_bytes.hash_of_layer``); what later ones say may have
            been left out of it since. None of what is no layer, or was made of rows.
    """

    id: str
    source_id: str
    record: DialogueRecord
    messages: tuple[PreparedMessage, ...]
    active: str | None
    counts: Counter[str]
    raw: bytes | None
    layer_hash: str | None = None

    @property
    def partition_key(self) -> str:
        """The key of its partition."""
        return identity.partition_key(self.record.source, self.source_id)

    @property
    def may_lack_messages(self) -> bool:
        """Whether some messages could not be read, or nothing says why there are none: what it lacks may be there."""
        is_without = not self.messages and not self.record.is_emptied
        return is_without or any(self.counts[name] for name in _UNREAD)


def prepare(
    record: DialogueRecord, raw: bytes, *, occurrence: int = 0, known: Mapping[str, str | None] = NOTHING_KNOWN
) -> PreparedDialogue:
    """Prepare one dialogue.

    Args:
        record: what the reader yields.
        raw: its bytes in the file.
        occurrence: how many dialogues without an id and with the same beginning came before it.
        known: stored live messages, to which a partial export may point: source id -> that of its parent.
    """
    sanitized: Counter[str] = Counter()
    counts = clean_names(record.warnings, sanitized)
    source_id = _fitting_id(clean_optional(record.source_id, sanitized), counts) or content_derived_id(
        record, occurrence
    )
    dialogue = identity.dialogue_id(record.source, source_id)
    messages = clean_messages(record.messages, sanitized)
    if sanitized:
        messages = _distinct(messages, counts)
    source_ids = _source_ids(messages)
    nodes = _clean_nodes(record.message_less_nodes, sanitized)
    links = link_messages(messages, source_ids, nodes, is_linear=record.is_linear_source, known=known)
    for link in links:
        if link.flag is not None:
            counts[link.flag] += 1
    active = _active(clean_optional(record.active_source_id, sanitized), {*source_ids, *known}, nodes, counts)
    clean_record = replace(
        record,
        title=clean_optional(record.title, sanitized),
        custom_gpt_id=clean_optional(record.custom_gpt_id, sanitized),
        project_id=clean_optional(record.project_id, sanitized),
        parent_source_id=_fitting_id(clean_optional(record.parent_source_id, sanitized), Counter()),
        source_json=json_text(record.source_json, sanitized) or "{}",
        message_less_nodes=nodes,
    )
    counts.update(sanitized)
    return PreparedDialogue(
        id=dialogue,
        source_id=source_id,
        record=clean_record,
        messages=tuple(
            PreparedMessage(
                id=identity.message_id(dialogue, own_id),
                source_id=own_id,
                link=link,
                record=message,
                content_hash=hash_of_message(own_id, link, message),
            )
            for own_id, link, message in zip(source_ids, links, messages, strict=True)
        ),
        active=active,
        counts=counts,
        raw=zlib.compress(raw) if sanitized or any(counts[name] for name in _CHANGED_BY_PARSER) else None,
    )


def ways_past_nodes(messages: Iterable[PreparedMessage]) -> dict[str, str | None]:
    """Return where pointers of messages to nodes without one lead, which an export does not say without the nodes."""
    return {
        message.record.parent_source_id: message.link.parent
        for message in messages
        if message.record.parent_source_id is not None and message.link.flag is None
    }


def _fitting_id(source_id: str | None, counts: Counter[str]) -> str | None:
    """Return the id, or one made of it if no index could hold it; the dialogue's ``source_json`` has it as it is."""
    if source_id is None or len(encoded := source_id.encode()) <= MAX_ID_BYTES:
        return source_id
    counts[SHORTENED_ID] += 1
    return f"long-{hashlib.sha256(encoded).hexdigest()[:24]}"


def _distinct(messages: tuple[MessageRecord, ...], counts: Counter[str]) -> tuple[MessageRecord, ...]:
    """Keep the first of messages whose ids have become the same by sanitising; ``raw`` has the others."""
    return unique_messages(messages, counts)[0]


def content_derived_id(record: DialogueRecord, occurrence: int) -> str:
    """Return an id for a dialogue that has none: from its beginning, which stays when messages are added."""
    first = record.messages[0] if record.messages else None
    texts = [clean_optional(text, Counter()) for text in ([p.text for p in first.parts] if first else [record.title])]
    created = record.created_at.isoformat() if record.created_at else None
    encoded = orjson.dumps([created, texts, occurrence], default=str, option=orjson.OPT_PASSTHROUGH_DATACLASS)
    return f"{identity.MADE}{hashlib.sha256(encoded).hexdigest()[:24]}"


def _source_ids(messages: Sequence[MessageRecord]) -> list[str]:
    made: Counter[str] = Counter()
    result: list[str] = []
    for message in messages:
        if message.source_id:
            result.append(message.source_id)
            continue
        encoded = orjson.dumps([message.role, [[part.part_type, part.text] for part in message.parts]])
        digest = hashlib.sha256(encoded).hexdigest()[:24]
        result.append(f"{identity.MADE}{digest}-{made[digest]}")
        made[digest] += 1
    return result


def _active(
    pointer: str | None, present: Collection[str], nodes: Mapping[str, str | None], counts: Counter[str]
) -> str | None:
    passed: set[str] = set()
    while pointer is not None and pointer not in present:
        if pointer in passed or pointer not in nodes:
            counts["bad_current_pointer"] += 1
            return None
        passed.add(pointer)
        pointer = nodes[pointer]
    return pointer


def hash_of_message(source_id: str, link: Link, message: MessageRecord) -> str:
    """Return the hash of a clean message's content fields."""
    return message_hash(_content_fields(source_id, link, message))


def _content_fields(source_id: str, link: Link, message: MessageRecord) -> dict[str, Any]:
    fields: dict[str, Any] = {
        "attached_texts": [file.extracted_text for file in message.attachments if file.extracted_text],
        "hidden": message.is_hidden,
        "id": source_id,
    }
    # Only where there are any: messages without have the hash that they always had.
    if media := _media_hashes(message):
        fields["media"] = media
    fields["parent"] = link.parent
    fields["parts"] = list(map(_HASHED_OF_PARTS, message.parts))
    fields["role"] = message.role
    fields["state"] = message.state
    return fields


def _media_hashes(message: MessageRecord) -> list[str]:
    of_parts = [part.content_sha256 for part in message.parts if part.content_sha256]
    return [*of_parts, *(file.content_sha256 for file in message.attachments if file.content_sha256)]


def _clean_nodes(nodes: Mapping[str, str | None], counts: Counter[str]) -> dict[str, str | None]:
    return {clean_text(name, counts): clean_optional(parent, counts) for name, parent in nodes.items()}
