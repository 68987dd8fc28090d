"""The dialogues of an export, batch after batch, from a cursor on the server: memory holds one batch."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

from psycopg.rows import class_row

from archive_pipeline.domain.conditions import like_part
from archive_pipeline.export.choices import Choices
from archive_pipeline.retrieval.reading.attached_files import AttachedContent, attached_files
from archive_pipeline.retrieval.reading.dialogues import Dialogue, read_dialogues
from archive_pipeline.retrieval.reading.outline import Heading
from archive_pipeline.store.snapshot import Snapshot
from archive_pipeline.store.sql_files import load_query

_HEADINGS_AT_ONCE: Final = 2_000


class _Limits(NamedTuple):
    """A batch ends with the dialogue that reaches one of them."""

    messages: int
    dialogues: int


_READ: Final = _Limits(4_000, 500)
# Messages are not in memory then, and fewer queries take a quarter less time.
_UNREAD: Final = _Limits(16_000, 2_000)


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
        copies: ids of messages that are copies of what is kept elsewhere; empty unless duplicates are dropped.
        files: per id of a message, the files it came with; empty unless they were asked for.
    """

    headings: list[Heading]
    dialogues: list[Dialogue]
    annotations: Annotations
    copies: frozenset[str]
    files: Mapping[str, Sequence[AttachedContent]] = field(default_factory=dict)


def groups(snapshot: Snapshot, choices: Choices, *, has_messages: bool, with_files: bool = False) -> Iterator[Group]:
    """Yield the chosen dialogues in the order of their ids, never one that is never to be exported."""
    for headings in _batches(snapshot, choices, _READ if has_messages else _UNREAD):
        ids = [heading.dialogue_id for heading in headings]
        dialogues = read_dialogues(snapshot, headings) if has_messages else []
        files = attached_files(snapshot.connection, ids, scope="dialogues") if with_files else {}
        yield Group(headings, dialogues, _annotations(snapshot, ids), _copies(snapshot, ids, choices), files)


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
        messages = 0
        for heading in cursor.execute(load_query("export/selected_dialogues").rstrip().rstrip(";"), parameters):
            batch.append(heading)
            messages += heading.message_count
            if messages >= limits.messages or len(batch) >= limits.dialogues:
                yield batch
                batch, messages = [], 0
        if batch:
            yield batch


def _annotations(snapshot: Snapshot, ids: list[str]) -> Annotations:
    tags: defaultdict[str, list[str]] = defaultdict(list)
    marked: defaultdict[str, set[str]] = defaultdict(set)
    for row in snapshot.of_dialogues("export/dialogue_annotations", ids).to_pylist():
        if row["kind"] == "tag":
            tags[row["dialogue_id"]].append(row["text"])
        elif row["message_id"] is not None:
            marked[row["kind"]].add(row["message_id"])
    return Annotations(dict(tags), frozenset(marked["chosen"]), frozenset(marked["rejected"]))


def _copies(snapshot: Snapshot, ids: list[str], choices: Choices) -> frozenset[str]:
    if choices.drop_duplicates is None:
        return frozenset()
    rows: list[dict[str, Any]] = snapshot.of_dialogues("export/copied_messages", ids).to_pylist()
    return frozenset(row["message_id"] for row in rows if choices.drop_duplicates == "near" or row["method"] != "near")
