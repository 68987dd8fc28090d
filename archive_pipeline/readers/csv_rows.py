"""Tables of CSV that a product exports, whose rows are handed on as lines of JSON.

A table is told by the names of its columns, in whichever order. The first line handed on has them; each other one is a
row, as an object with the text of each column. What is no row is told with its lines; reading goes on behind the first
of them, as a quote that is not closed takes in the rows that follow.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Final

import orjson

from archive_pipeline.domain.records import RejectedRecord
from archive_pipeline.readers.decided import Pieces
from archive_pipeline.readers.declaration import TableReader
from archive_pipeline.readers.json.blocks import ByteSource, blocks_of
from archive_pipeline.readers.json.rejections import excerpt_of

CSV: Final = "csv"
COLUMNS: Final = "columns"
MAX_ROW_BYTES: Final = 16 * 1024 * 1024
_BLOCK_BYTES: Final = 64 * 1024
# The first line tells.
_HEAD_BYTES: Final = 64 * 1024
# What spreadsheets write in place of the comma, in some languages.
_DELIMITERS: Final = ",;\t"
# How much is read once more behind what is no row; a file of quotes that are never closed costs no more.
_READ_AGAIN_BYTES: Final = 64 * 1024 * 1024
_MOST_NAMED: Final = 10_000
_NO_TEXT: Final = ("{", "[", "<")

TableReaders = Mapping[str, TableReader]


@dataclass(frozen=True, slots=True)
class _Broken:
    """Lines that are no row: the first and the last one, by number, what is wrong with the first, and its beginning."""

    first: int
    last: int
    why: str
    excerpt: str | None


class _TooLargeError(Exception):
    """A row is larger than any is."""


class _Lines:
    """The lines of a file as texts, and those of the present row as they are; some are given once more.

    Attributes:
        number: of the line that was given last.
        row: the lines of the present row.
    """

    def __init__(self, blocks: Iterator[bytes]) -> None:
        self.number = 0
        self.row: list[bytes] = []
        self._size = 0
        self._again: list[bytes] = []
        self._lines = _lines(blocks)
        self._left = _READ_AGAIN_BYTES

    def __iter__(self) -> _Lines:
        return self

    def __next__(self) -> str:
        line = self._again.pop() if self._again else next(self._lines)
        self.number += 1
        self.row.append(line)
        self._size += len(line)
        if self._size > MAX_ROW_BYTES:
            msg = f"is larger than {MAX_ROW_BYTES:,} bytes"
            raise _TooLargeError(msg)
        return line.decode("utf-8", "surrogateescape")

    def begin(self) -> int:
        """Begins a row; returns the number of its first line."""
        self.row, self._size = [], 0
        return self.number + 1

    def go_back(self) -> None:
        """Goes back to the second line of the present row, if not too much was read once more."""
        if self._size <= self._left:
            self._left -= self._size
            self.number -= len(self.row) - 1
            self._again += reversed(self.row[1:])


class CsvRows:
    """The rows of a table, and what of it is no row: known when all were asked for.

    Attributes:
        source: whose product the table is.
    """

    def __init__(self, blocks: Iterator[bytes], source: str, reader: TableReader, delimiter: str) -> None:
        self.source = source
        self._blocks = blocks
        self._reader = reader
        self._delimiter = delimiter
        self._broken: list[_Broken] = []
        self._broken_count = 0

    def pieces(self) -> Iterator[bytes]:
        """Yields a line of JSON with the columns, and one for each row."""
        csv.field_size_limit(MAX_ROW_BYTES)  # of the process: the module has no other bound
        lines = _Lines(self._blocks)
        rows = csv.reader(lines, delimiter=self._delimiter, strict=True)
        columns = next(rows)
        yield _as_line({CSV: self.source, COLUMNS: columns})
        is_lost = False
        while True:
            first = lines.begin()
            try:
                values = next(rows, None)
            except (csv.Error, _TooLargeError) as error:
                self._note(first, str(error), lines)
                is_lost = True
                continue
            if values is None:
                return
            why = self._what_is_wrong(values, columns, is_lost=is_lost)
            if why is not None:
                self._note(first, why, lines)
                is_lost = True
            elif values:
                is_lost = False
                yield _as_line(dict(zip(columns, values, strict=True)))

    def rejected(self, locator: str) -> Iterator[RejectedRecord]:
        """Yields what is no row, when the rows were read."""
        for broken in self._broken:
            lines = f"line {broken.first:,} is" if broken.first == broken.last else _several(broken)
            reason = f"{lines} no row of the table {locator}"
            yield RejectedRecord(f"{locator} @ line {broken.first}", reason, broken.why, broken.excerpt)
        if self._broken_count > len(self._broken):
            more = self._broken_count - len(self._broken)
            yield RejectedRecord(locator, f"{more:,} more places of {locator} have no row of the table")

    def _what_is_wrong(self, values: Sequence[str], columns: Sequence[str], *, is_lost: bool) -> str | None:
        """Returns why values are no row; behind what is none, a line of a message may look like one."""
        if values and len(values) != len(columns):
            return f"has {len(values):,} values, and the table {len(columns):,} columns"
        if values and is_lost and not self._reader.is_row(dict(zip(columns, values, strict=True))):
            return "is unlike the rows of the table"
        return None

    def _note(self, first: int, why: str, lines: _Lines) -> None:
        """Notes lines that are no row; those that follow each other are one record."""
        excerpt = excerpt_of(lines.row[0]) if lines.row else None
        lines.go_back()
        last = self._broken[-1] if self._broken else None
        if last is not None and last.last + 1 == first and self._broken_count == len(self._broken):
            self._broken[-1] = replace(last, last=lines.number)
            return
        self._broken_count += 1
        if len(self._broken) < _MOST_NAMED:
            self._broken.append(_Broken(first, lines.number, why, excerpt))


def may_be_table(beginning: bytes) -> bool:
    """Tells by its first bytes whether a file may be a table of CSV, and not JSON or HTML."""
    return not _text_of(beginning).lstrip("\ufeff \t\r\n").startswith(_NO_TEXT)


def table_of(stream: ByteSource, head: bytearray, readers: TableReaders) -> CsvRows | None:
    """Returns the rows of a table, if the file is one that a reader knows; else None.

    Args:
        stream: the file, at its start.
        head: empty; has what was read of the file if it is no such table, and if it cannot be read.
        readers: what the sources that have tables declare.
    """
    while b"\n" not in head and len(head) < _HEAD_BYTES and (block := stream.read(_HEAD_BYTES)):
        head += block
    line = _text_of(bytes(head)).removeprefix("\ufeff").partition("\n")[0]
    for delimiter in _DELIMITERS:
        columns = _values(line, delimiter)
        for source, reader in readers.items():
            if len({*columns}) == len(columns) and any(layout <= {*columns} for layout in reader.layouts):
                rest = chain([bytes(head)], iter(lambda: stream.read(_BLOCK_BYTES), b""))
                return CsvRows(blocks_of(Pieces(rest), _BLOCK_BYTES), source, reader, delimiter)
    return None


def _values(line: str, delimiter: str) -> list[str]:
    try:
        return next(csv.reader([line], delimiter=delimiter, strict=True), [])
    except csv.Error:
        return []


def _text_of(beginning: bytes) -> str:
    blocks = blocks_of(io.BytesIO(beginning), len(beginning))
    return next(blocks, b"").decode("utf-8", "replace")


def _lines(blocks: Iterator[bytes]) -> Iterator[bytes]:
    """Yields the lines, with their ends; of one that is larger than any row the beginning."""
    held: list[bytes] = []
    size = 0
    for block in blocks:
        *ends, rest = block.split(b"\n")
        for end in ends:
            yield b"".join((*held, end, b"\n"))
            held, size = [], 0
        if size <= MAX_ROW_BYTES:
            held.append(rest)
        size += len(rest)
    if size:
        yield b"".join(held)


def _as_line(value: Mapping[str, object]) -> bytes:
    try:
        return orjson.dumps(value, option=orjson.OPT_APPEND_NEWLINE)
    except TypeError:  # bytes that are not UTF-8 stay for whoever reads the line
        return json.dumps(value, ensure_ascii=False).encode("utf-8", "surrogateescape") + b"\n"


def _several(broken: _Broken) -> str:
    return f"lines {broken.first:,} to {broken.last:,} are"
