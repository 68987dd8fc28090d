"""Columns on disk, and orders by several of them."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from archive_pipeline.duplicates.columns import ColumnFile, order_by


def test_columns_are_read_as_they_were_appended(tmp_path: Path) -> None:
    with closing(ColumnFile(tmp_path)) as columns:
        for first in range(0, 10, 5):
            columns.append("number", np.arange(first, first + 5))
            columns.append("half", np.arange(first, first + 5)[::-1] / 2)
            columns.append("nothing", np.zeros(0, dtype=np.uint32))
        assert columns.read("number").tolist() == list(range(10))
        assert columns.read("half").tolist() == [2.0, 1.5, 1.0, 0.5, 0.0, 4.5, 4.0, 3.5, 3.0, 2.5]
        assert (columns.read("nothing").size, columns.read("nothing").dtype) == (0, np.dtype(np.uint32))
        # From within one piece to within the next one.
        assert columns.read("number", 3, 7).tolist() == [3, 4, 5, 6]
        assert columns.read("number", 5, 7).tolist() == [5, 6]
        assert columns.read("number", 7, 7).tolist() == []
        assert "number" in columns
        assert "other" not in columns
        with pytest.raises(KeyError):
            columns.read("other")
    assert not list(tmp_path.iterdir())


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3), st.booleans())))
def test_the_last_key_decides_first(rows: list[tuple[int, int, bool]]) -> None:
    keys = [np.array([row[at] for row in rows]) for at in range(3)]
    expected = sorted(range(len(rows)), key=lambda number: (*reversed(rows[number]), number))
    assert order_by(iter(keys)).tolist() == expected
