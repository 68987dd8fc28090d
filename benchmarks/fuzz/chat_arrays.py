"""Messages arrays as APIs take them, OpenAI's and Anthropic's forms mixed, each text and id a mark; and their law."""

from __future__ import annotations

import base64
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from typing import Any, Final

import orjson

from archive_pipeline.domain.records import DialogueRecord, RejectedRecord
from archive_pipeline.errors import InvalidMessagesError
from archive_pipeline.ingest.prepare import prepare
from archive_pipeline.readers.chat_arrays.messages import read_chat_messages
from archive_pipeline.readers.json.parsing import parse_json
from benchmarks.fuzz.marks import Marks, Values, missing
from benchmarks.fuzz.rows import ReadFile, values_of

_Maker = Callable[[Random, Marks], Any]
SOURCE: Final = "api"
# Where the form is told by them, values of these fields become a column's own words.
_WORDS: Final = frozenset(
    {"system", "developer", "user", "human", "assistant", "model", "tool", "function", "text", "input_text"}
    | {"output_text", "refusal", "tool_use", "tool_result", "function", "wav"}
)


def messages(random: Random, marks: Marks) -> list[dict[str, Any]]:
    """Return an array of up to six messages."""
    return [random.choice(MESSAGES)(random, marks) for _ in range(random.randint(1, 6))]


def read_array(path: Path) -> ReadFile:
    """Read a file of one array as ``llm-archive match`` does, up to the rows; an array that is refused is rejected."""
    result = ReadFile()
    try:
        value, _ = parse_json(path.read_bytes())
        records = tuple(message.record for message in read_chat_messages(value))
    except (InvalidMessagesError, ValueError) as error:
        result.rejected.append(RejectedRecord(str(path), str(error)))
        return result
    record = DialogueRecord(SOURCE, "asked", SOURCE, messages=records, is_linear_source=True)
    result.dialogues.append(prepare(record, b""))
    return result


def unlawful(array: object, read: ReadFile) -> Iterator[str]:
    """Yield what of an array that was not refused is in no row, and refusals that say no place."""
    for record in read.rejected:
        if not record.reason.startswith("messages"):
            yield f"refused without a place: {record.reason}"
    for dialogue in read.dialogues:
        given = Values()
        given.add(array)
        given.strings -= _WORDS
        for text in [text for text in given.strings if text.startswith("{")]:
            _expect_inside(given, text)
        absent = missing(given, values_of(dialogue))
        if absent:
            yield f"lost values: {', '.join(absent)}"


def _expect_inside(given: Values, text: str) -> None:
    """Expect what arguments say in place of their JSON text, which is kept as a value."""
    try:
        value = orjson.loads(text)
    except orjson.JSONDecodeError:
        return
    given.strings.discard(text)
    given.add(value)


def _text(_random: Random, marks: Marks) -> str:
    return marks.text()


def _encoded(marks: Marks) -> str:
    return base64.b64encode(marks.text().encode()).decode()


def _said(role: str) -> _Maker:
    return lambda random, marks: {
        "role": role,
        "content": random.choice((_text, _blocks))(random, marks),
        **({"name": marks.text()} if random.random() < 0.2 else {}),
    }


def _blocks(random: Random, marks: Marks) -> list[Any]:
    return [random.choice(BLOCKS)(random, marks) for _ in range(random.randint(1, 3))]


def _called(random: Random, marks: Marks) -> dict[str, Any]:
    call = {
        "id": marks.text(),
        "type": "function",
        "function": {"name": marks.text(), "arguments": f'{{"{marks.text()}": "{marks.text()}"}}'},
    }
    content = random.choice((None, marks.text()))
    return {"role": "assistant", "content": content, "tool_calls": [call] * random.randint(1, 2)}


def _attached(random: Random, marks: Marks) -> dict[str, Any]:
    files = ({"path": marks.text(), "mime_type": "text/plain"}, {"url": marks.text()}, {"content": _encoded(marks)})
    return {"role": "user", "content": marks.text(), "attachments": [random.choice(files)]}


def _beside_content(random: Random, marks: Marks) -> dict[str, Any]:
    spoken = {"id": marks.text(), "data": _encoded(marks), "transcript": marks.text(), "expires_at": marks.number()}
    fields: tuple[dict[str, Any], ...] = (
        {"role": "assistant", "content": None, "refusal": marks.text()},
        {"role": "user", "content": marks.text(), "images": [_encoded(marks)]},
        {"role": "tool", "tool_call_id": marks.text(), "content": None, "images": [_encoded(marks)]},
        {"role": "assistant", "content": None, "audio": random.choice((spoken, {"id": marks.text()}))},
    )
    return random.choice(fields)


MESSAGES: Final[tuple[_Maker, ...]] = (
    _said("user"),
    _said("user"),
    _said("assistant"),
    _said("system"),
    _called,
    _attached,
    _beside_content,
    lambda _random, marks: {"role": "tool", "tool_call_id": marks.text(), "content": marks.text()},
    lambda _random, marks: {
        "role": "assistant",
        "content": None,
        "function_call": {"name": marks.text(), "arguments": marks.text()},
    },
)
BLOCKS: Final[tuple[_Maker, ...]] = (
    lambda _random, marks: {"type": "text", "text": marks.text()},
    lambda _random, marks: {"type": "input_text", "text": marks.text(), "annotations": [marks.text()]},
    lambda _random, marks: {"type": "refusal", "refusal": marks.text()},
    lambda _random, marks: {"type": "thinking", "thinking": marks.text(), "signature": marks.text()},
    lambda _random, marks: {"type": "redacted_thinking", "data": marks.text()},
    lambda _random, marks: {"type": "image_url", "image_url": {"url": marks.text(), "detail": marks.text()}},
    lambda _random, marks: {"type": "input_audio", "input_audio": {"data": _encoded(marks), "format": "wav"}},
    lambda _random, marks: {"type": "file", "file": {"file_id": marks.text(), "filename": marks.text()}},
    lambda _random, marks: {
        "type": "image",
        "source": {"type": "base64", "media_type": "image/png", "data": _encoded(marks)},
    },
    lambda _random, marks: {
        "type": "document",
        "source": {"type": "text", "data": marks.text()},
        "title": marks.text(),
    },
    lambda _random, marks: {"type": "tool_use", "id": marks.text(), "name": marks.text(), "input": {"a": marks.text()}},
    lambda random, marks: {
        "type": "tool_result",
        "tool_use_id": marks.text(),
        "content": random.choice((marks.text(), [{"type": "text", "text": marks.text()}])),
        "is_error": random.random() < 0.5,
    },
)
