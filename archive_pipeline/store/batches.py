"""Reading batches of dialogues: five set-based queries a batch, as Arrow."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from archive_pipeline.domain.batch import NO_TIME, ROOT, Artifacts, DialogueBatch, Media, ToolParts, join_texts
from archive_pipeline.store.database import Database
from archive_pipeline.store.sql_files import load_query, uuid_array


def load_batch(database: Database, dialogue_ids: Sequence[str]) -> DialogueBatch:
    """Read the dialogues and their live messages; dialogues that are gone are left out."""
    with database.arrow() as connection:
        return read_batch(connection, dialogue_ids)


def read_batch(connection: Any, dialogue_ids: Sequence[str]) -> DialogueBatch:
    """Do the same on a connection of ``Database.arrow``: opening one takes longer than reading a few dialogues."""
    dialogues = _fetch(connection, "batch/batch_dialogues", dialogue_ids)
    messages = _fetch(connection, "batch/batch_messages", dialogue_ids)
    parts = _fetch(connection, "batch/batch_parts", dialogue_ids)
    tools = _fetch(connection, "batch/batch_tool_parts", dialogue_ids)
    media = _fetch(connection, "batch/batch_media", dialogue_ids)
    return to_batch(dialogues, messages, parts, tools, media)


def to_batch(
    dialogues: pa.Table, messages: pa.Table, parts: pa.Table, tools: pa.Table, media: pa.Table
) -> DialogueBatch:
    """Turn the result sets into a batch: ids become positions."""
    dialogue_ids = dialogues["dialogue_id"].to_pylist()
    dialogue_number = {dialogue_id: index for index, dialogue_id in enumerate(dialogue_ids)}
    # A dialogue that was imported between two of the queries is not in the first result set.
    known = [name in dialogue_number for name in messages["dialogue_id"].to_pylist()]
    if not all(known):
        messages = messages.filter(pa.array(known))
    message_ids = messages["message_id"].to_pylist()
    number = {message_id: position for position, message_id in enumerate(message_ids)}
    is_hidden = messages["is_hidden"].to_pylist()
    text, has_other_content = _contents(parts, number, is_hidden)
    rows = _in_order(tools, number)
    return DialogueBatch(
        dialogue_ids=dialogue_ids,
        active_ids=dialogues["active_message_id"].to_pylist(),
        message_ids=message_ids,
        dialogue=[dialogue_number[name] for name in messages["dialogue_id"].to_pylist()],
        parent=[ROOT if name is None else number.get(name, ROOT) for name in messages["parent_id"].to_pylist()],
        role=messages["role"].to_pylist(),
        sequence_number=messages["sequence_number"].to_pylist(),
        created_at=_microseconds(messages["created_at"]),
        is_complete=messages["is_complete"].to_pylist(),
        is_hidden=is_hidden,
        text=text,
        has_other_content=has_other_content,
        tools=_tool_parts([row for row in rows if row["artifact_id"] is None], number),
        media=_media(media, number),
        options=messages["request_options"].to_pylist(),
        artifacts=_artifacts([row for row in rows if row["artifact_id"] is not None], number),
        workspace_ids=dict(zip(dialogue_ids, dialogues["workspace_id"].to_pylist(), strict=True)),
        session_ids=dict(zip(dialogue_ids, dialogues["session_id"].to_pylist(), strict=True)),
    )


def _fetch(connection: Any, query: str, dialogue_ids: Sequence[str]) -> pa.Table:
    with connection.cursor() as cursor:
        statement = load_query(query).rstrip().removesuffix(";")  # it becomes part of a COPY statement
        cursor.execute(statement.replace("{dialogue_ids}", uuid_array(dialogue_ids)))
        return cursor.fetch_arrow_table()


def _contents(parts: pa.Table, number: dict[str, int], is_hidden: list[bool]) -> tuple[list[str | None], list[bool]]:
    """Per message: its visible text, and whether it has anything else."""
    texts: list[list[tuple[int, str]]] = [[] for _ in number]
    has_other = [False] * len(number)
    columns = [parts[name].to_pylist() for name in ("message_id", "sequence", "text", "is_other")]
    for message_id, sequence, text, is_other in zip(*columns, strict=True):
        position = number.get(message_id)
        if position is None:  # soft-deleted
            continue
        if is_other or (is_hidden[position] and text and not text.isspace()):
            has_other[position] = True
        elif text and not is_hidden[position]:
            texts[position].append((sequence, text))
    return [_join(pieces) for pieces in texts], has_other


def _join(pieces: list[tuple[int, str]]) -> str | None:
    if len(pieces) > 1:
        pieces.sort()
    return join_texts([text for _, text in pieces])


def _microseconds(column: pa.ChunkedArray) -> npt.NDArray[np.int64]:
    values = column.cast(pa.timestamp("us", "UTC")).cast(pa.int64())
    numbers: npt.NDArray[np.int64] = values.fill_null(int(NO_TIME)).combine_chunks().to_numpy(zero_copy_only=False)
    return numbers


def _in_order(parts: pa.Table, number: dict[str, int]) -> list[dict[str, Any]]:
    rows = [row for row in parts.to_pylist() if row["message_id"] in number]
    rows.sort(key=lambda row: (number[row["message_id"]], row["sequence"]))
    return rows


def _artifacts(rows: Sequence[dict[str, Any]], number: dict[str, int]) -> Artifacts:
    return Artifacts(
        message=[number[row["message_id"]] for row in rows],
        part_id=[row["artifact_id"] for row in rows],
        text=[row["text"] for row in rows],
    )


def _tool_parts(rows: Sequence[dict[str, Any]], number: dict[str, int]) -> ToolParts:
    return ToolParts(
        message=[number[row["message_id"]] for row in rows],
        is_result=[row["is_result"] for row in rows],
        tool_use_id=[row["tool_use_id"] for row in rows],
        tool_name=[row["tool_name"] for row in rows],
        tool_input=[row["tool_input"] for row in rows],
        text=[row["text"] for row in rows],
        is_error=[row["is_error"] for row in rows],
    )


def _media(media: pa.Table, number: dict[str, int]) -> Media:
    rows = [row for row in media.to_pylist() if row["message_id"] in number]
    rows.sort(key=lambda row: (number[row["message_id"]], row["is_attachment"], row["sequence"]))
    return Media(
        message=[number[row["message_id"]] for row in rows],
        content_sha256=[row["content_sha256"] for row in rows],
        uri=[row["uri"] for row in rows],
        file_name=[row["file_name"] for row in rows],
        tool_use_id=[row["tool_use_id"] for row in rows],
    )
