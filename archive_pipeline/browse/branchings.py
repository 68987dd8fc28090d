"""Where a dialogue branches, as pages list it: windows of the places, each with the first words there."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import psycopg

from archive_pipeline.browse.windows import last_start, start_after, start_before
from archive_pipeline.retrieval.reading.outline import Heading, Outline, read_outline
from archive_pipeline.store.sql_files import load_query
from archive_pipeline.text.citation_marks import without_marks

BRANCHINGS_ON_PAGE: Final = 200


@dataclass(frozen=True, slots=True)
class Branching:
    """A place where a dialogue branches: its first message leads there.

    Attributes:
        kind: ``regeneration``, ``edit`` or ``fork``.
        count: how many versions there are.
        message_id: of the first version.
        beginning: how its text begins; None if it has none that is shown.
    """

    kind: str
    count: int
    message_id: str
    beginning: str | None


@dataclass(frozen=True, slots=True)
class Branchings:
    """A window of the places where a dialogue branches.

    Attributes:
        heading: of the dialogue.
        places: of the window, by time.
        start: how many come before them.
        count: how many there are.
    """

    heading: Heading
    places: Sequence[Branching]
    start: int
    count: int

    @property
    def earlier_start(self) -> int | None:
        """Where the window before begins; None at the beginning."""
        return start_before(self.start, BRANCHINGS_ON_PAGE)

    @property
    def next_start(self) -> int | None:
        """Where the window after begins; None at the end."""
        return start_after(self.start, len(self.places), self.count)


def read_branchings(connection: psycopg.Connection[Any], name: str, *, start: int) -> Branchings:
    """Read a window of the places where a dialogue branches, the last one at most.

    Raises:
        UnknownDialogueError: there is no such dialogue.
    """
    return branchings_of(connection, read_outline(connection, name), start=start)


def branchings_of(connection: psycopg.Connection[Any], outline: Outline, *, start: int = 0) -> Branchings:
    """Return a window of the places where a dialogue that is read already branches."""
    groups = outline.branchings
    start = min(start, last_start(len(groups), BRANCHINGS_ON_PAGE))
    window = groups[start : start + BRANCHINGS_ON_PAGE]
    firsts = [outline.message_ids[group.positions[0]] for group in window]
    wanted = {"dialogue_id": outline.heading.dialogue_id, "message_ids": firsts}
    beginnings = dict(connection.execute(load_query("reading/beginnings"), wanted).fetchall())
    places = [
        Branching(group.kind, len(group.positions), first, without_marks(beginnings.get(first) or "") or None)
        for group, first in zip(window, firsts, strict=True)
    ]
    return Branchings(outline.heading, places, start, len(groups))
