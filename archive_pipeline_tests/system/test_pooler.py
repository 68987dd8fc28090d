"""Everything works through a PgBouncer in transaction mode; what belongs to a session goes past it."""

from __future__ import annotations

import json
import pickle
from collections.abc import Callable, Iterator
from pathlib import Path

import psycopg
import pytest

from archive_pipeline.building import duplicates
from archive_pipeline.building.dialogue_source import DIALOGUES
from archive_pipeline.building.dialogues import build_stale
from archive_pipeline.building.duplicates import refresh_duplicates
from archive_pipeline.errors import ConfigurationError, DatabaseUnavailableError
from archive_pipeline.ingest.importer import import_archive
from archive_pipeline.orchestration.automation.housekeeping import delete_old_events
from archive_pipeline.orchestration.instance.opening import instance_for
from archive_pipeline.orchestration.local_runs import run_derived
from archive_pipeline.orchestration.partitions.stale_keys import stale_keys
from archive_pipeline.readers.reading import read_paths
from archive_pipeline.settings import Settings
from archive_pipeline.store import locks
from archive_pipeline.store.database import Database
from archive_pipeline.store.migrate import migrate
from archive_pipeline.store.table_upkeep import analyze_all_tables, tidy_tables
from archive_pipeline_tests.exports import chain, chatgpt, load
from archive_pipeline_tests.poolers import POOL_SIZE, pooler
from archive_pipeline_tests.system.conftest import Start
from archive_pipeline_tests.tables import derived_rows, query, raw_rows

pytestmark = [pytest.mark.system, pytest.mark.postgres]


@pytest.fixture
def pooled(own_database: Database, tmp_path: Path) -> Iterator[Settings]:
    """Settings of an archive behind a pooler, with the way past it."""
    with pooler(own_database.url) as url:
        yield Settings(home=tmp_path / "home", database_url=url, direct_database_url=own_database.url)


@pytest.fixture(scope="module")
def pooled_server(own_server: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Settings]:
    """Settings of a server's own database behind a pooler: for what is true of connections, whatever is in it."""
    with pooler(own_server) as url:
        home = tmp_path_factory.mktemp("pooled_server")
        yield Settings(home=home, database_url=url, direct_database_url=own_server)


@pytest.fixture
def command(pooled: Settings, fork: Start) -> Callable[..., str]:
    """Runs a command over the pooled archive; returns what it prints."""
    given, direct = pooled.database_url, pooled.direct_database_url
    assert given is not None
    assert direct is not None
    variables = {
        "ARCHIVE_DATABASE_URL": given.get_secret_value(),
        "ARCHIVE_DIRECT_DATABASE_URL": direct.get_secret_value(),
    }

    def run(*arguments: object) -> str:
        ended = fork(pooled.home, *arguments, variables=variables).end()
        assert ended.code == 0, ended.err
        return ended.out

    return run


@pytest.mark.long
def test_commands_and_their_dagster_runs_work_through_a_pool(
    pooled: Settings,
    command: Callable[..., str],
    own_database: Database,
    database: Database,
    settings: Settings,
    small_corpus: Path,
    tmp_path: Path,
):
    imported = json.loads(command("import", small_corpus, "--json"))
    assert imported["dialogues"]["new"] == 6
    assert query(own_database, "SELECT count(*) > 0 FROM dagster.event_logs") == [(True,)]
    # The same rows as without a pooler, whoever the server is.
    import_archive(database, read_paths([small_corpus]))
    build_stale(database, settings)
    assert raw_rows(own_database) == raw_rows(database)
    assert derived_rows(own_database, with_generated=False) == derived_rows(database, with_generated=False)
    assert json.loads(command("import", small_corpus, "--json"))["dialogues"]["unchanged"] == 6
    command("build", "--full")
    command("verify")
    [(text,)] = query(own_database, "SELECT question FROM derived.qa_pairs ORDER BY pair_id LIMIT 1")
    assert json.loads(command("search", " ".join(text.split()[:5]), "--mode", "lexical", "--json"))
    command("export", "openai", "--out", tmp_path / "out.jsonl")
    assert (tmp_path / "out.jsonl").stat().st_size
    [(key,)] = query(own_database, "SELECT partition_key FROM raw.dialogues ORDER BY 1 LIMIT 1")
    command("delete", key)
    assert query(own_database, "SELECT count(*) FROM raw.dialogues") == [(5,)]
    database_through = Database.open(pooled)
    assert analyze_all_tables(database_through) > 0
    # Dead rows of the deletion, which wrote the index of words anew, if PostgreSQL has counted them by now.
    assert set(tidy_tables(database_through)) <= {"derived.search_postings"}
    assert delete_old_events(database_through, 1) == 0
    database_through.engine.dispose()


