"""All derived tables: the pipeline beside the seeds' builders, on the same archive, in one run.

    python -m benchmarks.derived [--dialogues 5000] [--sample 100] [--rounds 3] [--executors local processes]

Makes a seeded corpus, imports it into an archive of its own in a temporary folder, and then takes turns: the seeds'
builders on a random sample of dialogues (the whole corpus takes them half an hour), the pipeline on all of them, from
empty derived tables: every asset, first without Dagster, then as a run of Dagster over all dialogues, from the request
to its end; with each of the executors, one after the other. Before that, prints the rate at which hashes of messages
are computed, without the database; then the rates and ratios of each round, the median ratios, the seconds of each
asset, and the rate of verifying all tables.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import statistics
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from archive_pipeline.building.dialogue_source import DIALOGUES
from archive_pipeline.building.dialogues import build_stale
from archive_pipeline.building.engine import BuildResult
from archive_pipeline.building.verify import verify_archive
from archive_pipeline.derive.forest import forest_of
from archive_pipeline.derive.response_hashes import hash_messages
from archive_pipeline.domain.batch import DialogueBatch
from archive_pipeline.domain.choices import ExecutorKind
from archive_pipeline.ingest.importer import import_archive
from archive_pipeline.orchestration.instance.opening import instance_for
from archive_pipeline.orchestration.local_runs import run_derived
from archive_pipeline.orchestration.partitions.stale_keys import stale_keys
from archive_pipeline.readers.reading import read_paths
from archive_pipeline.settings import Settings
from archive_pipeline.store.batches import load_batch
from archive_pipeline.store.database import Database
from archive_pipeline.store.later_indexes import indexes_made_later
from archive_pipeline.store.migrate import migrate
from archive_pipeline.store.server.embedded import release
from archive_pipeline.store.staleness import stale_dialogues
from archive_pipeline.store.tables import DERIVED_TABLES, LEXICAL_TABLES, build_state
from benchmarks.corpus import write_corpus
from benchmarks.seed_builders import SeedRun, build_all

HASH_PASSES: Final = 20


def main() -> None:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--dialogues", type=int, default=5_000)
    parser.add_argument("--sample", type=int, default=100, help="dialogues for the seeds' builders, per round")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument(
        "--executors", nargs="+", type=ExecutorKind, default=[ExecutorKind.LOCAL, ExecutorKind.PROCESSES]
    )
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="archive-bench-") as folder:
        home = Path(folder) / "home"
        settings = Settings(home=home)
        try:
            database = _archive(settings, Path(folder) / "conversations.json", arguments.dialogues, arguments.seed)
            _hash(database)  # in forks, which are made before Dagster handles signals
            _compare(database, settings, arguments.sample, arguments.rounds, arguments.executors)
            _verify(database, settings)
            database.engine.dispose()
        finally:
            release(settings.postgres_folder)


def _archive(settings: Settings, path: Path, dialogues: int, seed: int) -> Database:
    corpus = write_corpus(path, dialogues=dialogues, seed=seed)
    print(f"corpus     {corpus.dialogues:,} dialogues, {corpus.messages:,} messages, {corpus.bytes / 1e6:.0f} MB")
    database = Database.open(settings)
    migrate(database)
    started = time.perf_counter()
    import_archive(database, read_paths([path]))
    seconds = time.perf_counter() - started
    print(f"import     {corpus.messages / seconds:,.0f} messages/s, {corpus.bytes / 1e6 / seconds:.1f} MB/s into raw")
    return database


def _compare(
    database: Database, settings: Settings, sample: int, rounds: int, executors: Sequence[ExecutorKind]
) -> None:
    ratios: dict[ExecutorKind, list[tuple[float, float]]] = {executor: [] for executor in executors}
    with instance_for(settings) as instance:
        with database.session() as connection:
            keys = [item.key for item in stale_keys(connection, settings)]
        for number in range(1, rounds + 1):
            seeds = build_all(database.engine, dialogue_limit=sample)
            for executor in executors:
                chosen = settings.with_values(executor=executor)
                _empty_derived(database)
                started = time.perf_counter()
                results = build_stale(database, chosen)
                seconds = time.perf_counter() - started
                _empty_derived(database)
                started = time.perf_counter()
                with indexes_made_later(database) as on_written:  # as commands have it
                    outcome = run_derived(instance, chosen, keys, full=True, on_written=on_written)
                with_dagster = time.perf_counter() - started
                if not outcome.success:
                    raise RuntimeError(f"the run failed: {outcome.errors or outcome.failed_checks}")
                print(f"\nexecutor   {executor}")
                ratios[executor].append(_print_round(number, seeds, results, seconds, with_dagster))
    for executor, found in ratios.items():
        bare, whole = (statistics.median(each) for each in zip(*found, strict=True))
        print(
            f"\nmedian     {whole:,.0f} times the seeds' builders with Dagster's bookkeeping, {bare:,.0f} times without"
        )
        print(f"           ({executor})")


def _hash(database: Database) -> None:
    """Print the rate of one process, and of as many at once as there are cores: so do runs of the queue work."""
    with database.session() as connection:
        first = next(DIALOGUES.chunks(stale_dialogues(connection, "", ""), {}))
    batch = load_batch(database, [dialogue.id for dialogue in first])
    _ = forest_of(batch)  # other assets have computed it
    for processes in sorted({1, os.cpu_count() or 1}):
        with multiprocessing.get_context("fork").Pool(processes) as pool:
            passes = pool.map(_hash_passes, [batch] * processes, chunksize=1)
        best = sum(len(batch) / min(seconds) for seconds in passes)
        median = sum(len(batch) / statistics.median(seconds) for seconds in passes)
        print(
            f"hashing    {best:>12,.0f} messages/s, {processes} at once, best of {HASH_PASSES} passes over "
            f"{len(batch):,}; median {median:,.0f}"
        )


def _hash_passes(batch: DialogueBatch) -> list[float]:
    """Return the seconds of each pass."""
    _ = forest_of(batch)
    seconds: list[float] = []
    for _ in range(HASH_PASSES):
        started = time.perf_counter()
        hash_messages(batch)
        seconds.append(time.perf_counter() - started)
    return seconds


def _verify(database: Database, settings: Settings) -> None:
    found = verify_archive(database, settings)
    drift = sum(table.total for table in found.tables.values())
    print(
        f"verify     {found.counts['messages'] / found.seconds:>12,.0f} messages/s, {found.rows:,} rows, {drift} differ"
    )


def _empty_derived(database: Database) -> None:
    with database.session() as connection:
        connection.execute(
            "TRUNCATE " + ", ".join(str(table) for table in (*DERIVED_TABLES, *LEXICAL_TABLES, build_state))
        )


def _print_round(
    number: int, seeds: SeedRun, results: dict[str, BuildResult], seconds: float, with_dagster: float
) -> tuple[float, float]:
    """Print a round; return how many times the seeds' rate is reached without and with Dagster's bookkeeping."""
    messages = max(result.size for result in results.values())
    ratios = (messages / seconds / seeds.messages_per_second, messages / with_dagster / seeds.messages_per_second)
    print(f"\nround {number}    {'messages/s':>12}  {'messages':>10}  {'seconds':>8}  {'ratio':>6}")
    print(f"seeds      {seeds.messages_per_second:>12,.0f}  {seeds.messages:>10,}  {seeds.seconds:>8.1f}")
    for name, part in seeds.seconds_by_builder.items():
        print(f"  {name:<22}{'':>12}  {part:>9.2f}")
    for name, spent, ratio in (("pipeline", seconds, ratios[0]), ("Dagster", with_dagster, ratios[1])):
        print(f"{name:<11}{messages / spent:>12,.0f}  {messages:>10,}  {spent:>8.1f}  {ratio:>6,.1f}")
    for name, result in results.items():
        print(f"  {name:<22}{sum(result.rows.values()):>12,} rows {result.seconds:>5.2f}")
    return ratios


if __name__ == "__main__":
    main()
