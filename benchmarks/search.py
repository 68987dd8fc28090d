"""Rates of chunking, embedding, and the vector store, on a seeded corpus, and how long searches and contexts take.

    python -m benchmarks.search [--dialogues 2000] [--queries 200] [--home FOLDER]

Makes an archive of its own in a temporary folder, with its index in the store of ARCHIVE_VECTOR_INDEX (PostgreSQL by
default). Prints rows and rates of each stage, writes included; then the median, and what 95 % stay below, of warm
queries: questions of the corpus, 12 words of each. Of an archive that is there, in FOLDER, the index is brought up to
date and queries are timed.
"""

from __future__ import annotations

import argparse
import asyncio
import statistics
import tempfile
import time
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from typing import Any, Final

from archive_pipeline.building.dialogues import build_stale
from archive_pipeline.ingest.importer import import_archive
from archive_pipeline.readers.reading import read_paths
from archive_pipeline.retrieval.context.builder import ContextBuilder
from archive_pipeline.retrieval.embedders.registry import open_embedder
from archive_pipeline.retrieval.index.run import index_archive
from archive_pipeline.retrieval.search.engine import SearchEngine
from archive_pipeline.retrieval.search.modes import MODES
from archive_pipeline.settings import Settings
from archive_pipeline.store.database import Database
from archive_pipeline.store.migrate import migrate
from archive_pipeline.store.server.embedded import release
from benchmarks.corpus import write_corpus

QUERY_WORDS: Final = 12
WARM_UP: Final = 5
ESTIMATED_CHARACTERS: Final = 10_000


def main() -> None:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--dialogues", type=int, default=2_000)
    parser.add_argument("--queries", type=int, default=200)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--home", type=Path, help="an archive that is there, instead of a new one")
    arguments = parser.parse_args()
    if arguments.home is not None:
        _query_home(arguments.home.resolve(), arguments.queries)
        return
    with tempfile.TemporaryDirectory(prefix="search-bench-", dir="/tmp") as folder:
        settings = Settings.from_environment().with_values(home=Path(folder) / "home", database_url=None)
        try:
            database = _archive(settings, Path(folder) / "conversations.json", arguments.dialogues, arguments.seed)
            _index(database, settings)
            _query(database, settings, arguments.queries)
            database.engine.dispose()
        finally:
            release(settings.postgres_folder)


def _query_home(home: Path, queries: int) -> None:
    settings = Settings.from_environment().with_values(home=home, database_url=None)
    try:
        database = Database.open(settings)
        _index(database, settings)
        _query(database, settings, queries)
        database.engine.dispose()
    finally:
        release(settings.postgres_folder)


def _archive(settings: Settings, path: Path, dialogues: int, seed: int) -> Database:
    corpus = write_corpus(path, dialogues=dialogues, seed=seed)
    print(f"corpus      {corpus.dialogues:,} dialogues, {corpus.messages:,} messages, {corpus.bytes / 1e6:.0f} MB")
    database = Database.open(settings)
    migrate(database)
    import_archive(database, read_paths([path]))
    for name, result in build_stale(database, settings).items():
        if name in {"qa_pairs", "dialogue_pages", "qa_chunks"}:
            print(f"{name:<12}{sum(result.rows.values()):,} rows, {result.seconds:.1f} s")
    return database


def _index(database: Database, settings: Settings) -> None:
    clock = _Clock()
    result = index_archive(database, settings, progress=clock)
    for stage, (seconds, number) in clock.stages().items():
        print(f"{stage:<12}{number:,} in {seconds:.1f} s, {number / seconds:,.0f}/s")
    again = index_archive(database, settings)
    print(f"index       {result.seconds:.1f} s, and {again.seconds:.1f} s when nothing changed")


class _Clock:
    """Takes the time of each stage from its progress."""

    def __init__(self) -> None:
        self._seen: dict[str, tuple[float, float, int]] = {}

    def __call__(self, stage: str, done: int, _total: int) -> None:
        now = time.perf_counter()
        first, _, _ = self._seen.get(stage, (now, now, 0))
        self._seen[stage] = first, now, done

    def stages(self) -> dict[str, tuple[float, int]]:
        """Return seconds and number per stage."""
        return {stage: (last - first, done) for stage, (first, last, done) in self._seen.items() if done}


def _query(database: Database, settings: Settings, number: int) -> None:
    engine = SearchEngine(database, settings)
    builder = ContextBuilder(engine, engine.pages)
    embedder = open_embedder(settings)
    with database.session() as connection:
        rows = connection.execute(
            "SELECT text FROM derived.qa_chunks WHERE side = 'question' ORDER BY chunk_id LIMIT %s", [number]
        )
        questions = [text for (text,) in rows]
    queries = [" ".join(text.split()[:QUERY_WORDS]) for text in questions]
    for query in queries[:WARM_UP]:
        asyncio.run(builder.build_context(query))
    _print_times("embed query", embedder.embed_query, queries)
    for mode in MODES:
        _print_times(f"search, {mode}", partial(_search, engine, mode), queries)
    _print_times("context of 10 sources", lambda query: asyncio.run(builder.build_context(query)), queries)
    found = [[(result["doc_id"], result["page"]) for result in engine.search_now(query)] for query in queries]
    _print_times("metadata of 10 sources", lambda places: asyncio.run(_metadata(builder, places)), found)
    hundred = [{"doc_id": str(at % 60), "page": 1 + at % 7, "score": at / 100} for at in range(100)]
    _print_times("deduplication of 100", builder.deduplicate_results, [hundred] * number)
    text = "\n".join(questions)[:ESTIMATED_CHARACTERS]
    _print_times(
        f"tokens of {len(text):,} characters", builder.estimate_tokens, [text + str(at) for at in range(number)]
    )


def _search(engine: SearchEngine, mode: str, query: str) -> None:
    engine.search_now(query, 10, mode)


async def _metadata(builder: ContextBuilder, places: Iterable[tuple[str, int]]) -> None:
    await asyncio.gather(*(builder.get_source_metadata(doc_id, page) for doc_id, page in places))


def _print_times(name: str, call: Callable[[Any], object], arguments: Iterable[Any]) -> None:
    seconds = []
    for argument in arguments:
        started = time.perf_counter()
        call(argument)
        seconds.append(time.perf_counter() - started)
    below = statistics.quantiles(seconds, n=20)[-1]
    print(f"{name:<28}median {statistics.median(seconds) * 1e3:6.1f} ms, 95 % below {below * 1e3:6.1f} ms")


if __name__ == "__main__":
    main()
