"""Pages that belong together: what is one result, and what stands beside it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from archive_pipeline.building.dialogues import build_stale
from archive_pipeline.building.duplicates import refresh_duplicates
from archive_pipeline.retrieval.search.beside import read_beside
from archive_pipeline.retrieval.search.engine import SearchEngine
from archive_pipeline.retrieval.search.groups import independent_pages, one_per_question
from archive_pipeline.retrieval.search.results import FoundPage, ResultOptions
from archive_pipeline.settings import Settings
from archive_pipeline.store.database import Database
from archive_pipeline_tests.derive.batches import Row, Talk, Tool, batch_of, linear, store
from archive_pipeline_tests.duplicates.finding import run
from archive_pipeline_tests.tables import query

RUNS = {"one": "task", "two": "task", "three": "task", "alone": "another task"}


class _Chunk:
    """A chunk of which nothing is known: its page is like no other one."""

    def __getattr__(self, _name: str) -> Any:
        return None


class _Question(_Chunk):
    """The chunk of a user's question."""

    side, pair_type = "question", "conversation_turn"

    def __init__(self, pair_id: str) -> None:
        self.pair_id = pair_id


def pages(*names: str) -> list[FoundPage]:
    """Return found pages, best first: ``two/1`` is page 1 of the dialogue ``two``."""
    found = [name.split("/") for name in names]
    return [FoundPage((doc, int(page)), 1 / rank, _Chunk(), {}, {}, {}) for rank, (doc, page) in enumerate(found, 1)]


def grouped(*names: str, limit: int = 10, beside: Sequence[str] = ()) -> list[list[str]]:
    options = ResultOptions(limit, None, Path(), runs=RUNS)
    return [
        [f"{doc}/{page}" for doc, page in (found.page for found in group)]
        for group in one_per_question(pages(*names), options, pages(*beside))
    ]


def test_other_runs_of_a_task_stand_beside_the_best_page_of_all():
    assert grouped("two/3", "one/1", "talk/1", "alone/1", "three/2") == [
        ["two/3", "one/1", "three/2"],
        ["talk/1"],
        ["alone/1"],
    ]


def test_the_best_run_has_all_its_pages_and_the_others_one_each():
    assert grouped("one/1", "two/2", "one/5", "two/7") == [["one/1", "two/2"], ["one/5"]]


def test_runs_that_come_after_the_last_result_stand_beside_theirs_too():
    assert grouped("one/1", "talk/1", "two/1", "late/1", limit=2) == [["one/1", "two/1"], ["talk/1"]]


def test_what_is_not_relevant_stands_beside_a_run_and_is_no_result_of_its_own():
    shown = grouped("one/1", "talk/1", "two/1", beside=["talk/2", "alone/1", "one/2", "two/3", "three/1", "three/2"])
    assert shown == [["one/1", "two/1", "three/1"], ["talk/1"]]
    assert grouped(beside=["one/1", "two/1"]) == []


@pytest.mark.parametrize(
    ("names", "independent"),
    [
        ("talk/1 chat/1 chat/2", {"talk/1", "chat/1"}),  # one page of a dialogue
        ("talk/1 fork/1 chat/1", {"talk/1", "chat/1"}),  # no copy
        ("fork/1 second/1", {"fork/1"}),  # nor two copies of one dialogue
        ("one/1 two/1 alone/1", {"one/1", "alone/1"}),  # one run of a task
        ("talk/1 chat/3 near/3", {"talk/1", "chat/3"}),  # nothing that says nearly the same
        ("talk/1 parrot/1", {"talk/1"}),  # nor the same
        ("talk/1 silent/1", {"talk/1"}),  # nor nothing that is known
    ],
)
def test_dialogues_that_ask_the_same_by_themselves_have_answers_of_their_own(names: str, independent: set[str]):
    group = pages(*names.split())
    answers = {each.page: f"As {each.page[0]} {each.page[1]} says." for each in group if each.page[0] != "silent"}
    answers |= {("parrot", 1): "As talk 1 says."}
    options = ResultOptions(
        10,
        None,
        Path(),
        originals={"fork": "talk", "second": "talk"},
        clusters={("chat", 3): "cluster", ("near", 3): "cluster"},
        runs=RUNS,
    )
    assert independent_pages(group, answers, options) == {each.page for each in pages(*independent)}


