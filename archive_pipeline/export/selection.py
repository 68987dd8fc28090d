"""The dialogues of an export, batch after batch, from a cursor on the server.

Reading a batch and making Python's objects of it are two steps: the first waits for the server and may be done ahead by
a thread, the other keeps the interpreter busy.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

import pyarrow as pa
from psycopg.rows import class_row

from archive_pipeline.domain.conditions import like_part
from archive_pipeline.export.choices import Choices
from archive_pipeline.export.defined_tools import defined_tools
from archive_pipeline.export.duplicates import Members, cluster_members
from archive_pipeline.retrieval.reading.attached_files import AttachedContent, attached_files
from archive_pipeline.retrieval.reading.dialogues import Dialogue, DialogueTables, read_dialogues
from archive_pipeline.retrieval.reading.outline import Heading
from archive_pipeline.store.snapshot import Snapshot
from archive_pipeline.store.sql_files import load_query

_HEADINGS_AT_ONCE: Final = 2_000


class _Limits(NamedTuple):
    """A batch ends with the dialogue that reaches one of them."""

    messages: int
    dialogues: int


_READ: Final = _Limits(4_000, 500)
# Messages are not in memory then, and fewer queries take less time.
_UNREAD: Final = _Limits(8_000, 1_000)
# The first batch is this part of a whole one, each further one twice the one before: nothing is made while it is read.
_FIRST: Final = 8
_NO_ROWS: Final = pa.table({})


@dataclass(frozen=True, slots=True)
class Annotations:
    """What a person says about the dialogues of a batch.

    Attributes:
        tags: per id of a dialogue, its tags in order.
        chosen, rejected: ids of messages.
    """

    tags: dict[str, list[str]]
    chosen: frozenset[str]
    rejected: frozenset[str]


@dataclass(frozen=True, slots=True)
class Group:
    """Some dialogues and what is known of them.

    Attributes:
        headings: of the dialogues, in the order of their ids.
        dialogues: in the same order; empty for a format without messages.
        annotations: about them.
        members: of clusters of duplicates; empty unless duplicates are dropped.
        files: per id of a message, the files it came with; empty unless they were asked for.
        tools: per id of a dialogue whose source defines tools, these, as ``defined_tools`` returns them.
        rows: what a format without messages is made of; empty for the others.
    """

    headings: list[Heading]
    dialogues: list[Dialogue]
    annotations: Annotations
    members: Members
    files: Mapping[str, Sequence[AttachedContent]] = field(default_factory=dict)
    rows: pa.Table = field(default_factory=lambda: _NO_ROWS)
    tools: Mapping[str, Sequence[dict[str, Any]]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ReadBatch:
    """Some dialogues as they were read: what a ``Group`` is made of.

    Attributes:
        headings, files: as those of the group.
        tables: of the messages; None if ``rows`` stand for them.
        annotations: rows of the query of this name.
        members: of clusters of duplicates, as rows; None unless duplicates are dropped.
        tools: that sources define, as rows; None unless they were asked for.
    """

    headings: list[Heading]
    tables: DialogueTables | None
    rows: pa.Table
    annotations: pa.Table
    members: pa.Table | None
    files: Mapping[str, Sequence[AttachedContent]]
    tools: pa.Table | None = None

    def group(self, choices: Choices) -> Group:
        """Return the dialogues with what is known of them."""
        dialogues = [] if self.tables is None else self.tables.dialogues()
        drop, members = choices.drop_duplicates, self.members
        return Group(
            self.headings,
            dialogues,
            _annotations(self.annotations),
            {} if drop is None or members is None else cluster_members(members, drop),
            self.files,
            self.rows,
            {} if self.tools is None else _tools(self.tools),
        )


def read_batches(
    snapshot: Snapshot,
    choices: Choices,
    *,
    query: str | None = None,
    with_files: bool = False,
    with_tools: bool = False,
) -> Generator[ReadBatch, None, None]:
    """Yield the chosen dialogues in the order of their ids, never one that is never to be exported.

    Args:
        snapshot: of the archive.
        choices: which dialogues.
        query: about some dialogues, whose rows are read instead of their messages.
        with_files: the files that messages came with are read too.
        with_tools: the tools that sources define are read too.
    """
    for headings in _batches(snapshot, choices, _READ if query is None else _UNREAD):
        ids = [heading.dialogue_id for heading in headings]
        yield ReadBatch(
            headings,
            read_dialogues(snapshot, headings) if query is None else None,
            _NO_ROWS if query is None else snapshot.of_dialogues(query, ids),
            snapshot.of_dialogues("export/dialogue_annotations", ids),
            None if choices.drop_duplicates is None else snapshot.of_dialogues("export/cluster_members", ids),
            attached_files(snapshot.connection, ids, scope="dialogues") if with_files else {},
            snapshot.of_dialogues("export/dialogue_tools", ids) if with_tools else None,
        )


def _batches(snapshot: Snapshot, choices: Choices, limits: _Limits) -> Iterator[list[Heading]]:
    parameters = {
        "sources": list(choices.sources) or None,
        "models": list(choices.models) or None,
        "tags": list(choices.tags) or None,
        "dialogue_ids": list(choices.dialogue_ids) or None,
        "title": None if choices.title is None else like_part(choices.title),
        "since": choices.since,
        "until": choices.until,
    }
    with snapshot.connection.cursor("exported_dialogues", row_factory=class_row(Heading)) as cursor:
        cursor.itersize = _HEADINGS_AT_ONCE
        batch: list[Heading] = []
        messages, part = 0, _FIRST
        for heading in cursor.execute(load_query("export/selected_dialogues").rstrip().rstrip(";"), parameters):
            batch.append(heading)
            messages += heading.message_count
            if messages * part >= limits.messages or len(batch) * part >= limits.dialogues:
                yield batch
                batch, messages, part = [], 0, max(1, part // 2)
        if batch:
            yield batch


def _annotations(table: pa.Table) -> Annotations:
    tags: defaultdict[str, list[str]] = defaultdict(list)
    marked: defaultdict[str, set[str]] = defaultdict(set)
    for row in table.to_pylist():
        if row["kind"] == "tag":
            tags[row["dialogue_id"]].append(row["text"])
        elif row["message_id"] is not None:
            marked[row["kind"]].add(row["message_id"])
    return Annotations(dict(tags), frozenset(marked["chosen"]), frozenset(marked["rejected"]))


def _tools(table: pa.Table) -> dict[str, list[dict[str, Any]]]:
    found: defaultdict[str, dict[str, dict[str, Any]]] = defaultdict(dict)
    for row in table.to_pylist():
        for tool in defined_tools(row["definitions"]):
            found[row["dialogue_id"]].setdefault(tool["function"]["name"], tool)
    return {dialogue_id: list(tools.values()) for dialogue_id, tools in found.items()}
