"""The same questions to both stores of the vector index: what is found does not depend on where the vectors are."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from archive_pipeline.building.dialogues import build_stale
from archive_pipeline.domain.choices import VectorStore
from archive_pipeline.ingest.importer import import_archive
from archive_pipeline.readers.reading import read_paths
from archive_pipeline.retrieval.index.run import index_archive
from archive_pipeline.retrieval.search.engine import SearchEngine
from archive_pipeline.retrieval.search.interface import RankingRules
from archive_pipeline.retrieval.search.results import SearchResults
from archive_pipeline.settings import Settings
from archive_pipeline.settings.variables import CHECKOUT
from archive_pipeline.store.database import Database
from archive_pipeline_tests.conftest import empty

pytestmark = pytest.mark.long

QUESTIONS = (
    "how do I keep sourdough alive in a cold kitchen",
    "which budget did we plan for the canal",
    "what can I paint a wooden fence with",
    "why does the test fail on the second run",
    "a picnic for eight people",
    "how much water does ivy need",
    "words for a birthday card",
    "a bicycle route along the river",
    "read a CSV file with missing values",
    "which tool call failed",
)
# Vectors of half the width: three significant digits.
WIDTH = 2e-3
# What is no nearer than chance is compared too.
ALL_PAGES = RankingRules(is_relevance_judged=False)


@pytest.fixture(scope="module")
def answers(
    archive: Database, settings: Settings, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[dict[VectorStore, list[dict[str, SearchResults]]]]:
    """What the sample archive answers with its index in each store, by mode."""
    for package in ("chromadb", "wordllama"):
        pytest.importorskip(package)
    empty(archive)
    home = settings.with_values(home=tmp_path_factory.mktemp("both"))
    import_archive(archive, read_paths([CHECKOUT / "examples" / "sample_archive"]))
    build_stale(archive, home)
    found = {}
    for store in VectorStore:
        chosen = home.with_values(vector_index=store)
        index_archive(archive, chosen)
        engine = SearchEngine(archive, chosen, rules=ALL_PAGES)
        found[store] = [
            {mode: engine.search_now(question, 10, mode) for mode in ("text", "hybrid", "visual")}
            for question in QUESTIONS
        ]
    yield found
    empty(archive)


@pytest.mark.parametrize("mode", ["text", "hybrid", "visual"])
@pytest.mark.parametrize("number", range(len(QUESTIONS)))
def test_both_find_the_same(answers: dict[VectorStore, list[dict[str, SearchResults]]], number: int, mode: str):
    ours, theirs = (answers[store][number][mode] for store in VectorStore)
    assert ours.degraded == theirs.degraded == {}
    scores = [
        {(each["doc_id"], each["page"]): each["scores"].get("dense", each["score"]) for each in results}
        for results in (ours, theirs)
    ]
    assert len(scores[0]) == 10
    if mode == "hybrid":
        assert places(ours)[:3] == places(theirs)[:3]
        return
    # Pages that change places are as near as the width of a half tells.
    for ours_at, theirs_at in zip(scores[0].values(), scores[1].values(), strict=True):
        assert ours_at == pytest.approx(theirs_at, abs=WIDTH)
    least = min(scores[0].values()) + WIDTH
    for page in {*scores[0]} ^ {*scores[1]}:
        assert scores[0].get(page, scores[1].get(page, 0)) <= least


def places(results: SearchResults) -> list[tuple[str, int]]:
    return [(result["doc_id"], result["page"]) for result in results]
