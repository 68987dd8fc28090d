"""Queries that know the dialogue of what they join ask its hash partition alone."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from archive_pipeline.building.dialogues import build_stale
from archive_pipeline.settings import Settings
from archive_pipeline.store.database import Database
from archive_pipeline.store.sql_files import load_query
from archive_pipeline.store.table_partitions import partition_tables
from archive_pipeline_tests.exports import chain, chatgpt, load
from archive_pipeline_tests.tables import query

pytestmark = pytest.mark.postgres

COUNT = 4
VIEW = "SELECT * FROM derived.searchable_chunks WHERE doc_id = %(doc_id)s::uuid AND page = 2"
# Query -> what stands for its placeholders, and the joined tables by their aliases.
QUERIES: dict[str, tuple[dict[str, str], set[str]]] = {
    "match/match_following": ({}, {"child", "response", "message"}),
    "match/match_responses": ({"column": "context_hash"}, {"child", "response", "message"}),
    "match/responses_in_dialogue": ({"is_child": "TRUE"}, {"child", "prompt", "response", "message"}),
    "match/response_above": ({}, {"above"}),
    "search/chunks_of_pages": ({}, {"pair"}),
    "pages/read_pages": ({}, {"dialogue_page", "content"}),
    "pages/pages_to_cite": ({}, {"content"}),
    "pages/find_pair": ({}, {"chunk"}),
    "reading/ends_of_page": ({}, {"exchange"}),
    "searchable_chunks": ({}, {"pair", "exchange", "dialogue", "message"}),
}


@pytest.fixture
def spread(new_migrated_database: Callable[[], Database], tmp_path: Path, settings: Settings) -> Database:
    """An archive in partitions, each of which has dialogues."""
    database = new_migrated_database()
    list(partition_tables(database, COUNT))
    talks = (chain(*(f"{'say' if turn % 2 else 'ask'} {at} {turn}" for turn in range(6))) for at in range(24))
    load(database, tmp_path / "talks.json", *(chatgpt(f"c{at}", talk) for at, talk in enumerate(talks)))
    build_stale(database, settings)
    assert query(database, "SELECT count(DISTINCT tableoid) FROM raw.dialogues") == [(COUNT,)]
    return database


def asked_scans(database: Database, statement: str, parameters: dict[str, Any]) -> dict[str, set[str]]:
    """Return, per alias, the partitions that were asked; every join is made by look-ups, as in an archive of a size."""
    with database.session() as connection:
        connection.execute("ANALYZE")
        for way in ("hashjoin", "mergejoin", "seqscan", "material", "memoize"):
            connection.execute(f"SET LOCAL enable_{way} = off".encode())
        [(plans,)] = connection.execute(f"EXPLAIN (ANALYZE, FORMAT JSON) {statement}".encode(), parameters).fetchall()
    asked: dict[str, set[str]] = {}
    for node in _nodes(plans[0]["Plan"]):
        if "Relation Name" in node and node["Actual Loops"]:
            asked.setdefault(re.sub(r"_\d+$", "", node["Alias"]), set()).add(node["Relation Name"])
    return asked


def _nodes(plan: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield plan
    for below in plan.get("Plans", []):
        yield from _nodes(below)


def parameters_of(database: Database) -> dict[str, Any]:
    """Return what the queries ask about: a prompt in the middle of one dialogue."""
    (context,) = query(
        database,
        "SELECT context.dialogue_id::text, context.message_id::text, context.context_hash "
        "FROM derived.message_contexts AS context INNER JOIN raw.messages AS message "
        "ON message.id = context.message_id AND message.dialogue_id = context.dialogue_id "
        "WHERE message.role = 'user' ORDER BY message.sequence_number DESC, message.id LIMIT 1",
    )
    dialogue, message, context_hash = context
    [(pair,)] = query(database, f"SELECT min(pair_id) FROM derived.qa_pairs WHERE dialogue_id = '{dialogue}'")  # noqa: S608
    asked = {"hash": context_hash, "dialogue_id": dialogue, "message_id": message, "prompt_hash": None, "name": pair}
    pages = {"doc_id": dialogue, "doc_ids": [dialogue], "pages": [2], "page": 2, "first_page": 1, "last_page": 3}
    return {**asked, **pages, "model": None, "most": 9}


def test_the_partition_of_a_dialogue_is_asked_alone(spread: Database):
    parameters, wanted, asked = parameters_of(spread), {}, {}
    for name, (placeholders, aliases) in QUERIES.items():
        statement = VIEW if name == "searchable_chunks" else load_query(name)
        for placeholder, value in placeholders.items():
            statement = statement.replace(f"{{{placeholder}}}", value)
        # What is looked up by a hash alone may be in any dialogue.
        is_anywhere = name in {"match/match_following", "match/match_responses"}
        found = asked_scans(spread, statement, parameters | ({"dialogue_id": None} if is_anywhere else {}))
        wanted[name] = dict.fromkeys(aliases, 1)
        asked[name] = {alias: len(found.get(alias, ())) for alias in aliases}
    assert asked == wanted
