"""The messages of a session: items of its history, each with a message and what came with it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final

from archive_pipeline.domain.records import AttachmentRecord, MessageRecord, PartRecord, PartType, Role
from archive_pipeline.readers.continue_dev.content import ContentReader, take_context, take_thoughts, text_of
from archive_pipeline.readers.json.fields import Fields
from archive_pipeline.readers.json.shapes import as_list, as_object, as_text, is_same
from archive_pipeline.readers.roles import OPENAI_ROLES, read_role
from archive_pipeline.readers.timestamps import read_timestamp

_MESSAGE: Final = "message"
_THINKING: Final = "thinking"
_SUMMARY: Final = "conversationSummary"
_EDITOR: Final = "editorState"
_ROLES: Final[Mapping[str, Role]] = {**OPENAI_ROLES, _THINKING: "assistant"}
# What ``cn`` once put in the place of all that was said before.
_COMPACTED: Final = "[COMPACTED HISTORY]"


@dataclass(slots=True)
class _Said:
    """An item while it is read."""

    role: Role
    parts: list[PartRecord]
    files: list[AttachmentRecord] = field(default_factory=list)
    results: list[PartRecord] = field(default_factory=list)
    model: str | None = None
    is_hidden: bool = False


class MessageReader:
    """Reads the items of one session's history, in their order.

    Args:
        history: all items.
        model: of answers that name none.
        warnings: where anomalies are counted.
    """

    def __init__(self, history: list[Any], model: str | None, warnings: Counter[str]) -> None:
        self._model = model
        self._warnings = warnings
        self._content = ContentReader(_answered(history), warnings)

    def read(self, item: dict[str, Any]) -> list[MessageRecord]:
        """Returns the messages of an item: none if it says nothing, two of calls with results."""
        fields = Fields(item)
        message = Fields(fields.take(_MESSAGE))
        name = message.take_identifier("id")
        if is_same(message.fields_left().get("content"), item.get(_EDITOR)):
            fields.take(_EDITOR)
        created_at = read_timestamp(as_object(item.get("reasoning")).get("startAt"), self._warnings)
        said = self._said(fields, message)
        summary = fields.take_text(_SUMMARY)
        if summary is not None:
            said.parts.append(PartRecord(PartType.CONTEXT, summary, _SUMMARY))
        if said.parts and not said.files and all(part.part_type is PartType.CONTEXT for part in said.parts):
            said.role, said.is_hidden = "system", True
        if message.fields_left().get("role") == said.role:
            message.take("role")
        fields.fields_left()[_MESSAGE] = message.rest()
        return [*_records(said, name, created_at, fields)]

    def _said(self, fields: Fields, message: Fields) -> _Said:
        named = message.fields_left().get("role")
        role = read_role(named, _ROLES, self._warnings)
        if role == "tool":
            return _Said(role, self._content.result(fields, message))
        if role == "assistant":
            return self._answer(fields, message, named)
        parts = self._content.said(message, PartType.TEXT)
        texts, files = take_context(fields) if role == "user" else ([], [])
        return _Said(role, [*parts, *texts], files)

    def _answer(self, fields: Fields, message: Fields, named: Any) -> _Said:
        model = _model(fields.fields_left(), message.fields_left()) or self._model
        thoughts = take_thoughts(fields)
        parts = self._content.said(message, PartType.THINKING if named == _THINKING else PartType.TEXT)
        calls, results = self._content.calls(fields, message)
        if parts and (parts[0].text or "").startswith(_COMPACTED):
            parts[0].part_type = PartType.CONTEXT
        return _Said("assistant", [*thoughts, *parts, *calls], results=results, model=model)


def models_of(history: list[Any]) -> set[str]:
    """Returns the models that answers of a session name."""
    named = (_model(as_object(item), as_object(as_object(item).get(_MESSAGE))) for item in history)
    return {model for model in named if model is not None}


def _model(item: Mapping[str, Any], message: Mapping[str, Any]) -> str | None:
    """Returns the model that an answer is of, by what it cost, else by what was last asked."""
    logs = [as_text(as_object(log).get("modelTitle")) for log in as_list(item.get("promptLogs"))]
    return as_text(as_object(message.get("usage")).get("model")) or next(filter(None, reversed(logs)), None)


def _answered(history: list[Any]) -> dict[str, str | None]:
    """Returns the texts of results that are messages of their own, by the ids of the calls."""
    messages = (as_object(as_object(item).get(_MESSAGE)) for item in history)
    results = (message for message in messages if message.get("role") == "tool")
    return {call: text_of(each.get("content")) for each in results if (call := as_text(each.get("toolCallId")))}


def _records(said: _Said, name: str | None, created_at: datetime | None, fields: Fields) -> Iterator[MessageRecord]:
    if said.parts or said.files:
        yield MessageRecord(
            source_id=name,
            parent_source_id=None,
            role=said.role,
            parts=tuple(said.parts),
            attachments=tuple(said.files),
            created_at=created_at,
            model=said.model,
            is_hidden=said.is_hidden,
            source=fields.rest(),
        )
    if said.results:
        own = None if name is None else f"{name}-results"
        yield MessageRecord(own, None, "tool", tuple(said.results))
