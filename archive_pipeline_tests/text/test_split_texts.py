"""Texts taken apart together: each gives what it gives alone, and nothing is lost."""

from __future__ import annotations

import re
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from archive_pipeline.text.split_texts import SplitTexts, split_runs, split_texts

PIECES = (
    *(" ", "  ", "\n", "\n\n", "\t", "\r\n", "\x0b", "\x1c", "\x1f", "\x85", "\u00a0", "\u1680", "\u2003", "\u3000"),
    *("word", "It's", "a_b", "7", "日本", "ß", "e\u0301", "\u200b", "🇩🇪", "\x00"),
)
texts = st.one_of(
    st.text(st.characters(codec="utf-8"), max_size=30), st.lists(st.sampled_from(PIECES), max_size=10).map("".join)
)


def words_of(split: SplitTexts) -> list[list[str]]:
    numbers = split.numbers.tolist()
    return [[split.words[number] for number in numbers[start:end]] for start, end in pairwise(split.bounds.tolist())]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("the canal, the", ["the", " canal,", " the"]),
        (" two  spaces", [" two", "  spaces"]),
        ("one\n\n  two\nthree\n", ["one\n\n  two\n", "three\n"]),
        ("tab\tstays \u00a0here", ["tab\tstays", " \u00a0here"]),
        ("\u3000 wide", ["\u3000 wide"]),
        ("\n\u2003line", ["\n\u2003line"]),
        ("", []),
    ],
)
def test_words_begin_with_the_space_before_them(text: str, words: list[str]):
    assert words_of(split_texts([text])) == [words]


@given(st.lists(texts, max_size=6))
def test_words_begin_where_they_do_in_each_text_alone(several: list[str]):
    # A space after what is no white space, and what is no white space after a line end.
    begins = re.compile(r"(?<=\S)(?= )|(?<=\n)(?=\S)")
    expected = [[word for word in begins.split(text) if word] for text in several]
    split = split_texts(several)
    assert words_of(split) == expected
    assert sorted(split.words) == sorted({word for words in expected for word in words})


@given(st.lists(texts, max_size=6))
def test_runs_are_those_of_each_text_alone(several: list[str]):
    split = split_runs(several)
    assert words_of(split) == [re.findall(r"(?:[A-Za-z0-9]|[^\x00-\x7f])+", text) for text in several]


def test_no_texts_have_no_words():
    for split in (split_texts([]), split_runs([])):
        assert (split.words, split.numbers.tolist(), split.bounds.tolist()) == ([], [], [0])
