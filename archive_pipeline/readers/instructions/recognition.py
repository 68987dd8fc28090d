"""Recognises records of a question and an answer. Both are texts, and nothing names a conversation around them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from archive_pipeline.readers.chat_lines.arrays import OF_OTHER_CONVERSATIONS, OF_OTHERS, chat_arrays
from archive_pipeline.readers.chat_lines.bare import IDS_OF_CONVERSATIONS
from archive_pipeline.readers.declaration import RECOGNISED, Evidence
from archive_pipeline.readers.instructions.forms import NAMES, answers, form_of, is_unanswered, transcripts
from archive_pipeline.readers.json.fields import is_empty

# Records of datasets have ids and authors; what points to another record or a call is a part of something larger.
_OF_TURNS: Final = (OF_OTHERS - {"id", "_id", "uuid", "author", "sender"}) | OF_OTHER_CONVERSATIONS
_OF_LARGER: Final = frozenset({*_OF_TURNS, *IDS_OF_CONVERSATIONS, "trace_id", "traceId", "span_id", "spanId"})
_WEAK: Final = 0.1
_NOTHING: Final = Evidence(0.0, "no instruction, prompt or question with an answer")


def recognise(value: Mapping[str, Any]) -> Evidence:
    """Judges an object by its texts: what is asked, and what is answered."""
    if value.keys().isdisjoint(NAMES) or chat_arrays(value) is not None:
        return _NOTHING
    larger = next((name for name in value if name in _OF_LARGER and not is_empty(value[name])), None)
    if larger is not None:
        return Evidence(0.0, f"an instruction, prompt or question in something larger, as {larger} says")
    if transcripts(value):
        return Evidence(RECOGNISED, "two transcripts, chosen and rejected")
    form = form_of(value)
    if form is None:
        return _NOTHING
    if answers(value, form):
        return Evidence(RECOGNISED, f"{form.asked} with an answer")
    return Evidence(_WEAK, f"{form.asked} with an empty answer") if is_unanswered(value, form) else _NOTHING
