"""Runs of one task: dialogues that have most results of tools in common."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from archive_pipeline.duplicates import runs
from archive_pipeline.duplicates.runs import FEWEST_SHARED, SHARED, result_sets, run_members
from archive_pipeline_tests.derive.batches import Talk, batch_of
from archive_pipeline_tests.duplicates.finding import clusters, find, run


def found(*talks: Talk) -> list[dict[str, Any]]:
    return [row for row in find(batch_of(*talks)) if row["entity_type"] == "dialogue"]


def test_dialogues_with_half_of_the_smaller_one_s_results_in_common_are_runs() -> None:
    first, second = run("first", "abcdefg"), run("second", "cbaxyz")
    rows = found(first, second)
    assert clusters(rows) == {frozenset({first.id, second.id})}
    assert {row["entity_id"]: row["similarity"] for row in rows} == {first.id: 1, second.id: 3 / 6}
    assert [row["entity_id"] for row in rows if row["is_kept"]] == [first.id]  # it has more of them
    assert {(row["keep_reason"], row["copy_kind"]) for row in rows} == {("longest", None), (None, "content")}
    assert {row["method"] for row in rows} == {"runs"}
    assert {row["dialogue_id"] for row in rows} == {first.id, second.id}
    lengths = {row["entity_id"]: row["text_length"] for row in rows}
    assert lengths == {first.id: 7 * len("There is a."), second.id: 6 * len("There is a.")}


def test_less_than_half_and_fewer_than_three_are_no_runs() -> None:
    seven, others = run("seven", "abcdefg"), run("others", "abcpqrs")
    assert found(run("six", "abcdef"), others) != []  # three of six
    assert found(seven, others) == []  # three of seven
    assert found(run("three", "abc"), run("two", "ab")) == []
    assert found(run("three", "abc"), run("again", "abbay")) == []  # what is asked again counts once


def test_what_is_asked_and_what_is_answered_are_compared_together() -> None:
    first = run("first", "abc")
    asked = [replace(row, tools=tuple(replace(tool, input="{}") for tool in row.tools)) for row in first.rows]
    unknown = [replace(row, tools=tuple(tool for tool in row.tools if tool.is_result)) for row in first.rows]
    failed = [replace(row, tools=tuple(replace(tool, text="no") for tool in row.tools)) for row in first.rows]
    assert found(first, Talk("the same", first.rows)) != []
    for name, rows in (("asked", asked), ("unknown", unknown), ("failed", failed)):
        assert found(first, Talk(name, tuple(rows))) == []


def test_a_result_answers_the_call_above_it_whichever_comes_first_in_the_batch() -> None:
    """Results without a time, or with one before their call's, come first; so do calls that a later import brings."""
    first, second = run("first", "abcd", time=9), run("second", "abce", time=9)
    results_first = [replace(row, time=1 if row.role == "tool" else 9) for row in second.rows]
    calls_added = [
        replace(row, time=None, number=100 + n if row.id.endswith("c") else n) for n, row in enumerate(second.rows)
    ]
    for rows in (results_first, calls_added):
        assert clusters(found(first, Talk("second", tuple(rows)))) == {frozenset({first.id, second.id})}


def test_the_newest_run_is_kept_of_those_with_as_many_results() -> None:
    old, new = run("old", "abc", time=1), run("new", "cab", time=2)
    kept = [row for row in found(old, new) if row["is_kept"]]
    assert [(row["entity_id"], row["keep_reason"]) for row in kept] == [(new.id, "newest")]


def test_what_very_many_dialogues_ask_tells_nothing_of_their_task(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runs, "MOST_DIALOGUES", 2)
    talks = [run("first", "abcxyz"), run("second", "abcxyz")]
    others = [run(name, f"{name}xyz") for name in ("def", "ghi", "jkl")]
    rows = found(*talks, *others)
    assert clusters(rows) == {frozenset(talk.id for talk in talks)}
    assert {row["similarity"] for row in rows} == {1.0}  # of what tells something


def test_runs_of_several_batches_are_found_in_any_order() -> None:
    talks = [run(f"talk{number}", f"abc{number}") for number in range(4)]
    batches = [batch_of(talk) for talk in talks]
    rows = [row for row in find(*batches) if row["entity_type"] == "dialogue"]
    assert clusters(rows) == {frozenset(talk.id for talk in talks)}
    assert rows == [row for row in find(*reversed(batches)) if row["entity_type"] == "dialogue"]


@given(st.lists(st.sets(st.integers(0, 12), min_size=FEWEST_SHARED), min_size=1, max_size=12), st.integers(1, 40))
def test_clusters_are_stars_of_pairs_compared_one_by_one(sets: list[set[int]], at_once: int) -> None:
    sizes = np.array([len(each) for each in sets])
    results = np.array([number for each in sets for number in sorted(each)], dtype=np.uint64)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(runs, "_PAIRS_AT_ONCE", at_once)
        members = run_members(sizes, results, np.arange(len(sets), dtype=np.int32))
    kept = members.entity[members.start]
    assert [*zip(kept.tolist(), members.entity.tolist(), strict=True)] == stars(sets)


def stars(sets: list[set[int]]) -> list[tuple[int, int]]:
    """Return the kept dialogue and the dialogue for each one that is similar to another one, compared one by one."""
    kept_of: dict[int, int] = {}
    for left, right in combinations(range(len(sets)), 2):
        shared = len(sets[left] & sets[right])
        is_similar = shared >= FEWEST_SHARED and shared >= SHARED * min(len(sets[left]), len(sets[right]))
        if is_similar and kept_of.get(left, left) == left and right not in kept_of:
            kept_of[left] = kept_of[right] = left
    return sorted((kept, dialogue) for dialogue, kept in kept_of.items())


def test_dialogues_without_enough_results_have_no_sets() -> None:
    sets = result_sets(batch_of(run("two", "ab"), run("none", "")))
    assert (sets.sizes.size, sets.results.size, sets.dialogue.size) == (0, 0, 0)
