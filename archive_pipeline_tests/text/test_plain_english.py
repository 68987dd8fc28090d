"""Texts that are English by their words."""

from __future__ import annotations

from archive_pipeline.text.plain_english import are_plainly_english


def test_three_different_words_of_which_every_eighth_is_english_settle_it():
    decided = {
        "the of to": True,
        "THE OF\tTO": True,
        " the\x1cof\x1fto ": True,
        "the of of": False,  # two different ones
        "the of to " + "x " * 21: True,  # 3 of 24
        "the of to " + "x " * 22: False,  # 3 of 25
        "the, of, to, and": False,  # punctuation makes other words
        "": False,
        " \n ": False,
    }
    assert dict(zip(decided, are_plainly_english(list(decided)), strict=True)) == decided


def test_texts_beyond_ascii_are_decided_alike():
    decided = {"the of to é x": True, "the\u2003of\u2003to é x": True, "the of to é " + "x " * 21: False}
    assert dict(zip(decided, are_plainly_english(list(decided)), strict=True)) == decided


def test_no_text_is_no_question():
    assert are_plainly_english([]) == []
