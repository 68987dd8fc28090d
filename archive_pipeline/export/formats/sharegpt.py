"""``sharegpt``: conversations of from/value pairs, by the rules of LLaMA-Factory.

Those want ``human`` or ``observation``, then ``gpt`` or ``function_call``, in turns, and an even number of them; what
cannot be said so is left out and counted. A user who speaks behind results, as after an interruption, would make two of
one side: the calls are left out, and the prompts are one. Parallel calls are a JSON list; what is said beside a call
has no place.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, Final

import orjson
import pyarrow as pa

from archive_pipeline.domain.batch import BLANK_LINE
from archive_pipeline.export.call_arguments import parse_arguments
from archive_pipeline.export.choices import Choices
from archive_pipeline.export.formats.base import CHAT, Format, Row, Run, are_copies, chat_paths, tools_of
from archive_pipeline.export.selection import Group
from archive_pipeline.export.turns import Turn, joined
from archive_pipeline.retrieval.reading.dialogues import Dialogue


def _lines(dialogue: Dialogue, group: Group, run: Run) -> Iterator[Row]:
    for path in chat_paths(dialogue, run, is_training=True):
        if are_copies(dialogue, path.turns, group, run):
            continue
        system = [turn.content for turn in path.turns if turn.role == "system"]
        spoken = _in_turns((turn for turn in path.turns if turn.role != "system"), run)
        conversation = list(_conversation(spoken, run))
        if not _is_alternating(conversation):
            run.left_out["paths whose sides do not alternate"] += 1
            continue
        row: Row = {"conversations": conversation}
        if system:
            row["system"] = BLANK_LINE.join(system)
        tools = tools_of(dialogue, spoken, group, run)
        if tools:
            row["tools"] = orjson.dumps([tool["function"] for tool in tools]).decode()
        yield row


def _in_turns(found: Iterable[Turn], run: Run) -> list[Turn]:
    """Return turns without the calls that no answer follows before the user speaks."""
    kept: list[Turn] = []
    for turn in found:
        if turn.role == "user":
            while kept and kept[-1].calls:
                kept.pop()
                run.left_out["calls without an answer"] += 1
        kept.append(turn)
    return joined(kept)


def _conversation(found: list[Turn], run: Run) -> Iterator[dict[str, str]]:
    for turn in found:
        thought = f"<think>\n{turn.thinking}\n</think>\n\n" if run.choices.thinking and turn.thinking else ""
        if turn.calls:
            if turn.content:
                run.left_out["texts beside calls"] += 1
            calls: list[dict[str, Any]] = [
                {"name": call.name, "arguments": parse_arguments(call.arguments)} for call in turn.calls
            ]
            value = orjson.dumps(calls[0] if len(calls) == 1 else calls).decode()
            yield {"from": "function_call", "value": thought + value}
            yield {"from": "observation", "value": BLANK_LINE.join(result.content for result in turn.results)}
        else:
            yield {"from": "human" if turn.role == "user" else "gpt", "value": thought + turn.content}


def _is_alternating(conversation: list[dict[str, str]]) -> bool:
    sides = ({"human", "observation"}, {"gpt", "function_call"})
    return len(conversation) % 2 == 0 and all(
        message["from"] in sides[number % 2] for number, message in enumerate(conversation)
    )


def _features(_choices: Choices) -> pa.Schema:
    text = pa.string()
    message = pa.struct([("from", text), ("value", text)])
    return pa.schema([("conversations", pa.list_(message)), ("system", text), ("tools", text)])


SHAREGPT: Final = Format(
    "sharegpt",
    "Conversations of from/value pairs, as LLaMA-Factory and others read them",
    "lines",
    CHAT,
    lines=_lines,
    features=_features,
)
