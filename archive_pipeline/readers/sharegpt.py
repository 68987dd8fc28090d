"""ShareGPT's form: arrays of from/value pairs, as its dumps, FastChat and LLaMA-Factory have them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

from archive_pipeline.domain.records import DialogueRecord, RejectedRecord
from archive_pipeline.readers.chat_lines.arrays import judge
from archive_pipeline.readers.chat_lines.dialogue import read_chat
from archive_pipeline.readers.chat_lines.messages import Names
from archive_pipeline.readers.chat_lines.wording import ROLES_OF_DATASETS
from archive_pipeline.readers.declaration import Evidence, Reader

SOURCE: Final = "sharegpt"
_NAMES: Final = Names("from", "value")


def recognise(value: Mapping[str, Any]) -> Evidence:
    """Judges an object by its arrays."""
    return judge(value, _is_message, "from and value", is_spoken=_is_spoken)


def _is_message(message: Mapping[str, Any]) -> bool:
    speaker = message.get(_NAMES.role)
    return isinstance(speaker, str) and speaker.lower() in ROLES_OF_DATASETS and _NAMES.content in message


def _is_spoken(messages: Iterable[Mapping[str, Any]]) -> bool:
    """Tells a conversation from other pairs whose words are names of roles by chance, such as translations of terms.

    The model speaks, or the user does and no tool answers: nothing has called one.
    """
    words = (str(message.get(_NAMES.role)).lower() for message in messages)
    roles = {ROLES_OF_DATASETS.get(word) for word in words}
    return "assistant" in roles or ("user" in roles and "tool" not in roles)


def read_line(value: Mapping[str, Any], locator: str) -> DialogueRecord | RejectedRecord:
    """Returns the dialogue of an object, or why it is none."""
    return read_chat(value, locator, SOURCE, _NAMES)


READER: Final = Reader(
    SOURCE, "Arrays of from/value pairs in ShareGPT's form", 2, recognise, read_line, comes_in_exports=False
)
