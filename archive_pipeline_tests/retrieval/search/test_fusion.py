"""Several ranked lists become one."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from archive_pipeline.retrieval.search.fusion import Retrieved, fuse, reciprocal_ranks

WEIGHTS = {"dense": 0.25, "lexical": 0.75}
Pages = list[tuple[str, int]]
KEYS = st.lists(st.tuples(st.sampled_from("abc"), st.integers(1, 3)), unique=True)


@st.composite
def retrieved(draw: st.DrawFn) -> dict[str, Retrieved[tuple[str, int]]]:
    found = {}
    for name in draw(st.sets(st.sampled_from(["dense", "lexical", "visual"]))):
        keys = draw(KEYS)
        shares = sorted((draw(st.floats(0, 1)) for _ in keys), reverse=True)
        found[name] = Retrieved(keys, None if name == "visual" else shares)
    return found


def test_a_convex_combination_worked_out_by_hand():
    found = {"dense": Retrieved("xy", [1.0, 0.4]), "lexical": Retrieved("yz", [0.8, 0.2])}
    # y has 0.25 * 0.4 + 0.75 * 0.8, x 0.25 * 1, z 0.75 * 0.2.
    scores = fuse(found, WEIGHTS)
    assert list(scores) == ["y", "x", "z"]
    assert scores == pytest.approx({"y": 0.7, "x": 0.25, "z": 0.15})


def test_ranks_stand_for_shares_where_there_are_none():
    assert reciprocal_ranks(3) == pytest.approx([1, float(Fraction(61, 62)), float(Fraction(61, 63))])
    found = {"dense": Retrieved("x", [0.5]), "visual": Retrieved("yx", None)}
    # Weights of a quarter and a half: a third of 0.5 and two thirds of 61/62.
    assert fuse(found, WEIGHTS) == pytest.approx(
        {"x": float(Fraction(1, 6) + Fraction(2, 3) * Fraction(61, 62)), "y": 2 / 3}
    )


def test_one_lane_alone_keeps_its_shares():
    assert fuse({"lexical": Retrieved("ab", [0.6, 0.3])}, WEIGHTS) == {"a": 0.6, "b": 0.3}
    assert fuse({}) == {}


@given(retrieved())
def test_every_key_is_there_once_best_first(found: dict[str, Retrieved[tuple[str, int]]]):
    scores = fuse(found)
    assert set(scores) == {key for own in found.values() for key in own.keys}
    assert list(scores.values()) == sorted(scores.values(), reverse=True)
    assert all(0 <= score <= 1 + 1e-12 for score in scores.values())


@given(retrieved())
def test_the_order_of_lanes_changes_no_score(found: dict[str, Retrieved[tuple[str, int]]]):
    assert fuse(dict(reversed(found.items()))) == pytest.approx(fuse(found))
