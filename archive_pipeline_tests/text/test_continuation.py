"""Which user texts only ask to go on: seed 000's six patterns, the decisions' additions, and near misses."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from archive_pipeline.text.continuation import continuation_pattern


@pytest.mark.parametrize(
    ("text", "pattern"),
    [
        ("continue", "continue"),
        ("go on", "go_on"),
        ("keep going", "keep_going"),
        ("more", "more"),
        ("elaborate", "elaborate"),
        ("", "empty"),
        (" \n\t ", "empty"),
        (None, "empty"),
    ],
)
def test_the_seeds_six_patterns(text: str | None, pattern: str):
    assert continuation_pattern(text, has_other_content=False) == pattern


@pytest.mark.parametrize(
    ("text", "pattern"),
    [
        ("  Continue\n", "continue"),
        ("GO ON", "go_on"),
        ("continue.", "continue"),
        ("go on…", "go_on"),
        ("more!!", "more"),
        ("keep going ...", "keep_going"),
        ("elaborate?", "elaborate"),
        ("proceed", "proceed"),
        ("yes", "assent"),
        ("Ok.", "assent"),
        ("okay!", "assent"),
        ("please", "assent"),
        ("yes, please", "assent"),
        ("continue please", "assent"),
        ("Please continue.", "assent"),
        ("ok, go on", "assent"),
        ("> the second point\nelaborate", "quoted"),
        ("> one\n> two\n\nPlease continue.", "quoted"),
        (">one\n\n>two\n elaborate please…", "quoted"),
        ("continue。", "continue"),
        ("go on！", "go_on"),  # noqa: RUF001
        ("continue -", "continue"),
        ("more)", "more"),
        ("proceed" + "." * 100, "proceed"),
        ("keep  going", "keep_going"),
        ("go\non", "go_on"),
        ("yes,go on", "assent"),
        ("Ok. Go on.", "assent"),
        ("yes " * 50, "assent"),
        ("continue! Please.", "assent"),
        ("> a\ncontinue:", "quoted"),
        ("> a\ncontinue;", "quoted"),
        ("> a\nelaborate, please", "quoted"),
        ("> a\nPlease, continue。", "quoted"),
    ],
)
def test_the_additions(text: str, pattern: str):
    assert continuation_pattern(text, has_other_content=False) == pattern


@pytest.mark.parametrize(
    "text",
    [
        "continue the story",
        "more coffee please?",
        "go on holiday",
        "go on a trip",
        "discontinue",
        "moreover",
        "keep going to school",
        "elaborate on trees",
        "yes but why",
        "ok what is a tree",
        "no",
        "no more",
        "please explain",
        "yesterday",
        "> only a quotation",
        "> quoted\nwhat does it mean?",
        "> quoted\nelaborate on this",
        "elaborate\n> quoted",
        "continue" + " please" * 20,
        "continue 👍",
        "continue; please",
        "...",
        "?",
    ],
)
def test_near_misses(text: str):
    assert continuation_pattern(text, has_other_content=False) is None


def test_an_empty_text_with_an_attachment_asks_for_something_else():
    assert continuation_pattern(None, has_other_content=True) is None
    assert continuation_pattern("  ", has_other_content=True) is None
    assert continuation_pattern("continue", has_other_content=True) == "continue"


@given(st.text())
def test_any_text_is_looked_at_and_surrounding_space_says_nothing(text: str):
    found = continuation_pattern(text, has_other_content=False)
    assert continuation_pattern(f"\n {text}\t", has_other_content=False) == found


def test_long_quotations_take_no_time():
    assert continuation_pattern("> a\n\n" * 50_000 + "elaborate", has_other_content=False) == "quoted"
    assert continuation_pattern("> a\n\n" * 50_000 + "no", has_other_content=False) is None
    assert continuation_pattern(">" + "\n" * 50_000 + "x", has_other_content=False) is None


def test_long_repetitions_take_no_time():
    assert continuation_pattern("please " * 50_000 + "continue", has_other_content=False) == "assent"
    assert continuation_pattern("please " * 50_000 + "no", has_other_content=False) is None
    assert continuation_pattern("continue" + " " * 50_000 + "no", has_other_content=False) is None
