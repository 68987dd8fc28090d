"""Dagster over an archive of N small dialogues, from the import to the pages of the UI.

    python -m benchmarks.scale --dialogues 100000 --home DIR [--sharded] [--messages 7] [--interrupt] [--no-pages]
    python -m benchmarks.scale --home DIR --again

Generates a corpus, imports it, registers the partition keys, and has the daemon of `llm-archive up` build all derived
assets by a backfill over all partitions, as the UI asks for it. Measures the sensor's ticks with everything stale, with
few dialogues stale and with nothing stale; then opens pages of the UI in headless Chromium. With ``--sharded`` the
partitions are 1,024 shards. The report is printed and
written to DIR/scale/report.json, beside logs and pictures. DIR must be new; the archive stays there, and ``--again``
measures ticks and pages on it once more.
"""

from __future__ import annotations

import argparse
import json
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Any, Final

import psutil

from archive_pipeline.derive.registry import ASSETS
from archive_pipeline.domain.choices import Partitioning
from archive_pipeline.ingest.importer import import_archive
from archive_pipeline.orchestration.instance.opening import instance_for
from archive_pipeline.orchestration.partitions.keys import NAMES, register_keys
from archive_pipeline.orchestration.partitions.stale_keys import stale_keys
from archive_pipeline.readers.reading import read_paths
from archive_pipeline.settings import Settings
from archive_pipeline.store.database import Database
from archive_pipeline.store.import_log import only_writer
from archive_pipeline.store.migrate import migrate
from archive_pipeline.store.server.embedded import release
from archive_pipeline.store.tables import DERIVED_TABLES
from benchmarks.corpus import CorpusCounts, write_corpus
from benchmarks.processor import server_process, tree_seconds
from benchmarks.scale import backfill
from benchmarks.scale.dagster_up import Up
from benchmarks.scale.pages import open_pages, pages
from benchmarks.scale.ticks import first_tick, later_tick

FEW: Final = 10


