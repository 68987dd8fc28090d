"""The structure of one dialogue without its contents: which path to read, and where it branches."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import Any

import numpy as np
import psycopg
from psycopg.rows import class_row

from archive_pipeline.derive.forest import Forest, forest_of
from archive_pipeline.domain.batch import ROOT, DialogueBatch, Media, ToolParts
from archive_pipeline.domain.identity import as_uuid
from archive_pipeline.errors import UnknownDialogueError
from archive_pipeline.store.columns import Columns, columns_of_rows
from archive_pipeline.store.sql_files import load_query
from archive_pipeline.text.dialogue_names import dialogue_name
from archive_pipeline.text.user_input import LONGEST_QUERY, check_text


@dataclass(frozen=True, slots=True)
class Heading:
    """What stands above a dialogue; columns of ``raw.dialogues``.

    Attributes:
        parent_dialogue_id: of a subagent's dialogue the one that started it, if that is in the archive.
        first_prompt: of a dialogue without a title how the user's first text begins; None where it was not read.
    """

    dialogue_id: str
    partition_key: str
    source: str
    title: str | None
    created_at: datetime | None
    updated_at: datetime | None
    active_message_id: str | None
    message_count: int
    parent_dialogue_id: str | None = None
    first_prompt: str | None = None

    @property
    def name(self) -> str:
        """What people call the dialogue."""
        return dialogue_name(self.title, self.first_prompt)


@dataclass(frozen=True, slots=True)
class Siblings:
    """Messages with one parent, or the roots of a dialogue.

    Attributes:
        positions: of the messages, by time.
        kind: why there are several: ``regeneration``, ``edit`` or ``fork``; empty for a single message.
    """

    positions: tuple[int, ...]
    kind: str


@dataclass(frozen=True)
class Outline:
    """The tree of a dialogue; messages are positions, by time.

    Attributes:
        heading: of the dialogue.
        message_ids: per message, its id.
        roles: per message, its role.
        parents: per message, the position of its parent, -1 for a root.
        hidden: per message, whether the source hides it.
        with_content: per message, whether there is anything to show of it.
        forest: the structure, as derived tables have it.
    """

    heading: Heading
    message_ids: list[str]
    roles: list[str]
    parents: list[int]
    hidden: list[bool]
    with_content: list[bool]
    forest: Forest

    @cached_property
    def position_of(self) -> dict[str, int]:
        """Position of each message by its id."""
        return {message_id: position for position, message_id in enumerate(self.message_ids)}

    def default_message(self) -> int | None:
        """Return the message that the source shows last, else the leaf of the primary path; None without messages."""
        active = self.heading.active_message_id
        if active in self.position_of:
            return self.position_of[active]
        return self.forest.primary_leaf[0] if self.message_ids else None

    def path_through(self, position: int) -> list[int]:
        """Return the path from the root to a message and on to a leaf, by the primary path, else the latest child."""
        path = []
        at = position
        while at != ROOT:
            path.append(at)
            at = self.parents[at]
        path.reverse()
        return path + self.forest.way_down(position)

    def count_of(self, *, hidden: bool) -> int:
        """Return how many messages with content the source hides, or shows."""
        return list(zip(self.with_content, self.hidden, strict=True)).count((True, hidden))

    def boxes(self, path: Sequence[int]) -> list[int]:
        """Return the messages of a path that a page shows: those with content, and those with other versions."""
        return [
            position
            for position in path
            if self.with_content[position] or len(self._together(self.parents[position])) > 1
        ]

    def siblings_of(self, position: int) -> Siblings:
        """Return a message and its siblings."""
        parent = self.parents[position]
        together = self._together(parent)
        kind = self.forest.class_below(self.roles, parent) if len(together) > 1 else ""
        return Siblings(tuple(sorted(together)), kind)

    def _together(self, parent: int) -> Sequence[int]:
        return self.forest.roots[0] if parent == ROOT else self.forest.children[parent]

    @cached_property
    def branchings(self) -> list[Siblings]:
        """All groups of several siblings, by the time of the first."""
        groups = [self.forest.roots[0] if self.message_ids else [], *self.forest.children]
        several = [self.siblings_of(group[0]) for group in groups if len(group) > 1]
        return sorted(several, key=lambda group: group.positions)


def read_heading(connection: psycopg.Connection[Any], name: str) -> Heading:
    """Return what stands above a dialogue; arguments and errors as ``read_outline`` has them."""
    check_text("the key or id", name, LONGEST_QUERY)
    with connection.cursor(row_factory=class_row(Heading)) as cursor:
        heading = cursor.execute(load_query("reading/heading"), {"name": name, "id": as_uuid(name)}).fetchone()
    if heading is None:
        raise UnknownDialogueError(f"no dialogue has the key or id {name!r}")
    return heading


def read_outline(connection: psycopg.Connection[Any], name: str) -> Outline:
    """Read the structure of a dialogue.

    Args:
        connection: to the archive.
        name: partition key or id of the dialogue.

    Raises:
        UnknownDialogueError: there is none with that key or id.
        InvalidQueryError: the name is no text.
    """
    heading = read_heading(connection, name)
    rows = connection.execute(load_query("reading/structure"), {"dialogue_id": heading.dialogue_id})
    columns = columns_of_rows(rows)
    batch = structure([heading], columns)
    return Outline(
        heading,
        batch.message_ids,
        batch.role,
        batch.parent,
        list(columns["is_hidden"]),
        list(columns["has_content"]),
        forest_of(batch),
    )


def structure(headings: Sequence[Heading], messages: Columns) -> DialogueBatch:
    """Return the batch that trees are computed of; contents, which no tree depends on, are left out.

    Args:
        headings: in the order of their ids.
        messages: columns of ``sql/queries/reading``, in the order that a batch has.
    """
    ids = list(messages["id"])
    number = {heading.dialogue_id: place for place, heading in enumerate(headings)}
    position_of = {message_id: position for position, message_id in enumerate(ids)}
    nothing: list[Any] = [None] * len(ids)
    no = [False] * len(ids)
    return DialogueBatch(
        dialogue_ids=[heading.dialogue_id for heading in headings],
        active_ids=[heading.active_message_id for heading in headings],
        message_ids=ids,
        dialogue=[number[dialogue_id] for dialogue_id in messages["dialogue_id"]],
        parent=[ROOT if parent is None else position_of.get(parent, ROOT) for parent in messages["parent_id"]],
        role=list(messages["role"]),
        sequence_number=list(messages["sequence_number"]),
        created_at=np.asarray(messages["created_at"]).astype(np.int64),
        is_complete=[True] * len(ids),
        is_hidden=no,
        text=nothing,
        has_other_content=no,
        tools=ToolParts([], [], [], [], [], [], []),
        media=Media([], [], [], [], []),
        options=nothing,
    )
