"""Server-sent events of a chat completion: from bytes, however they are divided, to pieces of the answer."""

from __future__ import annotations

import codecs
import json
import re
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Any, Final

from archive_pipeline.errors import AnswerError

# A piece is a few characters; a server that sends a line without end must not fill the memory.
LONGEST_LINE_BYTES: Final = 1_000_000
DONE: Final = "[DONE]"
_LINE_END: Final = re.compile(rb"\r\n|\n|\r")


@dataclass(frozen=True, slots=True)
class Piece:
    """What an event says.

    Attributes:
        text: that the answer goes on with; what a model says that refuses is its answer.
        finish_reason: why it ends here, in OpenAI's words; None if it goes on.
    """

    text: str
    finish_reason: str | None


async def read_events(chunks: AsyncIterator[bytes]) -> AsyncIterator[str]:
    """Yield the data of each event that has some; bytes that are no UTF-8 become U+FFFD.

    Raises:
        AnswerError: a line is too long.
    """
    held = b""
    async for chunk in chunks:
        *lines, held = _LINE_END.split(held + chunk)
        if len(held) > LONGEST_LINE_BYTES:
            raise AnswerError(f"a line of the stream has more than {LONGEST_LINE_BYTES:,} bytes")
        for line in lines:
            if data := _data(line):
                yield data
    if data := _data(held):
        yield data


def parse_piece(data: str) -> Piece:
    """Return what the data of one event, or a whole chat completion, says.

    Raises:
        AnswerError: it is an error of the server, or no chat completion.
    """
    try:
        event = json.loads(data)  # orjson refuses half characters, which may be divided between two events
    except (ValueError, RecursionError) as error:
        raise AnswerError("the endpoint sent something that is not JSON") from error
    if not isinstance(event, dict):
        raise _not_a_completion()
    if event.get("error"):
        raise AnswerError(f"the endpoint failed: {_message(event['error'])}")
    choices = event.get("choices")
    if choices == []:  # the last event of some servers has figures only
        return Piece("", None)
    if not isinstance(choices, list) or not isinstance(choices[0], dict):
        raise _not_a_completion()
    message = choices[0].get("delta") or choices[0].get("message") or {}
    text = message.get("content") or message.get("refusal") if isinstance(message, dict) else message
    reason = choices[0].get("finish_reason")
    if not isinstance(text, str | None) or not isinstance(reason, str | None):
        raise _not_a_completion()
    return Piece(text or "", reason)


def _data(line: bytes) -> str | None:
    """Return the data of a line; None if it has none. OpenAI's events have one line of data each."""
    name, _, value = line.removeprefix(codecs.BOM_UTF8).decode("utf-8", "replace").partition(":")
    return value.removeprefix(" ") if name == "data" else None


def _message(error: Any) -> str:
    said = error.get("message") if isinstance(error, dict) else error
    return " ".join(str(said or error).split())


def _not_a_completion() -> AnswerError:
    return AnswerError("the endpoint sent something that is no chat completion; is it OpenAI-compatible?")
