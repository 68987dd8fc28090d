"""How the suite runs, and its real servers: the embedded one in a temporary home, one of objects.

Each pytest worker has its own home, so the suite runs under ``pytest -n`` too.
"""

from __future__ import annotations

import gc
import itertools
import os
import signal
from collections.abc import Callable, Generator, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from threading import Lock
from typing import Any

import psycopg
import pytest
from psycopg import sql
from sqlalchemy.engine import make_url

from archive_pipeline.building.executors.shared_fork_server import SHARED
from archive_pipeline.ingest import collection
from archive_pipeline.ingest.collection import seldom_collected
from archive_pipeline.settings import Settings
from archive_pipeline.store.database import Database
from archive_pipeline.store.migrate import migrate
from archive_pipeline.store.server import files
from archive_pipeline.store.server.embedded import release
from archive_pipeline_tests.memory_folder import SHARED_MEMORY, has_room, new_folder
from archive_pipeline_tests.models import models_shared
from archive_pipeline_tests.object_storage import Bucket, bucket_server
from archive_pipeline_tests.own_server import own_database, own_server  # noqa: F401 (fixtures)
from archive_pipeline_tests.trials import load_profile

# A job in a shell's background ignores Ctrl-C, and so would the programs that tests start and interrupt.
signal.signal(signal.SIGINT, signal.default_int_handler)

load_profile()

_database_numbers = itertools.count()


# A test that uses one of these, directly or through another fixture, needs what the marker names.
NEEDED_BY_FIXTURES = {
    "postgres": {"archive", "database", "new_database", "own_server", "own_database"},
    "dagster": {"instance", "stock_instance"},
}


@pytest.hookimpl(tryfirst=True)  # before the folder of tests is chosen
def pytest_configure(config: pytest.Config) -> None:
    """Keep files of tests in memory where there is plenty: their servers are made and removed all the time.

    Whoever wants to look at them afterwards gives `--basetemp`.
    """
    is_worker = hasattr(config, "workerinput")
    if not is_worker and config.option.basetemp is None and has_room(SHARED_MEMORY):
        config.option.basetemp = str(new_folder(SHARED_MEMORY))


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Search for no garbage while tests are collected: 735,000 objects are made, and stay."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.enable()


@pytest.fixture(scope="session", autouse=True)
def _collected_tests_left_alone() -> Iterator[None]:
    """Never look through what collecting made: each run of Dagster and each search for garbage would pay for it.

    Nor at the end, where pytest looks for errors in garbage and the interpreter frees it, each twice.
    """
    with seldom_collected():
        yield
        gc.collect()
    gc.freeze()


@pytest.fixture(scope="session", autouse=True)
def _models_shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    own = tmp_path_factory.getbasetemp()
    with models_shared(own.parent if "PYTEST_XDIST_WORKER" in os.environ else own):
        yield


@pytest.fixture(scope="session", autouse=True)
def _few_buffers() -> Iterator[None]:
    """Have the servers that tests start keep few pages.

    Those that an archive of a million messages wants take more processor time than all else in a start, and are looked
    through wherever tables or databases go.
    """
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(files, "MOST_BUFFERS", files.LEAST_BUFFERS)
        yield


