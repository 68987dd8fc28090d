"""``qa_pairs``: question-answer pairs, the unit of embedding (seed 004), along every path of a tree."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Final

import orjson
import pandas as pd

from archive_pipeline.derive.batch import DialogueBatch
from archive_pipeline.derive.frames import frame
from archive_pipeline.derive.qa_turns import AnswerRule, find_turns

CODE_VERSION: Final = "1"
ANSWER_RULE: Final[AnswerRule] = "final"
_LONGEST_CALL_ID: Final = 256
NO_RESULT_CONTENT: Final = "[No tool result content]"

_COLUMNS: Final = (
    "pair_id",
    "dialogue_id",
    "pair_type",
    "start_sequence_number",
    "end_sequence_number",
    "source_message_id",
    "question",
    "answer",
    "answer_rule",
    "is_error",
    "content_hash",
)


@dataclass(frozen=True, slots=True)
class Pair:
    """A pair before it becomes a row; ``start`` and ``end`` are positions of messages in the batch."""

    suffix: str
    pair_type: str
    start: int
    end: int
    question: str
    answer: str
    answer_rule: str
    is_error: bool

    def pair_id(self, batch: DialogueBatch) -> str:
        """Return the id of the pair (decision on pairs)."""
        return f"{batch.dialogue_of_message[self.start]}:{batch.sequence_number[self.start]}{self.suffix}"


def qa_pairs(batch: DialogueBatch) -> pd.DataFrame:
    """Return conversation turns, then tool traces."""
    rows = [_row(batch, pair) for pair in find_pairs(batch)]
    columns = zip(*rows, strict=True) if rows else ([] for _ in _COLUMNS)
    return frame({name: list(values) for name, values in zip(_COLUMNS, columns, strict=True)})


def find_pairs(batch: DialogueBatch) -> list[Pair]:
    """Return conversation turns, in the order of their questions, then tool traces."""
    return [*_turns(batch), *_traces(batch)]


def content_hash(question: str, answer: str) -> str:
    """Return the SHA-256 of the compact JSON array ``[question, answer]``: fields stay apart (decision on hashes)."""
    return hashlib.sha256(orjson.dumps([question, answer])).hexdigest()


def tool_question(tool_name: str | None, arguments: str | None) -> str:
    """Return a tool call as the question of a trace pair (seed 004)."""
    return f"Tool: {tool_name or 'unknown'}({arguments or '{}'})"


def _turns(batch: DialogueBatch) -> list[Pair]:
    usable = zip(batch.role, batch.is_complete, batch.is_hidden, strict=True)
    turns = find_turns(
        batch.forest.order,
        batch.parent,
        [role if complete and not hidden else None for role, complete, hidden in usable],
        [text is not None for text in batch.text],
        batch.forest.on_primary_path,
        answer=ANSWER_RULE,
    )
    return [
        Pair(
            suffix="" if turn.is_on_primary_path else f"@{batch.sequence_number[turn.answer]}",
            pair_type="conversation_turn",
            start=turn.question,
            end=turn.answer,
            question=batch.text[turn.question] or "",
            answer=batch.text[turn.answer] or "",
            answer_rule=ANSWER_RULE,
            is_error=False,
        )
        for turn in turns
    ]


def _traces(batch: DialogueBatch) -> list[Pair]:
    tools = batch.tools
    results = {
        (batch.dialogue[message], call): index
        for index, (message, is_result, call) in enumerate(
            zip(tools.message, tools.is_result, tools.tool_use_id, strict=True)
        )
        if is_result and call is not None and batch.is_complete[message]
    }
    pairs: dict[tuple[int, str], Pair] = {}
    for index, message in enumerate(tools.message):
        call = tools.tool_use_id[index]
        if (
            tools.is_result[index]
            or call is None
            or batch.role[message] != "assistant"
            or not batch.is_complete[message]
        ):
            continue
        result = results.get((batch.dialogue[message], call))
        if result is not None:
            pairs.setdefault((message, call), _trace(batch, index, result, call))
    return list(pairs.values())


def _trace(batch: DialogueBatch, call_index: int, result_index: int, call: str) -> Pair:
    tools = batch.tools
    return Pair(
        suffix=f":{_short(call)}",
        pair_type="trace_pair",
        start=tools.message[call_index],
        end=tools.message[result_index],
        question=tool_question(tools.tool_name[call_index], tools.tool_input[call_index]),
        answer=tools.text[result_index] or NO_RESULT_CONTENT,
        answer_rule="tool_result",
        is_error=tools.is_error[result_index],
    )


def _short(call: str) -> str:
    """Return a tool call's id as a part of a key: one too long for an index is replaced by its hash."""
    return call if len(call) <= _LONGEST_CALL_ID else hashlib.sha256(call.encode()).hexdigest()


def _row(batch: DialogueBatch, pair: Pair) -> tuple[object, ...]:
    return (
        pair.pair_id(batch),
        batch.dialogue_of_message[pair.start],
        pair.pair_type,
        batch.sequence_number[pair.start],
        batch.sequence_number[pair.end],
        batch.message_ids[pair.start],
        pair.question,
        pair.answer,
        pair.answer_rule,
        pair.is_error,
        content_hash(pair.question, pair.answer),
    )
