"""Rows in PostgreSQL's COPY binary format, which the server takes without parsing ids and times or undoing escapes.

No database and no table: processes that only encode use it. Rows are encoded column by column, since that is done
without a call of Python's per value.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from itertools import chain, repeat
from struct import Struct, error
from typing import Any, Final

from archive_pipeline.store.copy_text import ROWS_PER_PIECE

_HEADER: Final = b"PGCOPY\n\xff\r\n\0" + bytes(8)
_TRAILER: Final = b"\xff\xff"
_NULL: Final = b"\xff\xff\xff\xff"
_EPOCH: Final = datetime(2000, 1, 1, tzinfo=UTC)
_MICROSECOND: Final = timedelta(microseconds=1)
_UUID_BYTES: Final = 16
# So many values tell whether a column repeats itself, and so few different ones among them that it does.
_SAMPLE: Final = 64
_FEW: Final = 16

_pack_count: Final = Struct(">h").pack
_pack_length: Final = Struct(">i").pack
_pack_json_length: Final = Struct(">iB").pack
_pack_integer: Final = Struct(">ii").pack
_pack_long: Final = Struct(">iq").pack


class BinaryKind(StrEnum):
    """How the values of a column are written."""

    TEXT = "text"  # of JSON columns too
    JSONB = "jsonb"  # JSON text
    UUID = "uuid"  # canonical text
    BOOLEAN = "boolean"
    INTEGER = "integer"
    LONG = "long"
    TIME = "time"  # aware datetimes
    BYTES = "bytes"


@dataclass(frozen=True, slots=True)
class EncodedTable:
    """Rows of a table.

    Attributes:
        columns: names of the columns, in order.
        count: how many rows.
        pieces: what COPY is to be given, one after the other.
    """

    columns: tuple[str, ...]
    count: int
    pieces: list[bytes]


# A part of a field for each row: its length, what it holds, or both. A field is one part or two.
_Parts = Iterable[bytes]


def encode_table(
    names: tuple[str, ...], rows: Iterable[Iterable[Any]], kinds: Mapping[str, BinaryKind]
) -> EncodedTable:
    """Return rows, values in the order of the names and None for NULL, in COPY's binary format.

    Raises:
        ValueError: a text has a lone surrogate, a number is too large for its column, or an id is no UUID.
    """
    return encode_columns(names, list(zip(*rows, strict=True)), kinds)


def encode_columns(
    names: tuple[str, ...], columns: Sequence[Sequence[Any]], kinds: Mapping[str, BinaryKind]
) -> EncodedTable:
    """Return the rows of columns, as `encode_table` does."""
    count = len(columns[0]) if columns else 0
    if not count:
        return EncodedTable(names, 0, [])
    try:
        pieces = [
            _piece(names, [column[start : start + ROWS_PER_PIECE] for column in columns], kinds)
            for start in range(0, count, ROWS_PER_PIECE)
        ]
    except error as cause:
        msg = f"a number is too large: {cause}"
        raise ValueError(msg) from cause
    return EncodedTable(names, count, [_HEADER, *pieces, _TRAILER])


def _piece(names: tuple[str, ...], columns: Sequence[Sequence[Any]], kinds: Mapping[str, BinaryKind]) -> bytes:
    """Return some rows: what they are put together from is in memory of a piece only."""
    parts = list(_with_constants_together(names, columns, kinds))
    return b"".join(chain.from_iterable(zip(*parts, strict=False)))  # those that all rows have in common never end


def _with_constants_together(
    names: tuple[str, ...], columns: Sequence[Sequence[Any]], kinds: Mapping[str, BinaryKind]
) -> Iterator[_Parts]:
    """Yield the parts of all rows; what stands in all of them side by side as one."""
    constant = _pack_count(len(names))
    for name, values in zip(names, columns, strict=True):
        if values.count(values[0]) == len(values):
            constant += _field(kinds[name], values[0])
            continue
        if constant:
            yield repeat(constant)
            constant = b""
        yield from _encode(kinds[name], values)
    yield repeat(constant, len(columns[0]))


def _field(kind: BinaryKind, value: Any) -> bytes:
    return b"".join(next(zip(*_ENCODERS[kind]([value]), strict=False)))


def _encode(kind: BinaryKind, values: Sequence[Any]) -> Iterable[_Parts]:
    if len(set(values[:_SAMPLE])) > _FEW:
        return _ENCODERS[kind](values)
    fields: dict[Hashable, bytes] = {value: _field(kind, value) for value in set(values)}
    return (map(fields.__getitem__, values),)


def _encode_texts(values: Sequence[Any]) -> tuple[_Parts, _Parts]:
    if None not in values:
        return _sized(list(map(str.encode, values)))
    return _sized_or_null([None if value is None else value.encode() for value in values])


def _encode_bytes(values: Sequence[Any]) -> tuple[_Parts, _Parts]:
    return _sized_or_null(values)


def _sized(encoded: Sequence[bytes]) -> tuple[_Parts, _Parts]:
    return map(_pack_length, map(len, encoded)), encoded


def _sized_or_null(encoded: Sequence[bytes | None]) -> tuple[_Parts, _Parts]:
    return (
        [_NULL if value is None else _pack_length(len(value)) for value in encoded],
        [value or b"" for value in encoded],
    )


def _encode_jsonb(values: Sequence[Any]) -> tuple[_Parts, _Parts]:
    encoded = [None if value is None else value.encode() for value in values]
    return (
        [_NULL if value is None else _pack_json_length(len(value) + 1, 1) for value in encoded],
        [value or b"" for value in encoded],
    )


def _encode_uuids(values: Sequence[Any]) -> Iterable[_Parts]:
    given = [value for value in values if value is not None] if None in values else values
    packed = bytes.fromhex("".join(given).replace("-", ""))
    if len(packed) != len(given) * _UUID_BYTES:
        msg = "an id is no UUID"
        raise ValueError(msg)
    length = _pack_length(_UUID_BYTES)
    fields = [packed[start : start + _UUID_BYTES] for start in range(0, len(packed), _UUID_BYTES)]
    if len(given) == len(values):
        return repeat(length), fields
    following = iter(fields)
    return ([_NULL if value is None else length + next(following) for value in values],)


def _encode_booleans(values: Sequence[Any]) -> tuple[_Parts]:
    return ([_BOOLEAN[value] for value in values],)


def _encode_integers(values: Sequence[Any]) -> tuple[_Parts]:
    return ([_NULL if value is None else _pack_integer(4, value) for value in values],)


def _encode_longs(values: Sequence[Any]) -> tuple[_Parts]:
    return ([_NULL if value is None else _pack_long(8, value) for value in values],)


def _encode_times(values: Sequence[Any]) -> tuple[_Parts]:
    return ([_NULL if value is None else _pack_long(8, (value - _EPOCH) // _MICROSECOND) for value in values],)


_BOOLEAN: Final = {True: b"\0\0\0\1\1", False: b"\0\0\0\1\0", None: _NULL}
_ENCODERS: Final[Mapping[BinaryKind, Callable[[Sequence[Any]], Iterable[_Parts]]]] = {
    BinaryKind.TEXT: _encode_texts,
    BinaryKind.JSONB: _encode_jsonb,
    BinaryKind.UUID: _encode_uuids,
    BinaryKind.BOOLEAN: _encode_booleans,
    BinaryKind.INTEGER: _encode_integers,
    BinaryKind.LONG: _encode_longs,
    BinaryKind.TIME: _encode_times,
    BinaryKind.BYTES: _encode_bytes,
}
