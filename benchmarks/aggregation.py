"""Texts of prompt-response pairs: put together by PostgreSQL, as seed 001 writes it, or by the pipeline.

    python -m benchmarks.aggregation [--dialogues 1500] [--rounds 5]

PostgreSQL aggregates the texts of all pairs, which are there already, in one statement, into a table like theirs:
by the seed's rules, and by the pipeline's (visible text only, words between any white space). The pipeline pairs the
messages, aggregates, and replaces both tables' rows; batches are shared with other assets, as in a run. Takes turns and
prints seconds and median ratios. Then: memory of the references to dialogues, all at once and in batches.
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
import time
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Final

from archive_pipeline.building.batch_cache import BatchCache
from archive_pipeline.building.dialogues import build_asset
from archive_pipeline.ingest.importer import import_archive
from archive_pipeline.readers.reading import read_paths
from archive_pipeline.settings import Settings
from archive_pipeline.store.database import Database
from archive_pipeline.store.migrate import migrate
from archive_pipeline.store.server.embedded import release
from archive_pipeline.store.staleness import stale_dialogues, stale_in_batches
from benchmarks.corpus import write_corpus

# One statement over all pairs instead of one a dialogue: the seed's own shape is slower still.
SEED_RULES: Final = """
INSERT INTO aggregated
SELECT
    pr.id,
    (SELECT string_agg(cp.text_content, ' ' ORDER BY cp.sequence)
     FROM raw.content_parts cp WHERE cp.message_id = pr.prompt_message_id),
    (SELECT string_agg(cp.text_content, ' ' ORDER BY cp.sequence)
     FROM raw.content_parts cp WHERE cp.message_id = pr.response_message_id),
    (SELECT sum(array_length(string_to_array(cp.text_content, ' '), 1))
     FROM raw.content_parts cp WHERE cp.message_id = pr.prompt_message_id),
    (SELECT sum(array_length(string_to_array(cp.text_content, ' '), 1))
     FROM raw.content_parts cp WHERE cp.message_id = pr.response_message_id)
FROM derived.prompt_responses pr
"""
OWN_RULES: Final = """
INSERT INTO aggregated
SELECT id, prompt, response,
    array_length(regexp_split_to_array(btrim(prompt, E' \\n\\r\\t'), '\\s+'), 1),
    array_length(regexp_split_to_array(btrim(response, E' \\n\\r\\t'), '\\s+'), 1)
FROM (
    SELECT pr.id,
        (SELECT string_agg(cp.text_content, E'\\n\\n' ORDER BY cp.sequence)
         FROM raw.content_parts cp INNER JOIN raw.messages m ON cp.message_id = m.id
         WHERE cp.message_id = pr.prompt_message_id AND cp.part_type = 'text' AND NOT m.is_hidden) AS prompt,
        (SELECT string_agg(cp.text_content, E'\\n\\n' ORDER BY cp.sequence)
         FROM raw.content_parts cp INNER JOIN raw.messages m ON cp.message_id = m.id
         WHERE cp.message_id = pr.response_message_id AND cp.part_type = 'text' AND NOT m.is_hidden) AS response
    FROM derived.prompt_responses pr
) AS texts
"""
TABLE: Final = "CREATE TABLE aggregated (LIKE derived.prompt_response_content INCLUDING ALL)"
MANY: Final = 100_000
MORE_DIALOGUES: Final = """
INSERT INTO raw.dialogues (id, source, source_id, partition_key, shard_key, fingerprint, message_count, source_json)
SELECT gen_random_uuid(), 'chatgpt', 'many-' || n, 'chatgpt-many-' || n, 's0000', md5(n::text) || md5(n::text), 0, '{}'
FROM generate_series(1, %s) AS n
"""


def main() -> None:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--dialogues", type=int, default=1_500)
    parser.add_argument("--rounds", type=int, default=5)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="archive-bench-") as folder:
        settings = Settings(home=Path(folder) / "home")
        try:
            database = Database.open(settings)
            migrate(database)
            path = Path(folder) / "conversations.json"
            corpus = write_corpus(path, dialogues=arguments.dialogues, seed=7)
            import_archive(database, read_paths([path]))
            print(f"corpus     {corpus.dialogues:,} dialogues, {corpus.messages:,} messages")
            _compare(database, settings, arguments.rounds)
            _measure_references(database)
            database.engine.dispose()
        finally:
            release(settings.postgres_folder)


def _compare(database: Database, settings: Settings, rounds: int) -> None:
    with database.session() as connection:
        dialogues = stale_dialogues(connection, "", "")

    cache = BatchCache(budget=2_000_000_000)

    def build() -> None:
        build_asset(database, settings, "prompt_responses", dialogues, cache=cache)

    def aggregate(statement: str) -> float:
        with database.session() as connection:
            connection.execute("TRUNCATE aggregated")
        started = time.perf_counter()
        with database.session() as connection:
            connection.execute(statement)
        return time.perf_counter() - started

    build()
    with database.session() as connection:
        connection.execute(TABLE)
        connection.execute("ANALYZE")
    rounds_of = [(aggregate(SEED_RULES), aggregate(OWN_RULES), _seconds(build)) for _ in range(rounds)]
    for seed, own, python in rounds_of:
        print(
            f"texts by PostgreSQL {seed:5.2f} s, by the pipeline's rules {own:5.2f} s; pairs and texts {python:5.2f} s"
        )
    for name, index in (("seed's rules", 0), ("own rules", 1)):
        ratio = statistics.median(times[index] / times[2] for times in rounds_of)
        print(f"median     PostgreSQL, {name:<12} {ratio:.2f} of the pipeline's time")


def _seconds(work: Callable[[], None]) -> float:
    started = time.perf_counter()
    work()
    return time.perf_counter() - started


def _measure_references(database: Database) -> None:
    with database.session() as connection:
        connection.execute(MORE_DIALOGUES, [MANY])

    def all_at_once() -> int:
        with database.session() as connection:
            return len(stale_dialogues(connection, "", ""))

    def in_batches() -> int:
        return sum(map(len, stale_in_batches(database, "", "", 100)))

    for name, read in (("all at once", all_at_once), ("in batches", in_batches)):
        tracemalloc.start()
        count = read()
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        print(f"references {count:,} {name:<12} {peak / 1e6:8.2f} MB at most")


if __name__ == "__main__":
    main()
