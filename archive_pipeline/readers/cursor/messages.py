"""What Cursor calls a bubble, as a message: a prompt, or a piece of an answer, which is a thought, a text or a call."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from datetime import datetime
from typing import Any, Final

from archive_pipeline.domain.records import MessageRecord, MessageState, PartRecord, PartType, Role
from archive_pipeline.readers.cursor.attached import attached_files
from archive_pipeline.readers.cursor.calls import CALL, call_parts, call_status, says_a_call
from archive_pipeline.readers.cursor.database import BUBBLE
from archive_pipeline.readers.cursor.texts import user_text
from archive_pipeline.readers.json.fields import Fields
from archive_pipeline.readers.json.shapes import as_identifier, as_object, as_text
from archive_pipeline.readers.roles import read_role
from archive_pipeline.readers.timestamps import read_timestamp

_ROLES: Final[Mapping[str, Role]] = {
    "1": "user",
    "2": "assistant",
    "user": "user",
    "ai": "assistant",
    "assistant": "assistant",
}
_IDS: Final = (BUBBLE, "id")
_TEXTS: Final = ("text", "rawText")
_STATES: Final[Mapping[str, MessageState]] = {
    "loading": "in_progress",
    "pending": "in_progress",
    "cancelled": "aborted",
    "error": "error",
}
# Of a prompt that Cursor sent by itself: to carry out a plan, to remind of a commit, after a task in the background.
_SIMULATED: Final = "isSimulatedMsg"
_FIRST_MILLISECONDS: Final = 1e12  # clocks of the editor's process count from its start, and are below


class Bubbles:
    """Reads the bubbles of a conversation one after the other: a prompt names the model of the answer to it."""

    def __init__(
        self, headers: Mapping[str, Mapping[str, Any]], calls: Mapping[str, Any], warnings: Counter[str]
    ) -> None:
        """Takes what stands beside the bubbles.

        Args:
            headers: what the conversation says of each, by id.
            calls: calls of tools that are not in the bubbles, by id.
            warnings: where unusual things are counted.
        """
        self._headers = headers
        self._calls = calls
        self._warnings = warnings
        self._model: str | None = None

    def read(self, bubble: Any) -> MessageRecord | None:
        """Returns the message; None of one that says nothing."""
        if not isinstance(bubble, dict):
            self._warnings["malformed_message"] += 1
            return None
        fields = Fields(bubble)
        name = next((name for field in _IDS if (name := fields.take_identifier(field))), None)
        header = self._headers.get(name or "", {})
        said = read_role(as_identifier(bubble.get("type")) or as_identifier(header.get("type")), _ROLES, self._warnings)
        role: Role = "system" if said == "user" and _is_simulated(bubble, header) else said
        if as_identifier(bubble.get("type")) in _ROLES:
            fields.take("type")
        call = as_object(bubble.get(CALL) or self._calls.get(name or ""))
        model = self._model_of(fields, said)
        parts = _asked(fields, role) if said == "user" else _answered(fields, role, call)
        files = attached_files(fields) if said == "user" else ()
        if not parts and not files:
            return None
        return MessageRecord(
            source_id=name,
            parent_source_id=None,
            role=role,
            parts=tuple(parts),
            attachments=tuple(files),
            created_at=self._created(bubble, header),
            model=model,
            state=_state(bubble, call),
            is_hidden=role == "system",
            source=fields.rest(),
        )

    def _model_of(self, fields: Fields, role: Role) -> str | None:
        info = Fields(fields.fields_left().get("modelInfo"))
        name = as_text(info.fields_left().get("modelName"))
        if role != "assistant":
            self._model = name if role == "user" else self._model
            return None
        if name is not None:
            info.take("modelName")
            fields.fields_left()["modelInfo"] = info.fields_left()
        return name or fields.take_text("modelType") or self._model

    def _created(self, bubble: Mapping[str, Any], header: Mapping[str, Any]) -> datetime | None:
        said = bubble.get("createdAt") or header.get("createdAt")
        if said is None:
            said = as_object(bubble.get("timingInfo")).get("clientRpcSendTime")
            if not isinstance(said, int | float) or said < _FIRST_MILLISECONDS:
                return None
        return read_timestamp(said, self._warnings)


def _is_simulated(bubble: Mapping[str, Any], header: Mapping[str, Any]) -> bool:
    """Tells a prompt that is not the user's; versions differ in whether it says so or the list of messages does."""
    return any(place.get(_SIMULATED) is True for place in (bubble, as_object(header.get("grouping"))))


def _asked(fields: Fields, role: Role) -> list[PartRecord]:
    text = fields.first_text(_TEXTS) or user_text(fields)
    kind = PartType.TEXT if role == "user" else PartType.CONTEXT
    return [PartRecord(kind, text, "text")] if text is not None else []


def _answered(fields: Fields, role: Role, call: Mapping[str, Any]) -> list[PartRecord]:
    parts = _thoughts(fields)
    text = fields.first_text(_TEXTS)
    if text is not None:
        kind = PartType.TEXT if role == "assistant" else PartType.CONTEXT
        kind = PartType.THINKING if fields.fields_left().get("isThought") is True else kind
        parts.append(PartRecord(kind, text, "text"))
    notices = _notices(fields)
    if call and (says_a_call(call) or not (parts or notices)):
        fields.take(CALL)
        parts += call_parts(call)
    elif text is None:
        parts += _code(fields)
    return [*parts, *notices]


def _thoughts(fields: Fields) -> list[PartRecord]:
    thinking = Fields(fields.fields_left().get("thinking"))
    text = fields.take_text("thinking")
    if text is None:
        text = thinking.take_text("text")
        if text is None:
            return []
        fields.take("thinking")
    return [PartRecord(PartType.THINKING, text, "thinking", source=thinking.rest())]


def _code(fields: Fields) -> list[PartRecord]:
    """Takes code of an answer without a text; else the text has it, too."""
    left: list[Any] = []
    parts: list[PartRecord] = []
    for item in fields.take_items("codeBlocks"):
        block = Fields(item)
        text = block.take_text("content")
        if text is None:
            left.append(item)
        else:
            language = block.take_text("languageId")
            parts.append(PartRecord(PartType.CODE, text, "codeBlocks", language=language, source=block.rest()))
    fields.put_back("codeBlocks", left)
    return parts


def _notices(fields: Fields) -> list[PartRecord]:
    """Takes what Cursor says by itself: that something failed, or that it goes on with another model."""
    parts = []
    for name, kind in (("errorDetails", PartType.ERROR), ("serviceStatusUpdate", PartType.CONTEXT)):
        notice = Fields(fields.fields_left().get(name))
        text = notice.take_text("message")
        if text is not None:
            fields.take(name)
            parts.append(PartRecord(kind, text, name, source=notice.rest()))
    return parts


def _state(bubble: Mapping[str, Any], call: Mapping[str, Any]) -> MessageState:
    if as_text(as_object(bubble.get("errorDetails")).get("message")) is not None:
        return "error"
    state = _STATES.get(call_status(call) or "", "complete")
    return "complete" if state == "error" else state  # a call that failed is one the answer goes on from
