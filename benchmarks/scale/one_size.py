"""One archive of N messages in a process of its own: what each step from the import to the index takes.

    python -m benchmarks.scale.one_size --messages 10000 --executor local --home DIR [--room GB] [--as-if N]

``benchmarks.scale.sizes`` starts it. The export is generated, imported and deleted in parts, so that the disk has one
of them at a time. Tables are built as commands build them: all assets of so many dialogues, then of the next ones.
What they have left in the server's memory is written to its files in a step of its own (``checkpoint``): otherwise a
small archive would never be written, and a large one all the time. With ``--room`` derived tables may take that much
of the disk: assets whose tables need more are built one group after the other, each group's tables are emptied when it
is measured, and what is made of all tables (duplicates, index, summary) is left out. With ``--as-if`` the server has
so many times less memory and log, as beside an archive so many times larger; the system's memory and the disk stay as
they are. Prints a line of JSON, and each step to standard error when it is done: large archives take hours. The home
is new, and stays.
"""

from __future__ import annotations

import argparse
import json
import resource
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any, Final

import psycopg
from more_itertools import chunked

from archive_pipeline.building.batch_cache import BatchCache
from archive_pipeline.building.dialogue_views import make_views
from archive_pipeline.building.dialogues import build_asset
from archive_pipeline.building.duplicates import refresh_duplicates
from archive_pipeline.building.executors.opening import executors_ahead, open_executor
from archive_pipeline.derive.registry import ASSETS, code_versions
from archive_pipeline.domain.choices import ExecutorKind, Partitioning
from archive_pipeline.ingest.importer import import_archive
from archive_pipeline.orchestration.assets.summary import summarize
from archive_pipeline.orchestration.local_runs import KEYS_PER_OWN_RUN
from archive_pipeline.readers.reading import read_paths
from archive_pipeline.report.charts import count_charts
from archive_pipeline.retrieval.index.run import index_archive
from archive_pipeline.settings import Settings
from archive_pipeline.store.database import Database
from archive_pipeline.store.later_indexes import drop_indexes_of_empty_tables, make_missing_indexes
from archive_pipeline.store.migrate import migrate
from archive_pipeline.store.rows import fetch_rows
from archive_pipeline.store.server.database import DATABASE
from archive_pipeline.store.server.embedded import release, server_url
from archive_pipeline.store.server.files import ADMINISTRATOR
from archive_pipeline.store.server.socket import socket_folder
from archive_pipeline.store.staleness import archive_keys, dialogues_of_keys
from archive_pipeline.store.tables import DERIVED_TABLES, LEXICAL_TABLES, build_state
from benchmarks.corpus import write_corpus
from benchmarks.scale.steps import Steps, peak_megabytes

MEAN_MESSAGES: Final = 20
# Of a part of the export: 150 MB.
DIALOGUES_PER_PART: Final = 5_000
# Of a run of a command.
DIALOGUES_PER_RUN: Final = KEYS_PER_OWN_RUN[Partitioning.PER_DIALOGUE]
# What the server takes of the machine's memory and disk.
SCALED_SETTINGS: Final = ("shared_buffers", "max_wal_size")
# What later groups of assets have to do once more: a run reads its dialogues once. Not a part of the whole.
READ_AGAIN: Final = "read again"


@dataclass
class TableSize:
    """A row of ``table_sizes``."""

    name: str
    size_bytes: int


def main() -> None:
    """Measure one size."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--messages", type=int, required=True)
    parser.add_argument("--executor", type=ExecutorKind, default=ExecutorKind.LOCAL)
    parser.add_argument("--home", type=Path, required=True)
    parser.add_argument("--room", type=float, metavar="GB", help="for derived tables; by default all stay")
    parser.add_argument("--as-if", type=float, default=1, metavar="N", help="divide the server's memory and log by N")
    arguments = parser.parse_args()
    settings = Settings(home=arguments.home.resolve(), executor=arguments.executor)
    if arguments.as_if > 1:
        _make_server_smaller(settings, arguments.as_if)
    with _database(settings) as database:
        print(json.dumps(_measure(database, settings, arguments.messages, room=arguments.room)))


def _make_server_smaller(settings: Settings, times: float) -> None:
    """Write settings of the home's own, which win over those that each start writes."""
    with _database(settings) as database, database.session() as connection:
        sizes = {name: _setting(connection, name) for name in SCALED_SETTINGS}
    lines = (f"{name} = '{round(size / times / 2**20)}MB'\n" for name, size in sizes.items())
    with (settings.postgres_folder / "postgresql.conf").open("a") as file:
        file.writelines(lines)


def _setting(connection: psycopg.Connection[Any], name: str) -> int:
    """Return a size that the server was started with, in bytes."""
    [(size,)] = connection.execute("SELECT pg_size_bytes(current_setting(%s))", [name])
    return int(size)


@contextmanager
def _database(settings: Settings) -> Iterator[Database]:
    try:
        database = Database.open(settings)
        migrate(database)
        yield database
        database.engine.dispose()
    finally:
        release(settings.postgres_folder)


