"""Parents become a forest: skipped nodes, missing parents, cycles, linear sources, partial exports."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from archive_pipeline.domain.records import MessageRecord
from archive_pipeline.ingest.linking import Link, link_messages
from archive_pipeline_tests.trials import trials


def message(source_id: str, parent: str | None, second: int | None = None) -> MessageRecord:
    time = None if second is None else datetime(2024, 1, 1, 0, 0, second, tzinfo=UTC)
    return MessageRecord(source_id, parent, "user", created_at=time)


def link(*messages: MessageRecord, nodes=None, **options) -> dict[str, Link]:
    names = [m.source_id for m in messages]
    return dict(zip(names, link_messages(messages, names, nodes or {}, **options), strict=True))


def test_a_parent_is_the_message_the_pointer_names():
    links = link(message("a", None), message("b", "a"), message("c", "a"))
    assert links == {"a": Link(None), "b": Link("a"), "c": Link("a")}


def test_the_order_of_messages_does_not_matter():
    assert link(message("b", "a"), message("a", None)) == {"b": Link("a"), "a": Link(None)}


def test_nodes_without_a_message_are_passed_over():
    nodes = {"root": None, "x": "a", "y": "x"}
    links = link(message("a", "root"), message("b", "y"), message("c", "x"), nodes=nodes)
    assert links == {"a": Link(None), "b": Link("a"), "c": Link("a")}


def test_a_missing_parent_makes_a_flagged_root():
    assert link(message("a", "gone"))["a"] == Link(None, "missing_parent")
    assert link(message("a", "x"), nodes={"x": "gone"})["a"] == Link(None, "missing_parent")


def test_a_message_that_is_its_own_parent_is_a_flagged_root():
    assert link(message("a", "a"), message("b", "a")) == {"a": Link(None, "cycle"), "b": Link("a")}


def test_a_cycle_of_nodes_without_messages_makes_a_flagged_root():
    assert link(message("a", "x"), nodes={"x": "y", "y": "x"})["a"] == Link(None, "cycle")


@pytest.mark.parametrize("length", [2, 3, 7, 50])
@pytest.mark.parametrize("start", [0, 1])
def test_a_cycle_is_broken_at_its_latest_message(length: int, start: int):
    # m0 <- m1 <- ... <- m0; the times grow along it, so the last one is the latest wherever the walk begins.
    ring = [message(f"m{at}", f"m{(at - 1) % length}", at) for at in range(length)]
    links = link(*ring[start:], *ring[:start], message("tail", "m0", 59))
    broken = {name: found for name, found in links.items() if found.flag}
    assert broken == {f"m{length - 1}": Link(None, "cycle")}
    assert links["tail"] == Link("m0")


def test_without_times_the_last_in_source_order_is_the_latest():
    links = link(message("a", "c"), message("b", "a"), message("c", "b"))
    assert [name for name, found in links.items() if found.flag] == ["c"]
    links = link(message("a", "c"), message("b", "a", 1), message("c", "b"))  # an unknown time is the earliest
    assert [name for name, found in links.items() if found.flag] == ["b"]


def test_a_cycle_through_skipped_nodes_is_broken_too():
    links = link(message("a", "x", 1), message("b", "a", 2), nodes={"x": "b"})
    assert links == {"a": Link("b"), "b": Link(None, "cycle")}


def test_a_linear_source_is_a_chain():
    links = link(message("a", None), message("b", None), message("c", None), is_linear=True)
    assert links == {"a": Link(None), "b": Link("a"), "c": Link("b")}
    assert link_messages([], [], {}, is_linear=True) == []


def test_a_partial_export_may_point_to_what_is_stored():
    assert link(message("c", "b"), known={"a": None, "b": "a"})["c"] == Link("b")


def test_a_partial_export_makes_no_cycle_with_what_is_stored():
    # Stored: b below a. The partial export now says that a is below b.
    assert link(message("a", "b"), known={"a": None, "b": "a"})["a"] == Link(None, "cycle")
    # Stored: c below b below a. Brought: x below c, a below x.
    links = link(message("x", "c", 2), message("a", "x", 1), known={"a": None, "b": "a", "c": "b"})
    assert links == {"x": Link(None, "cycle"), "a": Link("x")}


def test_a_linear_partial_export_stays_where_its_first_message_is_stored():
    links = link(message("c", None), message("d", None), is_linear=True, known={"a": None, "b": "a", "c": "b"})
    assert links == {"c": Link("b"), "d": Link("c")}


POINTERS = st.lists(st.sampled_from([None, "gone", "x", "y", *"abcdef"]), max_size=6)


@pytest.mark.slow
@given(POINTERS, st.permutations(range(6)), st.lists(st.sampled_from([None, *"abcdefpq"]), min_size=2, max_size=2))
@trials(300)
def test_any_pointers_become_a_forest(pointers, times, stored):
    names = list("abcdef")[: len(pointers)]
    messages = [message(name, to, second) for name, to, second in zip(names, pointers, times, strict=False)]
    # What is stored is a forest: p below a stored message that is not brought again, or below one that is.
    known = {"p": stored[0] if stored[0] in names else None, "q": "p" if stored[1] == "p" else None}
    links = link(*messages, nodes={"x": "y", "y": "a"}, known=known)
    parents = {**known, **{name: found.parent for name, found in links.items()}}
    for name in names:
        seen = set()
        current: str | None = name
        while current is not None:
            assert current not in seen
            seen.add(current)
            current = parents[current]
    for name, to in zip(names, pointers, strict=True):
        if links[name].flag is None and (to in names or to in known):
            assert links[name].parent == to


def test_long_chains_and_cycles_take_no_time():
    count = 50_000
    links = link(*(message(str(at), str((at - 1) % count)) for at in range(count)))
    assert [name for name, found in links.items() if found.flag] == [str(count - 1)]
    known = {f"k{at}": f"k{at - 1}" if at else None for at in range(count)}
    assert link(*(message(f"n{at}", f"k{count - 1}") for at in range(1000)), known=known)["n7"] == Link(f"k{count - 1}")
