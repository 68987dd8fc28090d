"""Ids of every notation, and what is none."""

from __future__ import annotations

from typing import Any

import pytest

from archive_pipeline.readers.json.fields import Fields


@pytest.mark.parametrize(
    ("written", "identifier"),
    [("a", "a"), (7, "7"), ({"$oid": "65f0c0ffee"}, "65f0c0ffee")],
)
def test_an_id_is_taken_whole(written: Any, identifier: str):
    fields = Fields({"id": written})
    assert (fields.take_identifier("id"), fields.fields_left()) == (identifier, {})


@pytest.mark.parametrize(
    "written",
    ["", None, True, 1.5, [], {}, {"$oid": ""}, {"$oid": 7}, {"$oid": None}, {"$oid": "a", "more": "b"}, {"id": "a"}],
)
def test_what_is_no_id_stays(written: Any):
    fields = Fields({"id": written})
    assert (fields.take_identifier("id"), fields.fields_left()) == (None, {"id": written})