@pytest.fixture
def collected_as_by_python(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Search for garbage as a process does that a user starts, outside the block of the suite."""
    monkeypatch.setattr(collection, "_outermost", Lock())
    thresholds = gc.get_threshold()
    gc.unfreeze()
    gc.set_threshold(700, 10, 10)
    yield
    gc.set_threshold(*thresholds)
    gc.freeze()


@pytest.hookimpl(tryfirst=True)  # before `-m` selects
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark tests by the fixtures they use, and begin with the tests of whole programs, then those of whole archives.

    Those take long, and would keep one worker busy at the end. For the same reason `make test` gives each worker one
    file after another, in this order.
    """
    for item in items:
        for marker, fixtures in NEEDED_BY_FIXTURES.items():
            if not fixtures.isdisjoint(getattr(item, "fixturenames", ())):
                item.add_marker(marker)
    items.sort(key=lambda item: (item.get_closest_marker("system") is None, item.path.parent != Path(__file__).parent))


@pytest.fixture(scope="session")
def settings(tmp_path_factory: pytest.TempPathFactory) -> Settings:
    return Settings(home=tmp_path_factory.mktemp("archive"))


@pytest.fixture(scope="session")
def archive(settings: Settings) -> Iterator[Database]:
    """The session's migrated archive on the embedded server.

    Its tables are filled and emptied again and again. Were they vacuumed while they are empty, an open connection would
    look up each row by reading the whole table as long as it lives: 80 seconds to delete 2,000 pages.
    """
    database = opened_without_fsync(settings)
    migrate(database)
    with psycopg.connect(administrator_url(database), autocommit=True) as connection:
        connection.execute("ALTER SYSTEM SET autovacuum = off")
        connection.execute("SELECT pg_reload_conf()")
    yield database
    database.engine.dispose()
    release(settings.postgres_folder)


def opened_without_fsync(settings: Settings) -> Database:
    """Open the embedded server's database; what is in it outlives a killed server, and need not outlive a power cut."""
    database = Database.open(settings)
    with psycopg.connect(administrator_url(database), autocommit=True) as connection:
        connection.execute("ALTER SYSTEM SET fsync = off")
        connection.execute("SELECT pg_reload_conf()")
    return database


def administrator_url(database: Database) -> str:
    """Return the URL of the embedded server's superuser, for what the archive's role may not do."""
    return database.url.replace("//archive@", "//postgres@")


# All other rows go with these.
EMPTIED = (
    "raw.dialogues",
    "raw.attachment_contents",
    "raw.imports",
    "raw.documents",
    "raw.match_log",
    "raw.deleted_dialogues",
    "derived.embedding_generations",
    "derived.search_segments",
)


@pytest.fixture
def database(archive: Database) -> Database:
    """The session's archive, empty."""
    empty(archive)
    return archive


# To delete some rows is faster than to make all tables anew, 30 ms; what is left of many rows is read by each test.
_MOST_LEFT_BYTES = 8 * 1024 * 1024


def empty(database: Database) -> None:
    """Delete everything that commands wrote."""
    tables = [sql.Identifier(*table.split(".")) for table in EMPTIED]
    with database.session() as connection:
        if _table_bytes(connection) > _MOST_LEFT_BYTES:
            connection.execute(sql.SQL("TRUNCATE {} CASCADE").format(sql.SQL(", ").join(tables)))
        else:
            for table in tables:
                connection.execute(sql.SQL("DELETE FROM {}").format(table))


def _table_bytes(connection: psycopg.Connection[Any]) -> int:
    """Count what tables and their indexes take, rows that were deleted included."""
    count = """
        SELECT sum(pg_relation_size(oid))
        FROM pg_class
        WHERE relnamespace IN ('raw'::regnamespace, 'derived'::regnamespace) AND relkind IN ('r', 'i')
    """
    found = connection.execute(count).fetchone()
    assert found is not None
    return int(found[0])


@pytest.fixture
def new_database(archive: Database) -> Iterator[Callable[[], Database]]:
    """Makes databases without any schema, on the embedded server."""
    with ExitStack() as made:
        yield lambda: made.enter_context(new_database_on(archive))


@pytest.fixture(scope="session")
def template(archive: Database) -> str:
    """The name of a migrated database without rows, of which others are copies: all migrations take ten times as long.

    Nobody connects to it, or it could not be copied.
    """
    with new_database_on(archive) as database:
        migrate(database)
        name = str(make_url(database.url).database)
    with psycopg.connect(administrator_url(archive), autocommit=True) as connection:
        connection.execute(sql.SQL("ALTER DATABASE {} ALLOW_CONNECTIONS false").format(sql.Identifier(name)))
    return name


@pytest.fixture
def new_migrated_database(archive: Database, template: str) -> Iterator[Callable[[], Database]]:
    """Makes archives without rows, each in a database of its own on the embedded server."""
    with ExitStack() as made:
        yield lambda: made.enter_context(new_database_on(archive, template))


@pytest.fixture(scope="module")
def module_archive(archive: Database, template: str) -> Iterator[Database]:
    """An archive of the module's own on the embedded server, to fill once and only read: `database` leaves it alone."""
    with new_database_on(archive, template) as database:
        yield database


@pytest.fixture(scope="module")
def one_fork_server() -> Iterator[None]:
    """Keep, from its first test with workers on, the process of a module that all its workers are forked from.

    What it imports takes more than a second of a processor.
    """
    with SHARED.held():
        yield


@contextmanager
def new_database_on(archive: Database, template: str = "template1") -> Iterator[Database]:
    """Make a database on the archive's server, a copy of another one."""
    name = f"empty_{next(_database_numbers)}"
    create = sql.SQL("CREATE DATABASE {} OWNER archive TEMPLATE {} STRATEGY FILE_COPY")  # two thirds of the other
    with psycopg.connect(administrator_url(archive), autocommit=True) as connection:
        connection.execute(create.format(sql.Identifier(name), sql.Identifier(template)))
    database = Database(archive.url.replace("/archive?", f"/{name}?"))
    with psycopg.connect(administrator_url(database), autocommit=True) as connection:
        # As the server's start does for the archive's own database.
        connection.execute("CREATE EXTENSION IF NOT EXISTS vector")
    try:
        yield database
    finally:
        database.engine.dispose()


@pytest.fixture
def no_authorities(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Have clients of HTTP read no certificates of authorities, which takes longer than requests without TLS."""
    monkeypatch.delenv("SSL_CERT_FILE", raising=False)
    monkeypatch.setenv("SSL_CERT_DIR", str(tmp_path))


@pytest.fixture(scope="session")
def storage_server() -> Iterator[Bucket]:
    with bucket_server() as bucket:
        yield bucket


@pytest.fixture
def bucket(storage_server: Bucket, monkeypatch: pytest.MonkeyPatch) -> Bucket:
    """An empty bucket of a server on the loopback interface, which this process and those it starts may use."""
    storage_server.server.reset()
    storage_server.empty()
    for name, value in storage_server.environment.items():
        monkeypatch.setenv(name, value)
    return storage_server
