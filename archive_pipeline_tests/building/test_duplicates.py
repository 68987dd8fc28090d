"""Duplicates of a real archive: stored, replaced, the same in any order of imports, and how old they are."""

from __future__ import annotations

import uuid
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from archive_pipeline.building.dialogues import build_stale
from archive_pipeline.building.duplicates import duplicates_version, refresh_duplicates
from archive_pipeline.domain.choices import Normalization
from archive_pipeline.settings import Settings
from archive_pipeline.store.database import Database
from archive_pipeline.store.duplicates import Choice, DuplicatesState, duplicates_state, listed, totals
from archive_pipeline.store.raw_writes import delete_dialogues
from archive_pipeline_tests.conftest import empty
from archive_pipeline_tests.derive.batches import Row, Talk, batch_of, store
from archive_pipeline_tests.duplicates.finding import changed, prose, run
from archive_pipeline_tests.exports import Said, chain, chatgpt, claude, load
from archive_pipeline_tests.tables import query

pytestmark = pytest.mark.postgres

LONG = prose(60)
TALKS = [
    chatgpt("fork", chain("What is this about?", LONG, "And what is that?", prose(40, step=11))),
    chatgpt("forked", chain("What is this about?", LONG, "Or something else?", prose(40, step=13))),
    claude("again", "Say it again, please: what is it?", changed(LONG, 30)),
    claude("other", prose(30, step=17), prose(30, step=19)),
]


def rows(database: Database) -> list[tuple[str]]:
    return query(database, "SELECT cluster::text FROM derived.duplicate_clusters AS cluster ORDER BY 1")


def state(database: Database, settings: Settings) -> DuplicatesState:
    with database.session() as connection:
        return duplicates_state(connection, duplicates_version(settings))


def test_clusters_are_stored_with_what_was_found(database: Database, settings: Settings, tmp_path: Path) -> None:
    load(database, tmp_path / "talks.json", *TALKS)
    result = refresh_duplicates(database, settings)
    assert (result.dialogues, result.messages, result.compared) == (4, 12, {"message": 8, "exchange": 6, "dialogue": 0})
    found = query(
        database,
        "SELECT method, entity_type, cluster_size, content_copies, prefix_copies, dialogue_count, is_widest "
        "FROM derived.duplicate_clusters_v ORDER BY 1, 2",
    )
    # The forks share question and answer; what is said again differs in one word of the answer and in the question.
    assert found == [
        ("exact:full", "exchange", 2, 0, 1, 2, False),
        ("exact:full", "message", 2, 0, 1, 2, False),
        ("exact:none", "exchange", 2, 0, 1, 2, False),
        ("exact:none", "message", 2, 0, 1, 2, False),
        ("near", "exchange", 3, 1, 1, 3, True),
        ("near", "message", 3, 1, 1, 3, True),
    ]
    assert result.clusters == {"exact:none": 2, "exact:full": 2, "near": 2}
    assert (result.rows, result.content_copies, result.prefix_copies) == (14, 2, 6)
    assert not list(settings.home.glob("tmp*"))  # the shingles are gone


def test_the_order_of_imports_changes_nothing(database: Database, settings: Settings, tmp_path: Path) -> None:
    load(database, tmp_path / "all.json", *TALKS)
    refresh_duplicates(database, settings)
    together = rows(database)
    assert together
    empty(database)
    for number, talk in enumerate(reversed(TALKS)):
        load(database, tmp_path / f"{number}.json", talk)
        refresh_duplicates(database, settings)
    assert rows(database) == together


def test_what_changed_is_replaced_and_what_is_gone_goes(database: Database, settings: Settings, tmp_path: Path) -> None:
    load(database, tmp_path / "1.json", *TALKS)
    refresh_duplicates(database, settings)
    edited = chatgpt("forked", [Said("m0", None, "user", prose(30, step=23))], updated=1_800_000_000.0)
    load(database, tmp_path / "2.json", edited)
    assert state(database, settings).changed_dialogues == 1
    refresh_duplicates(database, settings)
    assert state(database, settings).changed_dialogues == 0
    incremental = rows(database)
    empty(database)
    load(database, tmp_path / "3.json", TALKS[0], edited, *TALKS[2:])
    refresh_duplicates(database, settings)
    # A message that was deleted and one that never was there are the same to duplicates.
    assert rows(database) == incremental


def test_runs_of_a_task_are_stored_listed_and_gone_with_one_of_two(database: Database, settings: Settings) -> None:
    talks = [_after_what_nobody_sees(run(name, ["a", "b", "c", name])) for name in ("alpha", "gamma")]
    store(database, batch_of(*talks, run("other", "def")))
    result = refresh_duplicates(database, settings)
    assert (result.compared["dialogue"], result.clusters) == (3, {"runs": 1})
    with database.session() as connection:
        [cluster] = listed(connection, Choice(["dialogue"], None, 0.7), 5)
        [total] = totals(connection, Choice(["dialogue"], "runs", 0.7))
        assert listed(connection, Choice(["dialogue"], None, 0.8), 5) == []  # three of four results
    kept = min(talk.id for talk in talks)
    assert (cluster["kept_entity_id"], cluster["keep_reason"], cluster["dialogue_count"]) == (kept, "smallest_id", 2)
    assert cluster["beginning"] == f"what {next(talk.name for talk in talks if talk.id == kept)} asks"
    assert (total["content_clusters"], total["content_copies"], total["prefix_copies"]) == (1, 1, 0)
    with database.session() as connection:
        delete_dialogues(connection, [talks[1].id])
    assert rows(database) == []


def _after_what_nobody_sees(talk: Talk) -> Talk:
    hidden = Row("hidden", None, "user", "Instructions.", is_hidden=True)
    blank = Row("blank", hidden.id, "user", " \n")
    return replace(talk, rows=(hidden, blank, replace(talk.rows[0], parent=blank.id), *talk.rows[1:]))