@pytest.mark.postgres
def test_runs_are_known_of_the_clusters_of_dialogues(database: Database, settings: Settings):
    talks = [run(name, "abc") for name in ("first", "second")]
    other = run("other", "def")
    store(database, batch_of(*talks, other))
    refresh_duplicates(database, settings)
    with database.session() as connection:
        beside = read_beside(connection, pages(*(f"{talk.id}/1" for talk in (*talks, other))), limit=5)
    assert set(beside.runs) == {talk.id for talk in talks}
    assert len(set(beside.runs.values())) == 1
    assert beside.clusters == {}


@pytest.mark.postgres
def test_pages_are_alike_by_what_is_near_whatever_else_is_equal(database: Database, settings: Settings):
    things = " ".join(f"thing{number}" for number in range(60))
    answers = {"one": things, "copy": things, "near": f"{things} more"}
    talks = [linear(name, ("user", "What is it made of?"), ("assistant", text)) for name, text in answers.items()]
    store(database, batch_of(*talks))
    build_stale(database, settings)
    refresh_duplicates(database, settings)
    last = "ffffffff-ffff-ffff-ffff-ffffffffffff"
    with database.session() as connection:
        connection.execute("UPDATE derived.duplicate_clusters SET cluster_id = %s WHERE method = 'near'", [last])
        beside = read_beside(connection, pages(*(f"{talk.id}/1" for talk in talks)), limit=5)
    assert beside.clusters == {(talk.id, 1): last for talk in talks}


@pytest.mark.postgres
def test_an_answer_that_repeats_another_one_is_none(database: Database, settings: Settings):
    first, second = "Jupiter is by far the largest of them.", "Jupiter is, by far, the largest of them!"
    talk = Talk(
        "planets",
        (
            Row("q", None, "user", "Which planet is the largest?", 0),
            Row("a", "q", "assistant", first, 1),
            Row("b", "q", "assistant", second, 2),
        ),
    )
    store(database, batch_of(talk))
    build_stale(database, settings)
    asked = [
        replace(page, chunk=_Question(pair))
        for page, (pair,) in zip(
            pages(f"{talk.id}/1", f"{talk.id}/2"), query(database, "SELECT pair_id FROM derived.qa_pairs"), strict=True
        )
    ]
    with database.session() as connection:
        beside = read_beside(connection, asked, limit=5)
    assert list(beside.answers.values()) == [second]  # that of the primary path, which ends with the last answer


@pytest.mark.postgres
def test_prompts_below_one_system_message_are_different_questions_of_tools_too(database: Database, settings: Settings):
    def call(name: str) -> tuple[Tool, ...]:
        return (Tool(name, name="look_up", input=f'{{"{name}":"wisteria"}}'),)

    def result(name: str) -> tuple[Tool, ...]:
        return (Tool(name, is_result=True, text=f"found {name}"),)

    talk = Talk(
        "garden",
        (
            Row("s", None, "system", "You know gardens.", 0),
            Row("prune", "s", "user", "When is wisteria pruned?", 1),
            Row("july", "prune", "assistant", "In July.", 2),
            Row("c1", "prune", "assistant", None, 3, tools=call("shears")),
            Row("t1", "c1", "tool", None, 4, tools=result("shears")),  # nothing follows it
            Row("feed", "s", "user", "What feeds wisteria?", 5),
            Row("c2", "feed", "assistant", None, 6, tools=call("potash")),
            Row("t2", "c2", "tool", None, 7, tools=result("potash")),
            Row("potash", "t2", "assistant", "Potash.", 8),
            Row("rose", "potash", "user", "And a rose?", 9),
            Row("c3", "rose", "assistant", None, 10, tools=call("manure")),
            Row("hurry", "c3", "user", "Please hurry.", 11),  # while the tool works
            Row("t3", "hurry", "tool", None, 12, tools=result("manure")),
            Row("manure", "t3", "assistant", "Manure.", 13),
        ),
        active="manure",
    )
    store(database, batch_of(talk))
    build_stale(database, settings)
    names = {talk.message(row.id): row.id for row in talk.rows}
    chunks = query(database, "SELECT message_id::text, question_message_id::text FROM derived.searchable_chunks")
    assert {names[said]: names[asked] for said, asked in chunks} == {
        **dict.fromkeys(("prune", "july", "c1", "t1"), "prune"),
        **dict.fromkeys(("feed", "c2", "t2", "potash"), "feed"),
        "rose": "rose",
        **dict.fromkeys(("c3", "t3", "hurry", "manure"), "hurry"),
    }
    results = SearchEngine(database, settings).search_now("wisteria", 10, "lexical")
    found = {names[each["metadata"]["question_message_id"]]: len(each["alternatives"]) for each in results}
    assert found == {"prune": 1, "feed": 0, "hurry": 0}
