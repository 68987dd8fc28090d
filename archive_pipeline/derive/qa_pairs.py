"""``qa_pairs``: question-answer pairs, the unit of embedding (seed 004), along every path of a tree."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING, Final

import orjson

from archive_pipeline.derive.asset import TEXT, DerivedAsset
from archive_pipeline.derive.forest import forest_of
from archive_pipeline.derive.limits import check_characters
from archive_pipeline.derive.qa_turns import AnswerRule, Turn, find_turns
from archive_pipeline.derive.tool_results import chains_of_results, results_followed
from archive_pipeline.domain.batch import BLANK_LINE, DialogueBatch
from archive_pipeline.domain.frames import frame_of_rows
from archive_pipeline.text.sanitize import clean_text

if TYPE_CHECKING:
    import pandas as pd

CODE_VERSION: Final = "5"
ANSWER_RULE: Final[AnswerRule] = "final"
_LONGEST_CALL_ID: Final = 256
_BRANCH: Final = re.compile(r"@\d+$")
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
    "workspace_id",
    "session_id",
)


@dataclass(frozen=True, slots=True)
class Pair:
    """A pair before it becomes a row.

    Attributes:
        suffix: what its id has after that of the question's message.
        pair_type, question, answer, answer_rule, is_error: as in the table.
        start, end: positions of the question's and the answer's message in the batch.
        call: number of the tool call in the batch; None for turns.
        is_branch: the question has another answer, which is told before this one.
    """

    suffix: str
    pair_type: str
    start: int
    end: int
    question: str
    answer: str
    answer_rule: str
    is_error: bool
    call: int | None
    is_branch: bool

    def pair_id(self, batch: DialogueBatch) -> str:
        """Return the id of the pair (decision on pairs)."""
        return f"{batch.dialogue_of_message[self.start]}:{batch.sequence_number[self.start]}{self.suffix}"


def qa_pairs(batch: DialogueBatch) -> pd.DataFrame:
    """Return conversation turns, then tool traces."""
    rows = [_row(batch, pair) for pair in find_pairs(batch)]
    return frame_of_rows(_COLUMNS, rows)


def find_pairs(batch: DialogueBatch) -> list[Pair]:
    """Return conversation turns, in the order of their questions, then tool traces.

    Raises:
        TextsTooLargeError: a dialogue's pairs would repeat too much text.
    """
    pairs = [*_turns(batch), *_traces(batch)]
    check_characters(
        batch, "qa_pairs", ((batch.dialogue[pair.start], len(pair.question) + len(pair.answer)) for pair in pairs)
    )
    return pairs


def content_hash(question: str, answer: str) -> str:
    """Return the SHA-256 of the compact JSON array ``[question, answer]``: fields stay apart (decision on hashes).

    Texts that PostgreSQL does not take are hashed as the table has them: without NUL, with U+FFFD for lone surrogates.
    """
    texts = [clean_text(text, Counter()) for text in (question, answer)]
    return hashlib.sha256(orjson.dumps(texts)).hexdigest()


def tool_question(tool_name: str | None, arguments: str | None) -> str:
    """Return a tool call as the question of a trace pair (seed 004)."""
    return f"Tool: {tool_name or 'unknown'}({arguments or '{}'})"


def call_arguments(tool_input: str | None, text: str | None) -> str | None:
    """Return the arguments of a call as the source has them: its own text, a text that is no JSON, or compact JSON.

    Args:
        tool_input: JSON text; that of a string stands for a text that is no JSON.
        text: the source's own text, where the part has one.
    """
    if text:
        return text
    if tool_input is not None and tool_input.startswith('"'):
        said: str = orjson.loads(tool_input)
        return said
    return tool_input


def tool_answer(results: Iterable[str | None]) -> str:
    """Return the results of a call as the answer of a trace pair: their texts, joined by a blank line."""
    return BLANK_LINE.join([text for text in results if text and not text.isspace()]) or NO_RESULT_CONTENT


def call_key(call: str) -> str:
    """Return a tool call's id as the part of a pair's id.

    One that is too long for an index, or ends as the id of a pair on a branch does, is replaced by its hash.
    """
    if len(call) <= _LONGEST_CALL_ID and not _BRANCH.search(call):
        return call
    return hashlib.sha256(call.encode()).hexdigest()


def turns_of(batch: DialogueBatch) -> list[Turn]:
    """Return the user messages with their answers, in the order of questions."""
    return batch.computed(_find_turns)


def _find_turns(batch: DialogueBatch) -> list[Turn]:
    usable = zip(batch.role, batch.is_complete, batch.is_hidden, strict=True)
    return find_turns(
        forest_of(batch).order,
        batch.parent,
        [role if complete and not hidden else None for role, complete, hidden in usable],
        [text is not None for text in batch.text],
        forest_of(batch).on_primary_path,
        answer=ANSWER_RULE,
    )


def _turns(batch: DialogueBatch) -> list[Pair]:
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
            call=None,
            is_branch=not turn.is_on_primary_path,
        )
        for turn in turns_of(batch)
    ]


def _traces(batch: DialogueBatch) -> list[Pair]:
    tools, forest = batch.tools, forest_of(batch)
    keys = [(batch.dialogue[message], call) for message, call in zip(tools.message, tools.tool_use_id, strict=True)]
    parts = _trace_parts(batch)
    follows = results_followed(parts, tools.message, keys, tools.is_result, forest.tree_left, forest.tree_right)
    check_characters(batch, "qa_pairs", _sizes(batch, follows))
    chains = chains_of_results(follows, tools.is_result)
    return [
        _trace(batch, call, results, is_branch=place > 0)
        for call, group in groupby(chains, key=lambda chain: chain[0])
        for place, (_, results) in enumerate(sorted(group, key=lambda chain: _preference(batch, chain[1])))
    ]


def _sizes(batch: DialogueBatch, follows: Mapping[int, int]) -> Iterator[tuple[int, int]]:
    """Yield dialogue and characters of each answer before it is put together; a result without text counts as one."""
    tools, size = batch.tools, dict[int, int]()
    for result, before in follows.items():
        size[result] = size.get(before, 0) + max(len(tools.text[result] or ""), 1)
    for end in {*follows} - {*follows.values()}:
        yield batch.dialogue[tools.message[end]], size[end]


def _trace_parts(batch: DialogueBatch) -> list[int]:
    """Return results, and calls of assistant messages, the first of one id in a message; as in turns none is hidden."""
    tools, seen = batch.tools, set[tuple[int, str]]()
    found: list[int] = []
    for part, message in enumerate(tools.message):
        call = tools.tool_use_id[part]
        if call is None or not batch.is_complete[message] or batch.is_hidden[message]:
            continue
        if not tools.is_result[part]:
            if batch.role[message] != "assistant" or (message, call) in seen:
                continue
            seen.add((message, call))
        found.append(part)
    return found


def _preference(batch: DialogueBatch, results: list[int]) -> tuple[bool, int]:
    """Order the pairs of one call: first the one that ends on the primary path, then by the messages they end with."""
    end = batch.tools.message[results[-1]]
    return not forest_of(batch).on_primary_path[end], batch.sequence_number[end]


def _trace(batch: DialogueBatch, call: int, results: list[int], *, is_branch: bool) -> Pair:
    tools = batch.tools
    start, end = tools.message[call], tools.message[results[-1]]
    key = call_key(tools.tool_use_id[call] or "")
    return Pair(
        suffix=f":{key}@{batch.sequence_number[end]}" if is_branch else f":{key}",
        pair_type="trace_pair",
        start=start,
        end=end,
        question=tool_question(tools.tool_name[call], call_arguments(tools.tool_input[call], tools.text[call])),
        answer=tool_answer([tools.text[result] for result in results]),
        answer_rule="tool_result",
        is_error=any(tools.is_error[result] for result in results),
        call=call,
        is_branch=is_branch,
    )


def _row(batch: DialogueBatch, pair: Pair) -> tuple[object, ...]:
    dialogue = batch.dialogue_of_message[pair.start]
    return (
        pair.pair_id(batch),
        dialogue,
        pair.pair_type,
        batch.sequence_number[pair.start],
        batch.sequence_number[pair.end],
        batch.message_ids[pair.start],
        pair.question,
        pair.answer,
        pair.answer_rule,
        pair.is_error,
        content_hash(pair.question, pair.answer),
        batch.workspace_ids.get(dialogue),
        batch.session_ids.get(dialogue),
    )


ASSET: Final = DerivedAsset(
    name="qa_pairs",
    of=DialogueBatch,
    tables=("qa_pairs",),
    upstream=("message_paths",),
    derive=lambda batch, _: {"qa_pairs": qa_pairs(batch)},
    code_version=CODE_VERSION,
    description="Conversation turns along every path, and tool calls with their results.",
    reads=("dialogues", "messages", "content_parts"),
    lineage={
        "source_message_id": ("message_paths.message_id",),
        "question": ("raw/content_parts.text_content", "raw/content_parts.tool_input"),
        "answer": TEXT,
        "is_error": ("raw/content_parts.is_error",),
        "workspace_id": ("raw/dialogues.project_id", "raw/dialogues.custom_gpt_id"),
        "session_id": ("raw/dialogues.source_id",),
    },
)
