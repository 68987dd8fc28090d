"""``openai``: the chat format of OpenAI's fine-tuning API.

A line is ``{"messages": [...], "tools": [...]}``. ``weight`` 0 keeps an answer in the context without training on it:
where several paths of a dialogue share a beginning, only the first of them trains it, and none what was interrupted.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import pyarrow as pa

from archive_pipeline.export.chat import as_messages
from archive_pipeline.export.choices import Choices
from archive_pipeline.export.formats.base import (
    CHAT,
    JSON,
    Format,
    Row,
    Run,
    are_copies,
    calls_type,
    chat_paths,
    is_copy,
    tools_of,
)
from archive_pipeline.export.selection import Group
from archive_pipeline.retrieval.reading.dialogues import Dialogue


def _lines(dialogue: Dialogue, group: Group, run: Run) -> Iterator[Row]:
    for path in chat_paths(dialogue, run, is_training=True, has_context=True):
        new = [turn for turn in path.turns if path.trains(turn)]
        if are_copies(dialogue, new, group, run):
            continue
        messages = []
        for turn in path.turns:
            said, *results = as_messages([turn])
            if turn.role == "assistant" and (not path.trains(turn) or is_copy(dialogue, turn, group, run)):
                said["weight"] = 0
            for result in results:
                # The API takes no name beside a call's id.
                del result["name"]
            messages += [said, *results]
        row: Row = {"messages": messages}
        tools = tools_of(dialogue, path.turns, group, run)
        if tools:
            row["tools"] = tools
        yield row


def _features(_choices: Choices) -> pa.Schema:
    text = pa.string()
    message = [("role", text), ("content", text), ("weight", pa.int64())]
    message += [("tool_calls", calls_type(text)), ("tool_call_id", text)]
    return pa.schema([("messages", pa.list_(pa.struct(message))), ("tools", pa.list_(JSON))])


OPENAI: Final = Format(
    "openai",
    "Chat fine-tuning of OpenAI: JSONL with tools, and weight 0 for answers that it does not train",
    "lines",
    CHAT - {"thinking"},
    lines=_lines,
    features=_features,
)
