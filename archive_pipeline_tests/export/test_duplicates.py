"""Which answers are copies: of each cluster one is kept of those that an export has."""

from __future__ import annotations

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from archive_pipeline.domain.choices import DroppedDuplicates
from archive_pipeline.export.duplicates import KeptAnswers, Member, cluster_members

ROWS = pa.table(
    {
        "message_id": ["a", "a", "b", "b", "c"],
        "method": ["exact:full", "near", "exact:full", "near", "near"],
        "cluster_id": ["equal", "alike", "equal", "alike", "alike"],
        "cluster_size": [2, 3, 2, 3, 3],
        "is_kept": [True, False, False, False, True],
    }
)


@pytest.mark.parametrize(
    ("drop", "expected"),
    [
        ("exact", {"a": Member("equal", True), "b": Member("equal", False)}),
        ("near", {"a": Member("alike", False), "b": Member("alike", False), "c": Member("alike", True)}),
    ],
)
def test_a_message_counts_in_the_widest_cluster_of_the_methods_that_count(
    drop: DroppedDuplicates, expected: dict[str, Member]
):
    assert cluster_members(ROWS, drop) == expected


def test_what_the_archive_keeps_is_kept_wherever_it_is_offered():
    members = {"a": Member("x", False), "b": Member("x", True), "c": Member("x", False)}
    kept = KeptAnswers()
    kept.offer(["a", "b", "c"], members)
    assert [message for message in members if not kept.are_copies([message], members)] == ["b"]


def test_a_turn_is_a_copy_only_if_all_its_messages_are():
    members = {"a": Member("x", False), "b": Member("x", True)}
    kept = KeptAnswers()
    kept.offer(["a", "b"], members)
    assert kept.are_copies(["a"], members)
    assert not kept.are_copies(["a", "in no cluster"], members)


@given(
    st.dictionaries(st.integers(0, 30).map(str), st.builds(Member, st.sampled_from("xyz"), st.booleans())),
    st.lists(st.integers(0, 30).map(str)),
)
def test_of_each_cluster_one_offered_message_is_no_copy(members: dict[str, Member], offered: list[str]):
    kept = KeptAnswers()
    kept.offer(offered, members)
    clusters = {members[message].cluster_id for message in offered if message in members}
    own = [message for message in set(offered) & members.keys() if not kept.are_copies([message], members)]
    assert sorted(members[message].cluster_id for message in own) == sorted(clusters)
    assert not any(kept.are_copies([message], members) for message in set(offered) - members.keys())
