"""Finding paths again: how long a look-up takes in an archive of a given size, and what the server does for it.

    python -m benchmarks.matching [--messages 1000000] [--lookups 500]

Makes a seeded corpus, imports it into an archive of its own in a temporary folder (or uses the one that ``--home``
has), builds the hashes, and looks up arrays of 21 messages from everywhere in it: known ones, and the same with another
last message. Prints median and 95th percentile, and whether any plan reads a whole table.
"""

from __future__ import annotations

import argparse
import random
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

from sqlalchemy.orm import Session

from archive_pipeline.building.dialogues import build_asset
from archive_pipeline.derive.registry import effective_version
from archive_pipeline.ingest.importer import import_archive
from archive_pipeline.matching import PathMatch, find_path
from archive_pipeline.readers.reading import read_paths
from archive_pipeline.settings import Settings
from archive_pipeline.store.database import Database
from archive_pipeline.store.migrate import migrate
from archive_pipeline.store.server.embedded import release
from archive_pipeline.store.sql_files import load_query
from archive_pipeline.store.staleness import stale_dialogues
from benchmarks.corpus import write_corpus

# A path that ends with a prompt has an odd number of messages.
ARRAY: Final = 21
MESSAGES_PER_DIALOGUE: Final = 19
QUERIES: Final = ("match/match_prefixes", "match/match_responses", "match/match_following", "match/match_base")
# The way up from a message, with what makes up the array.
WAY: Final = """
WITH RECURSIVE way AS (
    SELECT message_id, context_parent_id, 1 AS step FROM derived.message_contexts WHERE message_id = %(leaf)s
    UNION ALL
    SELECT above.message_id, above.context_parent_id, way.step + 1
    FROM way INNER JOIN derived.message_contexts AS above ON way.context_parent_id = above.message_id
)
SELECT
    message.role,
    (SELECT string_agg(part.text_content, E'\\n\\n' ORDER BY part.sequence) FROM raw.content_parts AS part
     WHERE part.message_id = way.message_id AND part.part_type = 'text') AS content
FROM way INNER JOIN raw.messages AS message ON way.message_id = message.id
ORDER BY way.step DESC
"""


def main() -> None:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--messages", type=int, default=1_000_000)
    parser.add_argument("--lookups", type=int, default=500)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--home", type=Path, help="keep the archive here, and use it if it is there")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="archive-bench-") as folder:
        settings = Settings(home=arguments.home or Path(folder) / "home")
        try:
            database = Database.open(settings)
            migrate(database)
            _fill(database, settings, Path(folder) / "conversations.json", arguments.messages, arguments.seed)
            _look_up(database, arguments.lookups, random.Random(arguments.seed))
            database.engine.dispose()
        finally:
            release(settings.postgres_folder)


def _fill(database: Database, settings: Settings, path: Path, messages: int, seed: int) -> None:
    name = "response_hashes"
    if not _count(database, "raw.messages"):
        corpus = write_corpus(path, dialogues=messages // MESSAGES_PER_DIALOGUE, seed=seed)
        print(f"corpus     {corpus.dialogues:,} dialogues, {corpus.messages:,} messages")
        import_archive(database, read_paths([path]))
        path.unlink()
    with database.session() as connection:
        stale = stale_dialogues(connection, name, effective_version(name, settings))
    built = build_asset(database, settings, name, stale)
    if built.size:
        print(f"hashes     {built.size / built.seconds:,.0f} messages/s with PostgreSQL")
    with database.session() as connection:
        connection.execute("ANALYZE")
    print(f"archive    {_count(database, 'raw.messages'):,} messages")


def _count(database: Database, table: str) -> int:
    with database.session() as connection:
        row = connection.execute(f"SELECT count(*) FROM {table}").fetchone()  # noqa: S608 (own names)
    return int(row[0]) if row else 0


def _look_up(database: Database, lookups: int, rng: random.Random) -> None:
    arrays = _arrays(database, lookups, rng)
    changed = [[*array[:-1], {**array[-1], "content": f"{array[-1]['content']}?"}] for array in arrays]
    with Session(database.engine) as session:
        for label, asked in (("known", arrays), ("unknown", changed)):
            for array in asked[: len(asked) // 10]:
                find_path(session, array)  # warm
            times, found = _timed([lambda array=array: find_path(session, array) for array in asked])  # type: ignore[misc]
            hits = sum(match.hit for match in found)
            matched = statistics.mean(match.matched for match in found)
            print(
                f"{label:<10} {len(asked):,} arrays of {ARRAY}: median {statistics.median(times):.2f} ms, "
                f"95 % below {times[int(len(times) * 0.95)]:.2f} ms; {hits:,} hits, {matched:.1f} messages known"
            )
        session.rollback()
    _print_plans(database)


def _timed(calls: list[Callable[[], PathMatch]]) -> tuple[list[float], list[PathMatch]]:
    times, found = [], []
    for call in calls:
        started = time.perf_counter()
        found.append(call())
        times.append((time.perf_counter() - started) * 1000)
    return sorted(times), found


def _arrays(database: Database, count: int, rng: random.Random) -> list[list[dict[str, Any]]]:
    """Return arrays whose last message was answered, from dialogues anywhere in the archive."""
    arrays: list[list[dict[str, Any]]] = []
    with database.session() as connection:
        leaves = connection.execute(
            "SELECT context_parent_id::text FROM derived.message_contexts AS context "
            "INNER JOIN derived.response_hashes ON response_message_id = context.message_id "
            "WHERE context_parent_id IS NOT NULL AND parent_response_id IS NOT NULL"
        ).fetchall()
        rng.shuffle(leaves)
        for (leaf,) in leaves:
            array = [
                {"role": role, "content": content}
                for role, content in connection.execute(WAY, {"leaf": leaf})
                if role != "tool"
            ]
            if len(array) == ARRAY and all(message["content"] for message in array):
                arrays.append(array)
            if len(arrays) == count:
                break
    return arrays


def _print_plans(database: Database) -> None:
    parameters = {
        "context_hashes": ["ab" * 32] * ARRAY,
        "hash": "ab" * 32,
        "model": None,
        "most": 100,
        "dialogue_id": None,
    }
    with database.session() as connection:
        for query in QUERIES:
            statement = load_query(query).replace("{column}", "context_hash")
            plan = "\n".join(line for (line,) in connection.execute(f"EXPLAIN {statement}", parameters))
            print(f"{query:<16} {'READS A WHOLE TABLE' if 'Seq Scan' in plan else 'indexes only'}")


if __name__ == "__main__":
    main()
