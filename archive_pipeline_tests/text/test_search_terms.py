"""Terms of texts: what a word is found by, and that texts taken apart together give what each gives alone."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from archive_pipeline.text.languages import CONFIGURATIONS
from archive_pipeline.text.search_terms import LONGEST_TERM, MOST_TEXTS, index_texts, split_words, stem, terms_of_word

IDENTIFIERS = ("parseHttpHeaders", "read_csv_rows", "x" * 150, "a", " ", "\n")
OTHERS = ("=\u0338b", "\u0301", "naïve", "Häuser", "ΣΑΣ", "面包发酵", "don\u2019t", "\u2026", "\u2014", "३.१४")
anything = st.text(st.characters(exclude_characters="\x00", codec="utf-8"), max_size=40)
composed = st.lists(st.sampled_from(IDENTIFIERS + OTHERS)).map("".join)
texts = st.lists(
    st.tuples(st.one_of(anything, composed), st.sampled_from(["english", "german", "simple"])),
    max_size=8,
)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("http_client.py", ["http", "client", "py"]),
        ("don\u2019t \u2014 wait\u2026", ["don", "t", "wait"]),
        ("面包 and 빵", ["面", "包", "and", "빵"]),
        ("nai\u0308ve", ["na\u00efve"]),
        ("हिन्दी", ["हिन्दी"]),  # marks belong to the letters before them
        (" \t\n", []),
    ],
)
def test_words_of_a_text(text: str, words: list[str]):
    assert split_words(text) == words


@pytest.mark.parametrize(
    ("word", "language", "terms"),
    [
        ("Headers", "english", {"headers", "header"}),
        ("Headers", "simple", {"headers"}),
        (
            "parseHttpHeaders",
            "english",
            {"parsehttpheaders", "parsehttphead", "parse", "pars", "http", "headers", "header"},
        ),
        ("HTTPServer", "simple", {"httpserver", "http", "server"}),
        ("URLsOfAPIs", "simple", {"urlsofapis", "urls", "of", "apis"}),
        ("Häuser", "german", {"häuser", "haus"}),
        ("x" * 150, "simple", {"x" * LONGEST_TERM}),
    ],
)
def test_terms_of_a_word(word: str, language: str, terms: set[str]):
    assert set(terms_of_word(word, language)) == terms
    assert terms_of_word(word, language)[0] == word.lower()[:LONGEST_TERM]


def test_every_language_that_is_told_has_stems():
    assert {language for language in CONFIGURATIONS.values() if not stem("walking", language)} == set()


@given(texts)
def test_texts_together_have_the_terms_of_each(drawn: list[tuple[str, str]]):
    postings = index_texts([text for text, _ in drawn], [language for _, language in drawn])
    found = {
        (term, ordinal)
        for term, (start, end) in zip(postings.terms, pairwise(postings.bounds), strict=True)
        for ordinal in postings.ordinals[start:end].tolist()
    }
    expected = {
        (term, number)
        for number, (text, language) in enumerate(drawn)
        for word in split_words(text)
        for term in terms_of_word(word, language)
    }
    assert found == expected
    assert len(postings.ordinals) == len(expected)
    assert postings.terms == sorted({term for term, _ in expected})


def test_a_text_weighs_by_how_often_it_says_a_term_and_how_long_it_is():
    said = ["bread", "bread bread", "bread " + "x " * 400]
    postings = index_texts(said, ["simple"] * 3)
    at = postings.terms.index("bread")
    start, end = postings.bounds[at : at + 2]
    assert postings.ordinals[start:end].tolist() == [0, 1, 2]
    # tf * 2.2 / (tf + 1.2 * (0.25 + 0.75 * terms / 200)), in hundredths
    expected = [
        round(100 * tf * 2.2 / (tf + 1.2 * (0.25 + 0.75 * length / 200))) for tf, length in ((1, 1), (2, 2), (1, 401))
    ]
    assert postings.weights[start:end].tolist() == expected


def test_more_terms_than_16_bits_number_are_sorted():
    words = [f"w{number:05x}" for number in range(0x10010)]
    postings = index_texts([" ".join(words[::2]), " ".join(words[::-1])], ["simple"] * 2)
    assert postings.terms == words
    assert postings.ordinals.tolist() == [0, 1, 1] * (len(words) // 2)
    assert postings.bounds[-3:] == [len(postings.ordinals) - 3, len(postings.ordinals) - 1, len(postings.ordinals)]


def test_the_last_text_that_is_numbered_is_found_and_one_more_is_refused():
    said = [*[""] * (MOST_TEXTS - 1), "last"]
    postings = index_texts(said, ["simple"] * MOST_TEXTS)
    assert (postings.terms, postings.ordinals.tolist()) == (["last"], [MOST_TEXTS - 1])
    with pytest.raises(ValueError, match="65,537 texts"):
        index_texts([*said, "one more"], ["simple"] * (MOST_TEXTS + 1))
