"""The rows of one conversation by table, and what of them no message has."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from archive_pipeline.readers.json.fields import is_empty
from archive_pipeline.readers.json.shapes import DUPLICATE_MESSAGE, as_identifier, as_list, as_object, order_number

_ORDER: Final = "order"
Row = Mapping[str, Any]


class Tables:
    """The tables of a conversation object.

    A table is looked up by one of its columns. What a message takes, by ``take``, is left out of ``rest``.
    """

    def __init__(self, value: Mapping[str, Any]) -> None:
        self._tables = as_object(value.get("tables"))
        self._taken: dict[str, set[int]] = defaultdict(set)
        self._left: dict[str, dict[int, Row]] = defaultdict(dict)
        self._by: dict[tuple[str, str], dict[str, list[int]]] = {}

    def of(self, table: str, column: str, key: object) -> list[Row]:
        """Returns the rows that have a key in a column, in their order."""
        return [self._row(table, place) for place in self._places(table, column, key)]

    def first(self, table: str, column: str, key: object) -> Row | None:
        """Returns the first of these rows; None if there is none."""
        return next(iter(self.of(table, column, key)), None)

    def take(self, table: str, column: str, key: object) -> list[Row]:
        """Returns these rows, which a message has from now on."""
        places = self._places(table, column, key)
        self._taken[table].update(places)
        return [self._row(table, place) for place in places]

    def take_first(self, table: str, column: str, key: object) -> Row:
        """Returns the first of these rows, which a message has from now on; one without columns if there is none."""
        places = self._places(table, column, key)[:1]
        self._taken[table].update(places)
        return self._row(table, places[0]) if places else {}

    def unique(self, table: str, column: str, warnings: Counter[str]) -> Iterator[tuple[str, Row]]:
        """Yields each key of a table with its first row, which a message has from now on; others stay and count."""
        seen: set[str] = set()
        for place, row in enumerate(as_list(self._tables.get(table))):
            key = as_identifier(row.get(column)) if isinstance(row, dict) else None
            if key is None:
                warnings["malformed_message"] += 1
            elif key in seen:
                warnings[DUPLICATE_MESSAGE] += 1
            else:
                seen.add(key)
                self._taken[table].add(place)
                yield key, row

    def take_column(self, table: str, column: str, key: object, taken: str) -> None:
        """Leaves out a column of the first row that has a key: messages have what it says."""
        for place in self._places(table, column, key)[:1]:
            row = self._left[table].get(place) or self._row(table, place)
            self._left[table][place] = {name: value for name, value in row.items() if name != taken}

    def rest(self) -> dict[str, Any]:
        """Returns the tables without what messages have."""
        left: dict[str, Any] = {}
        for table, rows in self._tables.items():
            taken, changed = self._taken.get(table, ()), self._left.get(table, {})
            kept = rows
            if isinstance(rows, list):
                kept = [changed.get(place, row) for place, row in enumerate(rows) if place not in taken]
            if not is_empty(kept):
                left[table] = kept
        return left

    def _row(self, table: str, place: int) -> Row:
        row: Row = self._tables[table][place]
        return row

    def _places(self, table: str, column: str, key: object) -> list[int]:
        name = as_identifier(key)
        if name is None:
            return []
        index = self._by.get((table, column))
        if index is None:
            index = self._by[table, column] = defaultdict(list)
            for place, row in enumerate(as_list(self._tables.get(table))):
                if isinstance(row, dict) and (found := as_identifier(row.get(column))) is not None:
                    index[found].append(place)
        return index.get(name, [])


def ordered(rows: Iterable[Row]) -> Sequence[Row]:
    """Returns the rows of a table that joins two others, by their column ``order``."""
    return sorted(rows, key=lambda row: order_number(row.get(_ORDER)))
