"""The events of a session that are messages: what is said in them, by whom."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from typing import Any, Final

from archive_pipeline.domain.records import (
    AttachmentRecord,
    MessageRecord,
    MessageState,
    PartRecord,
    PartType,
    Role,
)
from archive_pipeline.readers.chat_arrays.calls import flat_call
from archive_pipeline.readers.json.fields import Fields, is_empty
from archive_pipeline.readers.json.shapes import as_identifier, as_object, as_size, as_text, base64_sha256
from archive_pipeline.readers.session_entries import Entry
from archive_pipeline.readers.timestamps import read_timestamp

_DATA: Final = "data"
_REQUESTS: Final = "toolRequests"
_ATTACHMENTS: Final = "attachments"
# Who sent a prompt: the user, also by a command or while the model works; else the program.
_USER: Final = frozenset({"", "user", "command", "immediate-prompt"})
_USERS_COMMAND: Final = "command-"
_PROGRAM: Final = frozenset(
    {
        *("autopilot", "instruction-discovery", "jit-instruction", "other", "schedule", "skill", "snippy-blocking"),
        *("system", "thinking-exhausted-continuation"),
    }
)
_PROGRAMS: Final = ("skill-", "agent-", "schedule-")
# What the model is told by the program, and the field that says it.
_PUT_IN: Final[Mapping[str, str]] = {
    "system.message": "content",
    "system.notification": "content",
    "skill.invoked": "content",
    "session.compaction_complete": "summaryContent",
}
_STARTS: Final = frozenset({"tool.execution_start", "tool.user_requested"})
_MODELS: Final[Mapping[str, str]] = {
    "session.model_change": "newModel",
    "session.resume": "selectedModel",
    "session.start": "selectedModel",
}
_ADDRESSES: Final = ("path", "filePath", "url")


class MessageReader:
    """Reads the messages of one session, in their order."""

    def __init__(self, warnings: Counter[str]) -> None:
        self._warnings = warnings
        self._tools: dict[str, str | None] = {}
        self._model: str | None = None
        self._answer: MessageRecord | None = None  # the latest message, if it is an answer
        self._more: list[PartRecord] = []  # what goes on with it
        self._call: str | None = None  # of the model, that made it
        self._kinds: Mapping[str, Callable[[Entry, Fields], MessageRecord]] = {
            "user.message": self._prompt,
            "assistant.message": self._said,
            "tool.execution_complete": self._result,
            "session.error": self._error,
        }

    def read(self, entry: Entry) -> MessageRecord | None:
        """Returns the message of an event; None of one that is none, or goes on with the answer before it."""
        kind, data = entry.line.get("type"), entry.line.get(_DATA)
        if not isinstance(kind, str) or not isinstance(data, dict):
            self._warnings["malformed_message"] += isinstance(kind, str) and kind in self._kinds
            return None
        self._notice(kind, data)
        if kind == "assistant.message" and self._goes_on(data):
            return None
        if kind in self._kinds:
            record = self._kinds[kind](entry, Fields(data))
        elif kind in _PUT_IN and as_text(data.get(_PUT_IN[kind])):
            fields = Fields(data)
            part = PartRecord(PartType.CONTEXT, fields.take_text(_PUT_IN[kind]), kind)
            record = self._record(entry, "system", (part,), fields)
        else:
            return None
        self.finish()
        self._answer = record if kind == "assistant.message" else None
        self._call = as_identifier(data.get("apiCallId"))
        return record

    def finish(self) -> None:
        """Adds to the latest answer what goes on with it."""
        if self._answer is not None and self._more:
            self._answer.parts = (*self._answer.parts, *self._more)
        self._more = []

    def _notice(self, kind: str, data: dict[str, Any]) -> None:
        """Notes what events say of those that follow: the model, and names of tools."""
        if kind in _MODELS:
            self._model = as_text(data.get(_MODELS[kind])) or self._model
        call = as_identifier(data.get("toolCallId"))
        if kind in _STARTS and call is not None:
            self._tools.setdefault(call, as_text(data.get("toolName")))

    def _prompt(self, entry: Entry, data: Fields) -> MessageRecord:
        is_put_in = self._is_put_in(data.fields_left())
        text = data.take_text("content")
        kind = PartType.CONTEXT if is_put_in else PartType.TEXT
        parts = () if text is None else (PartRecord(kind, text, "content"),)
        files = _attachments(data)
        return self._record(entry, "system" if is_put_in else "user", parts, data, attachments=files)

    def _is_put_in(self, said: Mapping[str, Any]) -> bool:
        """Tells a prompt of the program's; one of an unknown sender is never taken for what the user said."""
        sender = as_text(said.get("source")) or ""
        if sender in _USER or sender.startswith(_USERS_COMMAND):
            return said.get("isAutopilotContinuation") is True
        self._warnings["unknown_role"] += sender not in _PROGRAM and not sender.startswith(_PROGRAMS)
        return True

    def _said(self, entry: Entry, data: Fields) -> MessageRecord:
        parts = self._parts(data)
        model = data.take_text("model") or self._model
        return self._record(entry, "assistant", parts, data, model=model)

    def _goes_on(self, data: dict[str, Any]) -> bool:
        """Adds what an event says to the answer before it, if it is of the same call of the model."""
        call = as_identifier(data.get("apiCallId"))
        if self._answer is None or call is None or call != self._call:
            return False
        self._more += self._parts(Fields(data))
        return True

    def _parts(self, data: Fields) -> tuple[PartRecord, ...]:
        said = ((PartType.THINKING, "reasoningText"), (PartType.TEXT, "content"))
        texts = [(kind, name, data.take_text(name)) for kind, name in said]
        unread: list[Any] = []
        calls: list[PartRecord] = []
        for item in data.take_items(_REQUESTS):
            if isinstance(item, dict):
                calls.append(self._request(Fields(item)))
            elif not is_empty(item):
                self._warnings["malformed_call"] += 1
                unread.append(item)
        data.put_back(_REQUESTS, unread)
        return (*(PartRecord(kind, text, name) for kind, name, text in texts if text is not None), *calls)

    def _request(self, request: Fields) -> PartRecord:
        part = flat_call(request, _REQUESTS, tool="name", call_id="toolCallId")
        if part.tool_use_id is not None:
            self._tools[part.tool_use_id] = part.tool_name
        return part

    def _result(self, entry: Entry, data: Fields) -> MessageRecord:
        call = data.take_identifier("toolCallId")
        self._warnings["unpaired_tool_result"] += call is None or call not in self._tools
        text = data.take_text("result") or _taken(data, "result", "content") or _taken(data, "error", "message")
        success = data.fields_left().get("success")
        part = PartRecord(
            PartType.TOOL_RESULT,
            text,
            "result",
            tool_name=self._tools.get(call or ""),
            tool_use_id=call,
            is_error=not success if isinstance(success, bool) else None,
        )
        return self._record(entry, "tool", (part,), data)

    def _error(self, entry: Entry, data: Fields) -> MessageRecord:
        text = data.take_text("message")
        parts = () if text is None else (PartRecord(PartType.ERROR, text, "session.error"),)
        return self._record(entry, "assistant", parts, data, state="error")

    def _record(
        self,
        entry: Entry,
        role: Role,
        parts: tuple[PartRecord, ...],
        data: Fields,
        *,
        attachments: tuple[AttachmentRecord, ...] = (),
        model: str | None = None,
        state: MessageState = "complete",
    ) -> MessageRecord:
        line = Fields({**entry.line, _DATA: data.rest()})
        return MessageRecord(
            source_id=entry.id,
            parent_source_id=entry.parent,
            role=role,
            parts=parts,
            attachments=attachments,
            created_at=read_timestamp(entry.line.get("timestamp"), self._warnings),
            model=model,
            state=state,
            is_hidden=role == "system",
            source=entry.rest(line, Fields(entry.line.get("message"))),
        )


def _taken(data: Fields, name: str, inner: str) -> str | None:
    """Takes the text of an object in a field."""
    fields = Fields(as_object(data.fields_left().get(name)))
    text = fields.take_text(inner)
    if text is not None:
        data.fields_left()[name] = fields.fields_left()
    return text


def _attachments(data: Fields) -> tuple[AttachmentRecord, ...]:
    """Takes the files that came with a prompt; content that is there stays in ``source``."""
    return tuple(_attachment(Fields(item)) for item in data.take_objects(_ATTACHMENTS))


def _attachment(file: Fields) -> AttachmentRecord:
    return AttachmentRecord(
        source_id=file.take_identifier("assetId"),
        file_name=file.take_text("displayName"),
        mime_type=file.take_text("mimeType"),
        size_bytes=as_size(file.fields_left().get("byteLength")),
        uri=next((address for name in _ADDRESSES if (address := file.take_text(name))), None),
        extracted_text=file.take_text("text"),
        content_sha256=base64_sha256(file.fields_left().get("data")),
        source=file.rest(),
    )
