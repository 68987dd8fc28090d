"""Laws of sums of tokens: any part of a text counts as much as it does as a text of its own."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from archive_pipeline.text.token_sums import CountedText, WordTokens
from archive_pipeline.text.tokens import chunk_tokenizer

PIECES = (
    *(" ", "  ", "\n", "\n\n", " \n", "\n ", "\t", "\r\n", "\r", "\x0b", "\x1c", "\x85", "\u00a0", "\u2028", "\u3000"),
    *("word", "It's", "'S", "123", "4567", "!", "?!", "(", '"', "`", "# ", "- ", "x" * 40),
    *("日本", "ß", "e\u0301", "\u200b", "🇩🇪", "\x00", "\x01"),
)
texts = st.one_of(st.text(max_size=40), st.lists(st.sampled_from(PIECES), max_size=14).map("".join))


class Recording:
    """A tokenizer that keeps what it was asked to count."""

    def __init__(self) -> None:
        self.counted: list[str] = []

    def count(self, text: str) -> int:
        self.counted.append(text)
        return chunk_tokenizer().count(text)


def counted(*several: str) -> list[CountedText]:
    return list(WordTokens(chunk_tokenizer()).count(several))


@given(texts, st.data())
@example("one \n \n two", None)
def test_any_part_counts_as_a_text_of_its_own(text: str, data: st.DataObject | None):
    [found] = counted(text)
    assert found.tokens == chunk_tokenizer().count(text)
    places = range(len(text) + 1)
    spans = [(start, end) for start in places for end in places[start:]]
    if data is not None:
        spans = data.draw(st.lists(st.sampled_from(spans), max_size=8))
    for start, end in spans:
        assert found.between(start, end) == chunk_tokenizer().count(text[start:end])


@given(texts, st.integers(0, 12), st.data())
@example("one two three four", 2, None)
def test_whatever_begins_before_the_earliest_start_has_more_tokens(text: str, limit: int, data: st.DataObject | None):
    [found] = counted(text)
    end = len(text) if data is None else data.draw(st.integers(0, len(text)))
    earliest = found.earliest_start(limit, end)
    assert 0 <= earliest <= end
    assert all(found.between(start, end) > limit for start in range(earliest))


def test_the_earliest_start_is_a_word_before_what_fits():
    [found] = counted("one two three four")
    assert found.text[found.earliest_start(2, len(found.text)) :] == " two three four"


@given(st.lists(texts, max_size=6))
def test_texts_are_counted_apart(several: list[str]):
    found = counted(*several)
    assert [each.text for each in found] == several
    assert [each.tokens for each in found] == [chunk_tokenizer().count(text) for text in several]
    assert [each.between(0, len(each.text)) for each in found] == [each.tokens for each in found]


def test_a_word_is_counted_once_wherever_it_is():
    tokenizer = Recording()
    words = WordTokens(tokenizer)
    first, second = words.count(["the canal opens, the canal closes\nthe end", "and the canal freezes"])
    assert (first.tokens, second.tokens) == (10, 4)
    assert [each.tokens for each in words.count(["on the canal"])] == [3]
    assert tokenizer.counted == [
        *("the", " canal", " opens,", " the", " closes\n", " end", "and", " freezes"),
        "on",
    ]


def test_long_words_are_not_remembered():
    words = WordTokens(chunk_tokenizer())
    [found] = words.count(["word " + "x" * 1_000])
    assert found.tokens == chunk_tokenizer().count("word " + "x" * 1_000)
    assert all(len(word) <= 32 for word in words)


@pytest.mark.parametrize("size", [(1 << 20) - 1, 1 << 20, (1 << 20) + 1])
def test_groups_end_anywhere(size: int):
    several = ["a" * size, "two words", "", "three more words"]
    assert [each.tokens for each in counted(*several)][1:] == [2, 0, 3]
