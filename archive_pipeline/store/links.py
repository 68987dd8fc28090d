"""Exact links between dialogues (``raw.dialogue_links``): copies of messages, by their ids, and subagents.

Of the dialogues of a source that share a message, the one that began first has it first. Copies of a session that say
they began when it did have all of its messages: of equal beginnings, or without a time, the dialogue that most of the
others contain is first, then the one that was changed first, then that of the smaller id. What a dialogue shares counts
from its root on, without a gap; its original is the one that had the last of these messages first. A subagent is linked
with the dialogue that it names as its parent, while that is stored. So links follow from what is stored, in whichever
order it came.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import permutations
from typing import Any

import psycopg
from psycopg.rows import class_row

from archive_pipeline.store.by_index import by_index
from archive_pipeline.store.rows import fetch_column
from archive_pipeline.store.sql_files import load_query


@dataclass(frozen=True, slots=True)
class _Shared:
    """A message that others have too, with the dialogues that began first of those that have it."""

    dialogue_id: str
    message_id: str
    parent_id: str | None
    first_ids: list[str]


def sharing_dialogues(connection: psycopg.Connection[Any], dialogue_ids: Sequence[str]) -> list[str]:
    """Return the dialogues whose links may change with the given ones, sorted; of those, the ones that may have any."""
    if not dialogue_ids:
        return []
    with by_index(connection):
        return sorted(fetch_column(connection, "links/sharing_dialogues", str, {"ids": list(dialogue_ids)}))


def refresh_links(connection: psycopg.Connection[Any], dialogue_ids: Sequence[str]) -> None:
    """Bring the links up to date after some dialogues changed, in the caller's transaction."""
    find_links_anew(connection, sharing_dialogues(connection, dialogue_ids))


def find_links_anew(connection: psycopg.Connection[Any], dialogue_ids: Sequence[str]) -> None:
    """Replace the links that lead from some dialogues to their originals and parents."""
    if not dialogue_ids:
        return
    parameters = {"ids": list(dialogue_ids)}
    with by_index(connection), connection.cursor(row_factory=class_row(_Shared)) as cursor:
        shared = cursor.execute(load_query("links/shared_messages"), parameters).fetchall()
        places = _places(connection, shared)
    found = list(_links(shared, places))
    connection.execute(load_query("links/delete_links"), parameters)
    if found:
        columns = zip(*found, strict=True)
        names = ("dialogue_ids", "original_ids", "shared_messages")
        connection.execute(load_query("links/insert_links"), dict(zip(names, map(list, columns), strict=True)))
    with by_index(connection):
        connection.execute(load_query("links/insert_subagent_links"), parameters)


def find_all_links(connection: psycopg.Connection[Any]) -> None:
    """Replace all links of the archive."""
    find_links_anew(connection, fetch_column(connection, "links/all_dialogues", str))


def _places(connection: psycopg.Connection[Any], shared: Iterable[_Shared]) -> dict[str, int]:
    """Return the places of dialogues that share messages and began at one time, the earliest first."""
    groups = {frozenset(message.first_ids) for message in shared if len(message.first_ids) > 1}
    pairs = sorted({pair for group in groups for pair in permutations(group, 2)})
    parameters = {"dialogue_ids": [one for one, _ in pairs], "other_ids": [other for _, other in pairs]}
    ids = fetch_column(connection, "links/earliest_dialogues", str, parameters) if pairs else []
    return {dialogue_id: place for place, dialogue_id in enumerate(ids)}


def _links(shared: Iterable[_Shared], places: Mapping[str, int]) -> Iterator[tuple[str, str, int]]:
    """Yield dialogue, original and number of shared messages, of each dialogue that begins with shared ones."""
    by_dialogue: defaultdict[str, list[_Shared]] = defaultdict(list)
    originals: dict[str, str] = {}
    for message in shared:
        original = min(message.first_ids, key=lambda name: places.get(name, 0))
        if original != message.dialogue_id:
            by_dialogue[message.dialogue_id].append(message)
            originals[message.message_id] = original
    for dialogue_id, messages in by_dialogue.items():
        depths = _depths(messages)
        if depths:
            last = max((depth, message_id) for message_id, depth in depths.items())[1]
            yield dialogue_id, originals[last], len(depths)


def _depths(messages: Sequence[_Shared]) -> dict[str, int]:
    """Return the depths of the messages down to which nothing but shared ones stands."""
    parents = {message.message_id: message.parent_id for message in messages}
    depths: dict[str, int | None] = {}
    for start in parents:
        trail: list[str] = []
        current: str | None = start
        while current is not None and current in parents and current not in depths:
            trail.append(current)
            depths[current] = None
            current = parents[current]
        depth = 0 if current is None else depths.get(current)
        for message_id in reversed(trail):
            depth = None if depth is None else depth + 1
            depths[message_id] = depth
    return {message_id: depth for message_id, depth in depths.items() if depth is not None}
