"""Arguments of calls: as text, as values, as the schemas that they tell."""

from __future__ import annotations

import json
import math
from typing import Any

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from archive_pipeline.export.call_arguments import parse_arguments
from archive_pipeline.export.tool_specs import tool_specs
from archive_pipeline.export.turns import Call, Turn


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('{"a":1,"b":[true,null,"1e400"]}', {"a": 1, "b": [True, None, "1e400"]}),
        ('{"a":18446744073709551615}', {"a": (1 << 64) - 1}),
        ('{"a":18446744073709551616}', {"a": "18446744073709551616"}),
        ('{"a":-9223372036854775808}', {"a": -(1 << 63)}),
        ('{"a":-9223372036854775809}', {"a": "-9223372036854775809"}),
        ('{"a":1e3,"b":2.5}', {"a": 1000.0, "b": 2.5}),
        ('{"a":1e400}', {"a": "1e400"}),
        (f'{{"a":1{"0" * 5_000}}}', {"a": f"1{'0' * 5_000}"}),
    ],
)
def test_numbers_that_no_reader_holds_are_text(text: str, value: Any):
    assert parse_arguments(text) == value


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
        lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
        max_leaves=20,
    )
)
def test_every_value_can_be_written_and_read(value: Any):
    found = parse_arguments(json.dumps(value))
    assert same(orjson.loads(orjson.dumps(found)), value)


def same(found: Any, value: Any) -> bool:
    if isinstance(value, dict):
        return list(found) == list(value) and all(map(same, found.values(), value.values()))
    if isinstance(value, list):
        return len(found) == len(value) and all(map(same, found, value))
    if isinstance(value, float):
        return math.isclose(found, value)
    return found == value or (isinstance(value, int) and found == str(value))


def test_a_schema_says_what_lists_hold():
    calls = [
        Call("1", "find", '{"words":["a"],"places":[[1],["x"]],"none":[],"limit":3}'),
        Call("2", "find", '{"words":["b",null],"limit":"all"}'),
    ]
    [tool] = tool_specs([Turn("assistant", [0], None, None, calls=calls)])
    assert tool["function"]["parameters"] == {
        "type": "object",
        "properties": {
            "limit": {"type": ["integer", "string"]},
            "none": {"type": "array", "items": {}},
            "places": {"type": "array", "items": {"type": "array", "items": {"type": ["integer", "string"]}}},
            "words": {"type": "array", "items": {"type": ["null", "string"]}},
        },
        "required": ["limit", "words"],
    }
