"""How moments in time are read."""

from collections import Counter
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from archive_pipeline.readers.timestamps import read_timestamp

NOON = datetime(2024, 1, 15, 12, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    "written",
    [
        1705320000,
        1705320000.0,
        1705320000000,
        "1705320000",
        " 1705320000.0 ",
        "2024-01-15T12:00:00Z",
        "2024-01-15T14:00:00+02:00",
        "2024-01-15T12:00:00",
        "2024-01-15 12:00:00 UTC",
        {"$date": "2024-01-15T12:00:00.000Z"},
        {"$date": 1705320000000},
        {"$date": {"$numberLong": "1705320000000"}},
    ],
)
def test_every_notation_of_one_moment_gives_that_moment_in_utc(written):
    warnings = Counter()
    assert read_timestamp(written, warnings) == NOON
    assert not warnings


def test_microseconds_survive():
    assert read_timestamp(1686792382.104189, Counter()) == datetime(2023, 6, 15, 1, 26, 22, 104189, tzinfo=UTC)


def test_the_first_moment_after_zero_is_a_time():
    warnings = Counter()
    assert read_timestamp(0.000001, warnings) == datetime(1970, 1, 1, 0, 0, 0, 1, tzinfo=UTC)
    assert not warnings


@pytest.mark.parametrize("absent", [None, ""])
def test_no_time_is_no_warning(absent):
    warnings = Counter()
    assert read_timestamp(absent, warnings) is None
    assert not warnings


@pytest.mark.parametrize(
    "bad",
    [
        0,
        -0.0,
        "0",
        1e-7,
        "1970-01-01T00:00:00Z",
        "1970-01-01T01:00:00+01:00",
        {"$date": 0},
        {"$date": {"$numberLong": "0"}},
        {"$date": "1970-01-01T00:00:00Z"},
        -1,
        float("nan"),
        float("inf"),
        1e300,
        10**400,
        "yesterday",
        "1e999",
        "9" * 400,
        "0001-01-01T00:00:00Z",
        "10000-01-01T00:00:00Z",
        "0001-01-01T00:00:00+23:59",
        True,
        [],
        {},
        {"$date": None},
        {"$date": {}},
        {"$date": True},
    ],
)
def test_what_cannot_be_a_time_is_none_and_counted(bad):
    warnings = Counter()
    assert read_timestamp(bad, warnings) is None
    assert warnings == {"bad_timestamp": 1}


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from(["$date", "$numberLong", "x"]), inner),
    max_leaves=4,
)


@given(json_values)
def test_nothing_makes_the_parser_raise(value):
    moment = read_timestamp(value, Counter())
    assert moment is None or moment.tzinfo is UTC
