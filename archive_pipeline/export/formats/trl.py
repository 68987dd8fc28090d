"""``trl-sft``, ``trl-dpo``, ``trl-kto``: the conversational dataset types of Hugging Face TRL.

Arguments of calls are objects, since chat templates take them apart; the card declares them as JSON, as they have other
fields in every row. ``tools`` are JSON text, which the trainers read. What a model thought is in ``thinking``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import accumulate
from typing import Any, Final

import orjson
import pyarrow as pa

from archive_pipeline.export.call_arguments import parse_arguments
from archive_pipeline.export.chat import as_messages
from archive_pipeline.export.choices import Choices
from archive_pipeline.export.formats.base import (
    CHAT,
    JSON,
    NO_PROMPT,
    TOO_LONG,
    Format,
    Path,
    Row,
    Run,
    are_copies,
    calls_type,
    chat_paths,
    is_within_tokens,
    tokens_of,
    tools_of,
)
from archive_pipeline.export.preferences import Answer, preferences
from archive_pipeline.export.selection import Group
from archive_pipeline.export.turns import Turn
from archive_pipeline.retrieval.reading.dialogues import Dialogue

_THINKING: Final = "thinking"
# A pair of regenerations is one wherever it stands, and what is preferred is no copy of what is not.
_PREFERENCES: Final = CHAT - {"paths", "drop_duplicates"}


def _messages(found: Sequence[Turn], run: Run) -> list[dict[str, Any]]:
    return list(as_messages(found, parse_arguments, thinking=_THINKING if run.choices.thinking else None))


def _tools(dialogue: Dialogue, found: Sequence[Turn], group: Group, run: Run) -> Row:
    tools = tools_of(dialogue, found, group, run)
    return {"tools": orjson.dumps(tools).decode()} if tools else {}


def _sft(dialogue: Dialogue, group: Group, run: Run) -> Iterator[Row]:
    is_one_example = run.choices.shape != "prompt-completion"
    for path in chat_paths(
        dialogue, run, is_training=True, has_context=not is_one_example, is_one_example=is_one_example
    ):
        if not is_one_example:
            yield from _completions(dialogue, path, group, run)
        elif not are_copies(dialogue, path.turns, group, run):
            yield {"messages": _messages(path.turns, run), **_tools(dialogue, path.turns, group, run)}


def _completions(dialogue: Dialogue, path: Path, group: Group, run: Run) -> Iterator[Row]:
    """Yield a row for each whole turn of the assistant that no earlier path had: what it called, or what it said.

    Results of calls are before what is said of them: in a completion they would be trained.
    """
    found, limit = path.turns, run.choices.max_tokens
    tokens = [] if limit is None else [0, *accumulate(tokens_of(turn, run) for turn in found)]
    for number, turn in enumerate(found):
        if not path.trains(turn):
            continue
        if not number:
            run.left_out[NO_PROMPT] += 1
            continue
        said = replace(turn, results=[])
        if limit is not None and tokens[number] + tokens_of(said, run) > limit:
            run.left_out[TOO_LONG] += 1
        elif not are_copies(dialogue, [turn], group, run):
            yield {
                "prompt": _messages(found[:number], run),
                "completion": _messages([said], run),
                **_tools(dialogue, found[: number + 1], group, run),
            }


def _dpo(dialogue: Dialogue, group: Group, run: Run) -> Iterator[Row]:
    for pair in preferences(dialogue, group.annotations, run.choices.roles, run.left_out):
        if is_within_tokens([*pair.prompt, *pair.chosen.turns, *pair.rejected.turns], run):
            yield {
                "prompt": _messages(pair.prompt, run),
                "chosen": _messages(pair.chosen.turns, run),
                "rejected": _messages(pair.rejected.turns, run),
                **_tools(dialogue, [*pair.prompt, *pair.chosen.turns, *pair.rejected.turns], group, run),
                "rule": pair.rule,
                "dialogue": dialogue.heading.partition_key,
            }


def _kto(dialogue: Dialogue, group: Group, run: Run) -> Iterator[Row]:
    # An answer that is better than one and worse than another says neither.
    labels: dict[int, tuple[list[Turn], Answer, set[bool], str]] = {}
    for pair in preferences(dialogue, group.annotations, run.choices.roles, run.left_out):
        for answer, label in ((pair.chosen, True), (pair.rejected, False)):
            labels.setdefault(answer.positions[0], (pair.prompt, answer, set(), pair.rule))[2].add(label)
    for _, (prompt, answer, found, rule) in sorted(labels.items()):
        if len(found) > 1:
            run.left_out["answers better than one and worse than another"] += 1
        elif is_within_tokens([*prompt, *answer.turns], run):
            yield {
                "prompt": _messages(prompt, run),
                "completion": _messages(answer.turns, run),
                "label": next(iter(found)),
                **_tools(dialogue, [*prompt, *answer.turns], group, run),
                "rule": rule,
                "dialogue": dialogue.heading.partition_key,
            }


def _features(names: Sequence[str], *more: tuple[str, pa.DataType]) -> Callable[[Choices], pa.Schema]:
    """Return the columns: conversations with these names, then tools, then more."""

    def columns(choices: Choices) -> pa.Schema:
        text = pa.string()
        message = [("role", text), ("content", text)]
        if choices.thinking:
            message.append((_THINKING, text))
        tools = []
        if "tool" in choices.roles:
            message += [("tool_calls", calls_type(JSON)), ("tool_call_id", text), ("name", text)]
            tools = [("tools", text)]
        return pa.schema([*((name, pa.list_(pa.struct(message))) for name in names), *tools, *more])

    return columns


def _sft_features(choices: Choices) -> pa.Schema:
    names = ["messages"] if choices.shape == "messages" else ["prompt", "completion"]
    return _features(names)(choices)


_WHY: Final = (("rule", pa.string()), ("dialogue", pa.string()))

TRL_SFT: Final = Format(
    "trl-sft",
    "Supervised fine-tuning with TRL: conversations (messages), or a line per assistant turn (prompt-completion)",
    "lines",
    CHAT | {"shape"},
    lines=_sft,
    features=_sft_features,
)
TRL_DPO: Final = Format(
    "trl-dpo",
    "Preferences for TRL: explicit prompt, chosen and rejected answer, and the rule that prefers one",
    "lines",
    _PREFERENCES,
    lines=_dpo,
    features=_features(["prompt", "chosen", "rejected"], *_WHY),
)
TRL_KTO: Final = Format(
    "trl-kto",
    "Unpaired preferences for TRL: prompt, completion, label, and the rule",
    "lines",
    _PREFERENCES,
    lines=_kto,
    features=_features(["prompt", "completion"], ("label", pa.bool_()), *_WHY),
)
