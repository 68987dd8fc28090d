"""Answers that are texts, beside an array of messages."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from archive_pipeline.readers.chat_lines.wording import ROLES_OF_DATASETS
from archive_pipeline.readers.json.shapes import as_text

Message = Mapping[str, Any]
# What follows the messages; the answer that is preferred comes first.
_ANSWERS: Final = (("chosen", "rejected"), ("chosen_response", "rejected_response"), ("completion",))
# What stands in the place of the answer at the end, which is preferred.
_REJECTED: Final = "rejected_response"


def is_of_model(message: Message) -> bool:
    """Tells whether the model says a message."""
    words = (message.get(name) for name in ("role", "from"))
    return any(isinstance(word, str) and ROLES_OF_DATASETS.get(word.lower()) == "assistant" for word in words)


def take_answers(fields: dict[str, Any], last: Message) -> list[tuple[str, Message]]:
    """Takes the answers to the last message of an array, each with its field; none if the model says that one."""
    if is_of_model(last):
        return []
    for names in _ANSWERS:
        if all(as_text(fields.get(name)) is not None for name in names):
            return [(name, _answer(last, fields.pop(name))) for name in names]
    return []


def take_rejected(fields: dict[str, Any], last: Message) -> tuple[str, Message] | None:
    """Takes the answer to which the one at the end of an array is preferred, with its field."""
    if not is_of_model(last) or as_text(fields.get(_REJECTED)) is None:
        return None
    return _REJECTED, _answer(last, fields.pop(_REJECTED))


def _answer(like: Message, text: str) -> Message:
    """Returns a message of the model in the form of another message."""
    return {"from": "gpt", "value": text} if "from" in like else {"role": "assistant", "content": text}
