"""JSON of tools, as pages show it: white space is added, and nothing else changes."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from archive_pipeline.browse.indented_json import indented
from archive_pipeline_tests.trials import trials

JSON = st.recursive(
    st.none() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text('a, "\\[{:', max_size=3),
    lambda values: st.lists(values, max_size=3) | st.dictionaries(st.text("ab", max_size=2), values, max_size=3),
    max_leaves=8,
)


def test_each_value_has_a_line():
    text = '{"b":[1.10,12345678901234567890, -0.0e+5],"a" : {},"b":[[]],"c":{"\\u05d0 [1,2]\\\\":"שלום, {x}"}}'
    assert indented(text) == (
        '{\n  "b": [\n    1.10,\n    12345678901234567890,\n    -0.0e+5\n  ],\n  "a": {},\n  "b": [\n    []\n  ],\n'
        '  "c": {\n    "\\u05d0 [1,2]\\\\": "שלום, {x}"\n  }\n}'
    )


@pytest.mark.parametrize(
    "text",
    ["", "42", '"a,b"', "[INFO] a, b", "{'a': 1, 'b': 2}", "[1,2,]", "[NaN,1]", "[1,2] [3]", '{"a":"cut', "[" * 5_000],
)
def test_what_is_no_object_or_array_of_strict_json_stays_as_it_is(text: str):
    assert indented(text) == text


@trials(30)
@given(JSON.map(lambda value: [value]))
def test_json_is_indented_as_by_its_encoder(value: Any):
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    assert indented(text) == re.sub(r"(?<=\n {40}) +", "", json.dumps(value, ensure_ascii=False, indent=2))


def test_brackets_make_no_page_of_gigabytes():
    text = "[" * 1_000 + ",".join("1" * 40_000) + "]" * 1_000
    assert len(indented(text)) < 25 * len(text)
