"""Snippets: which part of a text is shown."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from archive_pipeline.retrieval.search.query import Term
from archive_pipeline.retrieval.search.snippets import snippet, word_pattern

FILLER = "Nothing of it is here to be seen. "


def words(*texts: str) -> list[Term]:
    return [Term("word", text) for text in texts]


def test_a_short_text_is_shown_whole_on_one_line():
    assert snippet("One\n\n  two. ", word_pattern(words("two"))) == "One two."


def test_without_a_word_that_was_asked_for_it_is_the_beginning():
    shown = snippet(FILLER * 20, word_pattern(words("zebra")), 60)
    assert shown == "Nothing of it is here to be seen. Nothing of it is here to…"
    assert snippet(FILLER * 20, None, 60) == shown


def test_the_sentence_with_the_words_is_shown():
    text = FILLER * 20 + "The oven needs a stone. " + FILLER * 20
    assert (
        snippet(text, word_pattern(words("stone", "oven")), 60)
        == "…The oven needs a stone. Nothing of it is here to be seen.…"
    )


def test_a_word_with_a_number_is_no_other_number():
    text = " ".join(f"item{number}" for number in range(100, 300))
    assert " item237 " in snippet(text, word_pattern(words("item237")), 60)
    assert snippet(text, word_pattern(words("item2370")), 60).startswith("item100 item101")


def test_where_most_different_words_are_comes_before_where_one_is_often():
    text = "oven oven oven oven. " + FILLER * 20 + "A stone for the oven. " + FILLER * 20
    assert "A stone for the oven." in snippet(text, word_pattern(words("oven", "stone")), 60)


def test_a_long_word_tells_more_than_a_short_one():
    text = "This is for the one of us. " + FILLER * 20 + "And sourdough. " + FILLER * 20
    assert "sourdough" in snippet(text, word_pattern(words("the", "one", "sourdough")), 60)


@pytest.mark.parametrize(
    ("asked", "found"),
    [
        (Term("word", "bakeries"), "bakery"),
        (Term("word", "headers"), "parseHttpHeaders"),
        (Term("word", "csv"), "read_csv_rows"),
        (Term("word", "http_client.py"), "http_client"),
        (Term("phrase", "hot oven"), "oven"),
        (Term("prefix", "sour"), "sourdough"),
        (Term("word", "面包"), "面包"),
        (Term("word", "寒冷的面包"), "面包"),
        (Term("word", "(a+)+$"), "a"),
        (Term("word", "Häuser"), "HÄUSER"),
        (Term("word", "http2server"), "parseHttp2ServerName"),
    ],
    ids=str,
)
def test_forms_parts_and_characters(asked: Term, found: str):
    text = FILLER.replace("a", "o") * 20 + f"{found} " + FILLER.replace("a", "o") * 20
    assert found in snippet(text, word_pattern([asked]), 60)


@pytest.mark.parametrize(("asked", "text"), [("car", "carpet"), ("one", "stone"), ("oven", "proven")])
def test_a_short_word_is_not_part_of_another(asked: str, text: str):
    pattern = word_pattern(words(asked))
    assert pattern is not None
    assert pattern.search(text) is None


def test_there_may_be_no_word():
    assert word_pattern([]) is None
    assert word_pattern(words("…")) is None


@given(
    texts=st.lists(
        st.sampled_from(["oven", "stones", "the", "café", "面包", "a.b_c", "x" * 70, "\n", ". "]), max_size=60
    ),
    asked=st.lists(st.sampled_from(["oven", "stone", "面", "b_c", "café", "zebra"]), max_size=4),
    most=st.integers(20, 80),
)
def test_it_is_a_part_of_the_text_within_its_size_with_a_word_if_one_is_there(
    texts: list[str], asked: list[str], most: int
):
    line = " ".join(" ".join(texts).split())
    pattern = word_pattern(words(*asked))
    shown = snippet(" ".join(texts), pattern, most)
    assert len(shown) <= most
    assert shown.removeprefix("…").removesuffix("…") in line
    if pattern is not None and pattern.search(line):
        assert pattern.search(shown)
