"""Each id that a reader makes is another one, also where a number that it would get is there already."""

from __future__ import annotations

from archive_pipeline.readers.made_ids import MadeIds


def test_an_id_that_was_there_before_is_numbered():
    ids = MadeIds()
    assert [ids.own(made) for made in ("a", "b", "a", "a")] == ["a", "b", "a-again-2", "a-again-3"]


def test_a_number_that_is_taken_is_passed_over():
    ids = MadeIds(second=1)
    assert [ids.own(made) for made in ("a-again-1", "a", "a", "a-again-1")] == [
        *("a-again-1", "a", "a-again-2", "a-again-1-again-1"),
    ]
