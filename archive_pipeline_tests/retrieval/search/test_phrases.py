"""What is quoted has to be on a page, in the modes that look for words."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from archive_pipeline.building.dialogues import build_stale
from archive_pipeline.domain.identity import dialogue_id
from archive_pipeline.retrieval.index.run import index_archive
from archive_pipeline.retrieval.search.engine import SearchEngine
from archive_pipeline.retrieval.search.filters import SearchFilters
from archive_pipeline.retrieval.search.running import NO_PHRASE
from archive_pipeline.settings import Settings
from archive_pipeline.store.database import Database
from archive_pipeline_tests.conftest import empty
from archive_pipeline_tests.exports import Said, chain, chatgpt, load
from archive_pipeline_tests.retrieval.search.archive import places

START = 1_704_067_200.0
COLD, HOT, FAR, TWICE, VASES = (dialogue_id("chatgpt", name) for name in ("cold", "hot", "far", "twice", "vase"))
MANY_WORDS = " ".join(f"kiln{number}" for number in range(250))
# Said twice, so that the second answer is a near-duplicate, which the index does not know.
ANSWER = f"A cold kitchen is no harm. {MANY_WORDS}"
# A text and code in chunks of their own, which repeat nothing of each other.
GLAZE, STOVE = (" ".join(f"{word}{number}" for number in range(120)) for word in ("glaze", "stove"))
# Chunks that repeat sentences of each other, with a citation mark behind each sentence.
CITED = " ".join(f"Then amber{n} birch{n} cedar{n} \ue200cite\ue202turn0search{n}\ue201." for n in range(150))
VASE = f"{GLAZE} and fire the blue vase.\n\n```\nturn_off heater {STOVE}\n```"


@pytest.fixture(scope="module")
def engine(archive: Database, settings: Settings, tmp_path_factory: pytest.TempPathFactory) -> Iterator[SearchEngine]:
    home = settings.with_values(home=tmp_path_factory.mktemp("phrases"))
    empty(archive)
    load(
        archive,
        home.home / "chatgpt.json",
        chatgpt(
            "cold", chain("Does dough rise in cold kitchens?", "Slowly. The oven helps.", start=START), title="Dough"
        ),
        chatgpt(
            "hot", chain("How hot is the oven of a kitchen?", "The oven is never cold.", start=START), title="Oven"
        ),
        chatgpt("cited", chain("Which trees?", CITED, start=START)),
        chatgpt("vase", chain("Is porcelain hard?", VASE, start=START)),
        chatgpt("far", chain("Which oven for a small kitchen?", "A cold one: the kitchen is small.", start=START)),
        chatgpt(
            "twice",
            [
                Said("q", None, "user", "Is an icy pantry bad for bread?", START),
                Said("a", "q", "assistant", ANSWER, START + 1),
                Said("b", "q", "assistant", f"{ANSWER} quokka", START + 2),
            ],
            current="b",
        ),
    )
    build_stale(archive, home)
    index_archive(archive, home)
    yield SearchEngine(archive, home)
    empty(archive)


@pytest.mark.parametrize("mode", ["hybrid", "lexical"])
@pytest.mark.parametrize(
    ("query", "documents"),
    [
        ('"cold kitchen" oven', {COLD, TWICE}),  # in other forms of its words, too
        ('"cold kitchen" -"oven"', {TWICE}),
        ('"oven" "cold kitchen"', {COLD}),  # wherever on the page each of them is
        ("\u201cnever cold\u201d kitchen", {HOT}),
        ('"is" bread', {HOT, FAR, TWICE, VASES}),  # words of no meaning
        ('"fire the blue vase turn off"', {VASES}),  # over the edge of a chunk
        ('"vase turn_off" porcelain', {VASES}),
    ],
)
def test_pages_without_a_phrase_are_left_out(engine: SearchEngine, mode: str, query: str, documents: set[str]):
    results = engine.search_now(query, 10, mode)
    assert {document for document, _ in places(results)} == documents
    assert results.notes == ()


def test_a_phrase_over_the_edge_of_a_chunk_is_excluded_too(engine: SearchEngine):
    assert places(engine.search_now('porcelain -"vase turn off"', 10, "lexical")) == []
    assert places(engine.search_now('porcelain -"vase turn on"', 10, "lexical")) == [(VASES, 1)]


def test_a_phrase_is_found_wherever_it_stands_among_citation_marks(engine: SearchEngine):
    for n in range(146):
        words = " ".join(f"then amber{m} birch{m} cedar{m}" for m in range(n, n + 4))
        assert places(engine.search_now(f'"{words}"', 1, "lexical")), n
    assert not places(engine.search_now('"cedar20 then amber22"', 1, "lexical"))


@pytest.mark.parametrize("mode", ["hybrid", "lexical"])
@pytest.mark.parametrize("query", ['"kitchen cold" oven', 'oven "blorptang"', 'oven "hot blorptang"'])
def test_a_phrase_that_no_page_has_finds_nothing_and_is_named(engine: SearchEngine, mode: str, query: str):
    results = engine.search_now(query, 10, mode)
    phrase = query[query.index('"') : query.rindex('"') + 1]
    assert list(results) == []
    assert NO_PHRASE.format(where="no page", phrases=phrase) in results.notes


def test_several_phrases_and_filters_are_named(engine: SearchEngine):
    results = engine.search_now('"never cold" "cold kitchen"', filters=SearchFilters(title="Oven"))
    where = "no page that the filters let through"
    assert results.notes == (NO_PHRASE.format(where=where, phrases='"never cold" and "cold kitchen"'),)


def test_meaning_alone_takes_the_words_of_a_phrase_as_they_come(engine: SearchEngine):
    assert places(engine.search_now('"kitchen cold" oven', 10, "text"))


def test_a_phrase_of_words_that_many_chunks_have_is_looked_for_beside_rare_words(
    engine: SearchEngine, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr("archive_pipeline.retrieval.search.retrievers.lexical.COMMON", 1)
    found = engine.search_now('pantry "the oven"', 10, "lexical")
    assert {document for document, _ in places(found)} == {COLD, HOT}


def test_what_has_a_phrase_is_never_no_nearer_than_chance(engine: SearchEngine):
    words = " ".join(f"zwq{letter}" for letter in "abcdefghijklmnop")
    assert {document for document, _ in places(engine.search_now(f'"never cold" {words}'))} == {HOT}
