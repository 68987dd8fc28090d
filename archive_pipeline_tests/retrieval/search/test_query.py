"""Queries as people write them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from time import process_time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from archive_pipeline.errors import InvalidQueryError
from archive_pipeline.retrieval.search.query import (
    _PREFIX,
    MOST_TERMS,
    MOST_WORDS,
    MOST_WORDS_OF_TERM,
    Term,
    parse_query,
)
from archive_pipeline.text.user_input import LONGEST_QUERY


def words(*texts: str) -> list[Term]:
    return [Term("word", text) for text in texts]


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("bread oven", [Term("word", "bread"), Term("word", "oven")]),
        ("bread bread", [Term("word", "bread")]),
        ('"cold kitchen" bread', [Term("phrase", "cold kitchen"), Term("word", "bread")]),
        ("\u201ccold kitchen\u201d bread", [Term("phrase", "cold kitchen"), Term("word", "bread")]),
        ("sour*", [Term("prefix", "sour")]),
        ("bread -oven", [Term("word", "bread"), Term("word", "oven", is_excluded=True)]),
        ('bread -"cold kitchen"', [Term("word", "bread"), Term("phrase", "cold kitchen", is_excluded=True)]),
        ('bread -"cold kitchen', [Term("word", "bread"), Term("phrase", "cold kitchen", is_excluded=True)]),
        ("-oven bread", [Term("word", "bread"), Term("word", "oven", is_excluded=True)]),
        ("ls -l --all -la", [*words("ls", "-l", "--all"), Term("word", "la", is_excluded=True)]),
        ('bread -"v"', [Term("word", "bread"), Term("phrase", "v", is_excluded=True)]),
        ("well-known", [Term("word", "well-known")]),
        ("a.b_c(d)", [Term("word", "a.b_c(d)")]),
        ("2*3", [Term("word", "2*3")]),
        ("- -- * ?!", []),
        ('never "closed phrase', [Term("word", "never"), Term("word", "closed"), Term("word", "phrase")]),
        ("日本語", [Term("word", "日本語")]),
    ],
)
def test_terms(text: str, terms: list[Term]):
    assert parse_query(text).terms == terms


def test_a_word_of_many_asterisks_is_gone_through_once():
    text = "a" + "*" * (LONGEST_QUERY - 2) + "x"
    started = process_time()
    assert parse_query(text).terms == [Term("word", text)]
    assert process_time() - started < 2


@given(st.text("a-* _é", max_size=12))
def test_a_prefix_is_a_word_with_asterisks_behind_it(text: str):
    written = re.fullmatch(r"(\w[\w-]*)\*+\W*", text)
    found = _PREFIX.fullmatch(text)
    assert (written and written[1]) == (found and found["start"])


@pytest.mark.parametrize("text", ["", "  \n"])
def test_an_empty_query_is_refused(text: str):
    with pytest.raises(InvalidQueryError, match="the query is empty"):
        parse_query(text)


def test_a_query_of_a_megabyte_is_refused_and_a_pasted_text_is_not():
    with pytest.raises(InvalidQueryError, match="1,048,576 characters"):
        parse_query("x" * 2**20)
    pasted = " ".join(f"w{number}" for number in range(5_000))[:LONGEST_QUERY]
    query = parse_query(pasted)
    assert query.text == pasted
    assert [term.text for term in query.terms] == [f"w{number}" for number in range(MOST_TERMS)]


def test_what_is_excluded_is_kept_however_much_is_asked_for():
    query = parse_query(" ".join(f"w{number}" for number in range(MOST_TERMS + 1)) + " -oven")
    assert query.terms[-1] == Term("word", "oven", is_excluded=True)
    assert len(query.wanted) == MOST_TERMS
    assert query.is_shortened


def test_what_is_excluded_is_not_embedded():
    query = parse_query(' warm -oven  bread -"baking stone" well-known ')
    assert query.text == 'warm -oven  bread -"baking stone" well-known'
    assert query.wanted_text == "warm bread well-known"


@pytest.mark.parametrize(
    ("text", "is_only_numbers"),
    [("4111 1111.5", True), ("E0382", True), ("k8s", False), ("error 404", False), ("404 -error", True), ("?!", False)],
)
def test_numbers_and_codes_are_told_from_words(text: str, is_only_numbers: bool):
    assert parse_query(text).is_only_numbers is is_only_numbers


@given(st.text(max_size=200))
def test_any_text_is_a_query_or_refused(text: str):
    try:
        query = parse_query(text)
    except InvalidQueryError:
        assert not text.strip() or "\0" in text
        return
    assert query.text
    assert all(term.text.strip() and "\0" not in term.text for term in query.terms)


@pytest.mark.parametrize("text", ["caf\ud800", "\udce9", "a \udfff b", "\0", "a\0b"])
def test_what_is_no_unicode_is_refused(text: str):
    with pytest.raises(InvalidQueryError, match="the query has a lone surrogate"):
        parse_query(text)


def looked_up(terms: Sequence[Term]) -> int:
    """Count what full text search takes apart: words at any sign, Chinese by character."""
    return sum(len(re.findall(r"[\u4e00-\u9fff]|[a-z0-9]+", term.text)) for term in terms)


@pytest.mark.parametrize(
    "text",
    [
        '"' + "ab " * 10_000 + '"',
        '-"' + "ab " * 10_000 + '" bread',
        "a.b_c/" * 5_000,
        "x-" * 10_000 + "*",
        "面" * 10_000,
        " ".join(f'"{" ".join(f"w{number}x{word}" for word in range(100))}"' for number in range(40)),
        " ".join(f"w{number}" for number in range(5_000)),
    ],
    ids=["phrase", "exclusion", "identifier", "prefix", "chinese", "phrases", "words"],
)
def test_a_query_looks_up_no_more_than_so_many_words_and_says_so(text: str):
    query = parse_query(text)
    assert 0 < looked_up(query.terms) <= MOST_WORDS
    assert max(looked_up([term]) for term in query.terms) <= MOST_WORDS_OF_TERM
    assert query.is_shortened


def test_a_quoted_paragraph_and_a_pasted_page_of_terms_are_looked_up_whole():
    paragraph = '"' + " ".join(f"w{number}" for number in range(MOST_WORDS_OF_TERM)) + '"'
    words = " ".join(f"v{number}" for number in range(MOST_TERMS - 1))
    query = parse_query(f"{paragraph} {words}")
    assert not query.is_shortened
    assert looked_up(query.terms) == MOST_WORDS_OF_TERM + MOST_TERMS - 1
    assert query.terms[0].text == paragraph.strip('"')
