"""The entries of a session that are messages: what is said in them, by whom."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any, Final

from archive_pipeline.domain.records import (
    AttachmentRecord,
    MessageRecord,
    MessageState,
    PartRecord,
    PartType,
    Role,
)
from archive_pipeline.readers.claude_code.content import blocks_of
from archive_pipeline.readers.json.fields import Fields
from archive_pipeline.readers.json.shapes import as_size, as_text, base64_sha256
from archive_pipeline.readers.left_out_lines import lacks_message, left_out_part
from archive_pipeline.readers.pi import openclaw
from archive_pipeline.readers.pi.content import ContentReader
from archive_pipeline.readers.roles import read_role
from archive_pipeline.readers.session_entries import Entry
from archive_pipeline.readers.timestamps import read_timestamp

_MESSAGE: Final = "message"
_CUSTOM: Final = "custom_message"
# What the model is told instead of what went before.
_SUMMARIES: Final = frozenset({"compaction", "branch_summary"})
_ROLES: Final[Mapping[str, Role]] = {
    "user": "user",
    "assistant": "assistant",
    "toolresult": "tool",
    "bashexecution": "system",
    "custom": "system",
    "hookmessage": "system",
    "branchsummary": "system",
    "compactionsummary": "system",
    "system": "system",
}
_STATES: Final[Mapping[str, MessageState]] = {"aborted": "aborted", "error": "error"}
# Texts of messages that have no content: a command that the user ran and what it wrote, and summaries.
_TEXTS: Final = ("command", "output", "summary")


class MessageReader:
    """Reads the messages of one session, in their order."""

    def __init__(self, warnings: Counter[str]) -> None:
        self._warnings = warnings
        self._content = ContentReader(warnings)
        self._mirrors = openclaw.Mirrors()

    def read(self, entry: Entry) -> MessageRecord | None:
        """Returns the message of an entry; None if it is none, or the copy of one."""
        kind = as_text(entry.line.get("type"))
        line, message = Fields(entry.line), Fields(entry.line.get("message"))
        if kind == _MESSAGE and isinstance(entry.line.get("message"), dict):
            is_copy = self._mirrors.is_copy(entry.line["message"])
            return None if is_copy else self._message(entry, line, message)
        if kind == _MESSAGE:
            self._warnings["malformed_message"] += 1
        if kind == _CUSTOM or (kind in _SUMMARIES and as_text(entry.line.get("summary"))):
            name = as_text(entry.line.get("customType")) or str(kind)
            return self._record(entry, "system", self._put_in(line, name), line, message)
        return None

    def read_left_out(self, entry: Entry) -> MessageRecord | None:
        """Returns the prompt of an entry that is left out; None if it is none."""
        message = Fields(entry.line.get("message"))
        is_prompt = entry.line.get("type") == _MESSAGE and message.fields_left().get("role") == "user"
        if not is_prompt or not lacks_message(entry.line):
            return None
        return self._record(entry, "user", (left_out_part(),), Fields(entry.line), message)

    def _message(self, entry: Entry, line: Fields, message: Fields) -> MessageRecord:
        named = message.fields_left().get("role")
        role = read_role(named, _ROLES, self._warnings)
        if role == "user" and openclaw.is_automatic(message.fields_left()):
            return self._record(entry, "system", self._put_in(message, "text"), line, message)
        if role == "user":
            return self._record(entry, role, self._content.said_by_user(_taken(message)), line, message)
        if role == "tool":
            return self._record(entry, role, self._content.result(message), line, message)
        if role == "assistant":
            return self._answer(entry, line, message)
        return self._record(entry, role, self._put_in(message, str(named)), line, message)

    def _answer(self, entry: Entry, line: Fields, message: Fields) -> MessageRecord:
        parts = self._content.parts(_taken(message))
        for part in parts:
            openclaw.take_tags(part)
        error = message.take_text("errorMessage")
        if error is not None:
            parts = (*parts, PartRecord(PartType.ERROR, error, "errorMessage"))
        state = _STATES.get(str(message.fields_left().get("stopReason")), "complete")
        record = self._record(entry, "assistant", parts, line, message, state)
        record.is_hidden = openclaw.is_silent(parts)
        return record

    def _put_in(self, fields: Fields, name: str) -> tuple[PartRecord, ...]:
        """Takes what stands in the user's place and is not the user's."""
        said = [(field, fields.take_text(field)) for field in _TEXTS]
        texts = tuple(PartRecord(PartType.CONTEXT, text, field) for field, text in said if text is not None)
        return (*texts, *self._content.parts(_taken(fields), PartType.CONTEXT, name))

    def _record(
        self,
        entry: Entry,
        role: Role,
        parts: tuple[PartRecord, ...],
        line: Fields,
        message: Fields,
        state: MessageState = "complete",
    ) -> MessageRecord:
        said = {**message.fields_left(), **line.fields_left()}
        has_model = role == "assistant" and not openclaw.is_own_answer(said)
        if role == "user" and parts and all(part.part_type is PartType.CONTEXT for part in parts):
            role = "system"
        if said.get("role") == role:
            message.take("role")
        return MessageRecord(
            source_id=entry.id,
            parent_source_id=entry.parent,
            role=role,
            parts=parts,
            attachments=_attachments(message),
            created_at=read_timestamp(said.get("timestamp"), self._warnings),
            model=message.take_text("model") if has_model else None,
            state=state,
            is_hidden=role == "system" and said.get("display") is not True,
            source=entry.rest(line, message),
        )


def _taken(fields: Fields) -> list[Any]:
    return blocks_of({"content": fields.take("content")})


def _attachments(message: Fields) -> tuple[AttachmentRecord, ...]:
    """Takes the files that came with a prompt."""
    return tuple(_attachment(Fields(item)) for item in message.take_objects("attachments"))


def _attachment(file: Fields) -> AttachmentRecord:
    return AttachmentRecord(
        source_id=file.take_identifier("id"),
        file_name=file.take_text("fileName"),
        mime_type=file.take_text("mimeType"),
        size_bytes=as_size(file.fields_left().get("size")),
        extracted_text=file.take_text("extractedText"),
        content_sha256=base64_sha256(file.fields_left().get("content")),
        source=file.rest(),
    )
