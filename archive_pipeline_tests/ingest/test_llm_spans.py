"""Spans of one conversation in several files: each adds what it has, whichever comes first, and takes nothing back."""

from __future__ import annotations

import json
from itertools import permutations
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import text as sql

from archive_pipeline.ingest.importer import import_archive
from archive_pipeline.ingest.layer_bytes import decode_layer
from archive_pipeline.ingest.prepare import PreparedDialogue
from archive_pipeline.readers.reading import read_paths
from archive_pipeline.store.database import Database
from archive_pipeline_tests.readers.spans import answer, call, chat, otlp, said, span, text

pytestmark = pytest.mark.postgres

ONE = said("user", text("weather in Paris?"))
TWO = said("assistant", text("It rains."))
THREE = said("user", text("and London?"))
FOUR = said("assistant", text("Sun."))
FIVE = said("user", text("thanks"))
CALLS = (
    call(1, [ONE], answer("It rains."), model="gpt-1"),
    call(2, [ONE, TWO, THREE], answer("Sun."), model="gpt-2"),
    call(3, [ONE, TWO, THREE, FOUR, FIVE], answer("Bye."), model="gpt-3"),
)
ROWS = """
SELECT said.source_id, said.source_parent_id, said.role, said.model, said.created_at, said.source_json::text,
       said.deleted_at
FROM raw.messages AS said ORDER BY said.source_id
"""


def load(database: Database, path: Path, *spans: Any) -> Any:
    path.write_text(json.dumps(otlp(*spans)) + "\n", encoding="utf-8")
    return import_archive(database, read_paths([path]))


def rows(database: Database) -> list[tuple[Any, ...]]:
    with database.engine.connect() as connection:
        return [tuple(row) for row in connection.execute(sql(ROWS))]


def layers(database: Database) -> list[PreparedDialogue]:
    with database.engine.connect() as connection:
        found = connection.execute(sql("SELECT layer FROM raw.dialogue_vintages ORDER BY vintage")).scalars()
        return [decode_layer(layer) for layer in found]


def clear(database: Database) -> None:
    with database.engine.begin() as connection:
        connection.execute(sql("DELETE FROM raw.dialogues"))


def test_parts_of_a_conversation_are_the_same_in_any_order(database: Database, tmp_path: Path):
    load(database, tmp_path / "all.jsonl", *CALLS)
    whole = rows(database)
    assert [row[3] for row in whole if row[3]] != []
    assert len(whole) == 6
    for order in permutations(range(3)):
        clear(database)
        for number in order:
            load(database, tmp_path / f"{number}.jsonl", CALLS[number])
        assert rows(database) == whole, order
        # Of each layer but the last only what no later one has with a time is kept.
        assert [len(layer.messages) for layer in layers(database)] == [2, 2, 6]


def test_a_layer_that_comes_again_is_known_without_the_others(database: Database, tmp_path: Path):
    for number, each in enumerate(CALLS):
        load(database, tmp_path / f"{number}.jsonl", each)
    with database.engine.begin() as connection:
        damage = sql("UPDATE raw.dialogue_vintages SET layer = 'damaged' WHERE vintage NOT LIKE :own")
        connection.execute(damage, {"own": "%41+00:00"})
    again = load(database, tmp_path / "1.jsonl", CALLS[1])
    assert (again.dialogues["unchanged"], again.rejected) == (1, [])


def test_a_file_that_has_grown_adds_and_one_read_again_changes_nothing(database: Database, tmp_path: Path):
    load(database, tmp_path / "a.jsonl", *CALLS[:2])
    assert load(database, tmp_path / "a.jsonl", *CALLS).dialogues["changed"] == 1
    whole = rows(database)
    assert load(database, tmp_path / "a.jsonl", *CALLS).dialogues["unchanged"] == 1
    assert load(database, tmp_path / "old.jsonl", *CALLS[:2]).dialogues["changed"] == 0
    assert rows(database) == whole


def test_parts_of_one_import_are_added_to_each_other(database: Database, tmp_path: Path):
    for number, each in enumerate(CALLS):
        (tmp_path / f"{2 - number}.jsonl").write_text(json.dumps(otlp(each)), encoding="utf-8")
    summary = import_archive(database, read_paths([tmp_path]))
    assert summary.rejected == []
    models = {row[3] for row in rows(database)}
    assert models == {None, "gpt-1", "gpt-2", "gpt-3"}


def agent(number: int, given: list[Any], answered: Any) -> Any:
    return call(number, given, answered, **{"gen_ai.operation.name": "invoke_agent"})


def test_an_agent_in_another_file_than_the_calls_of_its_models_gives_way_to_them(database: Database, tmp_path: Path):
    system = said("system", text("Be brief."))
    parts = (
        agent(0, [ONE], answer("It rains.")),
        call(1, [system, ONE], answer("It rains.")),
        call(3, [system, ONE, TWO, THREE], answer("Sun.")),
    )
    load(database, tmp_path / "calls.jsonl", *parts[1:])
    whole = rows(database)
    assert len(whole) == 5
    for order in permutations(range(3)):
        clear(database)
        for number in order:
            load(database, tmp_path / f"{number}.jsonl", parts[number])
        assert [row for row in rows(database) if row[-1] is None] == whole, order
        with database.engine.connect() as connection:
            kept = connection.execute(sql("SELECT source_json -> 'spans' FROM raw.dialogues")).scalar_one()
        assert [*kept] == [f"{0:016x}"]
        assert load(database, tmp_path / "0.jsonl", parts[0]).dialogues["unchanged"] == 1


def test_a_trace_that_is_found_to_be_of_a_session_stays_and_the_query_of_the_docs_finds_it(
    database: Database, tmp_path: Path
):
    calls = [
        chat(1, [ONE], answer("It rains."), trace="T1"),
        chat(2, [ONE, TWO, THREE], answer("Sun."), trace="T1"),
        chat(3, [ONE], answer("It rains."), trace="T2"),
    ]
    load(database, tmp_path / "a.jsonl", *calls)
    load(database, tmp_path / "a.jsonl", *calls, span(0, {"session.id": "s-1"}, trace="T1"))
    docs = Path(__file__).parents[2] / "docs" / "llm_spans.md"
    query = docs.read_text("utf-8").partition("```sql")[2].partition("```")[0]
    with database.engine.connect() as connection:
        found = connection.exec_driver_sql(query).all()
        counts = connection.execute(sql("SELECT source_id, message_count FROM raw.dialogues ORDER BY 1")).all()
    assert [tuple(row) for row in counts] == [("T1", 4), ("T2", 2), ("s-1", 4)]
    assert [tuple(row) for row in found] == [("llm_spans-T1", "llm_spans-s-1")]
