"""Decisions on stale keys: sizes of runs, attempts, and when to stop trying."""

from __future__ import annotations

import zlib
from collections import Counter
from collections.abc import Mapping
from unittest.mock import patch

import pytest
from hypothesis import given
from hypothesis import strategies as st

from archive_pipeline.orchestration.automation import stale_runs
from archive_pipeline.orchestration.automation.stale_runs import (
    ATTEMPTS,
    KEYS_PER_TICK,
    AttemptPlan,
    SensorCursor,
    format_cursor,
    parse_cursor,
    plan,
    slices,
)
from archive_pipeline.orchestration.partitions.stale_keys import StaleKey


def stale(*numbers: int, attempts: Mapping[int, int] | None = None, content: str = "c") -> list[StaleKey]:
    """Stale keys as the database returns them: each with a digest, and how often that was tried."""
    tried = attempts or {}
    keys = [(f"k{number:06d}", zlib.crc32(f"{number} {content}".encode())) for number in numbers]
    return [StaleKey(key, digest, tried.get(digest, 0)) for key, digest in keys]


def planned(keys: list[StaleKey]) -> AttemptPlan:
    return plan(keys, keys_per_run=1_000)


def plans(number: int, times: int) -> list[AttemptPlan]:
    made: list[AttemptPlan] = []
    for _ in range(times):
        made.append(planned(stale(number, attempts=made[-1].attempts if made else {})))
    return made


def test_new_keys_are_built_in_runs_of_a_thousand() -> None:
    todo = planned(stale(*range(2_500)))
    assert (len(todo.keys), todo.keys_per_run, todo.attempt) == (2_500, 1_000, 1)
    runs = list(slices(todo.keys, todo.keys_per_run))
    assert runs == [("k000000", "k000999"), ("k001000", "k001999"), ("k002000", "k002499")]


def test_one_tick_asks_for_twenty_thousand_keys_at_most() -> None:
    todo = planned(stale(*range(30_000)))
    assert len(list(slices(todo.keys, todo.keys_per_run))) == 20
    rest = planned(stale(*range(20_000, 30_000), attempts=todo.attempts))
    assert (len(rest.keys), rest.attempt) == (10_000, 1)
    assert rest.attempts == planned(stale(*range(20_000, 30_000))).attempts


def test_one_tick_asks_for_fifty_runs_at_most() -> None:
    first = planned(stale(*range(19_999)))
    second = planned(stale(*range(19_999), attempts=first.attempts))
    assert (second.attempt, len(list(slices(second.keys, second.keys_per_run)))) == (2, 50)


def test_keys_of_a_failed_run_are_tried_in_small_runs_then_alone() -> None:
    first = planned(stale(*range(1_000)))
    second = planned(stale(*range(1_000), attempts=first.attempts))
    assert (second.attempt, second.keys_per_run) == (2, 20)
    third = planned(stale(*range(20), attempts=second.attempts))
    assert (third.attempt, third.keys_per_run) == (3, 1)


def test_a_key_that_fails_three_times_is_reported_once_and_left_alone() -> None:
    made = plans(7, 6)
    assert [todo.attempt for todo in made[:3]] == [1, 2, 3]
    assert [todo.keys for todo in made] == [["k000007"]] * 3 + [[]] * 3
    assert [todo.newly_exhausted for todo in made] == [[], [], [], ["k000007"], [], []]
    assert [todo.exhausted_count for todo in made] == [0, 0, 0, 1, 1, 1]


def test_another_digest_is_tried_afresh() -> None:
    newly_exhausted = plans(7, 5)[-1].attempts
    assert planned(stale(7, attempts=newly_exhausted, content="other")).attempt == 1
    assert planned(stale(7, attempts=newly_exhausted)).keys == []


def test_new_keys_go_before_those_that_failed() -> None:
    failed = planned(stale(1)).attempts
    todo = planned(stale(1, 2, attempts=failed))
    assert (todo.keys, todo.attempt) == (["k000002"], 1)
    assert planned(stale(1, attempts=todo.attempts)).attempt == 2


def test_what_was_built_is_forgotten() -> None:
    todo = planned(stale(1, 2, 3))
    assert len(planned(stale(3, attempts=todo.attempts)).attempts) == 1
    assert planned([]) == AttemptPlan([], 1_000, 1, [], 0, {})


@given(st.lists(st.integers(0, ATTEMPTS + 1), max_size=12), st.integers(1, 4), st.integers(0, 4))
def test_keys_beyond_what_one_tick_asks_for_make_no_difference(attempts: list[int], per_tick: int, more: int) -> None:
    keys = [StaleKey(f"k{number:02d}", number, count) for number, count in enumerate(attempts)]
    untried = [item for item in keys if not item.attempts]
    seen = [item for item in keys if item.attempts or item in untried[: per_tick + more]]
    with patch.object(stale_runs, "KEYS_PER_TICK", per_tick):
        assert planned(seen) == planned(keys)


@given(st.integers(1, 60), st.sets(st.integers(0, 59)), st.integers(1, 7))
def test_every_key_is_built_once_or_tried_three_times(number: int, poison: set[int], per_tick: int) -> None:
    """What Dagster does between two ticks: a run fails as a whole if one of its keys does."""
    left, state, tries = set(range(number)), {}, Counter[str]()
    with patch.object(stale_runs, "KEYS_PER_TICK", per_tick), patch.object(stale_runs, "RUNS_PER_TICK", 3):
        while (todo := planned(stale(*sorted(left), attempts=state))).keys or todo.newly_exhausted:
            state = todo.attempts
            tries.update(todo.keys)
            for start in range(0, len(todo.keys), todo.keys_per_run):
                run = {int(key[1:]) for key in todo.keys[start : start + todo.keys_per_run]}
                left -= set() if run & poison else run
    assert all(tries[f"k{key:06d}"] == ATTEMPTS for key in left)
    assert all(1 <= tries[f"k{key:06d}"] <= ATTEMPTS for key in set(range(number)) - left)
    assert poison & set(range(number)) <= left


def test_the_memory_survives_as_a_cursor_of_six_characters_a_key() -> None:
    todo = planned(stale(*range(KEYS_PER_TICK)))
    state = SensorCursor(todo.attempts, "counters", "import", is_summary_due=True)
    text = format_cursor(state)
    assert parse_cursor(text) == state
    assert len(text) < 6 * KEYS_PER_TICK


@pytest.mark.parametrize(
    "cursor", [None, "", "nonsense", "[]", '{"version": 0}', '{"version": 2, "attempts": {"1": "?"}}']
)
def test_a_cursor_that_cannot_be_read_is_an_empty_memory(cursor: str | None) -> None:
    assert parse_cursor(cursor) == SensorCursor()
