"""``parquet`` and ``qa``: tables for notebooks.

``parquet`` has dialogues, branches, messages, parts and attachments, joined by ids, with each message's place in the
tree. ``qa`` has the question-answer pairs, as lines of JSON and as Parquet.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

import pyarrow as pa

from archive_pipeline.derive.forest import forest_of
from archive_pipeline.domain.batch import ROOT
from archive_pipeline.export.branches import MAIN, branches
from archive_pipeline.export.formats.base import Format, Row, Run
from archive_pipeline.export.selection import Group
from archive_pipeline.retrieval.reading.dialogues import Dialogue
from archive_pipeline.store.snapshot import Snapshot

_MOMENT: Final = pa.timestamp("us", "UTC")


def _schema(**columns: pa.DataType) -> pa.Schema:
    return pa.schema(list(columns.items()))


_TEXT: Final = pa.string()
# The first columns of `dialogues` are what a heading has.
_OF_HEADING: Final = 6
SCHEMAS: Final = {
    "dialogues": _schema(
        dialogue_id=_TEXT,
        partition_key=_TEXT,
        source=_TEXT,
        title=_TEXT,
        created_at=_MOMENT,
        updated_at=_MOMENT,
        message_count=pa.int32(),
        branch_count=pa.int32(),
        tags=pa.list_(_TEXT),
    ),
    "branches": _schema(
        dialogue_id=_TEXT, name=_TEXT, leaf_message_id=_TEXT, branched_at_message_id=_TEXT, length=pa.int32()
    ),
    "messages": _schema(
        message_id=_TEXT,
        dialogue_id=_TEXT,
        parent_id=_TEXT,
        sequence_number=pa.int32(),
        role=_TEXT,
        author=_TEXT,
        model=_TEXT,
        created_at=_MOMENT,
        state=_TEXT,
        is_hidden=pa.bool_(),
        depth=pa.int32(),
        is_on_primary_path=pa.bool_(),
        is_on_active_path=pa.bool_(),
        text=_TEXT,
    ),
    "parts": _schema(
        message_id=_TEXT,
        sequence=pa.int32(),
        kind=_TEXT,
        text=_TEXT,
        tool_name=_TEXT,
        tool_use_id=_TEXT,
        tool_input=_TEXT,
        is_error=pa.bool_(),
        language=_TEXT,
        mime_type=_TEXT,
        uri=_TEXT,
    ),
    "attachments": _schema(
        message_id=_TEXT,
        sequence=pa.int32(),
        file_name=_TEXT,
        mime_type=_TEXT,
        size_bytes=pa.int64(),
        uri=_TEXT,
        text=_TEXT,
    ),
}
QA_SCHEMAS: Final = {
    "qa": _schema(
        pair_id=_TEXT,
        pair_type=_TEXT,
        question=_TEXT,
        answer=_TEXT,
        answer_rule=_TEXT,
        is_error=pa.bool_(),
        model=_TEXT,
        answered_at=_MOMENT,
        source=_TEXT,
        partition_key=_TEXT,
        title=_TEXT,
    )
}


def _tables(_snapshot: Snapshot, group: Group, _run: Run) -> Iterator[tuple[str, Sequence[Row]]]:
    for dialogue in group.dialogues:
        known = branches(dialogue)
        heading, ids = dialogue.heading, dialogue.batch.message_ids
        tags = group.annotations.tags.get(heading.dialogue_id, [])
        row = {name: getattr(heading, name) for name in SCHEMAS["dialogues"].names[:_OF_HEADING]}
        counts = {"message_count": len(dialogue.messages), "branch_count": len(known), "tags": tags}
        yield "dialogues", [row | counts]
        yield (
            "branches",
            [
                {
                    "dialogue_id": heading.dialogue_id,
                    "name": branch.name,
                    "leaf_message_id": ids[branch.leaf],
                    "branched_at_message_id": None if branch.branched_at == ROOT else ids[branch.branched_at],
                    "length": forest_of(dialogue.batch).depth[branch.leaf] + 1,
                }
                for branch in known
            ],
        )
        yield "messages", _message_rows(dialogue)
        yield "parts", _content_rows(dialogue, "parts")
        yield "attachments", _content_rows(dialogue, "attachments")


def _message_rows(dialogue: Dialogue) -> list[Row]:
    forest, batch = forest_of(dialogue.batch), dialogue.batch
    return [
        {
            "message_id": message.id,
            "dialogue_id": dialogue.heading.dialogue_id,
            "parent_id": None if batch.parent[position] == ROOT else batch.message_ids[batch.parent[position]],
            "sequence_number": message.sequence_number,
            "role": message.role,
            "author": message.author,
            "model": message.model,
            "created_at": message.created_at,
            "state": message.state,
            "is_hidden": message.is_hidden,
            "depth": forest.depth[position],
            "is_on_primary_path": forest.on_primary_path[position],
            "is_on_active_path": forest.on_active_path[position],
            "text": message.text,
        }
        for position, message in enumerate(dialogue.messages, start=dialogue.first)
    ]


def _content_rows(dialogue: Dialogue, table: str) -> list[Row]:
    names = SCHEMAS[table].names[2:]
    return [
        {"message_id": message.id, "sequence": sequence} | {name: getattr(piece, name) for name in names}
        for message in dialogue.messages
        for sequence, piece in enumerate(getattr(message, table))
    ]


def _qa(snapshot: Snapshot, group: Group, run: Run) -> Iterator[tuple[str, Sequence[Row]]]:
    headings = {dialogue.heading.dialogue_id: dialogue.heading for dialogue in group.dialogues}
    rows: list[Row] = []
    for pair in snapshot.of_dialogues("export/dialogue_pairs", list(headings)).to_pylist():
        heading = headings[pair.pop("dialogue_id")]
        if pair.pop("answer_message_id") in group.copies:
            run.left_out["duplicates"] += 1
            continue
        pair |= {"question": run.redact(pair["question"]), "answer": run.redact(pair["answer"])}
        rows.append(pair | {name: getattr(heading, name) for name in ("source", "partition_key", "title")})
    yield "qa", rows


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
    needs=("qa_pairs",),
)
