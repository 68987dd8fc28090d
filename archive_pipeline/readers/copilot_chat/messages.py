"""A request as messages: what the user asked, and the answer."""

from __future__ import annotations

import uuid
from collections import Counter
from collections.abc import Mapping
from typing import Any, Final

from archive_pipeline.domain.records import MessageRecord, MessageState, PartRecord, PartType
from archive_pipeline.readers.copilot_chat.attached import take_attached
from archive_pipeline.readers.copilot_chat.calls import Calls
from archive_pipeline.readers.copilot_chat.content import answer_parts
from archive_pipeline.readers.json.fields import Fields, is_empty
from archive_pipeline.readers.json.shapes import as_identifier, as_object, as_text, is_uuid
from archive_pipeline.readers.timestamps import read_timestamp

_MESSAGE: Final = "message"
_RESPONSE: Final = "response"
# What a request says of its answer.
_OF_ANSWER: Final = (
    *("responseId", "result", "followups", "modelState", "vote", "voteDownReason", "usedContext", "contentReferences"),
    *("codeCitations", "timeSpentWaiting", "responseTimestamp", "responseMarkdownInfo", "agent", "slashCommand"),
    *("promptTokens", "completionTokens", "outputBuffer", "promptTokenDetails", "copilotCredits", "modelTotals"),
    *("sessionCopilotCredits", "elapsedMs", "isCanceled", "responseErrorDetails", "modelConfiguration"),
)
# Of a request that VS Code sent by itself.
_BY_ITSELF: Final = ("isSystemInitiated", "requestHiddenFromTranscript", "hiddenFromTranscript")
_STATES: Final[Mapping[int, MessageState]] = {0: "in_progress", 2: "aborted", 3: "error", 4: "in_progress"}


def read_request(
    request: Mapping[str, Any], number: int, parent: str | None, warnings: Counter[str]
) -> list[MessageRecord]:
    """Returns the messages of a request: what was asked, and the answer if there is one.

    Args:
        request: the request.
        number: its place in the session.
        parent: the id of the message that it follows.
        warnings: where what is unusual is counted.
    """
    fields = Fields(request)
    asked_id = uuid_of(request.get("requestId")) or f"request-{number}"
    answer = _answer(fields, asked_id, warnings)
    return [_asked(fields, asked_id, parent, warnings), *answer]


def uuid_of(value: object) -> str | None:
    """Returns an id, without the word before a UUID: what exports and sessions share is told by UUIDs."""
    said = as_identifier(value)
    if said is None:
        return None
    end = said.partition("_")[2]
    return end if is_uuid(end) else said


def answer_id(asked_id: str) -> str:
    """Returns the id of an answer that has none of its own: a UUID if the request's is one, as copies are told by."""
    made = f"{asked_id}-response"
    return str(uuid.uuid5(uuid.NAMESPACE_OID, made)) if is_uuid(asked_id) else made


def _asked(fields: Fields, source_id: str, parent: str | None, warnings: Counter[str]) -> MessageRecord:
    given = fields.fields_left()
    is_hidden = any(given.get(name) is True for name in _BY_ITSELF)
    texts, files = take_attached(fields)
    text = _take_message(fields, warnings)
    kind = PartType.CONTEXT if is_hidden else PartType.TEXT
    parts = [*texts, *([PartRecord(kind, text, _MESSAGE)] if text is not None else [])]
    return MessageRecord(
        source_id=source_id,
        parent_source_id=parent,
        role="system" if is_hidden else "user",
        parts=tuple(parts),
        attachments=tuple(files),
        created_at=read_timestamp(given.get("timestamp"), warnings),
        is_hidden=is_hidden,
        source=fields.rest(),
    )


def _take_message(fields: Fields, warnings: Counter[str]) -> str | None:
    text = fields.take_text(_MESSAGE)
    if text is not None:
        return text
    message = Fields(fields.fields_left().get(_MESSAGE))
    text = message.take_text("text")
    if text is not None:
        fields.fields_left()[_MESSAGE] = message.rest()
    elif not is_empty(message.fields_left().get("text")):
        warnings["malformed_text"] += 1
    return text


def _answer(fields: Fields, asked_id: str, warnings: Counter[str]) -> list[MessageRecord]:
    """Takes the answer and what the request says of it, if there is one."""
    given = dict(fields.fields_left())
    error = _error(given)
    if is_empty(given.get(_RESPONSE)) and error is None:
        return []
    entries = fields.take_items(_RESPONSE)
    parts, silent = answer_parts(entries, Calls(given.get("result")), warnings)
    own = Fields({name: fields.take(name) for name in _OF_ANSWER if name in given})
    if silent:
        own.fields_left()[_RESPONSE] = silent
    own_id, state, moment = (
        uuid_of(given.get("responseId")),
        _state(given),
        as_object(given.get("modelState")).get("completedAt"),
    )
    return [
        MessageRecord(
            source_id=own_id if own_id is not None and own_id != asked_id else answer_id(asked_id),
            parent_source_id=asked_id,
            role="assistant",
            parts=(*parts, *([error] if error is not None else [])),
            created_at=read_timestamp(given.get("responseTimestamp") or given.get("timestamp"), warnings),
            updated_at=read_timestamp(moment, warnings),
            model=fields.take_text("modelId"),
            state=state,
            is_hidden=given.get("hiddenFromTranscript") is True,
            source=own.rest(),
        )
    ]


def _details(given: Mapping[str, Any]) -> dict[str, Any]:
    return as_object(as_object(given.get("result")).get("errorDetails") or given.get("responseErrorDetails"))


def _error(given: Mapping[str, Any]) -> PartRecord | None:
    text = as_text(_details(given).get(_MESSAGE))
    return None if text is None else PartRecord(PartType.ERROR, text, "errorDetails")


def _state(given: Mapping[str, Any]) -> MessageState:
    state = as_object(given.get("modelState")).get("value")
    if given.get("isCanceled") is True or _details(given).get("code") == "canceled":
        return "aborted"
    if type(state) is int and state in _STATES:
        return _STATES[state]
    return "error" if _details(given) else "complete"
