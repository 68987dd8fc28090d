"""``parquet`` and ``qa``: tables for notebooks.

``parquet`` has dialogues, branches, messages, parts and attachments, joined by ids, with each message's place in the
tree, as the archive has them. ``qa`` has the question-answer pairs without citation marks, as JSONL and as Parquet.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from operator import attrgetter
from typing import Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from archive_pipeline.derive.forest import forest_of
from archive_pipeline.domain.batch import ROOT
from archive_pipeline.export.branches import MAIN, Branch, branches
from archive_pipeline.export.formats.base import Format, Rows, Run
from archive_pipeline.export.formats.table_columns import PARQUET_COLUMNS, QA_COLUMNS, schemas
from archive_pipeline.export.selection import Group
from archive_pipeline.retrieval.reading.dialogues import Dialogue
from archive_pipeline.text.citation_marks import SIGNS, without_marks

_TEXT: Final = pa.string()
# The first columns of `dialogues` are what a heading has.
_OF_HEADING: Final = 6
# The first columns of `parts` and `attachments` say where they are.
_OF_MESSAGE: Final = 2
# Columns of pairs that have words of a conversation or of its source, and parts of a pair's id that have none.
_SAID: Final = ("question", "answer")
_OF_SOURCE: Final = (*_SAID, "model", "workspace_id", "session_id")
_OF_PLACE: Final = 2
SCHEMAS: Final = schemas(PARQUET_COLUMNS)
QA_SCHEMAS: Final = schemas(QA_COLUMNS)
NO_QUESTION_OR_ANSWER: Final = "pairs without a question or an answer"


def _tables(group: Group, _run: Run) -> Iterator[tuple[str, Rows]]:
    known = [branches(dialogue) for dialogue in group.dialogues]
    yield "dialogues", _dialogue_rows(group, [*map(len, known)])
    yield "branches", _branch_rows(group, known)
    yield "messages", _message_rows(group)
    yield "parts", _content_rows(group, "parts")
    yield "attachments", _content_rows(group, "attachments")


def _dialogue_rows(group: Group, path_counts: list[int]) -> Rows:
    columns: dict[str, list[Any]] = {
        name: [getattr(heading, name) for heading in group.headings]
        for name in SCHEMAS["dialogues"].names[:_OF_HEADING]
    }
    return Rows(
        columns
        | {
            "message_count": [len(dialogue.messages) for dialogue in group.dialogues],
            "branch_count": [*map(_branch_count, group.dialogues)],
            "path_count": path_counts,
            "tags": [group.annotations.tags.get(heading.dialogue_id, []) for heading in group.headings],
            "parent_dialogue_id": [heading.parent_dialogue_id for heading in group.headings],
        },
        [1] * len(group.headings),
    )


def _branch_count(dialogue: Dialogue) -> int:
    children = forest_of(dialogue.batch).children
    return sum(len(children[dialogue.first + number]) > 1 for number in range(len(dialogue.messages)))


def _branch_rows(group: Group, known: Sequence[Sequence[Branch]]) -> Rows:
    found = [(dialogue, branch) for dialogue, own in zip(group.dialogues, known, strict=True) for branch in own]
    ids = [dialogue.batch.message_ids for dialogue, _ in found]
    return Rows(
        {
            "dialogue_id": [dialogue.heading.dialogue_id for dialogue, _ in found],
            "name": [branch.name for _, branch in found],
            "leaf_message_id": [own[branch.leaf] for own, (_, branch) in zip(ids, found, strict=True)],
            "branched_at_message_id": [
                None if branch.branched_at == ROOT else own[branch.branched_at]
                for own, (_, branch) in zip(ids, found, strict=True)
            ],
            "length": [forest_of(dialogue.batch).depth[branch.leaf] + 1 for dialogue, branch in found],
        },
        [*map(len, known)],
    )


def _message_rows(group: Group) -> Rows:
    messages = [message for dialogue in group.dialogues for message in dialogue.messages]
    columns: dict[str, Any] = {
        name: [*map(attrgetter(name), messages)]
        for name in ("sequence_number", "role", "author", "model", "state", "is_hidden", "text")
    }
    columns["message_id"] = [*map(attrgetter("id"), messages)]
    columns |= {name: [] for name in ("dialogue_id", "parent_id", "depth", "is_on_primary_path", "is_on_active_path")}
    times = []
    for dialogue in group.dialogues:
        batch, forest, ids = dialogue.batch, forest_of(dialogue.batch), dialogue.batch.message_ids
        own = slice(dialogue.first, dialogue.first + len(dialogue.messages))
        columns["dialogue_id"] += [dialogue.heading.dialogue_id] * len(dialogue.messages)
        columns["parent_id"] += [None if parent == ROOT else ids[parent] for parent in batch.parent[own]]
        columns["depth"] += forest.depth[own]
        columns["is_on_primary_path"] += forest.on_primary_path[own]
        columns["is_on_active_path"] += forest.on_active_path[own]
        times.append(batch.created_at[own])
    # Arrow takes numbers at ten times the rate of moments; the number of no time is that of NaT, a null.
    columns["created_at"] = np.concatenate(times).astype("datetime64[us]") if times else []
    return Rows(columns, [len(dialogue.messages) for dialogue in group.dialogues])


def _content_rows(group: Group, table: str) -> Rows:
    own: list[list[list[Any]]] = [
        [getattr(message, table) for message in dialogue.messages] for dialogue in group.dialogues
    ]
    pieces = [piece for contents in own for content in contents for piece in content]
    columns: dict[str, list[Any]] = {
        name: [*map(attrgetter(name), pieces)] for name in SCHEMAS[table].names[_OF_MESSAGE:]
    }
    columns["message_id"] = [
        message.id for dialogue in group.dialogues for message in dialogue.messages for _ in getattr(message, table)
    ]
    columns["sequence"] = [number for contents in own for content in contents for number in range(len(content))]
    return Rows(columns, [sum(map(len, contents)) for contents in own])


def _qa(group: Group, run: Run) -> Iterator[tuple[str, Rows]]:
    is_whole = pc.and_(*(pc.not_equal(pc.utf8_trim_whitespace(group.rows[name]), "") for name in _SAID))
    pairs = group.rows.filter(is_whole)
    if run.kept.is_offering:
        run.kept.offer(pairs["answer_message_id"].to_pylist(), group.members)
        return
    if len(pairs) < len(group.rows):
        run.left_out[NO_QUESTION_OR_ANSWER] += len(group.rows) - len(pairs)
    if group.members:
        answers = pairs["answer_message_id"].to_pylist()
        is_copy = pa.array([run.kept.are_copies([answer], group.members) for answer in answers], pa.bool_())
        run.left_out["duplicates"] += pc.sum(is_copy).as_py() or 0
        pairs = pairs.filter(pc.invert(is_copy))
    for name in _SAID:
        pairs = _unmarked(pairs, name)
    columns: dict[str, Any] = {name: pairs[name] for name in QA_SCHEMAS["qa"].names if name in pairs.column_names}
    if run.choices.redact:
        columns |= _redacted(pairs, run)
    # Columns stay Arrow's: an object of Python for each value takes a fifth of the processor time.
    dialogue = pc.index_in(pairs["dialogue_id"], pa.array([heading.dialogue_id for heading in group.headings], _TEXT))
    for name in ("source", "partition_key", "title"):
        columns[name] = pa.array([getattr(heading, name) for heading in group.headings], _TEXT).take(dialogue)
    counts = np.bincount(dialogue.to_numpy(), minlength=len(group.headings))
    yield "qa", Rows(columns, counts.tolist())


def _unmarked(pairs: pa.Table, name: str) -> pa.Table:
    """Return pairs without citation marks in a column, which most archives have in none."""
    if not any(pc.any(pc.match_substring(pairs[name], mark)).as_py() for mark in SIGNS):
        return pairs
    texts = pa.array([*map(without_marks, pairs[name].to_pylist())], pairs.schema.field(name).type)
    return pairs.set_column(pairs.schema.get_field_index(name), name, texts)


def _redacted(pairs: pa.Table, run: Run) -> dict[str, list[str | None]]:
    columns = {
        name: [None if value is None else run.redact(value) for value in pairs[name].to_pylist()] for name in _OF_SOURCE
    }
    return columns | {"pair_id": [_redacted_id(pair_id, run) for pair_id in pairs["pair_id"].to_pylist()]}


def _redacted_id(pair_id: str, run: Run) -> str:
    """Return the id of a pair: behind a dialogue's id and the number of a message may stand the id of a call."""
    *place, rest = pair_id.split(":", _OF_PLACE)
    return ":".join([*place, run.redact(rest)]) if len(place) == _OF_PLACE else pair_id


PARQUET: Final = Format(
    "parquet",
    f"Tables for notebooks: {', '.join(SCHEMAS)}; {MAIN} is the primary branch",
    "tables",
    frozenset(),
    tables=_tables,
    schemas=SCHEMAS,
)
QA: Final = Format(
    "qa",
    "Question-answer pairs, as JSONL and as Parquet",
    "tables",
    frozenset({"drop_duplicates", "splits"}),
    tables=_qa,
    schemas=QA_SCHEMAS,
    has_lines=True,
    query="export/dialogue_pairs",
    needs=("qa_pairs",),
)
