"""Replacing derived rows: all or nothing, one writer at a time, and never for dialogues that are gone."""

from __future__ import annotations

import dataclasses
import threading

import psycopg
import pytest

from archive_pipeline.building.batch_cache import BatchCache
from archive_pipeline.building.dialogues import build_asset, build_stale
from archive_pipeline.derive.registry import ASSETS, effective_version
from archive_pipeline.domain.choices import Partitioning
from archive_pipeline.settings import Settings
from archive_pipeline.store.batches import load_batch
from archive_pipeline.store.database import Database
from archive_pipeline.store.replace import ItemsChangedError, encode_frames, replace_rows
from archive_pipeline.store.staleness import dialogues_of_keys, key_of, stale_dialogues
from archive_pipeline_tests.derive.batches import Row, Talk, Tool, batch_of, linear, store
from archive_pipeline_tests.tables import counts, derived_rows, query, records

pytestmark = pytest.mark.postgres

FIRST = linear("first", ("user", "Hi"), ("assistant", "Hello"))
SECOND = linear("second", ("user", "Why?"), ("assistant", "Because"), ("user", "more"), ("assistant", "So"))


def stale(database: Database, settings: Settings, asset: str):
    with database.session() as connection:
        return stale_dialogues(connection, asset, effective_version(asset, settings))


def rebuilt(settings: Settings, asset: str, batch):
    return ASSETS[asset].derive(batch, settings)


def test_an_error_in_the_middle_leaves_the_old_rows(database: Database, settings: Settings):
    store(database, batch_of(FIRST, SECOND))
    build_stale(database, settings)
    before, state = derived_rows(database), records(database, "SELECT * FROM derived.build_state ORDER BY 1, 2")
    frames = rebuilt(settings, "exchanges", batch_of(FIRST))
    # The second table of the asset breaks: an exchange may have no two texts.
    broken = {**frames, "exchange_content": frames["exchange_content"].loc[[0, 0]]}
    with pytest.raises(psycopg.errors.UniqueViolation), database.session() as connection:
        replace_rows(connection, "exchanges", encode_frames(broken), fingerprints={FIRST.id: "new"}, code_version="new")
    assert derived_rows(database) == before
    assert records(database, "SELECT * FROM derived.build_state ORDER BY 1, 2") == state


def test_only_the_given_dialogues_are_replaced(database: Database, settings: Settings):
    store(database, batch_of(FIRST, SECOND))
    build_stale(database, settings)
    before = derived_rows(database)
    frames = {name: rows.iloc[:0] for name, rows in rebuilt(settings, "exchanges", batch_of(FIRST)).items()}
    with database.session() as connection:
        written = replace_rows(
            connection, "exchanges", encode_frames(frames), fingerprints={FIRST.id: "f"}, code_version="v"
        )
    assert written == {"exchanges": 0, "exchange_content": 0}
    # FIRST had one exchange of the three, SECOND keeps its two; their texts go with them.
    assert query(database, "SELECT DISTINCT dialogue_id::text FROM derived.exchanges") == [(SECOND.id,)]
    assert query(database, "SELECT count(*) FROM derived.exchange_content") == [(2,)]
    after = derived_rows(database)
    assert {name for name in after if after[name] != before[name]} == {"exchanges", "exchange_content"}


def test_a_dialogue_deleted_meanwhile_stops_the_write(database: Database, settings: Settings):
    store(database, batch_of(FIRST, SECOND))
    frames = rebuilt(settings, "message_paths", batch_of(FIRST, SECOND))
    query(database, "DELETE FROM raw.dialogues WHERE id = %s RETURNING 1", SECOND.id)
    fingerprints = {FIRST.id: "f", SECOND.id: "f"}
    with pytest.raises(ItemsChangedError), database.session() as connection:
        replace_rows(connection, "message_paths", encode_frames(frames), fingerprints=fingerprints, code_version="v")
    assert counts(database)["message_paths"] == 0


