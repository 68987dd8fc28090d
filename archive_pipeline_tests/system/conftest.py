"""A corpus in two parts, an archive of it that nothing disturbed, and one for faults."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from itertools import count
from pathlib import Path
from typing import Any

import psutil
import pytest

from archive_pipeline.building.dialogues import build_stale
from archive_pipeline.ingest.importer import import_archive
from archive_pipeline.readers.reading import read_paths
from archive_pipeline.settings import Settings
from archive_pipeline.store.database import Database
from archive_pipeline.store.migrate import migrate
from archive_pipeline.store.server.embedded import release
from archive_pipeline_tests.conftest import empty, opened_without_fsync
from archive_pipeline_tests.system.commands import Command, contents
from archive_pipeline_tests.system.forked import Forks
from archive_pipeline_tests.system.live import Live
from benchmarks.corpus import write_corpus

Start = Callable[..., Command]
CORPUS_DIALOGUES = 24
_numbers = count()


@pytest.fixture(scope="session")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of two files, which are two transactions of an import."""
    folder = tmp_path_factory.mktemp("corpus")
    for name, seed in (("first.json", 11), ("second.json", 12)):
        write_corpus(folder / name, dialogues=CORPUS_DIALOGUES // 2, seed=seed)
    return folder


@pytest.fixture(scope="session")
def small_corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Other dialogues."""
    path = tmp_path_factory.mktemp("small_corpus") / "conversations.json"
    write_corpus(path, dialogues=6, seed=13)
    return path


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    """Starts commands as a user does; those that a failed test leaves are killed."""
    with starting(tmp_path) as start:
        yield start


@pytest.fixture(scope="session")
def forks() -> Iterator[Forks]:
    with closing(Forks()) as forks:
        yield forks


@pytest.fixture
def fork(tmp_path: Path, forks: Forks) -> Iterator[Start]:
    """Starts commands in processes that have imported what they need; those that a failed test leaves are killed."""
    with starting(tmp_path, forks=forks) as start:
        yield start


@contextmanager
def starting(folder: Path, **how: Any) -> Iterator[Start]:
    started: list[Command] = []

    def run(home: Path, *arguments: object, **options: Any) -> Command:
        log = folder / f"command-{next(_numbers)}"
        started.append(Command(home, *arguments, log=log, **how, **options))
        return started[-1]

    yield run
    for command in started:
        if command.process.poll() is None:
            process = psutil.Process(command.process.pid)
            for left in (process, *process.children(recursive=True)):
                with suppress(psutil.NoSuchProcess):
                    left.kill()
            command.process.wait()


@pytest.fixture(scope="session")
def undisturbed(archive: Database, settings: Settings, corpus: Path) -> dict[str, list[str]]:
    """The tables after one import of the corpus, in another home than that of the faults, and without Dagster."""
    empty(archive)
    imported = import_archive(archive, read_paths([corpus]))
    assert imported.dialogues == {"new": CORPUS_DIALOGUES}
    results = build_stale(archive, settings)
    assert not any(result.failures for result in results.values())
    return contents(archive)


@pytest.fixture(scope="session")
def faulty_home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    home = tmp_path_factory.mktemp("faulty")
    yield home
    release(Settings(home=home).postgres_folder)


@pytest.fixture
def faulty(faulty_home: Path, undisturbed: dict[str, list[str]]) -> Iterator[Database]:
    """The archive that faults happen to, empty."""
    database = opened_without_fsync(Settings(home=faulty_home))
    migrate(database)
    empty(database)
    yield database
    database.engine.dispose()


@contextmanager
def own_archive(home: Path) -> Iterator[Database]:
    """Make an archive in a new home; its server ends with the last who uses it."""
    settings = Settings(home=home)
    database = opened_without_fsync(settings)
    migrate(database)
    try:
        yield database
    finally:
        database.engine.dispose()
        release(settings.postgres_folder)


@pytest.fixture
def new_archive(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Path, Database]]:
    """The home and the database of an archive of the test's own, empty."""
    home = tmp_path_factory.mktemp("new")
    with own_archive(home) as database:
        yield home, database


@pytest.fixture
def up(new_archive: tuple[Path, Database], tmp_path: Path) -> Iterator[Live]:
    """`up` over the new archive, ready; what a failed test leaves of it is killed."""
    # A run may be lost at each fault, which are more than the retries that it has by default.
    running = Live(new_archive[0], log=tmp_path / "up", variables={"ARCHIVE_RUN_RETRIES": "6"})
    try:
        running.wait_until_ready()
        yield running
    finally:
        running.kill_all()
