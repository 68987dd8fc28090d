"""The messages of a session: rows, each with what was said, by whom, and how an answer ended."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any, Final

from archive_pipeline.domain.records import MessageRecord, MessageState, PartType
from archive_pipeline.readers.crush.content import Content, ContentReader
from archive_pipeline.readers.json.fields import Fields
from archive_pipeline.readers.json.shapes import as_identifier
from archive_pipeline.readers.roles import OPENAI_ROLES, read_role
from archive_pipeline.readers.timestamps import read_timestamp

_PARTS: Final = "parts"
_SUMMARY: Final = "is_summary_message"
# A router may have given the turn to another model than was asked for.
_MODELS: Final = ("prism_model_id", "model")
_STATES: Final[Mapping[str, MessageState]] = {
    "error": "error",
    "content_filter": "error",
    "canceled": "aborted",
    "max_tokens": "aborted",
    "permission_denied": "aborted",
}


class MessageReader:
    """Reads the rows of one session's messages, in their order.

    Args:
        session: the id of the session, as its rows have it.
        summary: the id of the message that sums up what went before; earlier versions mark it nowhere else.
        warnings: where anomalies are counted.
    """

    def __init__(self, session: str | None, summary: str | None, warnings: Counter[str]) -> None:
        self._session = session
        self._summary = summary
        self._warnings = warnings
        self._content = ContentReader(warnings)

    @property
    def folder(self) -> str | None:
        """The folder in which the first command ran; None if none did."""
        return self._content.folder

    def read(self, row: dict[str, Any]) -> MessageRecord:
        """Returns the message of a row."""
        fields = Fields(row)
        name = fields.take_identifier("id")
        if self._session is not None and as_identifier(row.get("session_id")) == self._session:
            fields.take("session_id")
        role = read_role(row.get("role"), OPENAI_ROLES, self._warnings)
        is_summary = row.get(_SUMMARY) in (1, True) or (name is not None and name == self._summary)
        self._warnings["malformed_content"] += not isinstance(row.get(_PARTS), list)
        items = fields.take(_PARTS) if isinstance(row.get(_PARTS), list) else []
        content = self._content.read(items, is_summary=is_summary, is_users=role == "user")
        fields.put_back(_PARTS, content.kept)
        # A model may think before it sums up.
        beside = {PartType.CONTEXT, PartType.THINKING} if is_summary else {PartType.CONTEXT}
        types = {part.part_type for part in content.parts}
        is_context = PartType.CONTEXT in types and types <= beside
        model = fields.first_text(_MODELS) if role == "assistant" else None
        if row.get("role") == role and not is_context:
            fields.take("role")
        return MessageRecord(
            source_id=name,
            parent_source_id=None,
            role="system" if is_context else role,
            parts=tuple(content.parts),
            attachments=tuple(content.files),
            created_at=read_timestamp(row.get("created_at"), self._warnings),
            updated_at=read_timestamp(row.get("updated_at"), self._warnings),
            model=model,
            state=_state(content, is_answer=role == "assistant"),
            is_hidden=is_context,
            source=fields.rest(),
        )


def _state(content: Content, *, is_answer: bool) -> MessageState:
    if content.end is None:
        return "in_progress" if is_answer else "complete"
    return _STATES.get(content.end, "complete")
