"""Dialogues as exports and readers see them: all live messages with their parts, and the tree that they are in."""

from __future__ import annotations

from collections.abc import Container, Iterable, Sequence
from dataclasses import dataclass, replace
from operator import attrgetter

import pyarrow as pa

from archive_pipeline.domain.batch import ROOT, DialogueBatch
from archive_pipeline.retrieval.reading.messages import TEXT, Message, assemble, read_tables
from archive_pipeline.retrieval.reading.outline import Heading, read_heading, structure
from archive_pipeline.store.columns import columns_of_table
from archive_pipeline.store.database import Database
from archive_pipeline.store.dialogue_list import resolve_dialogue
from archive_pipeline.store.reading import STATEMENT_SECONDS
from archive_pipeline.store.snapshot import Snapshot, read_snapshot
from archive_pipeline.text.dialogue_names import first_line
from archive_pipeline.text.user_input import LONGEST_QUERY, check_text


@dataclass(slots=True)
class Dialogue:
    """A dialogue.

    Attributes:
        heading: what it is known by.
        messages: in the order of a ``DialogueBatch``.
        batch, number: the batch that it is in, by which its tree is known, and its place in it; no contents.
        first: position of its first message in the batch; position ``p`` is ``messages[p - first]``.
    """

    heading: Heading
    messages: list[Message]
    batch: DialogueBatch
    number: int
    first: int

    def message(self, position: int) -> Message:
        """Return the message at a position of the batch."""
        return self.messages[position - self.first]

    @property
    def shown_count(self) -> int:
        """How many messages readers see."""
        return sum(message.is_shown for message in self.messages)

    def path(self, position: int, known: Container[int] = ()) -> list[int]:
        """Return the positions from the root to a message, or from the first one below ``known`` messages."""
        path = []
        parent = self.batch.parent
        while position != ROOT and position not in known:
            path.append(position)
            position = parent[position]
        path.reverse()
        return path


@dataclass(frozen=True, slots=True)
class DialogueTables:
    """Some dialogues as they were read: reading waits for the server alone, so a thread may do it ahead.

    Attributes:
        headings: of the dialogues.
        messages, parts, attachments: of all of them.
    """

    headings: Sequence[Heading]
    messages: pa.Table
    parts: pa.Table
    attachments: pa.Table

    def dialogues(self) -> list[Dialogue]:
        """Return the dialogues in the order of their headings."""
        messages, parts, attachments = map(columns_of_table, (self.messages, self.parts, self.attachments))
        in_order = sorted(self.headings, key=attrgetter("dialogue_id"))
        batch = structure(in_order, messages)
        rows = assemble(messages, parts, attachments)
        dialogues = {}
        for number, heading in enumerate(in_order):
            positions = batch.positions(number)
            found = rows[positions.start : positions.stop]
            named = with_first_prompt(heading, found)
            dialogues[heading.dialogue_id] = Dialogue(named, found, batch, number, positions.start)
        return [dialogues[heading.dialogue_id] for heading in self.headings]


def with_first_prompt(heading: Heading, messages: Iterable[Message]) -> Heading:
    """Return a heading that names a dialogue without a title by its messages, as ``derived.first_prompts`` does."""
    if heading.title and not heading.title.isspace():
        return heading
    asked = (message for message in messages if message.role == "user" and not message.is_hidden)
    texts = (
        part.text
        for message in sorted(asked, key=attrgetter("sequence_number"))
        for part in message.parts
        if part.kind == TEXT and part.text and part.has_content
    )
    return replace(heading, first_prompt=next(map(first_line, texts), None))


def read_dialogues(snapshot: Snapshot, headings: Sequence[Heading]) -> DialogueTables:
    """Read all messages of some dialogues."""
    return DialogueTables(headings, *read_tables(snapshot, [heading.dialogue_id for heading in headings]))


def read_dialogue(database: Database, name: str) -> Dialogue:
    """Return the dialogue that a name means.

    Raises:
        InvalidQueryError: the name is in no text.
        UnknownDialogueError: there is none.
        AmbiguousDialogueError: there are several.
        QueryTimeoutError: the archive took too long.
    """
    check_text("the key, id or title", name, LONGEST_QUERY)
    with read_snapshot(database, seconds=STATEMENT_SECONDS) as snapshot:
        heading = read_heading(snapshot.connection, resolve_dialogue(snapshot.connection, name))
        [dialogue] = read_dialogues(snapshot, [heading]).dialogues()
    return dialogue
