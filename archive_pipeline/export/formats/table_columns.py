"""The columns of ``parquet`` and ``qa``: their types, and what they mean, as ``docs/export.md`` has it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, NamedTuple

import pyarrow as pa


class Column(NamedTuple):
    """A column; its meaning is that of the archive's column that it is taken from, where there is one."""

    type: pa.DataType
    meaning: str


_MOMENT: Final = pa.timestamp("us", "UTC")
_TEXT: Final = pa.string()

PARQUET_COLUMNS: Final[Mapping[str, Mapping[str, Column]]] = {
    "dialogues": {
        "dialogue_id": Column(_TEXT, "Id of the dialogue"),
        "partition_key": Column(_TEXT, "Its key, as `list` prints it"),
        "source": Column(_TEXT, "Where it comes from"),
        "title": Column(_TEXT, "Its title; null if it has none"),
        "created_at": Column(_MOMENT, "When it began, as the source says"),
        "updated_at": Column(_MOMENT, "When it changed last, as the source says"),
        "message_count": Column(pa.int32(), "Live messages"),
        "branch_count": Column(pa.int32(), "Messages with more than one child, as in `derived.dialogue_trees`"),
        "path_count": Column(pa.int32(), "Paths from a root to a leaf: its rows in `branches`"),
        "tags": Column(pa.list_(_TEXT), "Tags that a person gave it"),
        "parent_dialogue_id": Column(_TEXT, "Dialogue that started it, if it is a subagent's and the archive has that"),
    },
    "branches": {
        "dialogue_id": Column(_TEXT, "The dialogue"),
        "name": Column(_TEXT, "Name of the path: `main`, `regeneration-1`, …"),
        "leaf_message_id": Column(_TEXT, "Its last message"),
        "branched_at_message_id": Column(_TEXT, "Last message that it shares with `main`; null for `main`"),
        "length": Column(pa.int32(), "Messages on it"),
    },
    "messages": {
        "message_id": Column(_TEXT, "Id of the message"),
        "dialogue_id": Column(_TEXT, "The dialogue"),
        "parent_id": Column(_TEXT, "The message above it; null for a root"),
        "sequence_number": Column(pa.int32(), "Place in the order in which messages came into the archive"),
        "role": Column(_TEXT, "user, assistant, system or tool"),
        "author": Column(_TEXT, "Name of the author, such as a tool's"),
        "model": Column(_TEXT, "Model that wrote it"),
        "created_at": Column(_MOMENT, "When it was written; null if unknown"),
        "state": Column(_TEXT, "complete, in_progress, aborted or error"),
        "is_hidden": Column(pa.bool_(), "The source does not show it"),
        "depth": Column(pa.int32(), "Messages above it"),
        "is_on_primary_path": Column(pa.bool_(), "It is on `main`"),
        "is_on_active_path": Column(pa.bool_(), "It is on the path that the source's pointer leads to"),
        "text": Column(_TEXT, "Its visible text"),
    },
    "parts": {
        "message_id": Column(_TEXT, "The message"),
        "sequence": Column(pa.int32(), "Place in the message, from 0"),
        "kind": Column(_TEXT, "Type of the part: text, code, tool_call, tool_result, …"),
        "text": Column(_TEXT, "Its text"),
        "tool_name": Column(_TEXT, "Tool that is called, or answers"),
        "tool_use_id": Column(_TEXT, "What a call and its results have in common"),
        "tool_input": Column(_TEXT, "Arguments of a call, as JSON"),
        "is_error": Column(pa.bool_(), "The tool reported an error; null if the source does not say"),
        "language": Column(_TEXT, "Language of code"),
        "mime_type": Column(_TEXT, "Type of a file"),
        "uri": Column(_TEXT, "Where a file is, as the source says"),
    },
    "attachments": {
        "message_id": Column(_TEXT, "The message"),
        "sequence": Column(pa.int32(), "Place in the message, from 0"),
        "file_name": Column(_TEXT, "Name of the file"),
        "mime_type": Column(_TEXT, "Type of the file"),
        "size_bytes": Column(pa.int64(), "Its size"),
        "uri": Column(_TEXT, "Where it is, as the source says"),
        "text": Column(_TEXT, "Its text, as far as the export has it"),
    },
}
QA_COLUMNS: Final[Mapping[str, Mapping[str, Column]]] = {
    "qa": {
        "pair_id": Column(_TEXT, "Id of the pair"),
        "pair_type": Column(_TEXT, "conversation_turn or trace_pair"),
        "question": Column(_TEXT, "What was asked; the call of a trace pair. Never empty"),
        "answer": Column(_TEXT, "What was answered; the results of a trace pair. Never empty"),
        "answer_rule": Column(_TEXT, "Which answer it is, as in `derived.qa_pairs`"),
        "is_error": Column(pa.bool_(), "The tool reported an error"),
        "model": Column(_TEXT, "Model that wrote the answer"),
        "answered_at": Column(_MOMENT, "When it was written; null if unknown"),
        "source": Column(_TEXT, "Where the dialogue comes from"),
        "partition_key": Column(_TEXT, "Key of the dialogue"),
        "title": Column(_TEXT, "Title of the dialogue"),
        "workspace_id": Column(_TEXT, "Project of the dialogue, else its custom GPT"),
        "session_id": Column(_TEXT, "Id of the dialogue in the source"),
    }
}


def schemas(tables: Mapping[str, Mapping[str, Column]]) -> dict[str, pa.Schema]:
    """Return the schema of each table."""
    return {
        table: pa.schema([(name, column.type) for name, column in columns.items()]) for table, columns in tables.items()
    }