class Report:
    """Figures in the order they were measured; each is printed at once and the file is kept up to date."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self.figures: dict[str, Any] = {}

    def add(self, name: str, value: Any) -> None:
        """Record a figure."""
        self.figures[name] = _rounded(value)
        print(f"{name:<28}{_shown(self.figures[name])}", flush=True)
        self._path.write_text(json.dumps(self.figures, indent=2) + "\n")


def main() -> None:
    """Run the benchmark."""
    arguments = _arguments()
    home: Path = arguments.home.resolve()
    output = home / "scale"
    output.mkdir(parents=True, exist_ok=True)
    partitioning = Partitioning.SHARDED if arguments.sharded else Partitioning.PER_DIALOGUE
    settings = Settings(home=home, partitioning=partitioning)
    os.environ |= {"ARCHIVE_HOME": str(home), "ARCHIVE_PARTITIONING": partitioning.value}
    report = Report(output / ("again.json" if arguments.again else "report.json"))
    try:
        database = Database.open(settings)
        migrate(database)
        if not arguments.again:
            path = output / "conversations.json"
            corpus = write_corpus(
                path, dialogues=arguments.dialogues, seed=arguments.seed, mean_messages=arguments.messages
            )
            _import(report, database, settings, path, corpus)
            _build(report, database, settings, output, interrupt=arguments.interrupt)
        if arguments.pages:
            _pages(report, database, settings, output)
        _ticks(report, database, settings)
        database.engine.dispose()
    finally:
        release(settings.postgres_folder)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--dialogues", type=int, default=100_000)
    parser.add_argument("--home", type=Path, required=True, help="folder for the archive, new or empty")
    parser.add_argument("--messages", type=float, default=7, help="of a dialogue, on average")
    parser.add_argument("--sharded", action="store_true", help="1,024 shards for partitions; with --again, too")
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--interrupt", action="store_true", help="cancel the backfill after a run, then start it anew")
    parser.add_argument("--no-pages", dest="pages", action="store_false", help="leave out the browser")
    parser.add_argument("--again", action="store_true", help="only ticks and pages, of an archive that is there")
    arguments = parser.parse_args()
    is_there = arguments.home.exists() and any(arguments.home.iterdir())
    if is_there != arguments.again:
        parser.error(f"{arguments.home} is {'not empty' if is_there else 'empty'}")
    return arguments


def _import(report: Report, database: Database, settings: Settings, path: Path, corpus: CorpusCounts) -> None:
    report.add("dialogues", corpus.dialogues)
    report.add("messages", corpus.messages)
    report.add("megabytes", corpus.bytes / 1e6)
    started = time.perf_counter()
    import_archive(database, read_paths([path]))
    report.add("import_seconds", time.perf_counter() - started)
    path.unlink()
    with instance_for(settings) as instance, database.session() as connection:
        keys = [item.key for item in stale_keys(connection, settings)]
        started = time.perf_counter()
        register_keys(instance, settings, keys)
        report.add("registration_seconds", time.perf_counter() - started)
        report.add("partitions", len(keys))


def _build(report: Report, database: Database, settings: Settings, output: Path, *, interrupt: bool) -> None:
    with instance_for(settings) as instance:
        report.add("tick_never_built", first_tick(instance, settings, database))
    # Whoever holds the lock is at work on the archive: the sensor waits, so that all runs are the backfill's.
    with only_writer(database), Up(settings.home, output / "up.log") as up:
        processes = {"Python": psutil.Process(up.process.pid), "PostgreSQL": server_process(settings)}
        before = {name: tree_seconds(process) for name, process in processes.items()}
        _backfill(report, up, database, interrupt=interrupt)
        spent = {name: tree_seconds(process) - before[name] for name, process in processes.items()}
        report.add("processor_seconds", spent)
        _sizes(report, database)
        report.add("peak_memory_mb", up.peak_memory)


def _pages(report: Report, database: Database, settings: Settings, output: Path) -> None:
    with instance_for(settings) as instance:
        partitions = len(instance.get_dynamic_partitions(NAMES[settings.partitioning]))
    with only_writer(database), Up(settings.home, output / "up.log") as up:
        for name, seconds in open_pages(f"http://127.0.0.1:{up.port}", pages(partitions), output):
            report.add(f"page_{name}_seconds", seconds)
        up.sample_memory()
        report.add("memory_after_pages_mb", up.peak_memory)


def _ticks(report: Report, database: Database, settings: Settings) -> None:
    with instance_for(settings) as instance:
        report.add("tick_idle", later_tick(instance, settings, database))
        older = settings.with_values(simhash_version=1)
        report.add("tick_other_code", first_tick(instance, older, database))
        report.add("tick_other_code_later", later_tick(instance, older, database))
        with _changed(database, FEW):
            report.add("tick_few_stale", first_tick(instance, settings, database))


@contextmanager
def _changed(database: Database, number: int) -> Iterator[None]:
    """Have some dialogues, here and there in the archive, look as if they had changed since they were built."""
    with database.session() as connection:
        rows = connection.execute("SELECT id FROM raw.dialogues ORDER BY md5(id::text) LIMIT %s", [number])
        ids = [row[0] for row in rows]
    update = "UPDATE raw.dialogues SET fingerprint = {} WHERE id = ANY(%s)"
    with database.session() as connection:
        connection.execute(update.format("fingerprint || '!'").encode(), [ids])
    try:
        yield
    finally:
        with database.session() as connection:
            connection.execute(update.format("rtrim(fingerprint, '!')").encode(), [ids])


def _backfill(report: Report, up: Up, database: Database, *, interrupt: bool) -> None:
    requested_at = time.time()
    if interrupt:
        first = backfill.launch(up)
        one_done = lambda state: any(run["status"] == "SUCCESS" for run in state["runs"])  # noqa: E731
        backfill.wait(up, database, first, requested_at=requested_at, until=one_done)
        backfill.cancel(up, first)
        canceled = backfill.wait(up, database, first, requested_at=requested_at)
        report.add("interrupted", asdict(canceled))
        report.add("stale_after_interruption", _count_stale(database))
        requested_at = time.time()
    done = backfill.wait(up, database, backfill.launch(up), requested_at=requested_at, say=print)
    report.add("backfill", asdict(done))
    report.add("stale_after_backfill", _count_stale(database))
    pairs = report.figures["dialogues"] * len(ASSETS)
    report.add("ms_per_asset_and_dialogue", done.seconds * 1000 / pairs)


def _count_stale(database: Database) -> int:
    with database.session() as connection:
        return len(stale_keys(connection, Settings.from_environment()))


def _sizes(report: Report, database: Database) -> None:
    with database.session() as connection:
        rows = {table.name: _number(connection, f"SELECT count(*) FROM {table}") for table in DERIVED_TABLES}  # noqa: S608
        report.add("derived_rows", sum(rows.values()))
        report.add("derived_rows_by_table", rows)
        report.add("database_mb", _number(connection, "SELECT pg_database_size(current_database())") / 1e6)
        for table in ("event_logs", "event_shapes", "asset_event_tags", "dynamic_partitions"):
            size = _number(connection, f"SELECT pg_total_relation_size('dagster.{table}')")
            report.add(f"{table}_mb", size / 1e6)


def _number(connection: Any, query: str) -> int:
    return int(connection.execute(query.encode()).fetchone()[0])


def _rounded(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _rounded(part) for name, part in value.items()}
    if isinstance(value, (list, tuple)):
        return [*map(_rounded, value)]
    return round(value, 3) if isinstance(value, float) else value


def _shown(value: Any) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{name} {_shown(part)}" for name, part in value.items())
    if isinstance(value, (list, tuple)):
        return ", ".join(map(_shown, value))
    return f"{value:,}" if isinstance(value, (int, float)) else str(value)


if __name__ == "__main__":
    main()
