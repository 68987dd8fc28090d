"""Arrays of chat messages in OpenAI's form: fine-tuning files, preferences, datasets, results of benchmarks."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from archive_pipeline.domain.records import DialogueRecord, RejectedRecord
from archive_pipeline.readers.chat_lines.arrays import judge
from archive_pipeline.readers.chat_lines.dialogue import read_chat
from archive_pipeline.readers.chat_lines.messages import OPENAI
from archive_pipeline.readers.chat_lines.wording import ROLES_OF_DATASETS
from archive_pipeline.readers.declaration import Evidence, Reader

SOURCE: Final = "openai_messages"
_SAYING: Final = frozenset({"content", "tool_calls", "function_call"})


def recognise(value: Mapping[str, Any]) -> Evidence:
    """Judges an object by its arrays: many products write such messages, mostly with ids of their own."""
    return judge(value, _is_message, "role and content")


def _is_message(message: Mapping[str, Any]) -> bool:
    role = message.get("role")
    return isinstance(role, str) and role.lower() in ROLES_OF_DATASETS and not _SAYING.isdisjoint(message)


def read_line(value: Mapping[str, Any], locator: str) -> DialogueRecord | RejectedRecord:
    """Returns the dialogue of an object, or why it is none."""
    return read_chat(value, locator, SOURCE, OPENAI)


READER: Final = Reader(
    SOURCE, "Arrays of chat messages in OpenAI's form (JSON lines)", 2, recognise, read_line, comes_in_exports=False
)
