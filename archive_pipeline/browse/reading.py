"""What a page of a dialogue shows: a window of one path, and at each message the other versions of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import psycopg

from archive_pipeline.browse.branchings import Branchings, branchings_of
from archive_pipeline.browse.windows import last_start, start_after, start_before, window_with
from archive_pipeline.errors import UnknownDialogueError
from archive_pipeline.retrieval.reading.messages import Message, ends_of_page, read_messages
from archive_pipeline.retrieval.reading.outline import Heading, Outline, read_outline
from archive_pipeline.retrieval.reading.subagents import Subagents, read_subagents

MESSAGES_ON_PAGE: Final = 100
VERSIONS_SIDE_BY_SIDE: Final = 4
MESSAGES_OF_VERSION: Final = 6


@dataclass(frozen=True, slots=True)
class Versions:
    """The place of a message among its siblings.

    Attributes:
        kind: ``regeneration``, ``edit`` or ``fork``.
        number: from 1, by time.
        count: how many there are.
        previous_id, next_id: the siblings beside it; None at an end.
    """

    kind: str
    number: int
    count: int
    previous_id: str | None
    next_id: str | None


@dataclass(frozen=True, slots=True)
class ThreadMessage:
    """A message of a path; ``versions`` is None where it has no siblings."""

    message: Message
    number: int
    versions: Versions | None


@dataclass(frozen=True, slots=True)
class Thread:
    """A window of a path through a dialogue.

    Attributes:
        heading: of the dialogue.
        linked: the dialogue that started it, and subagents that it started.
        messages: of the window, in order.
        start: how many messages of the path come before the window.
        length: messages of the path that pages show.
        leaf_id: last message of the path, which names it; None without messages.
        branchings: where the dialogue branches, the first window of it.
        message_count: messages of the dialogue that readers see.
        hidden_count: those with content that the source hides.
    """

    heading: Heading
    linked: Subagents
    messages: Sequence[ThreadMessage]
    start: int
    length: int
    leaf_id: str | None
    branchings: Branchings
    message_count: int
    hidden_count: int

    @property
    def previous_start(self) -> int | None:
        """Where the window before begins; None at the beginning."""
        return start_before(self.start, MESSAGES_ON_PAGE)

    @property
    def next_start(self) -> int | None:
        """Where the window after begins; None at the end."""
        return start_after(self.start, len(self.messages), self.length)


@dataclass(frozen=True, slots=True)
class Version:
    """One of several siblings, and what follows it."""

    message_id: str
    number: int
    messages: Sequence[Message]
    following: int


@dataclass(frozen=True, slots=True)
class Comparison:
    """Some siblings side by side.

    Attributes:
        heading: of the dialogue.
        kind: why there are several.
        parent: the message before them; None at the beginning.
        versions: some of them, by time.
        start: how many come before these.
        count: how many there are.
    """

    heading: Heading
    kind: str
    parent: Message | None
    versions: Sequence[Version]
    start: int
    count: int

    @property
    def messages(self) -> list[Message]:
        """All that are shown."""
        before = [] if self.parent is None else [self.parent]
        return [*before, *(message for version in self.versions for message in version.messages)]

    @property
    def earlier_start(self) -> int | None:
        """Where the siblings before these begin; None at the beginning."""
        return start_before(self.start, VERSIONS_SIDE_BY_SIDE)

    @property
    def next_start(self) -> int | None:
        """Where the next siblings begin; None at the end."""
        return start_after(self.start, len(self.versions), self.count)

    @property
    def last_start(self) -> int:
        """Where the last siblings begin."""
        return last_start(self.count, VERSIONS_SIDE_BY_SIDE)


@dataclass(frozen=True, slots=True)
class Place:
    """Where a page of a dialogue stands.

    Attributes:
        partition_key: of the dialogue.
        message_id: of the message that the page begins with.
        last_message_id: of the page, which says which of several answers it has.
    """

    partition_key: str
    message_id: str
    last_message_id: str


def read_thread(
    connection: psycopg.Connection[Any],
    name: str,
    *,
    message_id: str | None = None,
    through: str | None = None,
    start: int | None = None,
) -> Thread:
    """Read a window of a path.

    Args:
        connection: to the archive.
        name: partition key or id of the dialogue.
        message_id: a message of the path; by default the one that the source shows last.
        through: a message after it that the path leads through; any other is left unheeded: an import may have taken
            it away since the address was made.
        start: messages of the path before the window, the last one at most; by default the window with the message.

    Raises:
        UnknownDialogueError: there is no such dialogue or message.
    """
    outline = read_outline(connection, name)
    at = outline.default_message() if message_id is None else _position(outline, message_id)
    whole_path = [] if at is None else _path(outline, at, through)
    path = outline.boxes(whole_path)
    if start is None:
        # Of a message that is not shown, the window with what comes next.
        index = 0 if message_id is None or at is None else len(outline.boxes(whole_path[: whole_path.index(at)]))
        start = window_with(index, MESSAGES_ON_PAGE)
    start = min(start, last_start(len(path), MESSAGES_ON_PAGE))
    window = path[start : start + MESSAGES_ON_PAGE]
    messages = read_messages(connection, [outline.message_ids[position] for position in window])
    position_of = outline.position_of
    return Thread(
        heading=outline.heading,
        linked=read_subagents(connection, outline.heading.dialogue_id),
        messages=[
            ThreadMessage(message, number, _versions(outline, position_of[message.id]))
            for number, message in enumerate(messages, start=start + 1)
        ],
        start=start,
        length=len(path),
        leaf_id=outline.message_ids[whole_path[-1]] if whole_path else None,
        branchings=branchings_of(connection, outline),
        message_count=outline.count_of(hidden=False),
        hidden_count=outline.count_of(hidden=True),
    )


def read_comparison(
    connection: psycopg.Connection[Any], name: str, message_id: str, *, start: int | None = None
) -> Comparison:
    """Read ``VERSIONS_SIDE_BY_SIDE`` of a message and its siblings, each with what follows it.

    Args:
        connection: to the archive.
        name: partition key or id of the dialogue.
        message_id: the message.
        start: siblings before those, the last window at most; by default the window with the message.

    Raises:
        UnknownDialogueError: there is no such dialogue or message.
    """
    outline = read_outline(connection, name)
    position = _position(outline, message_id)
    siblings = outline.siblings_of(position)
    if start is None:
        start = window_with(siblings.positions.index(position), VERSIONS_SIDE_BY_SIDE)
    start = min(start, last_start(len(siblings.positions), VERSIONS_SIDE_BY_SIDE))
    parent = outline.parents[position]
    versions = [
        _version(connection, outline, sibling, number)
        for number, sibling in list(enumerate(siblings.positions, start=1))[start : start + VERSIONS_SIDE_BY_SIDE]
    ]
    return Comparison(
        heading=outline.heading,
        kind=siblings.kind,
        parent=read_messages(connection, [outline.message_ids[parent]])[0] if parent >= 0 else None,
        versions=versions,
        start=start,
        count=len(siblings.positions),
    )


def read_place(connection: psycopg.Connection[Any], name: str, page: int) -> Place:
    """Return where a page of a dialogue stands, as search results and citations name it.

    The path is that of its last message: several answers to one prompt are pages that begin alike.

    Raises:
        UnknownDialogueError: there is no such dialogue or page.
    """
    outline = read_outline(connection, name)
    ends = ends_of_page(connection, outline.heading.dialogue_id, page)
    if ends is None:
        raise UnknownDialogueError(f"the dialogue {outline.heading.partition_key!r} has no page {page:,}")
    first, last = ends
    # An import may have taken either away since the page was made.
    at = _position(outline, first if first in outline.position_of else last)
    path = _path(outline, at, last)
    # The first box of the page; of a page without one the box that comes next.
    shown = next(iter(outline.boxes(path[path.index(at) :])), at)
    return Place(outline.heading.partition_key, outline.message_ids[shown], last)


def _path(outline: Outline, at: int, through: str | None) -> list[int]:
    path = outline.path_through(outline.position_of.get(through or "", at))
    return path if at in path else outline.path_through(at)


def _version(connection: psycopg.Connection[Any], outline: Outline, sibling: int, number: int) -> Version:
    path = outline.path_through(sibling)
    below = outline.boxes(path[path.index(sibling) :])
    ids = [outline.message_ids[position] for position in below[:MESSAGES_OF_VERSION]]
    messages = read_messages(connection, ids)
    return Version(outline.message_ids[sibling], number, messages, len(below) - len(messages))


def _versions(outline: Outline, position: int) -> Versions | None:
    siblings = outline.siblings_of(position)
    count = len(siblings.positions)
    if count == 1:
        return None
    index = siblings.positions.index(position)
    beside = [
        outline.message_ids[siblings.positions[other]] if 0 <= other < count else None
        for other in (index - 1, index + 1)
    ]
    return Versions(siblings.kind, index + 1, count, *beside)


def _position(outline: Outline, message_id: str) -> int:
    if message_id not in outline.position_of:
        raise UnknownDialogueError(f"the dialogue {outline.heading.partition_key!r} has no message {message_id!r}")
    return outline.position_of[message_id]
