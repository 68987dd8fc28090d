"""Grok's export: conversations with their responses, mostly each in a wrapper of its own, linked to their parents.

Times are ISO 8601 in conversations and Mongo's in responses; ids are texts or Mongo's. The tree is built from
``parent_response_id`` alone.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any, Final

from archive_pipeline.domain.records import (
    AttachmentRecord,
    DialogueRecord,
    MessageRecord,
    MessageState,
    RejectedRecord,
    Role,
)
from archive_pipeline.readers.declaration import Evidence
from archive_pipeline.readers.grok.content import take_parts
from archive_pipeline.readers.json.fields import Fields, is_empty
from archive_pipeline.readers.json.shapes import as_identifier, as_object, as_text, unique_messages
from archive_pipeline.readers.roles import read_role
from archive_pipeline.readers.timestamps import read_timestamp

SOURCE: Final = "grok"
_ROLES: Final[Mapping[str, Role]] = {"human": "user", "user": "user", "assistant": "assistant", "system": "system"}
# The sender is the model's name in some responses.
_MODELS: Final = "grok"
# What holds a text: something else stays where it is, and is counted.
_TEXTS: Final = ("message", "thinking_trace")
# Beside its id, what tells a conversation without responses.
_OWN_FIELDS: Final = frozenset({"title", "create_time"})


def recognise(value: Mapping[str, Any]) -> Evidence:
    """Judges an object by its responses: Grok's name their sender."""
    responses = value.get("responses")
    if not isinstance(responses, list) or not isinstance(value.get("conversation"), dict):
        return Evidence(0.0, "no conversation with responses")
    if any("sender" in entry and ("message" in entry or "_id" in entry) for entry in map(_response, responses)):
        return Evidence(1.0, "responses with a sender")
    conversation = as_object(value["conversation"])
    is_empty_conversation = all(map(_says_nothing, responses)) and not conversation.keys().isdisjoint(_OWN_FIELDS)
    if is_empty_conversation and "id" in conversation:
        return Evidence(0.6, "a conversation without responses, and id and title")
    return Evidence(0.1, "responses, but none with a sender and a message")


def _response(item: object) -> dict[str, Any]:
    """Returns the response of an entry, in its wrapper or without one; an empty object if the entry is none."""
    entry = as_object(item)
    wrapped = as_object(entry.get("response"))
    return entry if not wrapped and _is_response(entry) else wrapped


def _is_response(entry: Mapping[str, Any]) -> bool:
    return "_id" in entry and ("sender" in entry or "message" in entry)


def _says_nothing(item: object) -> bool:
    return isinstance(item, dict) and Fields(item).rest() is None


def read_conversation(value: Mapping[str, Any], locator: str) -> DialogueRecord | RejectedRecord:
    """Returns the dialogue of a conversation object, or why it is none."""
    entries = value.get("responses")
    if not isinstance(entries, list):
        return RejectedRecord(locator, "the conversation has no 'responses', so no messages", "missing responses")
    warnings: Counter[str] = Counter()
    items = [entry for entry in entries if _response(entry)]
    unread = [entry for entry in entries if not _response(entry) and not is_empty(entry)]
    warnings["malformed_message"] += len(entries) - len(items)
    read = [_message(item, warnings) for item in items]
    messages, repeated = unique_messages(read, warnings)
    unread += [items[place] for place, first in repeated.items() if items[place] != items[first]]
    is_linear = len(messages) > 1 and not any(message.parent_source_id for message in messages)
    warnings["no_parent_pointers"] += is_linear
    conversation = as_object(value.get("conversation"))
    source = {key: item for key, item in value.items() if key != "responses"}
    return DialogueRecord(
        source=SOURCE,
        source_id=as_identifier(conversation.get("id")) or as_identifier(value.get("id")),
        locator=locator,
        title=as_text(conversation.get("title")),
        created_at=read_timestamp(conversation.get("create_time"), warnings),
        updated_at=read_timestamp(conversation.get("modify_time"), warnings),
        messages=messages,
        active_source_id=as_identifier(conversation.get("leaf_response_id")),
        is_linear_source=is_linear,
        warnings=+warnings,
        source_json={**source, "responses": unread} if unread else source,
    )


def _message(item: Mapping[str, Any], warnings: Counter[str]) -> MessageRecord:
    wrapper, response = Fields(item), _response(item)
    wrapper.take("response")
    fields = Fields(response)
    role = _role(response, warnings)
    source_id = fields.take_identifier("_id")
    parts = tuple(take_parts(fields, source_id or "", role))
    attachments, unread = _files(fields.take_items("file_attachments"))
    fields.put_back("file_attachments", unread)
    left = fields.rest() or {}
    warnings["malformed_text"] += sum(name in left and as_text(left[name]) is None for name in _TEXTS)
    return MessageRecord(
        source_id=source_id,
        parent_source_id=as_identifier(response.get("parent_response_id")),
        role=role,
        parts=parts,
        attachments=tuple(attachments),
        created_at=read_timestamp(response.get("create_time"), warnings),
        model=as_text(response.get("model")) if role == "assistant" else None,
        state=_state(response),
        source=left if response is item else {**(wrapper.rest() or {}), "response": left},
    )


def _role(response: Mapping[str, Any], warnings: Counter[str]) -> Role:
    sender = (as_text(response.get("sender")) or "").lower()
    is_model = sender.startswith(_MODELS) or sender == str(response.get("model")).lower()
    if sender and sender not in _ROLES and is_model:
        return "assistant"
    return read_role(sender, _ROLES, warnings)


def _state(response: Mapping[str, Any]) -> MessageState:
    if not is_empty(response.get("error")):
        return "error"
    return "aborted" if response.get("partial") is True else "complete"


def _files(items: list[Any]) -> tuple[list[AttachmentRecord], list[Any]]:
    """Returns the files that ids of the asset server name, and what is no id."""
    named = [(as_identifier(item), item) for item in items]
    records = [AttachmentRecord(source_id=name, source={"file_attachment": item}) for name, item in named if name]
    return records, [item for name, item in named if name is None and not is_empty(item)]
