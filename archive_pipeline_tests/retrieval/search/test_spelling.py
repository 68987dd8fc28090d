"""Words that nobody wrote: the nearest ones that somebody wrote are looked for, and the user is told."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from archive_pipeline.building.dialogues import build_stale
from archive_pipeline.domain.identity import dialogue_id
from archive_pipeline.retrieval.index.run import index_archive
from archive_pipeline.retrieval.search.engine import SearchEngine
from archive_pipeline.retrieval.search.query import Query, parse_query
from archive_pipeline.retrieval.search.retrievers import spelling
from archive_pipeline.retrieval.search.retrievers.spelling import MOST_RESPELT, HeldTerms
from archive_pipeline.retrieval.search.running import RESPELT
from archive_pipeline.settings import Settings
from archive_pipeline.store.database import Database
from archive_pipeline.store.raw_writes import delete_dialogues
from archive_pipeline_tests.conftest import empty
from archive_pipeline_tests.exports import chain, chatgpt, load

DIALOGUES = {
    "loaf": ("How does sourdough rise in winter?", "Slowly; wait until the loaf is twice as large."),
    "mail": ("When will I receive the parcel?", "You receive it on Monday; the receiver signs for it."),
    "boats": ("Which sloop has a keel?", "A sloop that is heavy. They are slow. Sloor!"),
    "code": ("What does parseTemperature do?", "parseTemperature reads a thermometer."),
    "cells": ("What is a mitochondrion?", "A mitochondrion, of many mitochondria, feeds the cell."),
}


@pytest.fixture(scope="module")
def engine(archive: Database, settings: Settings, tmp_path_factory: pytest.TempPathFactory) -> Iterator[SearchEngine]:
    home = settings.with_values(home=tmp_path_factory.mktemp("spelling"))
    empty(archive)
    told = [chatgpt(name, chain(*said, start=1_704_067_200.0)) for name, said in DIALOGUES.items()]
    load(archive, home.home / "chatgpt.json", *told)
    build_stale(archive, home)
    index_archive(archive, home)
    yield SearchEngine(archive, home)
    empty(archive)


@pytest.mark.parametrize("mode", ["lexical", "hybrid"])
@pytest.mark.parametrize(
    ("query", "word", "other", "dialogue"),
    [
        ("sourdouhg", "sourdouhg", "sourdough", "loaf"),  # two letters swapped
        ("recieve", "recieve", "receive", "mail"),
        ("Reciever?", "Reciever", "receiver", "mail"),
        ("sordoughh", "sordoughh", "sourdough", "loaf"),  # of nine letters two may be
        ("temprature", "temprature", "temperature", "code"),  # a part of an identifier
    ],
)
def test_the_nearest_word_is_looked_for_instead(
    engine: SearchEngine, query: str, word: str, other: str, dialogue: str, mode: str
):
    results = engine.search_now(query, 3, mode)
    assert results[0]["doc_id"] == dialogue_id("chatgpt", dialogue)
    assert RESPELT.format(word=word, other=other) in results.notes
    assert results.respelt == {word: other}
    assert other in results[0]["snippet"].lower()


@pytest.mark.parametrize(
    "query",
    [
        "blorptang",  # nothing is near
        "xourdough",  # another first letter
        "shourdoghu",  # three letters are wrong
        "resieve",  # two of seven letters are wrong
        "sourdouhg2",
        "SOURDOUHG",
        "sour_douhg",
        "sourDouhg",
        "sourdouhg*",
        '"sourdouhg"',
        "loan",  # an English word that nobody wrote, one letter from `loaf`
        "loans",
        "keeq",  # of four letters: too many words are near
        "thhey",  # nearest to a word that means nothing
    ],
)
def test_nothing_is_looked_for_instead(engine: SearchEngine, query: str):
    results = engine.search_now(query, 3, "lexical")
    assert results.respelt == {}
    assert list(results) == []


def test_what_is_excluded_is_never_another_word(engine: SearchEngine):
    results = engine.search_now("parcel -recieve", 3, "lexical")
    assert [result["doc_id"] for result in results] == [dialogue_id("chatgpt", "mail")]
    assert results.respelt == {}


def test_of_words_as_near_the_most_frequent_one_is_chosen(engine: SearchEngine):
    # `sloop` is in two chunks, `sloor` in one; each is one letter away.
    assert engine.search_now("keel slooq", 3, "lexical").respelt == {"slooq": "sloop"}


def test_a_stem_that_no_text_has_as_a_word_is_not_named(engine: SearchEngine):
    # The index has the stem `mitochondria` as `mitochondria` and `mitochondrion`; `mitochondriox` is nearest to these.
    results = engine.search_now("mitochondriox", 3, "lexical")
    assert results.respelt == {"mitochondriox": "mitochondrion"}


def test_a_common_word_in_the_place_of_another_one_counts_less_than_the_word_itself(engine: SearchEngine):
    asked, misspelt = (engine.search_now(text, 1, "lexical")[0]["score"] for text in ("receive", "recieve"))
    assert 0 < misspelt < asked


def test_a_made_up_word_beside_a_misspelt_one_does_not_make_chance_relevant(engine: SearchEngine):
    found = engine.search_now("recieve blorptang")
    assert {result["doc_id"] for result in found} <= {dialogue_id("chatgpt", "mail")}


def test_a_pasted_text_is_compared_in_its_first_words_only(engine: SearchEngine, monkeypatch: pytest.MonkeyPatch):
    compared: list[str] = []

    def nearest(_held: HeldTerms, _connection: object, word: str) -> list[str]:
        compared.append(word)
        return []

    monkeypatch.setattr(spelling.HeldTerms, "nearest", nearest)
    words = [f"zwq{chr(97 + number)}xvk" for number in range(MOST_RESPELT + 2)]
    engine.search_now(" ".join(words), 1, "lexical")
    assert compared == words[:MOST_RESPELT]


def test_terms_of_too_many_postings_are_not_compared(engine: SearchEngine, monkeypatch: pytest.MonkeyPatch):
    with engine.database.session() as connection:
        assert HeldTerms().nearest(connection, "recieve") == ["receive"]
        monkeypatch.setattr(spelling, "MOST_POSTINGS", 1)
        assert HeldTerms().nearest(connection, "recieve") == []


def test_letters_are_read_once_and_forgotten_when_they_are_too_many(
    engine: SearchEngine, monkeypatch: pytest.MonkeyPatch
):
    read: list[str] = []
    fetch = spelling.fetch_rows

    def fetch_rows(connection: object, query: str, row: type, parameters: dict[str, object]) -> list[object]:
        read.append(str(parameters["letter"]))
        return fetch(connection, query, row, parameters)  # type: ignore[arg-type]

    monkeypatch.setattr(spelling, "fetch_rows", fetch_rows)
    held = HeldTerms()
    with engine.database.session() as connection:
        for word in ("recieve", "recieve", "loaff"):
            held.nearest(connection, word)
        assert read == ["r", "l"]
        monkeypatch.setattr(spelling, "MOST_HELD", 1)
        for word in ("temprature", "recieve"):
            held.nearest(connection, word)
    assert read == ["r", "l", "t", "r"]


def test_a_query_with_more_words_has_them_as_terms_and_in_its_text():
    query = parse_query("cold kitchn")
    assert query.also(["kitchen"]) == Query(
        "cold kitchn", "cold kitchn kitchen", [*query.terms, *parse_query("kitchen").terms]
    )
    assert query.also([]) is query


def test_a_word_that_was_deleted_since_the_terms_were_read_is_not_named(engine: SearchEngine, tmp_path: Path):
    load(engine.database, tmp_path / "zebu.json", chatgpt("zebu", chain("Is a zebuine ox a cow?", "It is.", start=1.0)))
    build_stale(engine.database, engine.settings)
    assert engine.search_now("zebuinne", 1, "lexical").respelt == {"zebuinne": "zebuine"}
    with engine.database.session() as connection:
        delete_dialogues(connection, [dialogue_id("chatgpt", "zebu")])
    results = engine.search_now("zebuinne", 1, "lexical")
    assert list(results) == []
    assert results.respelt == {}