def test_exact_clusters_are_what_content_hashes_say(database: Database, settings: Settings, tmp_path: Path) -> None:
    load(database, tmp_path / "talks.json", *TALKS)
    build_stale(database, settings)
    refresh_duplicates(database, settings)
    by_hash = query(
        database,
        "SELECT 'exact:' || normalization, array_agg(entity_id ORDER BY entity_id) FROM derived.content_hashes "
        "WHERE hash_scope = 'full' GROUP BY normalization, entity_type, hash_sha256 HAVING count(*) > 1",
    )
    by_cluster = query(
        database,
        "SELECT method, array_agg(entity_id ORDER BY entity_id) FROM derived.duplicate_clusters "
        "WHERE method <> 'near' GROUP BY method, cluster_id",
    )
    short = {"What is this about?"}
    texts = dict(query(database, "SELECT message_id, text_content FROM raw.content_parts"))
    assert sorted(by_cluster) == sorted(row for row in by_hash if texts.get(row[1][0]) not in short)


def test_age_is_told(database: Database, settings: Settings, tmp_path: Path) -> None:
    assert state(database, settings) == DuplicatesState(None, 0)
    load(database, tmp_path / "1.json", *TALKS[:2])
    assert state(database, settings) == DuplicatesState(None, 2)
    refresh_duplicates(database, settings)
    first = state(database, settings)
    assert first.computed_at is not None
    assert first.changed_dialogues == 0
    load(database, tmp_path / "2.json", *TALKS)
    assert state(database, settings) == DuplicatesState(first.computed_at, 2)
    with database.session() as connection:  # other settings find other clusters
        other = duplicates_version(Settings(home=settings.home, hash_normalizations=(Normalization.NONE,)))
        assert duplicates_state(connection, other).changed_dialogues == 4


def test_clusters_of_a_deleted_dialogue_go_and_the_others_in_them_count_as_changed(
    database: Database, settings: Settings, tmp_path: Path
) -> None:
    load(database, tmp_path / "1.json", *TALKS)
    refresh_duplicates(database, settings)
    delete(database, "chatgpt-fork")
    assert rows(database) == []
    assert state(database, settings).changed_dialogues == 2
    refresh_duplicates(database, settings)
    assert query(database, "SELECT DISTINCT method, cluster_size FROM derived.duplicate_clusters") == [("near", 2)]


def delete(database: Database, key: str) -> None:
    with database.session() as connection:
        for (dialogue,) in connection.execute(
            "SELECT id FROM raw.dialogues WHERE partition_key = %s", [key]
        ).fetchall():
            delete_dialogues(connection, [str(dialogue)])


def test_a_dialogue_that_is_deleted_meanwhile_is_left_out(
    database: Database, settings: Settings, tmp_path: Path
) -> None:
    load(database, tmp_path / "1.json", *TALKS)
    rounds: list[tuple[int, int]] = []

    def delete_in_first_round(_asset: str, done: int, total: int) -> None:
        rounds.append((done, total))
        if len(rounds) == 2:
            delete(database, "chatgpt-fork")

    result = refresh_duplicates(database, settings, progress=delete_in_first_round)
    assert (rounds, result.dialogues) == ([(0, 12), (12, 12), (0, 8), (8, 8)], 3)
    assert query(database, "SELECT DISTINCT method, cluster_size FROM derived.duplicate_clusters") == [("near", 2)]


def test_only_the_configured_normalisations_are_looked_at(
    database: Database, settings: Settings, tmp_path: Path
) -> None:
    load(database, tmp_path / "1.json", *TALKS)
    result = refresh_duplicates(database, Settings(home=settings.home, hash_normalizations=(Normalization.WHITESPACE,)))
    assert result.clusters == {"exact:whitespace": 2, "near": 2}


def linked(name: str, *said: tuple[str, str], began: float) -> dict[str, Any]:
    """A conversation whose messages have the ids of their first words."""
    ids = [str(uuid.uuid5(uuid.NAMESPACE_OID, key)) for key, _ in said]
    messages = [
        Said(ids[at], ids[at - 1] if at else None, ["user", "assistant"][at % 2], text, began + at)
        for at, (_, text) in enumerate(said)
    ]
    return chatgpt(name, messages, create_time=began)


def test_copies_by_their_ids_are_prefix_copies_whatever_was_changed(
    database: Database, settings: Settings, tmp_path: Path
) -> None:
    question, answer = ("q", prose(30)), ("a", prose(60, step=11))
    original = linked("original", question, answer, began=100.0)
    # Only the question is shared: its answer was made anew in a new chat. By texts alone it would be asked again.
    anew = linked("anew", question, ("b", prose(60, step=13)), began=200.0)
    # The copy's answer differs in a word.
    edited = linked("edited", question, ("a", changed(answer[1], 30)), began=300.0)
    asked_again = linked("asked-again", ("r", question[1]), ("c", prose(60, step=17)), began=400.0)
    load(database, tmp_path / "talks.json", original, anew, edited, asked_again)
    refresh_duplicates(database, settings)
    kinds = query(
        database,
        "SELECT cluster.method, cluster.copy_kind, count(*) FROM derived.duplicate_clusters AS cluster "
        "WHERE cluster.entity_type = 'message' AND NOT cluster.is_kept GROUP BY 1, 2 ORDER BY 1, 2",
    )
    assert kinds == [
        ("exact:full", "content", 1),  # the question that was asked again
        ("exact:full", "prefix", 2),
        ("exact:none", "content", 1),
        ("exact:none", "prefix", 2),
        ("near", "prefix", 1),  # the edited answer
    ]
