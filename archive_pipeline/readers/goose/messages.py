"""The messages of a session: what is said in them, by whom, and what Goose says in the user's or the model's name."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from archive_pipeline.domain.records import MessageRecord, MessageState, PartRecord, PartType, Role
from archive_pipeline.readers.goose.content import ContentReader, is_result
from archive_pipeline.readers.goose.ids import MessageIds
from archive_pipeline.readers.json.fields import Fields, is_empty
from archive_pipeline.readers.json.shapes import as_object
from archive_pipeline.readers.left_out_lines import is_left_out, lacks_message, left_out_part
from archive_pipeline.readers.roles import OPENAI_ROLES, read_role
from archive_pipeline.readers.timestamps import read_timestamp

_Parts = tuple[PartRecord, ...]
# The model that answered may be another one than was asked for.
_MODELS: Final = ("resolvedModel", "requestedModel")


@dataclass(slots=True)
class _Said:
    """A message while it is read: its fields and those of its metadata, and what all that is made of it has."""

    fields: Fields
    metadata: Fields
    id: str
    created_at: datetime | None
    is_shown: bool


class MessageReader:
    """Reads the messages of one session, in their order.

    Args:
        session: the id of the session.
        model: that of answers which name none.
        warnings: where anomalies are counted.
    """

    def __init__(self, session: str | None, model: str | None, warnings: Counter[str]) -> None:
        self._ids = MessageIds(session)
        self._model = model
        self._warnings = warnings
        self._content = ContentReader(warnings)

    def read(self, message: dict[str, Any]) -> list[MessageRecord]:
        """Returns the messages of a message: none of one that says nothing, two of results with words behind them."""
        metadata = as_object(message.get("metadata"))
        is_shown = metadata.get("userVisible") is not False and metadata.get("turnContext") is not True
        created_at = read_timestamp(message.get("created"), self._warnings)
        said = _Said(Fields(message), Fields(metadata), self._ids.of(message), created_at, is_shown)
        return [*(self._left_out(said) if is_left_out(message) else self._read(said))]

    def _read(self, said: _Said) -> Iterator[MessageRecord]:
        named = said.fields.fields_left().get("role")
        self._warnings["malformed_content"] += isinstance(said.fields.fields_left().get("content"), str)
        blocks = [block for block in said.fields.take_items("content") if not is_empty(block)]
        if not blocks:
            return
        role = read_role(named, OPENAI_ROLES, self._warnings)
        results = [block for block in blocks if is_result(block)] if role == "user" else []
        if results:
            yield self._record(said, "tool", self._content.parts(results, role, is_shown=said.is_shown))
            blocks = [block for block in blocks if not is_result(block)]
            said = _Said(Fields({"role": named}), Fields({}), f"{said.id}-text", said.created_at, said.is_shown)
        parts = self._content.parts(blocks, role, is_shown=said.is_shown)
        if parts:
            is_context = all(part.part_type is PartType.CONTEXT for part in parts)
            yield self._record(said, "system" if is_context else role, parts)

    def _left_out(self, said: _Said) -> Iterator[MessageRecord]:
        """Yields the prompt of a line that is left out, if it is one."""
        fields = said.fields.fields_left()
        is_users = fields.get("role") == "user" and said.is_shown
        if lacks_message(fields) and is_users and not any(map(is_result, said.fields.take_items("content"))):
            yield self._record(said, "user", (left_out_part(),))

    def _record(self, said: _Said, role: Role, parts: _Parts) -> MessageRecord:
        inference = Fields(said.metadata.fields_left().get("inference"))
        model = inference.first_text(_MODELS) if role == "assistant" else None
        if isinstance(said.metadata.fields_left().get("inference"), dict):
            said.metadata.fields_left()["inference"] = inference.rest()
        fields = said.fields.fields_left()
        if fields.get("role") == role:
            del fields["role"]
        if fields.get("id") == said.id:
            del fields["id"]
        state = _state(said.metadata, parts)
        if isinstance(fields.get("metadata"), dict):
            fields["metadata"] = said.metadata.rest()
        return MessageRecord(
            source_id=said.id,
            parent_source_id=None,
            role=role,
            parts=parts,
            created_at=said.created_at,
            model=(model or self._model) if role == "assistant" else None,
            state=state,
            is_hidden=role == "system" or not said.is_shown,
            source=said.fields.rest(),
        )


def _state(metadata: Fields, parts: _Parts) -> MessageState:
    if any(part.part_type is PartType.ERROR for part in parts):
        return "error"
    return "aborted" if metadata.fields_left().get("outputTokenLimitReached") is True else "complete"
