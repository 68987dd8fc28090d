"""Importing: from a file to ``raw``, beside both of its limits, parsing JSON and PostgreSQL's COPY, for each source.

    python -m benchmarks.importing [--dialogues 1000] [--rounds 3] [--sources chatgpt grok] [--workers 1 2 3]

Writes a seeded corpus as each source writes it, and in each round imports it into an emptied archive of its own in a
temporary folder, with each number of processes that read, in turns; beside it parses the same bytes with ``orjson``
alone, and copies the same rows with COPY alone, into tables without indexes and keys. Prints a table: MB of JSON a
second of each, the seconds of processor time that the import took in Python and in PostgreSQL, and the memory by which
the importing process grew.
"""

from __future__ import annotations

import argparse
import resource
import statistics
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

import orjson
import psutil

from archive_pipeline.ingest.importer import import_archive
from archive_pipeline.readers.reading import read_paths
from archive_pipeline.readers.registry import readers
from archive_pipeline.settings import Settings
from archive_pipeline.store.database import Database
from archive_pipeline.store.migrate import migrate
from archive_pipeline.store.server.embedded import release
from benchmarks.sources import write_source

TABLES: Final = ("dialogues", "messages", "content_parts", "attachments")
_SERVER_ID: Final = "SELECT pg_backend_pid()"


def main() -> None:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--dialogues", type=int, default=1_000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--workers", type=int, nargs="+", default=[1, 2, 3])
    parser.add_argument("--sources", nargs="+", choices=list(readers()), default=list(readers()))
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="archive-bench-") as folder:
        settings = Settings(home=Path(folder) / "home")
        try:
            database = Database.open(settings)
            migrate(database)
            print(f"Medians of {arguments.rounds} rounds; MB of JSON a second, seconds of processor time\n")
            print("| source | MB | workers | import | Python | PostgreSQL | orjson alone | COPY alone | grown by, MB |")
            print("|---|---:|---:|---:|---:|---:|---:|---:|---:|")
            for source in arguments.sources:
                path = Path(folder) / source / "conversations.json"
                path.parent.mkdir()
                write_source(path, source, dialogues=arguments.dialogues, seed=arguments.seed)
                rounds = [
                    [_round(database, path, workers) for workers in arguments.workers] for _ in range(arguments.rounds)
                ]
                for workers, measured in zip(arguments.workers, zip(*rounds, strict=True), strict=True):
                    _report(f"{source} | {path.stat().st_size / 1e6:,.1f} | {workers}", measured, path)
            database.engine.dispose()
        finally:
            release(settings.postgres_folder)


def _round(database: Database, path: Path, workers: int) -> dict[str, float]:
    with database.session() as connection:
        connection.execute("TRUNCATE raw.dialogues CASCADE")  # rows that are only dead would be met again
        [(server,)] = connection.execute(_SERVER_ID).fetchall()
    before, processor, served = _peak_megabytes(), _processor_seconds(), _served_seconds(server)
    imported = _seconds(lambda: import_archive(database, read_paths([path]), workers=workers))
    return {
        "import": imported,
        "python": _processor_seconds() - processor,
        "server": _served_seconds(server) - served,
        "grown": _peak_megabytes() - before,
        "orjson": _seconds(lambda: orjson.loads(path.read_bytes())),
        "copy": _copied(database),
    }


def _copied(database: Database) -> float:
    """Return the seconds that COPY takes for the rows of the import, into tables without indexes and keys."""
    with database.session() as connection:
        rows = {}
        for table in TABLES:
            connection.execute(f"CREATE TEMPORARY TABLE only_{table} AS SELECT * FROM raw.{table} WHERE false")  # noqa: S608
            with connection.cursor() as cursor, cursor.copy(f"COPY raw.{table} TO STDOUT") as copy:
                rows[table] = b"".join(copy)
        started = time.perf_counter()
        for table, content in rows.items():
            with connection.cursor() as cursor, cursor.copy(f"COPY only_{table} FROM STDIN") as copy:
                copy.write(content)
        taken = time.perf_counter() - started
        for table in TABLES:
            connection.execute(f"DROP TABLE only_{table}")
    return taken


def _seconds(run: Callable[[], object]) -> float:
    started = time.perf_counter()
    run()
    return time.perf_counter() - started


def _processor_seconds() -> float:
    """Return the processor time of this process and of those that it started and that have ended."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(each.ru_utime + each.ru_stime for each in used)


def _served_seconds(server: int) -> float:
    """Return the processor time of the server's process that this one is connected with."""
    times = psutil.Process(server).cpu_times()
    return float(times.user + times.system)


def _peak_megabytes() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3


def _report(what: str, rounds: Sequence[dict[str, float]], path: Path) -> None:
    median = {name: statistics.median(found[name] for found in rounds) for name in rounds[0]}
    rates = {name: f"{path.stat().st_size / 1e6 / median[name]:,.1f}" for name in ("import", "orjson", "copy")}
    print(
        f"| {what} | {rates['import']} | {median['python']:.2f} s | {median['server']:.2f} s "
        f"| {rates['orjson']} | {rates['copy']} | {max(found['grown'] for found in rounds):,.0f} |",
        flush=True,
    )


if __name__ == "__main__":
    main()
