"""Switching between dialogues and shards: the tables stay as they are, and Dagster shows what is in them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import dagster as dg
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from psycopg import sql

from archive_pipeline.building.dialogues import build_stale
from archive_pipeline.derive.registry import ASSETS
from archive_pipeline.domain.choices import Partitioning
from archive_pipeline.domain.identity import dialogue_id, shard_key
from archive_pipeline.orchestration.local_runs import run_derived
from archive_pipeline.orchestration.partitions.key_sweep import key_state
from archive_pipeline.orchestration.partitions.keys import NAMES, partitions_definition, register_keys, remove_keys
from archive_pipeline.orchestration.partitions.partition_migration import register_archive, remove_unused
from archive_pipeline.orchestration.partitions.stale_keys import stale_keys
from archive_pipeline.settings import Settings
from archive_pipeline.store.database import Database
from archive_pipeline.store.raw_writes import delete_dialogues
from archive_pipeline.store.tables import DERIVED_TABLES
from archive_pipeline_tests.exports import chain, chatgpt, load
from archive_pipeline_tests.orchestration.conftest import add_dialogues
from archive_pipeline_tests.tables import derived_rows, query
from archive_pipeline_tests.trials import trials

pytestmark = [pytest.mark.dagster, pytest.mark.postgres]


@pytest.fixture
def sharded(settings: Settings) -> Settings:
    return settings.with_values(partitioning=Partitioning.SHARDED)


@pytest.fixture
def clean(
    instance: dg.DagsterInstance, settings: Settings, sharded: Settings, empty_archive: Database
) -> Iterator[Database]:
    """An archive without dialogues and a Dagster without keys or events of derived assets."""
    for each in (settings, sharded):
        remove_keys(instance, each, instance.get_dynamic_partitions(NAMES[each.partitioning]))
    instance.wipe_assets([dg.AssetKey(name) for name in ASSETS])
    yield empty_archive
    with empty_archive.session() as connection:  # Dagster takes what is older for wiped, also in tests of old events
        connection.execute("UPDATE dagster.asset_keys SET wipe_timestamp = NULL, asset_details = NULL")


def shards_of(database: Database) -> list[str]:
    return [key for (key,) in query(database, "SELECT DISTINCT shard_key FROM raw.dialogues ORDER BY 1")]


def statuses(instance: dg.DagsterInstance, settings: Settings, keys: list[str]) -> Counter[str]:
    """Count the statuses that Dagster shows of (asset, key)."""
    shown: Counter[str] = Counter()
    for name in ASSETS:
        found = instance.get_status_by_partition(dg.AssetKey(name), keys, partitions_definition(settings)) or {}
        shown.update("missing" if found.get(key) is None else found[key].value for key in keys)
    return shown


def test_switching_there_and_back_loses_nothing(
    instance: dg.DagsterInstance, settings: Settings, sharded: Settings, clean: Database
) -> None:
    keys = add_dialogues(clean, 5)
    assert run_derived(instance, settings, keys).success
    shards, rows = shards_of(clean), derived_rows(clean)
    built_at = query(clean, "SELECT * FROM derived.build_state ORDER BY 1, 2")
    runs = instance.get_runs_count()
    assert statuses(instance, sharded, shards) == {"missing": len(shards) * len(ASSETS)}

    there = register_archive(instance, clean, sharded)
    assert (there.added, there.removed, there.stale) == (len(shards), 0, 0)
    assert there.reported == dict.fromkeys(ASSETS, len(shards))
    assert list(instance.get_dynamic_partitions("dialogue_shards")) == shards
    assert statuses(instance, sharded, shards) == {"MATERIALIZED": len(shards) * len(ASSETS)}
    assert statuses(instance, settings, keys) == {"MATERIALIZED": len(keys) * len(ASSETS)}
    assert set(run_derived(instance, sharded, shards).rows.values()) == {0}

    later = add_dialogues(clean, 2)
    assert run_derived(instance, sharded, [item.key for item in stale_for(clean, sharded)]).success
    back = register_archive(instance, clean, settings)
    assert (back.added, back.removed, back.reported) == (2, 0, dict.fromkeys(ASSETS, 2))
    assert list(instance.get_dynamic_partitions("dialogues")) == [*keys, *later]
    assert statuses(instance, settings, keys + later) == {"MATERIALIZED": len(keys + later) * len(ASSETS)}

    assert instance.get_runs_count() == runs + 2
    delete_keys(clean, later)
    assert derived_rows(clean) == rows
    assert query(clean, "SELECT * FROM derived.build_state ORDER BY 1, 2") == built_at


def stale_for(database: Database, settings: Settings):
    with database.session() as connection:
        return stale_keys(connection, settings)


def delete_keys(database: Database, keys: list[str]) -> None:
    with database.session() as connection:
        found = connection.execute("SELECT id::text FROM raw.dialogues WHERE partition_key = ANY(%s)", [keys])
        delete_dialogues(connection, [identifier for (identifier,) in found])


def test_registering_again_reports_nothing_and_says_where_it_came_from(
    instance: dg.DagsterInstance, sharded: Settings, settings: Settings, clean: Database
) -> None:
    add_dialogues(clean, 3)
    build_stale(clean, settings)
    first, again = register_archive(instance, clean, sharded), register_archive(instance, clean, sharded)
    assert set(first.reported.values()) == {len(shards_of(clean))}
    assert (again.added, again.removed, set(again.reported.values())) == (0, 0, {0})
    event = instance.get_latest_materialization_event(dg.AssetKey("exchanges"))
    assert event is not None
    assert event.run_id == ""
    assert event.asset_materialization is not None
    metadata = {name: value.value for name, value in event.asset_materialization.metadata.items()}
    assert metadata == {"reported_by": "llm-archive partitions --register", "partitioning": "sharded"}


def test_what_is_stale_is_not_shown_as_materialised(
    instance: dg.DagsterInstance, settings: Settings, sharded: Settings, clean: Database
) -> None:
    built = add_dialogues(clean, 2)
    build_stale(clean, settings)
    stale = add_dialogues(clean, 1)
    done = register_archive(instance, clean, settings)
    assert (done.added, done.stale, done.reported) == (3, 1, dict.fromkeys(ASSETS, 2))
    assert statuses(instance, settings, built) == {"MATERIALIZED": 2 * len(ASSETS)}
    assert statuses(instance, settings, stale) == {"missing": len(ASSETS)}


def test_a_shard_is_shown_as_materialised_when_all_of_it_is_built(
    instance: dg.DagsterInstance, settings: Settings, sharded: Settings, clean: Database, tmp_path: Path
) -> None:
    path = tmp_path / "conversations.json"
    load(clean, path, conversation(CONVERSATIONS[0], 0))
    build_stale(clean, settings)
    load(clean, path, conversation(CONVERSATIONS[1], 0))
    [shard] = shards_of(clean)
    assert register_archive(instance, clean, sharded).stale == 1
    assert statuses(instance, sharded, [shard]) == {"missing": len(ASSETS)}
    build_stale(clean, settings)
    register_archive(instance, clean, sharded)
    assert statuses(instance, sharded, [shard]) == {"MATERIALIZED": len(ASSETS)}


def test_a_key_whose_run_failed_and_that_was_built_since_is_shown_as_built(
    instance: dg.DagsterInstance, settings: Settings, clean: Database
) -> None:
    def fail(asset: str, _done: int, _total: int) -> None:
        if asset == "exchanges":
            raise ValueError("not today")

    keys = add_dialogues(clean, 1)
    assert not run_derived(instance, settings, keys, progress=fail).success
    assert statuses(instance, settings, keys)["FAILED"] >= 1
    build_stale(clean, settings)  # as a build of shards would
    # All assets of the key, so that none downstream has an older event than what it is built on.
    assert register_archive(instance, clean, settings).reported == dict.fromkeys(ASSETS, 1)
    assert statuses(instance, settings, keys) == {"MATERIALIZED": len(ASSETS)}


def test_orphaned_keys_go_and_the_unused_ones_when_asked(
    instance: dg.DagsterInstance, settings: Settings, sharded: Settings, clean: Database
) -> None:
    keys = add_dialogues(clean, 3)
    register_keys(instance, settings, [*keys, "chatgpt-gone"])
    register_keys(instance, sharded, ["s0001"])
    with clean.session() as connection:
        state = key_state(instance, connection, Partitioning.PER_DIALOGUE)
        assert (state.registered, state.missing, state.orphaned) == (4, [], ["chatgpt-gone"])
        state = key_state(instance, connection, Partitioning.SHARDED)
        assert (state.registered, state.missing) == (1, [key for key in shards_of(clean) if key != "s0001"])
    assert register_archive(instance, clean, settings).removed == 1
    assert list(instance.get_dynamic_partitions("dialogues")) == keys
    assert list(instance.get_dynamic_partitions("dialogue_shards")) == ["s0001"]
    assert remove_unused(instance, settings) == 1
    assert list(instance.get_dynamic_partitions("dialogue_shards")) == []
    assert list(instance.get_dynamic_partitions("dialogues")) == keys


def same_shard(number: int) -> list[str]:
    """Find ids of conversations that share a shard."""
    by_shard: dict[str, list[str]] = {}
    for candidate in range(100_000):
        identifier = f"d{candidate}"
        found = by_shard.setdefault(shard_key(dialogue_id("chatgpt", identifier)), [])
        found.append(identifier)
        if len(found) == number:
            return found
    raise AssertionError


CONVERSATIONS = [*same_shard(3), "alone"]
VERSION = st.dictionaries(st.sampled_from(CONVERSATIONS), st.integers(0, 3), min_size=1)
STEP = st.tuples(VERSION, st.sampled_from([None, *Partitioning]), st.booleans())


@given(history=st.lists(STEP, min_size=1, max_size=2))
# Two of a shard are built, then one of them changes and the third comes.
@example(
    history=[
        (dict.fromkeys(CONVERSATIONS[:2], 0), Partitioning.SHARDED, True),
        ({CONVERSATIONS[0]: 1, CONVERSATIONS[2]: 0}, Partitioning.PER_DIALOGUE, True),
    ]
)
@trials(3)
@pytest.mark.long
def test_the_tables_do_not_know_in_which_granularity_they_were_built(
    instance: dg.DagsterInstance,
    settings: Settings,
    clean: Database,
    tmp_path_factory: pytest.TempPathFactory,
    history: list[tuple[dict[str, int], Partitioning | None, bool]],
) -> None:
    with clean.session() as connection:
        connection.execute("DELETE FROM raw.dialogues")
    path = tmp_path_factory.mktemp("switched", numbered=True) / "conversations.json"
    for versions, partitioning, is_registered in history:
        load(clean, path, *(conversation(name, version) for name, version in versions.items()))
        if partitioning is not None:
            in_use = settings.with_values(partitioning=partitioning)
            if is_registered:
                register_archive(instance, clean, in_use)
            assert run_derived(instance, in_use, [item.key for item in stale_for(clean, in_use)]).success
    for partitioning in Partitioning:
        in_use = settings.with_values(partitioning=partitioning)
        assert run_derived(instance, in_use, [item.key for item in stale_for(clean, in_use)]).success
        register_archive(instance, clean, in_use)
        with clean.session() as connection:
            state = key_state(instance, connection, partitioning)
        assert (state.missing, state.orphaned) == ([], [])
        keys = list(instance.get_dynamic_partitions(NAMES[partitioning]))
        assert statuses(instance, in_use, keys) == {"MATERIALIZED": len(keys) * len(ASSETS)}
    switched = derived_rows(clean)
    with clean.session() as connection:
        for table in reversed(DERIVED_TABLES):
            connection.execute(sql.SQL("DELETE FROM {}").format(sql.Identifier("derived", table.name)))
        connection.execute("DELETE FROM derived.build_state")
    build_stale(clean, settings)
    assert derived_rows(clean) == switched


def conversation(name: str, version: int):
    texts = ["a", "b", "continue", f"version {version}", "c", "d"][: 4 + version % 3]
    return chatgpt(name, chain(*texts), updated=1000.0 + version)
