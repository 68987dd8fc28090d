"""What overlaps: a word within an address or secret does not hide it, and no part of either stays."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from archive_pipeline.export.redaction.overlaps import before_replacing, united
from archive_pipeline.export.redaction.redactor import Redactor
from archive_pipeline.export.redaction.rules import Span, finders, word_finders
from archive_pipeline_tests.export.labelled import WITH, WITHOUT

PLACEHOLDER = re.compile(r"\[([A-Z]+)-[0-9a-f]{8}\]")
ADDRESS = "ann.lee@corp.example"
# What stands in the labelled texts, and parts of it.
WORDS = [
    "ann",
    "lee",
    "Ann Lee",
    "example",
    "org",
    "the",
    "token",
    "is",
    "correcthorse",
    "Mira",
    "Harbour",
    "4111",
    "KEY",
]


def redactor(words: Sequence[str] = (), accounts: Sequence[str] = ()) -> Redactor:
    return Redactor(finders(None), b"k" * 32, word_finders(words, accounts))


def shown(text: str) -> str:
    """Return a text with the rules of its placeholders only."""
    return PLACEHOLDER.sub(r"<\1>", text)


@pytest.mark.parametrize("word", ["Lee", "ann", "acme", "corp", "example", "ann.lee"])
@pytest.mark.parametrize(
    ("text", "left"),
    [
        (f"my mail is {ADDRESS}!", "my mail is <EMAIL>!"),
        ("DB_PASSWORD=lee-ann-corp-99x and", "DB_PASSWORD=<SECRET> and"),
        ("https://ann:lee-acme99@host.test/", "https://{}:<SECRET>@host.test/"),
        ("cd /home/ann.lee-corp/x", "cd /home/<USER>/x"),
    ],
)
def test_an_address_or_secret_is_replaced_whole_whatever_words_are_in_it(word: str, text: str, left: str):
    found = redactor([word]).text(text)
    assert shown(found) == left.format("<NAME>" if word == "ann" else "ann")
    if word != "ann":
        assert found == redactor().text(text)


def test_the_name_of_an_account_switches_off_no_rule():
    text = "annalee@corp.example, DB_PASSWORD=annalee-99-secret, annalee"
    assert shown(redactor(accounts=["annalee"]).text(text)) == "<EMAIL>, DB_PASSWORD=<SECRET>, <USER>"


@pytest.mark.parametrize(
    ("words", "text", "left"),
    [
        (["Ann Lee"], "Ann lee@corp.example", "<EMAIL>"),
        (["mail ann"], f"my mail {ADDRESS}", "my <EMAIL>"),
        (["Ann Lee", "Lee Corp"], "ask Ann Lee Corp today", "ask <NAME> today"),
        (["x----y", "x y z"], "the x----y z", "the <NAME>"),
        (["Lee", "Ann Lee"], "Ann Lee and Lee", "<NAME> and <NAME>"),
    ],
)
def test_what_overlaps_is_replaced_as_one(words: list[str], text: str, left: str):
    assert shown(redactor(words).text(text)) == left


def test_a_word_at_the_place_of_a_value_of_a_rule_gives_its_name():
    assert shown(redactor(["jdoe"]).text("/home/jdoe/x, jdoe")) == "/home/<NAME>/x, <NAME>"


def test_a_union_has_the_rule_of_its_longest_part():
    words = [Span(0, 3, "W"), Span(8, 12, "W"), Span(20, 22, "W")]
    found = [Span(2, 9, "A"), Span(13, 15, "B"), Span(20, 22, "C")]
    assert united(words, found) == [Span(0, 12, "A"), Span(13, 15, "B"), Span(20, 22, "W")]


def test_places_are_those_of_the_text_before_what_was_replaced():
    # "ab12cdef3g" with digits replaced is "ab<>cdef<>g".
    replaced = [Span(2, 4, "N"), Span(8, 9, "N")]
    found = [Span(0, 1, "L"), Span(4, 6, "L"), Span(10, 11, "L")]
    assert before_replacing(replaced, found, lambda _: "<>") == [Span(0, 1, "L"), Span(4, 6, "L"), Span(9, 10, "L")]


def test_a_later_round_finds_the_same_with_words():
    def digits_behind_a_placeholder(text: str) -> Iterator[Span]:
        yield from (Span(*match.span(1), "CODE") for match in re.finditer(r"\[EMAIL-[0-9a-f]+\] (\d+)", text))

    rules = [*finders(None), digits_behind_a_placeholder]
    found = Redactor(rules, b"k", word_finders(["Lee", "corp 77"], []))
    assert shown(found.text(f"lee: {ADDRESS} 7788, corp 77")) == "<NAME>: <EMAIL> <CODE>, <NAME>"
    assert found.counts == {"NAME": 2, "EMAIL": 1, "CODE": 1}


def test_a_short_text_is_counted_each_time_it_comes():
    found = redactor()
    assert found.text(ADDRESS) == found.text(ADDRESS)
    assert found.counts == {"EMAIL": 2}


@given(st.lists(st.sampled_from([*WITH, *WITHOUT]), max_size=3), st.text(max_size=8), st.sets(st.sampled_from(WORDS)))
def test_more_words_never_leave_more_of_a_text(texts: list[str], between: str, words: set[str]):
    text = re.sub("[⟦⟧]", "", between.join(texts))
    kept, kept_without = (
        PLACEHOLDER.sub("\0", found.text(text)).split("\0") for found in (redactor(sorted(words)), redactor())
    )
    # Each piece that is kept with the words is one, or a part of one, that is kept without them.
    places = iter(kept_without)
    whole = next(places)
    for piece in kept:
        while piece not in whole:
            whole = next(places)
        whole = whole[whole.index(piece) + len(piece) :]
