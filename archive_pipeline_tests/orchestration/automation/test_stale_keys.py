"""Stale keys as the database finds them: which ones, and what makes an attempt another one."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from archive_pipeline.building.dialogues import build_stale
from archive_pipeline.cli.archive import OpenArchive
from archive_pipeline.cli.derived import plan_all
from archive_pipeline.domain.choices import Partitioning
from archive_pipeline.orchestration.partitions.stale_keys import StaleKey, built_state, imports_state, stale_keys
from archive_pipeline.settings import Settings
from archive_pipeline.store.database import Database
from archive_pipeline.store.staleness import archive_keys
from archive_pipeline_tests.orchestration.conftest import add_dialogues

pytestmark = pytest.mark.postgres


def look(
    database: Database, settings: Settings, attempts: Mapping[int, int] | None = None, limit: int | None = None
) -> list[StaleKey]:
    with database.session() as connection:
        return stale_keys(connection, settings, attempts, limit=limit)


def execute(database: Database, statement: str, *parameters: object) -> None:
    with database.session() as connection:
        connection.execute(statement.encode(), parameters)


def test_a_clock_that_was_ahead_hides_nothing_that_is_built_or_imported_later(
    empty_archive: Database, settings: Settings
) -> None:
    add_dialogues(empty_archive, 2)
    build_stale(empty_archive, settings)
    new = (
        "INSERT INTO raw.imports (id, path, status, started_at, finished_at) "
        "VALUES (gen_random_uuid(), 'x', 'done', {0}, {0})"
    )
    execute(empty_archive, new.format("now() + interval '3 years'"))
    execute(empty_archive, "UPDATE derived.build_state SET built_at = built_at + '3 years' WHERE asset = 'exchanges'")
    found = []
    for _ in range(2):
        with empty_archive.session() as connection:
            found.append((built_state(connection), imports_state(connection)))
        execute(empty_archive, "UPDATE derived.build_state SET built_at = now() WHERE asset = 'qa_pairs'")
        execute(empty_archive, new.format("now()"))
    assert found[0][0] != found[1][0]
    assert found[0][1] != found[1][1]


def test_what_is_missing_changed_or_of_other_code_is_stale(empty_archive: Database, settings: Settings) -> None:
    keys = add_dialogues(empty_archive, 4)
    assert [item.key for item in look(empty_archive, settings)] == keys
    build_stale(empty_archive, settings)
    assert look(empty_archive, settings) == []
    with empty_archive.session() as connection:
        ids = [row[0] for row in connection.execute("SELECT id FROM raw.dialogues ORDER BY id")]
    execute(empty_archive, "DELETE FROM derived.build_state WHERE asset = 'exchanges' AND dialogue_id = %s", ids[0])
    execute(empty_archive, "UPDATE raw.dialogues SET fingerprint = 'other' WHERE id = %s", ids[2])
    execute(
        empty_archive,
        "UPDATE derived.build_state SET code_version = '0' WHERE asset = 'qa_pairs' AND dialogue_id = %s",
        ids[3],
    )
    assert [item.key for item in look(empty_archive, settings)] == [keys[0], keys[2], keys[3]]


def test_the_first_untried_keys_and_all_tried_ones_are_found(empty_archive: Database, settings: Settings) -> None:
    keys = add_dialogues(empty_archive, 7)
    everything = look(empty_archive, settings)
    assert [(item.key, item.attempts) for item in everything] == [(key, 0) for key in keys]
    tried = {everything[1].digest: 2, everything[6].digest: 4, 12345: 1}
    seen = look(empty_archive, settings, tried, limit=2)
    assert [(item.key, item.attempts) for item in seen] == [(keys[0], 0), (keys[1], 2), (keys[2], 0), (keys[6], 4)]
    assert [item.digest for item in seen] == [everything[place].digest for place in (0, 1, 2, 6)]
    assert look(empty_archive, settings, tried, limit=100) == look(empty_archive, settings, tried)


def test_dialogues_of_a_source_are_together_in_the_order_of_ids(empty_archive: Database, settings: Settings) -> None:
    keys = add_dialogues(empty_archive, 6)
    others = [f"claude_ai-{key}" for key in keys[:3]]
    for key, other in zip(keys, others, strict=False):
        execute(
            empty_archive,
            "UPDATE raw.dialogues SET source = 'claude_ai', partition_key = %s WHERE partition_key = %s",
            other,
            key,
        )
    expected = [*keys[3:], *others]
    assert [item.key for item in look(empty_archive, settings)] == expected
    assert [item.key for item in look(empty_archive, settings, limit=4)] == expected[:4]
    with empty_archive.session() as connection:
        assert archive_keys(connection, Partitioning.PER_DIALOGUE) == expected
    assert plan_all(OpenArchive(settings, empty_archive), ["exchanges"]).keys == expected


@pytest.mark.parametrize("partitioning", Partitioning)
def test_a_digest_changes_with_content_and_code_and_with_nothing_else(
    partitioning: Partitioning, empty_archive: Database, settings: Settings
) -> None:
    settings = settings.with_values(partitioning=partitioning)
    key = add_dialogues(empty_archive, 1)[0]
    seen = look(empty_archive, settings)
    assert look(empty_archive, settings) == seen
    assert look(empty_archive, settings.with_values(simhash_version=1))[0].digest != seen[0].digest
    execute(empty_archive, "UPDATE raw.dialogues SET title = 'renamed' WHERE partition_key = %s", key)
    assert look(empty_archive, settings) == seen
    execute(empty_archive, "UPDATE raw.dialogues SET fingerprint = 'other' WHERE partition_key = %s", key)
    assert look(empty_archive, settings)[0].digest != seen[0].digest
    assert 0 <= seen[0].digest < 2**32


def test_a_shard_is_another_attempt_when_any_of_its_stale_dialogues_changed(
    empty_archive: Database, settings: Settings
) -> None:
    settings = settings.with_values(partitioning=Partitioning.SHARDED)
    keys = add_dialogues(empty_archive, 3)
    execute(empty_archive, "UPDATE raw.dialogues SET shard_key = 's0001'")
    [shard] = look(empty_archive, settings)
    assert shard.key == "s0001"
    execute(empty_archive, "UPDATE raw.dialogues SET fingerprint = 'other' WHERE partition_key = %s", keys[1])
    [changed] = look(empty_archive, settings)
    execute(empty_archive, "DELETE FROM raw.dialogues WHERE partition_key = %s", keys[1])
    [smaller] = look(empty_archive, settings)
    assert len({shard.digest, changed.digest, smaller.digest}) == 3