def test_a_build_goes_on_without_a_dialogue_deleted_meanwhile(database: Database, settings: Settings):
    store(database, batch_of(FIRST, SECOND))
    refs = stale(database, settings, "exchanges")
    cache = BatchCache()
    cache.load(database, refs)  # read before the other process deletes
    query(database, "DELETE FROM raw.dialogues WHERE id = %s RETURNING 1", SECOND.id)
    result = build_asset(database, settings, "exchanges", refs, cache=cache)
    assert result.rows == {"exchanges": 1, "exchange_content": 1}
    assert query(database, "SELECT dialogue_id::text FROM derived.build_state") == [(FIRST.id,)]


def test_a_dialogue_cannot_be_deleted_while_its_rows_are_written(database: Database, settings: Settings):
    store(database, batch_of(FIRST))
    frames = rebuilt(settings, "message_paths", batch_of(FIRST))
    with database.session() as connection:
        replace_rows(connection, "message_paths", encode_frames(frames), fingerprints={FIRST.id: "f"}, code_version="v")
        delete = f"SET LOCAL lock_timeout = '50ms'; DELETE FROM raw.dialogues WHERE id = '{FIRST.id}'"  # noqa: S608
        with pytest.raises(psycopg.errors.LockNotAvailable), database.session() as other:
            other.execute(delete)
    assert counts(database)["message_paths"] == 2


def test_deleting_a_dialogue_takes_all_its_derived_rows(database: Database, settings: Settings):
    call = Row("2", "1", "assistant", "look", 2, tools=(Tool("c", name="f"), Tool("c", is_result=True, text="r")))
    store(database, batch_of(FIRST, Talk("tools", (*linear("", ("user", "a"), ("assistant", "b")).rows, call))))
    build_stale(database, settings)
    assert all(counts(database)[table] for asset in ASSETS.values() for table in asset.tables)
    query(database, "DELETE FROM raw.dialogues RETURNING 1")
    assert not any(counts(database)[table] for asset in ASSETS.values() for table in asset.tables)
    assert query(database, "SELECT 1 FROM derived.build_state") == []


