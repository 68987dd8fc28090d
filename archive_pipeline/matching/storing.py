"""Storing a branch: rows of ``raw``, the hashes by which it is found again, and nothing twice."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any, NamedTuple

from sqlalchemy.orm import Session

from archive_pipeline.derive.response_hashes import path_hash_of
from archive_pipeline.domain import identity
from archive_pipeline.domain.choices import API
from archive_pipeline.domain.records import DialogueRecord, MessageRecord
from archive_pipeline.errors import DeletedDialogueError, UnknownDialogueError
from archive_pipeline.ingest import rows
from archive_pipeline.ingest.fingerprint import dialogue_fingerprint
from archive_pipeline.ingest.prepare import PreparedDialogue, prepare
from archive_pipeline.matching.asked import AskedMessage
from archive_pipeline.matching.lookup import bases_of, fetch, run, run_all
from archive_pipeline.store.raw_writes import StoredMessage


@dataclass(frozen=True, slots=True)
class AttachPoint:
    """Where a branch hangs on.

    Attributes:
        dialogue_id, source, source_id: the dialogue.
        message_id, message_source_id: the message; None before the first one of a dialogue.
    """

    dialogue_id: str
    source: str
    source_id: str
    message_id: str | None = None
    message_source_id: str | None = None


class _Locked(NamedTuple):
    """The row of ``lock_dialogue``."""

    title: str | None
    fingerprint: str
    active_source_id: str | None


class _Response(NamedTuple):
    """The row of ``response_above``."""

    message_id: str
    path_hash: str | None


class _Place(NamedTuple):
    """The row of ``dialogue_place``."""

    dialogue_id: str
    source: str
    source_id: str


def base_of(session: Session, context_hash: str, within: str | None = None) -> AttachPoint | None:
    """Return the message with the given context that branches hang on, in one dialogue or any; None if it is gone."""
    for row in bases_of(session, context_hash, within):
        return AttachPoint(row.dialogue_id, row.source, row.source_id, row.message_id, row.message_source_id)
    return None


def beginning_of(session: Session, dialogue_id: str) -> AttachPoint:
    """Return where another root of a dialogue hangs on.

    Raises:
        UnknownDialogueError: it was deleted since it was looked for.
    """
    for place in fetch(session, "match/dialogue_place", _Place, {"id": dialogue_id}):
        return AttachPoint(*place)
    raise UnknownDialogueError(f"the dialogue {dialogue_id} was deleted meanwhile")


class _Deleted(NamedTuple):
    """The row of ``deleted_for_good``."""

    source_id: str


def begin_dialogue(session: Session, source_id: str, title: str | None) -> AttachPoint:
    """Return the dialogue of source ``api`` with the given id, made if there is none, before its first message.

    Raises:
        DeletedDialogueError: it was deleted for good.
    """
    prepared = prepare(DialogueRecord(API, source_id, API, title=title), b"")
    values = {
        "id": prepared.id,
        "source": API,
        "source_id": prepared.source_id,
        "partition_key": prepared.partition_key,
        "shard_key": identity.shard_key(prepared.id),
        "title": prepared.record.title,
    }
    with session.begin_nested():
        run(session, "match/insert_api_dialogue", values)
        # Now: who deletes it at this moment keeps the row from being inserted until that is known.
        if fetch(session, "match/deleted_for_good", _Deleted, {"source": API, "source_id": prepared.source_id}):
            raise DeletedDialogueError(f"the dialogue {prepared.partition_key} was deleted for good")
    return AttachPoint(prepared.id, API, prepared.source_id)


def append_branch(
    session: Session, base: AttachPoint, branch: Sequence[AskedMessage], *, options: str | None, model: str | None
) -> AttachPoint | None:
    """Append messages below ``base``, one after the other; return where the last one is, None if the dialogue is gone.

    Args:
        session: whose transaction holds the lock on the beginning of the path.
        base: where they hang on.
        branch: what to append, at least one message.
        options: of the request that the last message answers, if it is a response.
        model: that wrote the last message, if it is a response.
    """
    locked = fetch(session, "match/lock_dialogue", _Locked, {"id": base.dialogue_id})
    if not locked:
        return None
    dialogue = locked[0]
    prepared = _prepared(base, branch, model)
    known = fetch(session, "raw/stored_messages", StoredMessage, {"dialogue_id": base.dialogue_id})
    stored = {row.source_id: row for row in known}
    numbers = rows.sequence_numbers(prepared, stored)
    _insert(session, prepared, numbers, options if branch[-1].record.role == "assistant" else None)
    live = {row.source_id: row.content_hash for row in stored.values() if row.is_live}
    live |= {message.source_id: message.content_hash for message in prepared.messages}
    grown = {
        "id": base.dialogue_id,
        "fingerprint": dialogue_fingerprint(dialogue.title, dialogue.active_source_id, live),
        "message_count": len(live),
    }
    run(session, "match/grow_dialogue", grown)
    run(session, "staleness/purge_builds", {"id": base.dialogue_id})
    _insert_hashes(session, base, branch, prepared)
    last = prepared.messages[-1]
    return replace(base, message_id=last.id, message_source_id=last.source_id)


def _prepared(base: AttachPoint, branch: Sequence[AskedMessage], model: str | None) -> PreparedDialogue:
    now = datetime.now(UTC)
    parent = base.message_source_id
    records: list[MessageRecord] = []
    for message in branch:
        record = message.record
        if message is branch[-1] and record.role == "assistant":
            record = replace(record, model=record.model or model)
        source_id = _source_id(message, record.model)
        records.append(replace(record, source_id=source_id, parent_source_id=parent, created_at=now))
        parent = source_id
    known = {} if base.message_source_id is None else {base.message_source_id: None}
    return prepare(DialogueRecord(base.source, base.source_id, API, messages=tuple(records)), b"", known=known)


def _source_id(message: AskedMessage, model: str | None) -> str:
    """Return an id from content alone: the way to the message, what tells a response's request apart, and its model."""
    name = f"{message.context_hash}:{message.prompt_hash or ''}"
    if model is not None:
        name = f"{name}:{model}"
    return f"api-{hashlib.sha256(name.encode()).hexdigest()[:32]}"


