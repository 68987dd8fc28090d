"""Finding dialogues by what a person knows of them: lists by conditions, and the one that a name means."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any, Final, Literal

import psycopg
from psycopg.rows import class_row

from archive_pipeline.domain.choices import DialogueSort
from archive_pipeline.domain.conditions import like_part
from archive_pipeline.errors import AmbiguousDialogueError, UnknownDialogueError
from archive_pipeline.store.rows import fetch_column, fetch_rows
from archive_pipeline.store.sql_files import load_query
from archive_pipeline.store.staleness import find_dialogue
from archive_pipeline.text.dialogue_names import dialogue_name, title_or_prompt

MOST_CANDIDATES: Final = 10
_UUID_DIGITS: Final = 32
_HIGHEST: Final = "\x7f"  # keys are ASCII


@dataclass(frozen=True, slots=True)
class ListFilters:
    """Conditions that all hold for what is listed; None is no condition.

    Attributes:
        source, model, tag: of the dialogue, of one of its messages, of its annotations.
        title: a part of the title, in any case.
        since, until: a time of the dialogue: at or after, before.
        workspace: its project or custom GPT: the id, or the name in any case.
        archived, starred: what the user did with it in the source, as far as that says so; pinned is starred.
    """

    source: str | None = None
    model: str | None = None
    title: str | None = None
    tag: str | None = None
    since: datetime | None = None
    until: datetime | None = None
    workspace: str | None = None
    archived: bool | None = None
    starred: bool | None = None


@dataclass(frozen=True, slots=True)
class ListedDialogue:
    """A dialogue as a person knows it.

    Attributes:
        first_prompt: of one without a title how the user's first text begins.
        is_subagent: another dialogue started it.
        messages: all live ones.
        shown_messages: those that a reader sees, neither hidden nor empty.
        branches: how many paths it has; None until they are built.
    """

    dialogue_id: str
    partition_key: str
    title: str | None
    first_prompt: str | None
    source: str
    created_at: datetime | None
    updated_at: datetime | None
    imported_at: datetime
    is_subagent: bool
    messages: int
    shown_messages: int
    branches: int | None
    models: list[str]
    tags: list[str]

    @property
    def name(self) -> str:
        """What people call it."""
        return dialogue_name(self.title, self.first_prompt)

    @property
    def shown_at(self) -> datetime:
        """When it was last changed, else began, else was imported."""
        return self.updated_at or self.created_at or self.imported_at


@dataclass(frozen=True, slots=True)
class Workspace:
    """A project or custom GPT; no export names it, copies of the web pages' own data do."""

    id: str
    name: str | None


@dataclass(frozen=True, slots=True)
class DialoguePage:
    """Some dialogues of a list, and whether others follow."""

    dialogues: Sequence[ListedDialogue]
    has_more: bool


@dataclass(frozen=True, slots=True)
class Candidate:
    """A dialogue that a name may mean; ``kind`` is 1 for a prefix of a key, 2 for a title, 3 for a part of one."""

    dialogue_id: str
    partition_key: str
    title: str | None
    first_prompt: str | None
    last_at: datetime | None
    kind: int


def list_dialogues(
    connection: psycopg.Connection[Any], filters: ListFilters, sort: DialogueSort, limit: int
) -> list[ListedDialogue]:
    """Return at most ``limit`` dialogues; those of equal rank are in the order of their keys.

    ``since`` and ``until`` are compared with when a dialogue began.
    """
    return _listed_dialogues(connection, filters, sort=sort, times="began", limit=limit, before=None)


def page_of_dialogues(
    connection: psycopg.Connection[Any],
    filters: ListFilters,
    *,
    limit: int,
    after: tuple[datetime, str] | None = None,
) -> DialoguePage:
    """Return a page of the list by ``shown_at``, the latest first.

    Args:
        connection: to the archive.
        filters: ``since`` and ``until`` are compared with ``shown_at``.
        limit: most dialogues.
        after: ``shown_at`` and id of the last dialogue of the page before.
    """
    found = _listed_dialogues(connection, filters, sort="shown", times="shown", limit=limit + 1, before=after)
    return DialoguePage(found[:limit], len(found) > limit)


