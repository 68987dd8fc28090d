"""Reading what is known of duplicates: the clusters, how old they are, and how many there are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

import psycopg
from psycopg.rows import dict_row

from archive_pipeline.store.rows import fetch_row
from archive_pipeline.store.sql_files import load_query

DUPLICATES: Final = "duplicate_clusters"


@dataclass(frozen=True, slots=True)
class DuplicatesState:
    """How old the clusters are.

    Attributes:
        computed_at: when they were computed, None for never.
        changed_dialogues: dialogues that came or changed since, or that the clusters of a deleted one were about.
    """

    computed_at: datetime | None
    changed_dialogues: int


@dataclass(frozen=True, slots=True)
class Choice:
    """Which clusters to show.

    Attributes:
        entity_types: ``message``, ``exchange``, ``dialogue``.
        method: that one, or None for the widest one that each cluster is found by.
        min_similarity: of every member to the kept one.
    """

    entity_types: Sequence[str]
    method: str | None
    min_similarity: float


def duplicates_state(connection: psycopg.Connection[Any], code_version: str) -> DuplicatesState:
    """Return how old the clusters are; ``code_version`` is that of the code which would make them now."""
    parameters = {"asset": DUPLICATES, "code_version": code_version}
    state = fetch_row(connection, "duplicates/duplicates_state", DuplicatesState, parameters)
    return DuplicatesState(None, 0) if state is None else state


def totals(connection: psycopg.Connection[Any], choice: Choice) -> list[dict[str, Any]]:
    """Return per entity type the numbers of clusters and copies, those of shared prefixes apart."""
    with connection.cursor(row_factory=dict_row) as cursor:
        return cursor.execute(load_query("duplicates/duplicates_totals"), _parameters(choice)).fetchall()


def listed(connection: psycopg.Connection[Any], choice: Choice, limit: int) -> list[dict[str, Any]]:
    """Return the clusters with the most copies by content, with the beginning of the kept member's text."""
    parameters = {**_parameters(choice), "number": limit}
    with connection.cursor(row_factory=dict_row) as cursor:
        return cursor.execute(load_query("duplicates/duplicates_listed"), parameters).fetchall()


def _parameters(choice: Choice) -> dict[str, Any]:
    return {
        "entity_types": list(choice.entity_types),
        "method": choice.method,
        "min_similarity": choice.min_similarity,
    }
