"""The steps of an answer in LM Studio, in their order: blocks of content, and what was shown beside them.

Steps that say nothing of their own (what was done before the answer, for how long a tool ran) become no parts.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from archive_pipeline.domain.records import PartRecord, PartType
from archive_pipeline.readers.json.fields import Fields, is_empty
from archive_pipeline.readers.json.shapes import as_list, as_object, as_text
from archive_pipeline.readers.lm_studio.content import ContentReader, call, call_of, number_of

_BLOCK: Final = "contentBlock"
_CONFIRMED: Final = "requestConfirmToolCall"
_CALL_STATUS: Final = "toolStatus"
_CITATION: Final = "citationBlock"
_SHOWN: Final = frozenset({"status", "debugInfoBlock"})
_THINKING: Final = "thinking"
# How a call ended, and whether it failed.
_ENDS: Final[Mapping[str, bool]] = {
    "toolCallSucceeded": False,
    "toolCallFailed": True,
    "toolCallDenied": True,
    "toolCallGenerationFailed": True,
}


class StepReader:
    """Reads the steps of one answer.

    Attributes:
        others: steps that became no parts.
    """

    def __init__(self, content: ContentReader, steps: list[Any]) -> None:
        self.others: list[Any] = []
        self._content = content
        self._steps = steps
        requests = list(_items(steps, "toolCallRequest"))
        self._requested = {number_of(item) for item in requests}
        self._answered = {number_of(item) for item in _items(steps, "toolCallResult")}
        asked = (as_object(as_object(step).get("request")) for step in steps)
        content.calls |= {number_of(item): call_of(item) for item in (*asked, *requests) if item}
        for step in map(as_object, steps):
            end = _ENDS.get(as_text(_status(step).get("type")) or "")
            if step.get("type") == _CALL_STATUS and end is not None:
                content.failed[number_of(step)] = end

    def parts(self) -> Iterator[PartRecord]:
        """Yields the parts of the answer."""
        for step in self._steps:
            kind = as_text(as_object(step).get("type"))
            if not isinstance(step, dict):
                yield from [] if is_empty(step) else [self._content.unknown(step, kind)]
                continue
            made = list(self._parts(step, kind))
            if not made and not is_empty(step):
                self.others.append(step)
            yield from made

    def _parts(self, step: dict[str, Any], kind: str | None) -> Iterator[PartRecord]:
        if kind == _BLOCK:
            yield from self._block(Fields(step))
            return
        fields = Fields(step)
        fields.take("type")
        if kind == _CITATION:
            yield _citation(fields)
        elif kind == _CONFIRMED and isinstance(step.get("request"), dict):
            yield from self._confirmed(fields)
        elif kind == _CALL_STATUS:
            yield from self._ended(fields)
        elif kind not in _SHOWN:
            yield self._content.unknown(step, kind)

    def _block(self, fields: Fields) -> Iterator[PartRecord]:
        """Yields the parts of a block; what it has beside its content is kept with the first."""
        if not isinstance(fields.fields_left().get("content"), list | str):
            return
        parts = list(self._content.parts(fields.take_items("content"), _text_type(fields.fields_left())))
        if parts:
            _keep_beside(parts[0], fields)
        yield from parts

    def _confirmed(self, fields: Fields) -> Iterator[PartRecord]:
        """Yields the call that the user was asked about, unless it stands in a block, as later versions write it."""
        if number_of(as_object(fields.fields_left().get("request"))) in self._requested:
            return
        part = call(Fields(fields.take("request")))
        part.source_type = _CONFIRMED
        _keep_beside(part, fields)
        yield part

    def _ended(self, fields: Fields) -> Iterator[PartRecord]:
        """Yields how a call ended of which no result is there: early versions write no more."""
        number, status = number_of(fields.fields_left()), _status(fields.fields_left())
        failed = self._content.failed.get(number)
        if failed is None or number in self._answered:
            return
        text = as_text(status.get("error")) or as_text(status.get("denyReason"))
        if number in self._content.calls:
            tool, call_id = self._content.calls[number]
            part = PartRecord(PartType.TOOL_RESULT, text, _CALL_STATUS, tool, call_id, is_error=failed)
        elif failed:
            part = PartRecord(PartType.ERROR, text, _CALL_STATUS)
        else:
            return
        part.source = fields.fields_left()
        yield part


def _keep_beside(part: PartRecord, step: Fields) -> None:
    """Keeps what is left of a step with a part of it."""
    left = step.rest()
    if left is not None:
        is_object = part.source is None or isinstance(part.source, dict)
        part.source = {**(as_object(part.source) if is_object else {"item": part.source}), "step": left}


def _items(steps: list[Any], kind: str) -> Iterator[dict[str, Any]]:
    """Yields the items of a type in the blocks of an answer."""
    for step in map(as_object, steps):
        yield from (item for item in map(as_object, as_list(step.get("content"))) if item.get("type") == kind)


def _status(step: Mapping[str, Any]) -> dict[str, Any]:
    return as_object(as_object(step.get("statusState")).get("status"))


def _text_type(block: Mapping[str, Any]) -> PartType:
    """Returns what the texts of a block are: thoughts, what is no answer's, or the answer."""
    if as_object(block.get("style")).get("type") == _THINKING or as_text(block.get("prefix")) is not None:
        return PartType.THINKING
    return PartType.TEXT if block.get("roleOverride") in (None, "assistant") else PartType.CONTEXT


def _citation(fields: Fields) -> PartRecord:
    """Takes a passage of a file that the model was given."""
    return PartRecord(PartType.CITATION, fields.take_text("fileName"), _CITATION, source=fields.rest())
