"""The messages of a thread since version 0.3.0: prompts, answers with the results of their calls, and what Zed says."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any, Final

from archive_pipeline.domain.records import MessageRecord, PartRecord, PartType
from archive_pipeline.readers.json.fields import Fields
from archive_pipeline.readers.json.shapes import as_text
from archive_pipeline.readers.zed.content import ContentReader, variant
from archive_pipeline.readers.zed.ids import MessageIds, beside

_CONTENT: Final = "content"
_RESULTS: Final = "tool_results"
RESULTS: Final = "results"


class MessageReader:
    """Reads the messages of one thread, in their order.

    Args:
        ids: of the thread.
        model: of answers.
        warnings: where anomalies are counted.
    """

    def __init__(self, ids: MessageIds, model: str | None, warnings: Counter[str]) -> None:
        self._ids = ids
        self._model = model
        self._content = ContentReader(warnings)

    def read(self, item: Any) -> list[MessageRecord]:
        """Returns the messages of a message: none of what is none, two of an answer with results."""
        kind, said = variant(item)
        if kind == "User" and isinstance(said, dict):
            return [*self._prompt(said)]
        if kind == "Agent" and isinstance(said, dict):
            return [*self._answer(said)]
        if kind == "Resume":
            # The model is asked to go on: the user pressed a button.
            return [self._notice(PartRecord(PartType.CONTEXT, source_type=kind, source=item))]
        return [*self._compaction(said)] if kind == "Compaction" else []

    def _prompt(self, said: dict[str, Any]) -> Iterator[MessageRecord]:
        fields = Fields(said)
        source_id = self._ids.of_prompt(fields.take_identifier("id"))
        parts = self._content.prompt(fields.take_items(_CONTENT))
        if parts or fields.rest() is not None:
            yield MessageRecord(source_id, None, "user", parts, source=fields.rest())

    def _answer(self, said: dict[str, Any]) -> Iterator[MessageRecord]:
        fields = Fields(said)
        source_id = self._ids.next()
        parts = self._content.answer(fields.take_items(_CONTENT))
        given = fields.fields_left().get(_RESULTS)
        results = list(self._results(fields.take(_RESULTS))) if isinstance(given, dict) else []
        rest = fields.rest()
        if parts or rest is not None:
            yield MessageRecord(source_id, None, "assistant", parts, model=self._model, source=rest)
        if results:
            yield MessageRecord(beside(source_id, RESULTS), None, "tool", tuple(results))

    def _results(self, given: dict[str, Any]) -> Iterator[PartRecord]:
        for call, result in given.items():
            if isinstance(result, dict):
                yield from self._content.result("ToolResult", result, call)
            else:
                yield from self._content.unknown("ToolResult", {call: result})

    def _compaction(self, said: Any) -> Iterator[MessageRecord]:
        """Yields the summary that the model goes on from, or what a provider keeps in the place of one."""
        kind, inner = variant(said)
        text = as_text(inner) if kind == "Summary" else None
        if said:
            source = None if text is not None else {"Compaction": said}
            yield self._notice(PartRecord(PartType.CONTEXT, text, "Compaction", source=source))

    def _notice(self, part: PartRecord) -> MessageRecord:
        return MessageRecord(self._ids.next(), None, "system", (part,), is_hidden=True)
