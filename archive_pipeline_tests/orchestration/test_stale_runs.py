"""Decisions on stale keys: sizes of runs, attempts, and when to stop trying."""

from __future__ import annotations

import pytest

from archive_pipeline.orchestration.stale_keys import StaleKey
from archive_pipeline.orchestration.stale_runs import Memory, Plan, parse_memory, plan, slices, write_memory

VERSIONS = ["1", "2"]


def stale(*numbers: int, content: str = "c") -> list[StaleKey]:
    return [StaleKey(f"k{number:06d}", content) for number in numbers]


def plans(keys: list[StaleKey], times: int) -> list[Plan]:
    made: list[Plan] = []
    for _ in range(times):
        made.append(plan(keys, made[-1].attempts if made else {}, VERSIONS))
    return made


def test_new_keys_are_built_in_runs_of_a_thousand() -> None:
    todo = plan(stale(*range(2_500)), {}, VERSIONS)
    assert (len(todo.keys), todo.keys_per_run, todo.attempt) == (2_500, 1_000, 1)
    runs = list(slices(todo.keys, todo.keys_per_run))
    assert runs == [("k000000", "k000999"), ("k001000", "k001999"), ("k002000", "k002499")]


def test_one_tick_asks_for_twenty_thousand_keys_at_most() -> None:
    todo = plan(stale(*range(30_000)), {}, VERSIONS)
    assert len(list(slices(todo.keys, todo.keys_per_run))) == 20
    rest = plan(stale(*range(20_000, 30_000)), todo.attempts, VERSIONS)
    assert (len(rest.keys), rest.attempt) == (10_000, 1)
    assert rest.attempts == plan(stale(*range(20_000, 30_000)), {}, VERSIONS).attempts


def test_one_tick_asks_for_fifty_runs_at_most() -> None:
    first = plan(stale(*range(19_999)), {}, VERSIONS)
    second = plan(stale(*range(19_999)), first.attempts, VERSIONS)
    assert (second.attempt, len(list(slices(second.keys, second.keys_per_run)))) == (2, 50)


def test_keys_of_a_failed_run_are_tried_in_small_runs_then_alone() -> None:
    first = plan(stale(*range(1_000)), {}, VERSIONS)
    second = plan(stale(*range(1_000)), first.attempts, VERSIONS)
    assert (second.attempt, second.keys_per_run) == (2, 20)
    third = plan(stale(*range(20)), second.attempts, VERSIONS)
    assert (third.attempt, third.keys_per_run) == (3, 1)


def test_a_key_that_fails_three_times_is_reported_once_and_left_alone() -> None:
    made = plans(stale(7), 6)
    assert [todo.attempt for todo in made[:3]] == [1, 2, 3]
    assert [todo.keys for todo in made] == [["k000007"]] * 3 + [[]] * 3
    assert [todo.given_up for todo in made] == [[], [], [], ["k000007"], [], []]
    assert [todo.left_alone for todo in made] == [0, 0, 0, 1, 1, 1]


def test_changed_content_and_other_code_are_tried_afresh() -> None:
    given_up = plans(stale(7), 5)[-1].attempts
    assert plan(stale(7, content="other"), given_up, VERSIONS).attempt == 1
    assert plan(stale(7), given_up, ["1", "3"]).keys == ["k000007"]
    assert plan(stale(7), given_up, VERSIONS).keys == []


def test_new_keys_go_before_those_that_failed() -> None:
    failed = plan(stale(1), {}, VERSIONS).attempts
    todo = plan(stale(1, 2), failed, VERSIONS)
    assert (todo.keys, todo.attempt) == (["k000002"], 1)
    assert plan(stale(1), todo.attempts, VERSIONS).attempt == 2


def test_what_was_built_is_forgotten() -> None:
    todo = plan(stale(1, 2, 3), {}, VERSIONS)
    assert len(plan(stale(3), todo.attempts, VERSIONS).attempts) == 1
    assert plan([], todo.attempts, VERSIONS) == Plan([], 1_000, 1, [], 0, {})


def test_the_memory_survives_as_a_cursor_of_six_characters_a_key() -> None:
    todo = plan(stale(*range(20_000)), {}, VERSIONS)
    memory = Memory(todo.attempts, "counters", "import", is_summary_due=True)
    text = write_memory(memory)
    assert parse_memory(text) == memory
    assert len(text) < 6 * 20_000


@pytest.mark.parametrize(
    "cursor", [None, "", "nonsense", "[]", '{"version": 0}', '{"version": 1, "attempts": {"1": "?"}}']
)
def test_a_cursor_that_cannot_be_read_is_an_empty_memory(cursor: str | None) -> None:
    assert parse_memory(cursor) == Memory()
