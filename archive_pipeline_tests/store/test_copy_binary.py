"""COPY's binary format: whatever rows hold comes back from a real table as it was."""

from __future__ import annotations

from datetime import UTC, datetime

import psycopg
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from sqlalchemy import (
    JSON,
    BigInteger,
    Boolean,
    Column,
    DateTime,
    Double,
    Integer,
    LargeBinary,
    MetaData,
    SmallInteger,
    Table,
    Text,
    Uuid,
)
from sqlalchemy.dialects.postgresql import JSONB

from archive_pipeline.store.copy import CopyFormat, binary_kind_of, copy_pieces
from archive_pipeline.store.copy_binary import BinaryKind, encode_table
from archive_pipeline.store.database import Database
from archive_pipeline.store.failures import is_systemic
from archive_pipeline.store.raw_writes import column_kinds
from archive_pipeline_tests.store.test_copy import JSON_VALUES, TEXTS, TIMES, as_text, optional
from archive_pipeline_tests.trials import trials

# A temporary table has no schema of its own name.
TABLE = Table(
    "copied_binary",
    MetaData(),
    Column("n", Integer),
    Column("id", Uuid(as_uuid=False)),
    Column("text", Text),
    Column("large", BigInteger),
    Column("flag", Boolean),
    Column("at", DateTime(timezone=True)),
    Column("bytes", LargeBinary),
    Column("document", JSONB),
    Column("written", JSON),
    schema="pg_temp",
)
NAMES = tuple(column.name for column in TABLE.columns)
KINDS = {column.name: binary_kind_of(column.type) for column in TABLE.columns}
DOCUMENTS = optional(JSON_VALUES.filter(lambda value: value is not None))
ROWS = st.lists(
    st.tuples(
        optional(st.uuids().map(str)),
        optional(TEXTS),
        optional(st.integers(-(2**63), 2**63 - 1)),
        optional(st.booleans()),
        optional(TIMES),
        optional(st.binary()),
        DOCUMENTS,
        DOCUMENTS,
    ),
    max_size=8,
)
AT = datetime(1999, 12, 31, tzinfo=UTC)
SOME = ("00112233-4455-6677-8899-aabbccddeeff", "é\n", 2**40, False, AT, b"\0", {"a": 1}, [])
OTHER = ("ffeeddcc-bbaa-9988-7766-554433221100", "", -1, True, datetime(2024, 2, 29, tzinfo=UTC), b"", {}, "x")


@pytest.fixture
def copied(archive: Database):
    """A connection with an empty table that goes with it."""
    with archive.session() as connection:
        connection.execute(
            "CREATE TEMP TABLE copied_binary (n integer, id uuid, text text, large bigint, flag boolean, "
            "at timestamptz, bytes bytea, document jsonb, written json)"
        )
        yield connection
        connection.rollback()


def encoded(rows):
    numbered = [(index, *row[:6], as_text(row[6]), as_text(row[7])) for index, row in enumerate(rows)]
    return encode_table(NAMES, numbered, KINDS)


def round_trip(connection, rows):
    connection.execute("TRUNCATE copied_binary")
    table = encoded(rows)
    assert table.count == len(rows)
    if rows:
        copy_pieces(connection, TABLE, table.columns, table.pieces, CopyFormat.BINARY)
    statement = "SELECT id::text, text, large, flag, at, bytes, document, written FROM copied_binary ORDER BY n"
    return connection.execute(statement).fetchall()


@pytest.mark.postgres
@given(rows=ROWS)
@example(rows=[(None,) * 8])
@example(rows=[SOME, (None,) * 8, OTHER])
@trials(60)
def test_rows_come_back_as_they_were(copied, rows):
    assert round_trip(copied, rows) == rows


