"""Dialogues as exports and readers see them: all live messages with their parts, and the tree that they are in."""

from __future__ import annotations

from collections.abc import Container, Sequence
from dataclasses import dataclass

from archive_pipeline.domain.batch import ROOT, DialogueBatch
from archive_pipeline.retrieval.reading.messages import Message, assemble, read_columns
from archive_pipeline.retrieval.reading.outline import Heading, read_heading, structure
from archive_pipeline.store.database import Database
from archive_pipeline.store.dialogue_list import resolve_dialogue
from archive_pipeline.store.reading import STATEMENT_SECONDS
from archive_pipeline.store.snapshot import Snapshot, read_snapshot


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

    def path(self, position: int, known: Container[int] = ()) -> list[int]:
        """Return the positions from the root to a message, or from the first one below ``known`` messages."""
        path = []
        parent = self.batch.parent
        while position != ROOT and position not in known:
            path.append(position)
            position = parent[position]
        path.reverse()
        return path


def read_dialogues(snapshot: Snapshot, headings: Sequence[Heading]) -> list[Dialogue]:
    """Return the dialogues in the order of their headings."""
    in_order = sorted(headings, key=lambda heading: heading.dialogue_id)
    messages, parts, attachments = read_columns(snapshot, [heading.dialogue_id for heading in in_order])
    batch = structure(in_order, messages)
    rows = assemble(messages, parts, attachments)
    dialogues = {}
    for number, heading in enumerate(in_order):
        positions = batch.positions(number)
        found = rows[positions.start : positions.stop]
        dialogues[heading.dialogue_id] = Dialogue(heading, found, batch, number, positions.start)
    return [dialogues[heading.dialogue_id] for heading in headings]


def read_dialogue(database: Database, name: str) -> Dialogue:
    """Return the dialogue that a name means.

    Raises:
        UnknownDialogueError: there is none.
        AmbiguousDialogueError: there are several.
        QueryTimeoutError: the archive took too long.
    """
    with read_snapshot(database, seconds=STATEMENT_SECONDS) as snapshot:
        heading = read_heading(snapshot.connection, resolve_dialogue(snapshot.connection, name))
        [dialogue] = read_dialogues(snapshot, [heading])
    return dialogue
