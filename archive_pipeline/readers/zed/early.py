"""The messages of a thread up to version 0.2.0: segments or one text, calls and results beside them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any, Final

from archive_pipeline.domain.records import MessageRecord, PartRecord, PartType, Role
from archive_pipeline.readers.json.fields import Fields
from archive_pipeline.readers.json.shapes import as_text
from archive_pipeline.readers.roles import OPENAI_ROLES, read_role
from archive_pipeline.readers.zed.content import ContentReader
from archive_pipeline.readers.zed.ids import MessageIds, beside
from archive_pipeline.readers.zed.messages import RESULTS

# What version 0.1.0 said in the user's name beside results, lest the model answer with nothing.
_PUT_IN: Final = "Here are the tool results."
_THINKING: Final = frozenset({"thinking", "RedactedThinking"})


class EarlyMessageReader:
    """Reads the messages of one thread, in their order.

    Args:
        ids: of the thread.
        model: of answers.
        warnings: where anomalies are counted.
    """

    def __init__(self, ids: MessageIds, model: str | None, warnings: Counter[str]) -> None:
        self._ids = ids
        self._model = model
        self._warnings = warnings
        self._content = ContentReader(warnings)

    def read(self, item: Any) -> list[MessageRecord]:
        """Returns the messages of a message: none of what is none, two of one with results."""
        return [*self._read(Fields(item))] if isinstance(item, dict) and "role" in item else []

    def _read(self, fields: Fields) -> Iterator[MessageRecord]:
        number = fields.fields_left().get("id")
        source_id = self._ids.numbered(fields.take("id")) if type(number) is int else self._ids.next()
        named = fields.fields_left().get("role")
        role = read_role(named, OPENAI_ROLES, self._warnings)
        is_hidden = fields.take_flag("is_hidden") is True
        parts = [*self._context(fields), *self._said(fields), *self._calls(fields)]
        results = [
            part for given in fields.take_objects("tool_results") for part in self._content.result("tool_result", given)
        ]
        if results and role == "user" and all(part.text == _PUT_IN for part in parts):
            # Zed moves these to the answer before.
            for part in parts:
                part.part_type = PartType.CONTEXT
            results, parts = [*results, *parts], []
        of_results = beside(source_id, RESULTS)
        if results and not parts:
            # In whose name they are is kept: the role is another one.
            yield from self._message(of_results, "tool", results, fields.rest(), is_hidden=is_hidden)
            return
        if named == role:
            fields.take("role")
        own = self._message(source_id, role, parts, fields.rest(), is_hidden=is_hidden)
        answer = self._message(of_results, "tool", results, None, is_hidden=False)
        yield from [*answer, *own] if role == "user" else [*own, *answer]

    def _message(
        self, source_id: str | None, role: Role, parts: list[PartRecord], source: Any, *, is_hidden: bool
    ) -> list[MessageRecord]:
        if not parts and source is None:
            return []
        return [
            MessageRecord(
                source_id,
                None,
                role,
                tuple(parts),
                model=self._model if role == "assistant" else None,
                is_hidden=is_hidden or role == "system",
                source=source,
            )
        ]

    def _context(self, fields: Fields) -> Iterator[PartRecord]:
        """Yields what was attached to a prompt, in the words that the model got."""
        text = fields.take_text("context")
        if text is not None:
            yield PartRecord(PartType.CONTEXT, text, "context")

    def _said(self, fields: Fields) -> Iterator[PartRecord]:
        text = fields.take_text("text")
        if text is not None:
            yield PartRecord(PartType.TEXT, text, "text")
        for segment in fields.take_items("segments"):
            yield from self._segment(segment)

    def _segment(self, segment: Any) -> Iterator[PartRecord]:
        fields = Fields(segment)
        kind = as_text(fields.fields_left().get("type")) or "none"
        fields.take_text("type")
        text = fields.take_text("text")
        if kind in _THINKING:
            yield PartRecord(PartType.THINKING, text, kind, source=fields.rest())
        elif kind == "text" and (text is not None or fields.rest() is None):
            if text is not None:
                yield PartRecord(PartType.TEXT, text, kind, source=fields.rest())
        else:
            yield from self._content.unknown(kind, segment)

    def _calls(self, fields: Fields) -> Iterator[PartRecord]:
        for call in fields.take_objects("tool_uses"):
            yield self._content.call("tool_use", call)