@pytest.mark.postgres
@pytest.mark.parametrize("different", [3, 17, 200])
def test_columns_with_few_and_with_many_different_values_come_back(copied, different):
    rows = [
        (
            f"{n % different:032x}"[:8] + f"-0000-0000-0000-{n % different:012x}",
            "ab\t\\" * (n % different),
            n % different,
            n % 2 == 0,
            datetime(2024, 1, 1, 0, 0, n % different % 60, n % different, tzinfo=UTC),
            bytes([n % different]),
            {"n": n % different},
            [n % different],
        )
        for n in range(4_500)
    ]
    rows[1_000] = (None,) * 8
    assert round_trip(copied, rows) == rows


def test_a_row_has_its_columns_one_after_the_other_each_behind_its_length():
    kinds = {"id": BinaryKind.UUID, "document": BinaryKind.JSONB, "at": BinaryKind.TIME, "text": BinaryKind.TEXT}
    at = datetime(2000, 1, 1, 0, 0, 1, tzinfo=UTC)
    table = encode_table(tuple(kinds), [("00112233-4455-6677-8899-aabbccddeeff", "{}", at, None)], kinds)
    assert (
        b"".join(table.pieces)
        == (
            b"PGCOPY\n\xff\r\n\0" + b"\0\0\0\0" + b"\0\0\0\0"  # no flags, no extension
            b"\0\4"  # columns
            b"\0\0\0\x10" + bytes.fromhex("00112233445566778899aabbccddeeff") + b"\0\0\0\3\1{}"  # 1: version of jsonb
            b"\0\0\0\x08" + (1_000_000).to_bytes(8, "big") + b"\xff\xff\xff\xff"  # microseconds since 2000, NULL
            b"\xff\xff"  # end
        )
    )


def test_no_rows_are_nothing():
    assert encode_table(NAMES, [], KINDS).pieces == []


def test_many_rows_are_encoded_in_pieces():
    table = encode_table(("n",), [(n,) for n in range(4_001)], {"n": BinaryKind.INTEGER})
    assert [len(piece) for piece in table.pieces] == [19, 20_000, 20_000, 10, 2]


@pytest.mark.parametrize(
    ("kind", "value", "error"),
    [
        (BinaryKind.TEXT, "\ud800", "surrogates not allowed"),
        (BinaryKind.JSONB, '"\ud800"', "surrogates not allowed"),
        (BinaryKind.UUID, "0011", "no UUID"),
        (BinaryKind.UUID, "not an id", "non-hexadecimal"),
        (BinaryKind.INTEGER, 2**31, "number is too large"),
        (BinaryKind.LONG, 2**63, "number is too large"),
    ],
)
@pytest.mark.parametrize("other", [1, 40])
def test_what_the_column_cannot_hold_is_an_error(kind, value, error, other):
    plain = {BinaryKind.TEXT: "", BinaryKind.JSONB: "{}", BinaryKind.UUID: "0" * 32}.get(kind, 7)
    with pytest.raises(ValueError, match=error):
        encode_table(("x",), [(plain,)] * other + [(value,)], {"x": kind})


@pytest.mark.postgres
@pytest.mark.parametrize(
    ("column", "value"),
    [
        ("text", "a\0b"),
        ("document", '"\\u0000"'),
        ("document", f"1{'0' * 140_000}"),
        ("written", "{"),
    ],
)
def test_what_the_server_refuses_is_the_fault_of_the_row(copied, column, value):
    rows = [(number, None if number else value) for number in range(3)]
    table = encode_table(("n", column), rows, KINDS)
    with pytest.raises(psycopg.Error) as caught, copied.transaction():
        copy_pieces(copied, TABLE, table.columns, table.pieces, CopyFormat.BINARY)
    assert not is_systemic(caught.value)
    assert copied.execute("SELECT count(*) FROM copied_binary").fetchone() == (0,)


@pytest.mark.parametrize("declared", [SmallInteger(), Double()])
def test_types_that_cannot_be_written_are_refused(declared):
    with pytest.raises(TypeError, match="no binary form"):
        binary_kind_of(declared)


def test_all_columns_of_new_dialogues_can_be_written():
    assert column_kinds()["messages"]["source_json"] is BinaryKind.JSONB
    assert column_kinds()["content_parts"]["tool_input"] is BinaryKind.TEXT