@pytest.mark.long
def test_processes_build_everything_through_a_pool(
    pooled: Settings, database: Database, settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    """More workers than the pool has connections for: two each, and those of this process and of Dagster."""
    monkeypatch.setattr(DIALOGUES, "max_items", 2)
    monkeypatch.setattr(duplicates, "FEW_MESSAGES", 0)
    by_processes = pooled.with_values(executor="processes", workers=POOL_SIZE + 1)
    answers = [f"Of all {number} ways this is the one that most of us would have taken, I think" for number in range(7)]
    talks = [chatgpt(f"c{number}", chain(f"Which {number}?", answers[number // 2])) for number in range(14)]
    through = Database.open(by_processes)
    migrate(through)
    for each in (through, database):
        load(each, tmp_path / "talks.json", *talks)
    with through.session() as connection:
        keys = [item.key for item in stale_keys(connection, by_processes)]
    with instance_for(by_processes) as instance:
        outcome = run_derived(instance, by_processes, keys)
    assert outcome.success, outcome.errors
    refresh_duplicates(through, by_processes)
    build_stale(database, settings)
    refresh_duplicates(database, settings)
    assert derived_rows(through, with_generated=False) == derived_rows(database, with_generated=False)
    clusters = "SELECT cluster::text FROM derived.duplicate_clusters AS cluster ORDER BY 1"
    assert query(through, clusters) == query(database, clusters) != []
    through.engine.dispose()


def test_a_lock_that_is_held_past_the_pool_keeps_others_out(pooled_server: Settings):
    first, second = Database.open(pooled_server), Database.open(pooled_server)
    with locks.held(first, locks.ARCHIVE_WRITER):
        # The pool lends connections to others meanwhile, which must not carry the lock along.
        for _ in range(3):
            with second.session() as connection:
                connection.execute("SELECT 1")
        with locks.held_if_free(second, locks.ARCHIVE_WRITER) as is_held:
            assert not is_held
    with locks.held_if_free(second, locks.ARCHIVE_WRITER) as is_held:
        assert is_held
    for each in (first, second):
        each.engine.dispose()


def test_statements_that_are_repeated_are_not_prepared_on_connections_that_others_get(pooled_server: Settings):
    opened = Database.open(pooled_server)
    in_another_process: Database = pickle.loads(pickle.dumps(opened))  # noqa: S301 (made here)
    for database in (opened, in_another_process):
        for number in range(20):  # more often than psycopg needs to prepare a statement
            with database.session() as connection:
                assert connection.execute("SELECT %s::int", [number]).fetchone() == (number,)
        with psycopg.connect(database.url) as other:
            other.execute("SELECT 1")  # it has the server's connection now that the pool lent last
            with database.session() as connection:
                assert connection.execute("SELECT %s::int", [20]).fetchone() == (20,)
        with database.statements() as single:
            for number in range(20):
                assert single.execute("SELECT %s::bigint", [number]).fetchone() == (number,)
            with psycopg.connect(database.url) as other:
                other.execute("SELECT 1")
                assert single.execute("SELECT %s::bigint", [20]).fetchone() == (20,)
        database.engine.dispose()


def test_a_direct_url_of_another_database_is_refused(pooled_server: Settings, own_server: str):
    another = own_server.replace("/postgres?", "/template1?")
    with pytest.raises(ConfigurationError, match="ARCHIVE_DIRECT_DATABASE_URL is not the database of"):
        Database.open(pooled_server.with_values(direct_database_url=another))
    nowhere = "postgresql://me:secret@127.0.0.1:9/archive"
    with pytest.raises(DatabaseUnavailableError, match="cannot reach PostgreSQL") as raised:
        Database.open(pooled_server.with_values(direct_database_url=nowhere))
    assert "secret" not in str(raised.value)
    with pytest.raises(ConfigurationError, match="given without ARCHIVE_DATABASE_URL"):
        Database.open(pooled_server.with_values(database_url=None))
