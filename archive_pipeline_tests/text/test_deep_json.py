"""JSON of any depth is what the encoder writes where it gets to."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from archive_pipeline.domain.records import JsonText
from archive_pipeline.text.deep_json import deep_json_text
from archive_pipeline.text.sanitize import json_text

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters()) | st.just(JsonText('[1, "x"]')),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=4), inner, max_size=4),
)


@given(VALUES)
def test_shallow_values_are_written_as_ever(value: Any):
    assert deep_json_text(value, Counter()) == (json_text(value, Counter()) or "null")


def test_depth_does_not_matter():
    value: Any = {"b": None}
    for _ in range(200_000):
        value = [1, value, 2]
    text = deep_json_text(value, Counter())
    assert text == "[1," * 200_000 + '{"b":null}' + ",2]" * 200_000


def test_the_same_value_twice_is_none_within_itself():
    shared = [1]
    assert json.loads(deep_json_text([shared, {"a": shared}], Counter())) == [[1], {"a": [1]}]


def test_a_value_that_is_part_of_itself_is_refused():
    value: list[Any] = []
    value.append({"a": value})
    with pytest.raises(ValueError, match="part of itself"):
        deep_json_text(value, Counter())
