"""COPY's text format: whatever a frame holds comes back from a real table as it was."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import numpy as np
import orjson
import pandas as pd
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from sqlalchemy import JSON, Boolean, Column, DateTime, Integer, LargeBinary, MetaData, SmallInteger, Table, Text, Uuid
from sqlalchemy.dialects.postgresql import JSONB

from archive_pipeline.domain.frames import frame
from archive_pipeline.store.copy import copy_frame, encode
from archive_pipeline.store.database import Database
from archive_pipeline_tests.trials import trials

pytestmark = pytest.mark.postgres

TABLE = Table(
    "copied",
    MetaData(),
    Column("n", Integer),
    Column("id", Uuid(as_uuid=False)),
    Column("text", Text),
    Column("number", Integer),
    Column("small", SmallInteger),
    Column("flag", Boolean),
    Column("at", DateTime(timezone=True)),
    Column("bytes", LargeBinary),
    Column("document", JSONB),
    Column("written", JSON),
)
NAMES = [column.name for column in TABLE.columns]

# PostgreSQL takes neither NUL nor surrogates: the importer has removed them before.
TEXTS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0")) | st.text(
    "\\\t\n\r\b\f\v.Nnt", max_size=6
)
JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=6,
)
EARLIEST, LATEST = datetime.min + timedelta(2), datetime.max - timedelta(2)  # noqa: DTZ901 (Hypothesis wants them so)
TIMES = st.datetimes(EARLIEST, LATEST, timezones=st.just(UTC) | st.just(timezone(timedelta(hours=-7))))


def optional(strategy):
    return st.none() | strategy


ROWS = st.lists(
    st.tuples(
        optional(st.uuids().map(str)),
        optional(TEXTS),
        optional(st.integers(-(2**31), 2**31 - 1)),
        optional(st.integers(-(2**15), 2**15 - 1)),
        optional(st.booleans()),
        optional(TIMES),
        optional(st.binary()),
        optional(JSON_VALUES.filter(lambda value: value is not None)),
        optional(JSON_VALUES.filter(lambda value: value is not None)),
    ),
    max_size=8,
)


@pytest.fixture
def copied(archive: Database):
    """A connection with an empty table that goes with it."""
    with archive.session() as connection:
        connection.execute("DROP TABLE IF EXISTS copied")
        connection.execute(
            "CREATE TEMP TABLE copied (n integer, id uuid, text text, number integer, small smallint, flag boolean, "
            "at timestamptz, bytes bytea, document jsonb, written json)"
        )
        yield connection
        connection.rollback()


def as_text(value):
    return None if value is None else orjson.dumps(value).decode()


def round_trip(connection, rows):
    connection.execute("TRUNCATE copied")
    numbered = [(index, *row[:7], as_text(row[7]), as_text(row[8])) for index, row in enumerate(rows)]
    columns = list(zip(*numbered, strict=True)) or [()] * len(NAMES)
    # A temporary table has no schema of its own name.
    table = Table("copied", MetaData(), *(Column(c.name, c.type) for c in TABLE.columns), schema="pg_temp")
    written = copy_frame(connection, table, frame(dict(zip(NAMES, columns, strict=True))))
    assert written == len(rows)
    statement = "SELECT id::text, text, number, small, flag, at, bytes, document, written FROM copied ORDER BY n"
    return connection.execute(statement).fetchall()


@given(rows=ROWS)
@example(rows=[(None,) * 9])
@example(
    rows=[
        (None, text, *(None,) * 7) for text in ("", r"\N", r"\.", "\\", "\\\\N", "\t", "a\nb\r\nc", "\x08\x0b", "😀é")
    ]
)
@trials(60)
def test_rows_come_back_as_they_were(copied, rows):
    assert round_trip(copied, rows) == rows


def test_json_keeps_its_order_of_keys_where_the_column_is_json(copied):
    copied.execute("TRUNCATE copied")
    round_trip(copied, [(*(None,) * 8, {"z": 1, "a": {"y": 2, "b": 3}})])
    assert copied.execute("SELECT written::text FROM copied").fetchall() == [('{"z":1,"a":{"y":2,"b":3}}',)]


def test_times_as_numpy_values_are_utc_and_nat_is_null(copied):
    times = np.array(["2024-02-29T12:00:00.000001", "NaT"], dtype="datetime64[us]")
    table = Table("copied", MetaData(), Column("n", Integer), Column("at", DateTime(timezone=True)), schema="pg_temp")
    copy_frame(copied, table, frame({"n": [0, 1], "at": times}))
    stored = copied.execute("SELECT at FROM copied ORDER BY n").fetchall()
    assert stored == [(datetime(2024, 2, 29, 12, 0, 0, 1, tzinfo=UTC),), (None,)]


def test_columns_that_the_frame_lacks_get_their_defaults(copied):
    table = Table("copied", MetaData(), Column("n", Integer), schema="pg_temp")
    assert copy_frame(copied, table, frame({"n": [7]})) == 1
    assert copied.execute("SELECT n, text, flag FROM copied").fetchall() == [(7, None, None)]


def test_an_empty_frame_writes_nothing(copied):
    assert copy_frame(copied, TABLE, pd.DataFrame()) == 0
    assert copy_frame(copied, TABLE, frame({name: [] for name in NAMES})) == 0


def test_many_rows_are_written_in_pieces_of_whole_lines():
    pieces = list(encode(TABLE, frame({"n": list(range(5_000)), "text": ["a\nb"] * 5_000})))
    assert len(pieces) > 1
    assert all(piece.endswith("\n") for piece in pieces)
    assert "".join(pieces).splitlines() == [f"{n}\ta\\nb" for n in range(5_000)]
