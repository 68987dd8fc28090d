"""Sentences of Markdown, with their places."""

from __future__ import annotations

from itertools import pairwise
from random import Random
from time import process_time

import pytest
import sentencex
from hypothesis import given
from hypothesis import strategies as st

from archive_pipeline.text.sentences import cut_points, sentences
from archive_pipeline_tests.retrieval.context.texts import CHINESE
from archive_pipeline_tests.variants import some_of


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("One. Two! Three?", ["One.", "Two!", "Three?"]),
        ("Dr. Smith met e.g. Prof. Jones at 3.15 p.m. today.", ["Dr. Smith met e.g. Prof. Jones at 3.15 p.m. today."]),
        ("Use v2.0.1 of a.b() now. Then stop.", ["Use v2.0.1 of a.b() now.", "Then stop."]),
        ("A sentence\nover two lines. Another.", ["A sentence\nover two lines.", "Another."]),
        ("# Heading\nText.\n\nMore text.", ["Text.", "More text."]),
        ("- First item\n- Second. And more.\n  Continued.\n", ["First item", "Second.", "And more.", "Continued."]),
        ("1. First\n2) Second\n- [x] Done", ["First", "Second", "Done"]),
        ("> Quoted text.\n> More of it.", ["Quoted text.", "> More of it."]),
        ("Before.\n```\nnot. a. sentence.\n```\nAfter.", ["Before.", "After."]),
        ("| a | b |\n|---|---|\n| c. d | e |", ["| a | b |", "| c. d | e |"]),
        ("It fell. [1] Then rose [2].", ["It fell. [1]", "Then rose [2]."]),
        ("It fell.\n[1]", ["It fell.\n[1]"]),
        ("天气很好。我们走吧！好吗？", ["天气很好。", "我们走吧！", "好吗？"]),  # noqa: RUF001
        ("...\n\n12. 34\n\n---", []),
        ("Line\u2028separator. B\u2028. End.", ["Line\u2028separator.", "B\u2028. End."]),
        ("", []),
    ],
)
def test_sentences_are_found(text: str, expected: list[str]):
    assert [sentence.text for sentence in sentences(text)] == expected


def test_chinese_sentences_are_found():
    assert len(sentences(CHINESE)) == 8


PIECES = st.sampled_from([*"aB. \n!?`#-|>[]1。\t\u2028\u00a0\u0301😀", "```", "\r\n", "e.g.", "Dr."])


@given(st.lists(PIECES, max_size=60).map("".join))
def test_sentences_are_disjoint_in_order_and_where_they_say(text: str):
    position = 0
    for sentence in sentences(text):
        assert position <= sentence.start < sentence.end
        assert text[sentence.start : sentence.end] == sentence.text == sentence.text.strip()
        position = sentence.end
    assert position <= len(text)
    assert cut_points(text) == sorted(set(cut_points(text)))


@pytest.mark.parametrize("seed", some_of(range(10), 3))
def test_a_long_paragraph_has_the_sentences_that_it_has_as_a_whole(seed: int):
    words = ["Word", "word", "a", "x,", "is.", "go!", "so?", "e.g.", "Dr.", "3.14", "(b)", "天气。"]
    text = " ".join(Random(seed).choices(words, k=8_000))  # noqa: S311 - a test's
    ends = [boundary["end_index"] for boundary in sentencex.get_sentence_boundaries("en", text)]
    whole = [text[start:end].strip() for start, end in pairwise([0, *ends])]
    assert [sentence.text for sentence in sentences(text)] == whole


def test_quotations_of_a_long_paragraph_are_not_cut():
    quoting = 'He didn\'t say it. "I am here. You are not," she said. '
    for before in ("", "Well. ", "A word more. "):
        text = before + quoting * 300
        ends = [boundary["end_index"] for boundary in sentencex.get_sentence_boundaries("en", text)]
        whole = [text[start:end].strip() for start, end in pairwise([0, *ends])]
        assert [sentence.text for sentence in sentences(text)] == [piece for piece in whole if piece]


@pytest.mark.parametrize("piece", ["![", "a. ", '"', "a"])
def test_a_long_paragraph_is_gone_through_once(piece: str):
    started = process_time()
    found = sentences(f"a{piece * 200_000}a")
    assert (found[0].start, found[-1].end) == (0, len(piece) * 200_000 + 2)
    assert process_time() - started < 10


def test_code_may_be_cut_after_a_line():
    text = "One. Two.\n```\nx = 1\ny = 2\n```"
    assert [text[:point] for point in cut_points(text)] == [
        "One.",
        "One. Two.",
        "One. Two.\n```",
        "One. Two.\n```\nx = 1",
        "One. Two.\n```\nx = 1\ny = 2",
        text,
    ]