def sources_of_dialogues(connection: psycopg.Connection[Any]) -> list[str]:
    """Return the sources that a dialogue is from, by name."""
    return fetch_column(connection, "dialogues/sources_of_dialogues", str)


def workspaces_of_dialogues(connection: psycopg.Connection[Any], limit: int) -> list[Workspace]:
    """Return the projects and custom GPTs that a dialogue belongs to, those with a name first."""
    return fetch_rows(connection, "dialogues/workspaces_of_dialogues", Workspace, {"limit": limit})


def _listed_dialogues(
    connection: psycopg.Connection[Any],
    filters: ListFilters,
    *,
    sort: DialogueSort | Literal["shown"],
    times: Literal["began", "shown"],
    limit: int,
    before: tuple[datetime, str] | None,
) -> list[ListedDialogue]:
    before_at, before_id = before or (None, None)
    parameters = {
        **asdict(filters),
        "title": None if filters.title is None else like_part(filters.title),
        "sort": sort,
        "times": times,
        "limit": limit,
        "before_at": before_at,
        "before_id": before_id,
    }
    return fetch_rows(connection, "dialogues/list_dialogues", ListedDialogue, parameters)


def resolve_dialogue(connection: psycopg.Connection[Any], name: str) -> str:
    """Return the id of the dialogue that a name means.

    A key or id is tried first, then a unique prefix of a key, of an id or of the source's own id, then a whole title,
    then a unique part of one.

    Raises:
        UnknownDialogueError: none has it.
        AmbiguousDialogueError: several have it.
    """
    exact = find_dialogue(connection, name)
    if exact is not None:
        return exact.id
    candidates = find_candidates(connection, name)
    if not candidates:
        raise UnknownDialogueError(
            f"no dialogue has the key, id or title {name!r}; `llm-archive list` shows what there is"
        )
    best = [candidate for candidate in candidates if candidate.kind == candidates[0].kind]
    if len(best) > 1:
        raise AmbiguousDialogueError(_listed(name, best))
    return best[0].dialogue_id


def find_candidates(connection: psycopg.Connection[Any], name: str) -> Sequence[Candidate]:
    """Return the dialogues that a name may mean, best first, one more than ``MOST_CANDIDATES`` at most."""
    if not name or "\0" in name:
        return ()
    sources = [source for (source,) in connection.execute(load_query("dialogues/source_names")).fetchall()]
    first_id, last_id = _id_range(name)
    prefixes = [name, *(f"{source}-{name}" for source in sources)] if name.isascii() else []
    parameters = {
        "name": name,
        "title": like_part(name),
        "first_keys": prefixes,
        "last_keys": [prefix + _HIGHEST for prefix in prefixes],
        "first_id": first_id,
        "last_id": last_id,
        "limit": MOST_CANDIDATES + 1,
    }
    with connection.cursor(row_factory=class_row(Candidate)) as cursor:
        return cursor.execute(load_query("dialogues/dialogue_candidates"), parameters).fetchall()


def _id_range(name: str) -> tuple[str | None, str | None]:
    """Return the first and last id that begin with the digits of a name, if it has nothing else."""
    digits = name.replace("-", "").lower()
    if not digits or len(digits) > _UUID_DIGITS or set(digits) - set("0123456789abcdef"):
        return None, None
    return str(uuid.UUID(digits.ljust(_UUID_DIGITS, "0"))), str(uuid.UUID(digits.ljust(_UUID_DIGITS, "f")))


def _listed(name: str, candidates: Sequence[Candidate]) -> str:
    shown = [f"{each.partition_key} ({_described(each)})" for each in candidates[:MOST_CANDIDATES]]
    more = " and more" if len(candidates) > MOST_CANDIDATES else ""
    return f"{name!r} may be {', '.join(shown)}{more}; give more of the key"


def _described(candidate: Candidate) -> str:
    name = title_or_prompt(candidate.title, candidate.first_prompt) or "untitled"
    return name if candidate.last_at is None else f"{name}, {candidate.last_at:%Y-%m-%d}"
