"""Columns of values in PostgreSQL's COPY text format."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from enum import StrEnum
from typing import Any, Final

NULL: Final = r"\N"
ROWS_PER_PIECE: Final = 2_000


class ColumnKind(StrEnum):
    """How the values of a column are written."""

    TEXT = "text"  # JSON text too
    BOOLEAN = "boolean"
    NUMBER = "number"
    TIME = "time"  # aware datetimes
    BYTES = "bytes"
    PLAIN = "plain"  # text in which nothing is to be escaped: UUIDs


def encode_values(kind: ColumnKind, values: Sequence[Any]) -> Sequence[str]:
    """Return the values of one column, None as NULL, in COPY's text format."""
    if values.count(None) == len(values):
        return [NULL] * len(values)
    return _ENCODERS[kind](values)


def whole_lines(columns: Sequence[Sequence[str]]) -> str:
    """Return the rows of encoded columns, at least one, a line each."""
    # The empty line at the end ends the last one: to add the line end to the text would copy all of it once more.
    return "\n".join([*map("\t".join, zip(*columns, strict=True)), ""])


def _encode_plain(values: Sequence[Any]) -> Sequence[str]:
    return [NULL if value is None else value for value in values] if None in values else values


def _encode_text(values: Sequence[Any]) -> Sequence[str]:
    if None in values:
        return [NULL if value is None else _escape(value) for value in values]
    # Most columns (roles, hashes, keys) have nothing to escape: one look at all of their values shows it.
    together = "".join(values)
    return list(map(_escape, values)) if any(character in together for character in _ESCAPED) else values


def _escape(text: str) -> str:
    # Most short values hold nothing to escape, and looking costs less than four copies.
    if "\\" in text:
        text = text.replace("\\", "\\\\")
    if "\n" in text:
        text = text.replace("\n", "\\n")
    if "\t" in text:
        text = text.replace("\t", "\\t")
    if "\r" in text:
        text = text.replace("\r", "\\r")
    return text


def _encode_booleans(values: Sequence[Any]) -> Sequence[str]:
    return [_BOOLEAN[value] for value in values]


def _encode_numbers(values: Sequence[Any]) -> Sequence[str]:
    return [NULL if value is None else str(value) for value in values]


def _encode_times(values: Sequence[Any]) -> Sequence[str]:
    return [NULL if value is None else value.isoformat() for value in values]


def _encode_bytes(values: Sequence[Any]) -> Sequence[str]:
    return [NULL if value is None else rf"\\x{value.hex()}" for value in values]


_ESCAPED: Final = "\\\n\t\r"
_BOOLEAN: Final = {True: "t", False: "f", None: NULL}
_ENCODERS: Final[Mapping[ColumnKind, Callable[[Sequence[Any]], Sequence[str]]]] = {
    ColumnKind.TEXT: _encode_text,
    ColumnKind.BOOLEAN: _encode_booleans,
    ColumnKind.NUMBER: _encode_numbers,
    ColumnKind.TIME: _encode_times,
    ColumnKind.BYTES: _encode_bytes,
    ColumnKind.PLAIN: _encode_plain,
}
