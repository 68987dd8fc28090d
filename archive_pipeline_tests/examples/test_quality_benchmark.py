"""The benchmark of quality: its measures by hand, its questions the same every time and answered in its files."""

from __future__ import annotations

import json
import os
from collections import Counter
from contextlib import contextmanager
from dataclasses import astuple
from math import log2
from pathlib import Path

import pytest

from archive_pipeline.retrieval.search.results import SearchResults
from benchmarks.quality.asking import Archive, ask_all
from benchmarks.quality.generated import generate
from benchmarks.quality.measures import Found, mean_with_interval, measure
from benchmarks.quality.published import WRITTEN, published
from benchmarks.quality.questions import ABSTENTION, Kind, Question

REAL_DATA = os.environ.get("ARCHIVE_REAL_DATA")


class _NoPages:
    """A database of no pages."""

    @contextmanager
    def session(self):
        yield self

    def execute(self, *_query):
        return self

    def fetchall(self):
        return []


NO_PAGES = _NoPages()


def found(*dialogues: str) -> Found:
    return Found(frozenset(dialogues), frozenset(f"{name}-message" for name in dialogues))


def question(*gold: str, outdated: str | None = None) -> Question:
    right = {name: frozenset({f"{name}-message"}) for name in gold}
    return Question("id", Kind.MULTI, "text", right, frozenset({outdated} if outdated else ()))


def test_measures_worked_out_by_hand():
    results = [found("x"), found("a"), *(found(f"y{number}") for number in range(4)), found("b", "z")]
    # "a" is second and "b" seventh: one of two among five, both among ten.
    expected = (0.5, 1.0, 1.0, (1 / log2(3) + 1 / log2(8)) / (1 / log2(2) + 1 / log2(3)))
    assert astuple(measure(question("a", "b"), results)) == pytest.approx(expected)
    assert astuple(measure(question("a"), [])) == (0, 0, 0, 0)


def test_what_is_outdated_counts_half_and_is_not_recalled():
    measured = measure(question("new", outdated="old"), [found("old")])
    assert (measured.recall, measured.message_recall) == (0, 0)
    assert measured.ndcg == pytest.approx(0.5 / (1 + 0.5 / log2(3)))


def test_an_interval_holds_its_mean():
    assert mean_with_interval([1.0] * 9) == (1, 1, 1)
    mean, low, high = mean_with_interval([0.0, 1.0] * 50)
    assert low < mean == 0.5 < high


def test_the_same_seed_gives_the_same_files_and_questions(tmp_path: Path):
    one, other = (generate(_folder(tmp_path, name), seed=3, fillers=5) for name in "ab")
    assert one.files[0].read_bytes() == other.files[0].read_bytes()
    questions = one.questions["generated"]
    assert [each.id for each in questions] == [each.id for each in other.questions["generated"]]
    assert len({each.id for each in questions}) == len(questions)
    more = generate(_folder(tmp_path, "c"), seed=3, fillers=9)
    halves = {each.id: each.is_held_out for each in questions}
    assert all(halves[each.id] is each.is_held_out for each in more.questions["generated"])
    assert 0.4 < sum(halves.values()) / len(halves) < 0.6


def test_every_answer_is_a_message_of_the_file_and_nothing_else_is_asked_of_it(tmp_path: Path):
    asked = generate(tmp_path, seed=3, fillers=5)
    conversations = {each["id"]: each for each in json.loads(asked.files[0].read_bytes())}
    questions = asked.questions["generated"]
    for each in questions:
        assert bool(each.gold) is (each.kind not in ABSTENTION)
        for dialogue, messages in each.gold.items():
            assert messages <= conversations[dialogue]["mapping"].keys()
    assert min(Counter(each.kind for each in questions).values()) >= 20


def test_written_questions_have_answers_unless_nothing_is_on_it():
    lines = WRITTEN.read_text(encoding="utf-8").splitlines()
    written = [json.loads(line) for line in lines]
    assert len({each["text"] for each in written}) == len(written)
    assert {Kind(each["kind"]) for each in written} == {Kind.PARAPHRASED, Kind.ASSISTANT, Kind.MULTI, Kind.UNASKED}
    for each in written:
        assert bool(each["gold"]) is (each["kind"] != Kind.UNASKED.value)
        assert all(each["gold"].values())


@pytest.mark.skipif(REAL_DATA is None, reason="ARCHIVE_REAL_DATA is not set")
def test_every_answer_to_a_published_question_is_in_the_files(tmp_path: Path):
    asked = published(tmp_path, Path(REAL_DATA or ""), seed=3)
    conversations = [each for file in asked.files for each in json.loads(file.read_bytes())]
    messages = {each["id"]: {node["id"] for node in each["mapping"].values()} for each in conversations}
    for questions in asked.questions.values():
        assert len({each.id for each in questions}) == len(questions)
        for each in questions:
            assert all(found <= messages[dialogue] for dialogue, found in each.gold.items())


class SlowlyOrdered:
    """An engine that needs some searches until the second stage has ordered a result."""

    def __init__(self, searches: int) -> None:
        self.searches = searches
        self.asked = 0

    def search_now(self, *_asked):
        self.asked += 1
        return SearchResults([], retrievers=[], degraded={}, notes=["slow"], reranked=self.asked >= self.searches)


@pytest.mark.parametrize(("searches", "late"), [(1, 0.0), (2, 1.0), (7, 1.0)])
def test_a_question_is_asked_until_the_second_stage_had_time(searches: int, late: float):
    engine = SlowlyOrdered(searches)
    run = ask_all(Archive(NO_PAGES, []), engine, [question("a")], "hybrid")
    assert (run.late, engine.asked) == (late, searches)


def test_a_second_stage_that_never_answers_is_no_figure():
    with pytest.raises(RuntimeError, match="slow"):
        ask_all(Archive(NO_PAGES, []), SlowlyOrdered(1_000), [question("a")], "hybrid")


def _folder(parent: Path, name: str) -> Path:
    folder = parent / name
    folder.mkdir()
    return folder
