"""What search finds, part by part, on questions of which the answers are known.

    python -m benchmarks.quality [--half held-out] [--fillers 600] [--seed 7] [--model static] [--query-model minilm]
        [--weights]

Makes an archive of sessions with facts in them, and with ARCHIVE_REAL_DATA one of published conversations. Each variant
answers the same questions; half of them, chosen by a hash of the question's id, is held out, and nothing may be tuned
on it. Prints means with 95 % bootstrap intervals. The second stage is measured with the model that ARCHIVE_RERANKER
names, and left out with the reason where there is none.
"""

from __future__ import annotations

import argparse
import os
import tempfile
from collections.abc import Iterable, Sequence
from datetime import datetime
from pathlib import Path
from typing import Final

from archive_pipeline.building.dialogues import build_stale
from archive_pipeline.building.duplicates import refresh_duplicates
from archive_pipeline.errors import MissingExtraError, RerankerError
from archive_pipeline.ingest.importer import import_archive
from archive_pipeline.readers.reading import read_paths
from archive_pipeline.retrieval.embedders.interface import MINILM, STATIC
from archive_pipeline.retrieval.index.run import index_archive
from archive_pipeline.retrieval.search.engine import SearchEngine
from archive_pipeline.settings import Settings
from archive_pipeline.store.database import Database
from archive_pipeline.store.migrate import migrate
from archive_pipeline.store.server.embedded import release
from benchmarks.quality.asking import Archive, Run, ask_all
from benchmarks.quality.generated import generate
from benchmarks.quality.measures import by_sort, mean_with_interval
from benchmarks.quality.published import published
from benchmarks.quality.questions import Asked, Question
from benchmarks.quality.variants import DEFAULT, SECOND_STAGE, VARIANTS, WEIGHTS, Variant

_HALVES: Final = {"tuning": False, "held-out": True}


def main() -> None:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--half", choices=_HALVES, default="held-out")
    parser.add_argument("--fillers", type=int, default=600, help="sessions without facts")
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--model", default=STATIC, help="as ARCHIVE_EMBEDDING_MODEL names it")
    parser.add_argument("--query-model", default=MINILM, help="as ARCHIVE_QUERY_MODEL names it")
    parser.add_argument("--weights", action="store_true", help="compare weights of meaning instead, on the tuning half")
    arguments = parser.parse_args()
    variants, half = (WEIGHTS, "tuning") if arguments.weights else ((*VARIANTS, SECOND_STAGE), arguments.half)
    with tempfile.TemporaryDirectory(prefix="quality-", dir="/tmp") as folder:
        for asked in _archives(Path(folder), arguments.seed, arguments.fillers):
            reranker = os.environ.get("ARCHIVE_RERANKER") or None
            settings = Settings(
                home=Path(folder) / asked.name,
                embedding_model=arguments.model,
                query_model=arguments.query_model,
                reranker=reranker,
            )
            try:
                _compare(asked, settings, variants, is_held_out=_HALVES[half])
            finally:
                release(settings.postgres_folder)


def _archives(folder: Path, seed: int, fillers: int) -> Iterable[Asked]:
    yield generate(folder, seed=seed, fillers=fillers)
    data = os.environ.get("ARCHIVE_REAL_DATA")
    if data:
        yield published(folder, Path(data), seed=seed)


def _compare(asked: Asked, settings: Settings, variants: Sequence[Variant], *, is_held_out: bool) -> None:
    database = Database.open(settings)
    migrate(database)
    import_archive(database, read_paths(asked.files))
    build_stale(database, settings)
    refresh_duplicates(database, settings)
    index_archive(database, settings)
    for name, questions in asked.questions.items():
        half = [question for question in questions if question.is_held_out is is_held_out]
        print(f"\n{name}: {len(half)} questions of the {'held-out' if is_held_out else 'tuning'} half")
        _ask(database, settings, half, variants, asked.now)
    database.engine.dispose()


def _ask(
    database: Database, settings: Settings, questions: Sequence[Question], variants: Sequence[Variant], now: datetime
) -> None:
    print("recall@5  recall@10 (95 %)         message@10  nDCG@10  nothing said: wrongly, rightly")
    archive = Archive(database, [question for question in questions if question.gold])
    for variant in variants:
        searched = settings if variant.has_second_stage else settings.model_copy(update={"reranker": None})
        engine = SearchEngine(database, searched, rules=variant.rules, now=lambda: now)
        reason = _why_no_second_stage(engine) if variant.has_second_stage else None
        if reason is not None:
            print(f"{variant.name}: left out, {reason}")
            continue
        run = ask_all(archive, engine, questions, variant.mode)
        _print(variant.name, run)
        if variant.has_second_stage:
            print(f"  {run.late:.2f} of the questions were asked again: one search has too little time for the model")
        if variant in (DEFAULT, SECOND_STAGE):
            _print_sorts(run)


def _why_no_second_stage(engine: SearchEngine) -> str | None:
    """Return why the second stage cannot be measured; None if it can."""
    model = engine.settings.reranker
    if not model:
        return "ARCHIVE_RERANKER names no model"
    try:
        engine.reranker(model)
    except (MissingExtraError, RerankerError) as error:
        return str(error)
    return None


def _print(name: str, run: Run) -> None:
    found = list(run.measured.values())
    mean, low, high = mean_with_interval([each.recall for each in found])
    few, messages, ndcg = (
        sum(getattr(each, field) for each in found) / len(found) for field in ("recall_few", "message_recall", "ndcg")
    )
    said = "  ".join(f"{kind.value} {share:.2f}" for kind, share in run.abstained.items())
    print(
        f"{few:.3f}     {mean:.3f} ({low:.3f} to {high:.3f})  {messages:.3f}       {ndcg:.3f}    "
        f"{run.wrongly_silent:.3f}; {said}  {name}",
        flush=True,
    )


def _print_sorts(run: Run) -> None:
    """Print a variant by kinds of questions and by their sources."""
    for sort, found in by_sort(run.measured).items():
        mean, low, high = mean_with_interval([each.recall for each in found])
        ndcg = sum(each.ndcg for each in found) / len(found)
        print(f"  {sort:<24} {len(found):>4}  recall@10 {mean:.3f} ({low:.3f} to {high:.3f})  nDCG@10 {ndcg:.3f}")


if __name__ == "__main__":
    main()