def test_writers_of_one_asset_take_turns_and_leave_the_rows_of_one(database: Database, settings: Settings):
    store(database, batch_of(FIRST, SECOND))
    errors: list[BaseException] = []

    def work() -> None:
        try:
            for _ in range(3):
                for asset in ASSETS:
                    build_asset(database, settings, asset, refs)
        except BaseException as error:  # noqa: BLE001 (shown by the assertion)
            errors.append(error)

    refs = stale(database, settings, "exchanges")
    threads = [threading.Thread(target=work) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert errors == []
    together = derived_rows(database)
    query(database, "DELETE FROM derived.build_state RETURNING 1")
    build_stale(database, settings)
    assert derived_rows(database) == together


def test_a_role_that_is_no_superuser_writes_the_same_rows_with_keys_checked(
    database: Database, own_database: Database, settings: Settings
):
    batch = batch_of(FIRST, SECOND)
    for each in (database, own_database):
        store(each, batch)
        build_stale(each, settings)
    assert query(own_database, "SELECT has_parameter_privilege('session_replication_role', 'SET')") == [(False,)]
    assert derived_rows(own_database) == derived_rows(database)
    frames = rebuilt(settings, "message_paths", batch_of(linear("strange", ("user", "x"))))
    with pytest.raises(psycopg.errors.ForeignKeyViolation), own_database.session() as connection:
        replace_rows(connection, "message_paths", encode_frames(frames), fingerprints={FIRST.id: "f"}, code_version="v")
    assert derived_rows(own_database) == derived_rows(database)


def test_what_was_never_built_is_stale_and_what_was_built_is_not(database: Database, settings: Settings):
    store(database, batch_of(FIRST, SECOND))
    refs = stale(database, settings, "message_paths")
    assert [ref.id for ref in refs] == sorted([FIRST.id, SECOND.id])
    assert sum(ref.message_count for ref in refs) == 6
    build_asset(database, settings, "message_paths", refs[:1])
    assert stale(database, settings, "message_paths") == refs[1:]
    assert stale(database, settings, "dialogue_trees") == refs


@pytest.mark.parametrize("change", ["content", "version"])
def test_changed_content_and_changed_code_make_stale(database: Database, settings: Settings, change: str):
    store(database, batch_of(FIRST, SECOND))
    build_stale(database, settings)
    if change == "content":
        query(database, "UPDATE raw.dialogues SET fingerprint = 'other' WHERE id = %s RETURNING 1", FIRST.id)
    else:
        query(
            database, "UPDATE derived.build_state SET code_version = '0' WHERE dialogue_id = %s RETURNING 1", FIRST.id
        )
    for asset in ASSETS:
        assert [ref.id for ref in stale(database, settings, asset)] == [FIRST.id]
    build_stale(database, settings)
    assert not any(stale(database, settings, asset) for asset in ASSETS)


def test_a_setting_makes_stale_only_what_depends_on_it(database: Database, settings: Settings):
    store(database, batch_of(FIRST))
    build_stale(database, settings)
    other = Settings(home=settings.home, simhash_version=1)
    assert [asset for asset in ASSETS if stale(database, other, asset)] == ["content_hashes"]


def test_a_new_version_of_an_asset_makes_its_dependents_stale(settings: Settings, monkeypatch: pytest.MonkeyPatch):
    before = {name: effective_version(name, settings) for name in ASSETS}
    monkeypatch.setitem(ASSETS, "exchanges", dataclasses.replace(ASSETS["exchanges"], code_version="next"))
    # Hashes and pages are of exchanges, chunks of pages.
    changed = {name for name in ASSETS if effective_version(name, settings) != before[name]}
    assert changed == {"exchanges", "content_hashes", "dialogue_pages", "qa_chunks", "message_chunks"}


def test_parents_are_built_before_their_children():
    order = list(ASSETS)
    assert all(order.index(name) < order.index(asset.name) for asset in ASSETS.values() for name in asset.upstream)


@pytest.mark.parametrize("partitioning", list(Partitioning))
def test_dialogues_are_found_by_their_key(database: Database, settings: Settings, partitioning: Partitioning):
    store(database, batch_of(FIRST, SECOND))
    version = effective_version("message_paths", settings)
    first, second = stale(database, settings, "message_paths")
    key = key_of(first, partitioning)

    def find(keys, *, include_current=False):
        with database.session() as connection:
            return dialogues_of_keys(
                connection, "message_paths", version, keys, partitioning=partitioning, include_current=include_current
            )

    assert find([key]) == [first]
    assert find([key, "unknown", key_of(second, partitioning)]) == [first, second]
    build_asset(database, settings, "message_paths", [first])
    assert find([key]) == []
    assert find([key], include_current=True) == [first]


def test_a_batch_comes_back_from_the_database_as_it_was_written(database: Database):
    batch = batch_of(FIRST, SECOND)
    store(database, batch)
    loaded = load_batch(database, [FIRST.id, SECOND.id, "00000000-0000-0000-0000-000000000000"])
    assert (loaded.created_at == batch.created_at).all()
    for name in ("dialogue_ids", "message_ids", "dialogue", "parent", "role", "sequence_number", "text", "tools"):
        assert getattr(loaded, name) == getattr(batch, name)


def test_a_hidden_text_is_other_content_unless_it_is_white_space(database: Database):
    store(database, batch_of(Talk("h", tuple(Row(text, None, "user", text, is_hidden=True) for text in ("said", " ")))))
    loaded = load_batch(database, [Talk("h", ()).id])
    assert (loaded.text, loaded.has_other_content) == ([None, None], [True, False])


def test_what_is_no_id_never_reaches_the_database(database: Database):
    with pytest.raises(ValueError, match="not an id"):
        load_batch(database, ["'); DROP SCHEMA raw CASCADE; --"])