def _measure(database: Database, settings: Settings, wanted: int, *, room: float | None) -> dict[str, Any]:
    steps = Steps(settings)
    messages = 0
    drop_indexes_of_empty_tables(database)
    for number, dialogues in enumerate(_parts(wanted)):
        path = settings.home / "part.json"
        messages += write_corpus(path, dialogues=dialogues, seed=number, mean_messages=MEAN_MESSAGES).messages
        steps.measure("import", lambda path=path: _imported(database, path))  # type: ignore[misc]
        path.unlink()
    steps.measure("import", lambda: _indexed(database))
    steps.measure("checkpoint", lambda: _written(settings))
    with executors_ahead(settings, is_much=False):  # as commands have it, but started in a step: that is measured
        derived_bytes = _build_all(steps, database, settings, room)
    if room is None:
        _measure_the_whole(steps, database, settings)
    return {
        "executor": settings.executor.value,
        "in_groups": room is not None,
        "wanted": wanted,
        "messages": messages,
        "steps": {name: asdict(step) for name, step in steps.steps.items()},
        "raw_bytes": _bytes_of(database, "raw."),
        "derived_bytes": derived_bytes,
        "peak_megabytes": peak_megabytes(resource.RUSAGE_SELF),
        "peak_megabytes_of_a_worker": peak_megabytes(resource.RUSAGE_CHILDREN),
    }


def _build_all(steps: Steps, database: Database, settings: Settings, room: float | None) -> int:
    """Build all assets, those of each group over all dialogues; return the bytes of their tables."""
    with database.session() as connection:
        found = archive_keys(connection, settings.partitioning)
    runs = list(chunked(found, DIALOGUES_PER_RUN))
    drop_indexes_of_empty_tables(database)
    sizes = _build_run(steps, database, settings, runs[0], tuple(ASSETS))
    limit = float("inf") if room is None else room * 1e9 * len(runs[0]) / len(found)
    groups = list(_groups(sizes, limit))
    derived_bytes = 0
    for number, names in enumerate(groups):
        drop_indexes_of_empty_tables(database)
        for keys in runs[1:]:
            _build_run(steps, database, settings, keys, names, reads_again=number > 0)
        steps.measure("indexes", lambda: _indexed(database))
        steps.measure("checkpoint", lambda: _written(settings))
        derived_bytes += _bytes_of(database, "derived.")
        if len(groups) > 1:
            derived_bytes -= _bytes_of(database, f"derived.{build_state.name}")
            _empty_derived(database)
    return derived_bytes


def _groups(sizes: Mapping[str, float], room: float) -> Iterator[tuple[str, ...]]:
    """Yield assets, in their order, whose tables have room together; one without it is a group by itself."""
    group: list[str] = []
    for name, size in sizes.items():
        if group and sum(sizes[each] for each in group) + size > room:
            yield tuple(group)
            group = []
        group.append(name)
    yield tuple(group)


def _build_run(
    steps: Steps,
    database: Database,
    settings: Settings,
    keys: Sequence[str],
    names: Sequence[str],
    *,
    reads_again: bool = False,
) -> dict[str, int]:
    """Build assets of the dialogues of a run; return by how many bytes each one's tables have grown."""
    with database.session() as connection:
        dialogues = dialogues_of_keys(connection, "", "", keys, partitioning=settings.partitioning)
    cache = BatchCache()
    sizes: dict[str, int] = {}
    with open_executor(database, settings, cache) as executor:

        def built(name: str) -> int:
            rows = build_asset(database, settings, name, dialogues, cache=cache, executor=executor).rows
            return sum(rows.values())

        if reads_again:
            views = partial(make_views, database, dialogues, cache=cache, executor=executor, max_lines=0)
            steps.measure(READ_AGAIN, lambda: 0 * sum(1 for _ in views()))
        for name in names:
            before = _bytes_of(database, "derived.")
            steps.measure(name, partial(built, name))
            sizes[name] = _bytes_of(database, "derived.") - before
    return sizes


def _measure_the_whole(steps: Steps, database: Database, settings: Settings) -> None:
    """Measure what is made of all tables."""
    with open_executor(database, settings, BatchCache()) as executor:
        steps.measure("duplicates", lambda: refresh_duplicates(database, settings, executor=executor).rows)
    steps.measure("index", lambda: index_archive(database, settings).embedding.embedded)
    steps.measure("summary", lambda: _summarized(database, settings))


def _parts(messages: int) -> Iterator[int]:
    """Yield the dialogues of each part of the export."""
    left = max(1, messages // MEAN_MESSAGES)
    while left:
        yield min(left, DIALOGUES_PER_PART)
        left -= min(left, DIALOGUES_PER_PART)


def _imported(database: Database, path: Path) -> int:
    import_archive(database, read_paths([path]))
    return 0


def _indexed(database: Database) -> int:
    make_missing_indexes(database)
    return 0


def _written(settings: Settings) -> int:
    url = server_url(socket_folder(settings.postgres_folder), ADMINISTRATOR, DATABASE, None)
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("CHECKPOINT")
    return 0


def _summarized(database: Database, settings: Settings) -> int:
    summarize(database, code_versions(settings))
    with database.snapshot() as connection:
        count_charts(connection)
    return 0


def _bytes_of(database: Database, prefix: str) -> int:
    """Return the bytes of the tables whose names, with their schemas, begin so."""
    with database.session() as connection:
        tables = fetch_rows(connection, "summary/table_sizes", TableSize)
    return sum(table.size_bytes for table in tables if table.name.startswith(prefix))


def _empty_derived(database: Database) -> None:
    """Empty all derived tables; what was built of which dialogue stays recorded."""
    tables = ", ".join(map(str, (*DERIVED_TABLES, *LEXICAL_TABLES)))
    with database.session() as connection:
        connection.execute(f"TRUNCATE {tables}")


if __name__ == "__main__":
    main()