def _insert(session: Session, prepared: PreparedDialogue, numbers: Mapping[str, int], options: str | None) -> None:
    messages = rows.named(rows.MESSAGE_COLUMNS, rows.message_rows(prepared, numbers))
    for message in messages:
        message["request_options"] = options if message is messages[-1] else None
    parts = rows.named(rows.PART_COLUMNS, rows.part_rows(prepared, prepared.messages))
    files = rows.named(rows.ATTACHMENT_COLUMNS, rows.attachment_rows(prepared, prepared.messages))
    run_all(session, "match/insert_api_message", messages)
    run_all(session, "match/insert_api_part", parts)
    run_all(session, "match/insert_api_attachment", files)


def _insert_hashes(
    session: Session, base: AttachPoint, branch: Sequence[AskedMessage], prepared: PreparedDialogue
) -> None:
    """Insert the rows that a build of ``response_hashes`` will make again, so that the path is found at once."""
    contexts: list[dict[str, Any]] = []
    responses: list[dict[str, Any]] = []
    above = _response_above(session, base)
    parent_id, response_id = base.message_id, above and above.message_id
    path_hash = above and above.path_hash
    for asked, message in zip(branch, prepared.messages, strict=True):
        context = {
            "message_id": message.id,
            "dialogue_id": prepared.id,
            "context_parent_id": parent_id,
            "context_hash": asked.context_hash,
            "normalized_hash": asked.normalized_hash,
            "prompt_path_hash": asked.open_prompt_hash and path_hash_of(path_hash, asked.open_prompt_hash),
        }
        contexts.append(context)
        if asked.prompt_hash is not None:
            path_hash = path_hash_of(path_hash, asked.prompt_hash)
            response = {
                "response_message_id": message.id,
                "dialogue_id": prepared.id,
                "parent_response_id": response_id,
                "prompt_hash": asked.prompt_hash,
                "response_hash": asked.response_hash,
                "path_hash": path_hash,
                "context_hash": asked.context_hash,
            }
            responses.append(response)
            response_id = message.id
        parent_id = message.id
    run_all(session, "match/insert_message_context", contexts)
    run_all(session, "match/insert_response_hash", responses)


def _response_above(session: Session, base: AttachPoint) -> _Response | None:
    if base.message_id is None:
        return None
    found = fetch(session, "match/response_above", _Response, {"message_id": base.message_id})
    return found[0] if found else None
