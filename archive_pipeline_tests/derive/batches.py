"""Batches for tests: by hand from rows of a few words, or random forests; and their way into a real database."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np
from hypothesis import strategies as st

from archive_pipeline.domain.batch import NO_TIME, ROOT, Artifacts, DialogueBatch, Media, ToolParts
from archive_pipeline.domain.frames import frame
from archive_pipeline.domain.identity import dialogue_id, message_id, partition_key, row_id, shard_key
from archive_pipeline.store.copy import copy_frame
from archive_pipeline.store.database import Database
from archive_pipeline.store.tables.raw import attachments, content_parts, dialogues, messages

ROLES = ("user", "assistant", "system", "tool")
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
TEXTS = (
    "continue",
    "Go on…",
    "yes please",
    "> quoted\n\nelaborate",
    "What is a tree?",
    "A tree is a graph\n\nwithout cycles.",
    "naïve Σίσυφος ΣΑΣ",
    "  nai\u0308ve\u00a0 \u0130stanbul\t\u1100\u1161",
    "日本語 の text, mixed",
    "same words same words same words",
    "!!!",
)


@dataclass(frozen=True)
class Tool:
    """A tool call or its result."""

    call: str | None
    is_result: bool = False
    name: str | None = None
    input: str | None = None
    text: str | None = None
    is_error: bool = False


@dataclass(frozen=True)
class Medium:
    """An image, a file or the like."""

    content: str | None = None
    uri: str | None = None
    name: str | None = None
    call: str | None = None


@dataclass(frozen=True)
class Row:
    """One message; ``id`` is short, its real id is made of it."""

    id: str
    parent: str | None
    role: str
    text: str | None = None
    time: int | None = None
    number: int | None = None
    is_complete: bool = True
    is_hidden: bool = False
    has_other_content: bool = False
    tools: tuple[Tool, ...] = ()
    media: tuple[Medium, ...] = ()
    options: str | None = None
    artifacts: tuple[str, ...] = ()


@dataclass(frozen=True)
class Talk:
    """One dialogue: its rows in any order, and the message the source points to."""

    name: str
    rows: tuple[Row, ...]
    active: str | None = None

    @property
    def id(self) -> str:
        return dialogue_id("chatgpt", self.name)

    def message(self, row: str) -> str:
        """Return the real id of one of its rows."""
        return message_id(self.id, row)


def batch_of(*talks: Talk) -> DialogueBatch:
    """Return the batch of some dialogues, in the order in which the database would give it."""
    ordered = sorted(talks, key=lambda talk: talk.id)
    rows: list[tuple[int, Talk, Row, int]] = []
    for index, talk in enumerate(ordered):
        numbered = [(row, at if row.number is None else row.number) for at, row in enumerate(talk.rows)]
        numbered.sort(key=lambda item: (NO_TIME if item[0].time is None else item[0].time, item[1]))
        rows.extend((index, talk, row, number) for row, number in numbered)
    position = {(index, row.id): at for at, (index, _, row, _) in enumerate(rows)}
    tools = [(at, tool) for at, (_, _, row, _) in enumerate(rows) for tool in row.tools]
    media = [(at, medium) for at, (_, _, row, _) in enumerate(rows) for medium in row.media]
    artifacts = [(at, nth, text) for at, (_, _, row, _) in enumerate(rows) for nth, text in enumerate(row.artifacts)]
    message_ids = [talk.message(row.id) for _, talk, row, _ in rows]
    return DialogueBatch(
        dialogue_ids=[talk.id for talk in ordered],
        active_ids=[None if talk.active is None else talk.message(talk.active) for talk in ordered],
        message_ids=message_ids,
        dialogue=[index for index, _, _, _ in rows],
        parent=[ROOT if row.parent is None else position[index, row.parent] for index, _, row, _ in rows],
        role=[row.role for _, _, row, _ in rows],
        sequence_number=[number for _, _, _, number in rows],
        created_at=np.array([NO_TIME if row.time is None else row.time for _, _, row, _ in rows], dtype=np.int64),
        is_complete=[row.is_complete for _, _, row, _ in rows],
        is_hidden=[row.is_hidden for _, _, row, _ in rows],
        text=[row.text for _, _, row, _ in rows],
        has_other_content=[
            row.has_other_content or bool(row.tools or row.media or row.artifacts) for _, _, row, _ in rows
        ],
        tools=ToolParts(
            message=[at for at, _ in tools],
            is_result=[tool.is_result for _, tool in tools],
            tool_use_id=[tool.call for _, tool in tools],
            tool_name=[tool.name for _, tool in tools],
            tool_input=[tool.input for _, tool in tools],
            text=[tool.text for _, tool in tools],
            is_error=[tool.is_error for _, tool in tools],
        ),
        media=Media(
            message=[at for at, _ in media],
            content_sha256=[medium.content for _, medium in media],
            uri=[medium.uri for _, medium in media],
            file_name=[medium.name for _, medium in media],
            tool_use_id=[medium.call for _, medium in media],
        ),
        options=[row.options for _, _, row, _ in rows],
        artifacts=Artifacts(
            message=[at for at, _, _ in artifacts],
            part_id=[row_id("artifact", message_ids[at], str(nth)) for at, nth, _ in artifacts],
            text=[text for _, _, text in artifacts],
        ),
    )


def linear(name: str, *said: tuple[str, str | None], times: Sequence[int | None] = ()) -> Talk:
    """Return a dialogue without branches: pairs of role and text, named 0, 1, 2, …"""
    rows = tuple(
        Row(str(at), str(at - 1) if at else None, role, text, times[at] if times else at)
        for at, (role, text) in enumerate(said)
    )
    return Talk(name, rows)


class _Digits:
    """Choices out of one number: drawing one number a message is ten times faster than drawing each choice."""

    def __init__(self, number: int) -> None:
        self._rest = number

    def choose(self, *options: Any) -> Any:
        """Return one of the options; zero, to which Hypothesis shrinks, chooses the first."""
        self._rest, digit = divmod(self._rest, len(options))
        return options[digit]


def _row(at: int, digits: _Digits) -> Row:
    is_hidden = digits.choose(False, False, False, True)
    tool = Tool(
        call=digits.choose("c1", "c2", None),
        is_result=digits.choose(False, True),
        name=digits.choose(None, "python"),
        input=digits.choose(None, '{"x":1}', '"{\\"x\\": 1.0}"', '{"b":[1e2,{"e\u0301":null}],"a":""}'),
        text=digits.choose(None, "out", " \n"),
        is_error=digits.choose(False, True),
    )
    medium = Medium(digits.choose(None, "ab" * 32), digits.choose(None, "https://x/y"), digits.choose(None, "a.png"))
    text = digits.choose(None, *TEXTS)
    return Row(
        id=str(at),
        # Mostly the message before it: random trees are too shallow to hold several exchanges.
        parent=digits.choose(*[str(at - 1)] * 3, None, *map(str, range(at))) if at else None,
        role=digits.choose("user", "assistant", *ROLES),
        text=None if is_hidden else text,
        time=digits.choose(None, 0, 1, 2, 3),
        number=digits.choose(*range(8)) * 100 + at,
        is_complete=digits.choose(True, True, True, False),
        is_hidden=is_hidden,
        has_other_content=digits.choose(False, False, True),
        tools=digits.choose((), (), (tool,), (tool, replace(tool, is_result=True))),
        media=digits.choose((), (), (medium,), (medium, replace(medium, call="c1"))),
        options=digits.choose(None, None, '{"temperature":0.0,"stop":"x","top_k":3}', '{"temperature":1}'),
        artifacts=digits.choose((), (), ("print(1)",), (TEXTS[4], f"{TEXTS[4]}!")),
    )


def rows(*, largest: int = 9) -> st.SearchStrategy[tuple[Row, ...]]:
    """Messages of one forest; a child may be older than its parent, times may be missing or equal."""
    numbers = st.lists(st.integers(0, 2**64), max_size=largest)
    return numbers.map(lambda found: tuple(_row(at, _Digits(number)) for at, number in enumerate(found)))


def talks(*, largest: int = 9) -> st.SearchStrategy[list[Talk]]:
    """Up to three dialogues."""

    def talk(index: int, own: tuple[Row, ...], pointer: int) -> Talk:
        return Talk(f"d{index}", own, _Digits(pointer).choose(None, *(row.id for row in own)))

    found = st.lists(st.tuples(rows(largest=largest), st.integers(0, 2**16)), min_size=1, max_size=3)
    return found.map(lambda drawn: [talk(index, *own) for index, own in enumerate(drawn)])


def random_batch(*, largest: int = 9) -> st.SearchStrategy[DialogueBatch]:
    """Random forests of up to three dialogues."""
    return talks(largest=largest).map(lambda found: batch_of(*found))


def store(database: Database, batch: DialogueBatch) -> None:
    """Write a batch to ``raw``, as an import would have."""
    texts: dict[str, list[dict[str, object]]] = {"dialogues": [], "messages": [], "parts": [], "attachments": []}
    for index, dialogue in enumerate(batch.dialogue_ids):
        texts["dialogues"].append(
            {
                "id": dialogue,
                "source": "chatgpt",
                "source_id": dialogue,
                "partition_key": partition_key("chatgpt", dialogue),
                "shard_key": shard_key(dialogue),
                "fingerprint": f"of {dialogue}",
                "message_count": batch.dialogue.count(index),
                "active_message_id": batch.active_ids[index],
                "source_json": "{}",
            }
        )
    for at, message in enumerate(batch.message_ids):
        time = int(batch.created_at[at])
        texts["messages"].append(
            {
                "id": message,
                "dialogue_id": batch.dialogue_of_message[at],
                "source_id": message,
                "parent_id": None if batch.parent[at] == ROOT else batch.message_ids[batch.parent[at]],
                "role": batch.role[at],
                "sequence_number": batch.sequence_number[at],
                "created_at": None if time == NO_TIME else EPOCH + timedelta(microseconds=time),
                "state": "complete" if batch.is_complete[at] else "error",
                "is_hidden": batch.is_hidden[at],
                "content_hash": "",
                "request_options": batch.options[at],
            }
        )
        texts["parts"].extend(_parts(batch, at))
        texts["attachments"].extend(_attachments(batch, at))
    tables = {"dialogues": dialogues, "messages": messages, "parts": content_parts, "attachments": attachments}
    with database.session() as connection:
        for name, table in tables.items():
            made = texts[name]
            copy_frame(connection, table, frame({key: [row[key] for row in made] for key in (made[0] if made else {})}))


def _parts(batch: DialogueBatch, at: int) -> list[dict[str, object]]:
    tools = batch.tools
    found: list[dict[str, object]] = []
    if batch.text[at] is not None:
        found.append({"part_type": "text", "text_content": batch.text[at]})
    found.extend(
        {
            "part_type": "tool_result" if tools.is_result[index] else "tool_use",
            "tool_use_id": tools.tool_use_id[index],
            "tool_name": tools.tool_name[index],
            "tool_input": tools.tool_input[index],
            "text_content": tools.text[index],
            "is_error": tools.is_error[index],
        }
        for index, message in enumerate(tools.message)
        if message == at
    )
    media = batch.media
    found.extend(
        {
            "part_type": "image",
            "content_sha256": media.content_sha256[index],
            "uri": media.uri[index],
            "tool_use_id": media.tool_use_id[index],
        }
        for index, message in enumerate(media.message)
        if message == at and media.file_name[index] is None
    )
    artifacts = batch.artifacts
    found.extend(
        {"id": artifacts.part_id[index], "part_type": "artifact", "text_content": artifacts.text[index]}
        for index, message in enumerate(artifacts.message)
        if message == at
    )
    if batch.has_other_content[at] and not any(part["part_type"] != "text" for part in found):
        found.append({"part_type": "unknown"})
    names = (
        *("part_type", "text_content", "tool_use_id", "tool_name", "tool_input", "is_error"),
        *("content_sha256", "uri"),
    )
    own = {"message_id": batch.message_ids[at], "dialogue_id": batch.dialogue_of_message[at]}
    return [
        {
            **dict.fromkeys(names),
            "id": row_id("part", batch.message_ids[at], str(sequence)),
            **part,
            **own,
            "sequence": sequence,
        }
        for sequence, part in enumerate(found)
    ]


def _attachments(batch: DialogueBatch, at: int) -> list[dict[str, object]]:
    media = batch.media
    own = [index for index, message in enumerate(media.message) if message == at and media.file_name[index] is not None]
    return [
        {
            "id": row_id("attachment", batch.message_ids[at], str(sequence)),
            "message_id": batch.message_ids[at],
            "dialogue_id": batch.dialogue_of_message[at],
            "sequence": sequence,
            "file_name": media.file_name[index],
            "uri": media.uri[index],
            "content_sha256": media.content_sha256[index],
        }
        for sequence, index in enumerate(own)
    ]
