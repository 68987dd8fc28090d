"""Pieces of a text put together again, with and without knowing how much they share."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from archive_pipeline.text.overlaps import put_together

SHARED = "and then it was told again."


@pytest.mark.parametrize(
    ("first", "second", "overlap", "expected"),
    [
        ("one two", "two three", 3, "one two three"),
        ("one ", "two", 0, "one two"),
        ("one", "two", -2, "one two"),
        (f"one {SHARED}", f"{SHARED} two", None, f"one {SHARED} two"),
        ("one two", "two three", None, "one two two three"),  # by chance, as far as anybody knows
        ("", "two", None, " two"),
    ],
)
def test_what_both_pieces_have_is_there_once(first: str, second: str, overlap: int | None, expected: str):
    assert put_together(first, second, overlap) == expected


@given(st.text("ab ", min_size=16, max_size=60), st.integers(0, 44), st.integers(16, 60))
def test_an_overlap_that_is_told_and_one_that_is_found_give_a_text_that_has_both(text: str, start: int, end: int):
    first, second = text[:end], text[start:]
    told = put_together(first, second, len(first) - start) if start <= len(first) else None
    assert told in {None, text}
    found = put_together(first, second, None)
    assert found.startswith(first)
    assert found.endswith(second)
