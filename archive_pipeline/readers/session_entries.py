"""Lines of an agent's session that name themselves and the line before them: each with its id, and its parent.

A pointer leads to the latest line of its id above: products give an id twice. A line that names no parent at all
follows the line before it.
"""

from __future__ import annotations

import json
import uuid
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final

from archive_pipeline.readers.json.fields import Fields
from archive_pipeline.readers.json.shapes import DUPLICATE_MESSAGE, as_identifier
from archive_pipeline.readers.json_lines import is_unreadable
from archive_pipeline.readers.timestamps import read_timestamp


@dataclass(frozen=True, slots=True)
class Pointers:
    """What a product calls the id of a line, and that of the line before it."""

    own: str = "id"
    parent: str = "parentId"


_POINTERS: Final = Pointers()


@dataclass(slots=True)
class Entry:
    """A line that others may follow.

    Attributes:
        line: the line as it is.
        id: its id, which no other entry of the session has.
        parent: the id of the entry before it, or a pointer that leads nowhere; None at the beginning.
        pointers: what its line calls both.
    """

    line: dict[str, Any]
    id: str
    parent: str | None
    pointers: Pointers = _POINTERS

    def rest(self, line: Fields, message: Fields) -> dict[str, Any] | None:
        """Returns what nothing has taken of the line and of the object in it, without an id that is the entry's."""
        own, parent = self.pointers.own, self.pointers.parent
        if as_identifier(self.line.get(own)) == self.id:
            line.take(own)
        if self.parent is not None and as_identifier(self.line.get(parent)) == self.parent:
            line.take(parent)
        if isinstance(self.line.get("message"), dict):
            line.fields_left()["message"] = message.rest()
        return line.rest()


@dataclass(slots=True)
class Entries:
    """The entries of one session, taken in the order of the file.

    Attributes:
        is_path: the entries are one way that was copied of a session, without some that others follow: a pointer to
            none of them leads to the line before.
        pointers: what the product calls ids and pointers.
        last: the id of the entry that a line without a parent follows: the latest; None before the first.
        nodes: entries that are no message, each with its parent.
        kept: lines that are no message, by their numbers in the file.
    """

    warnings: Counter[str]
    is_path: bool = False
    pointers: Pointers = _POINTERS
    last: str | None = None
    nodes: dict[str, str | None] = field(default_factory=dict)
    kept: dict[str, Any] = field(default_factory=dict)
    _latest: dict[str, str] = field(default_factory=dict)
    _moved: dict[str, str] = field(default_factory=dict)  # to the entry that was put behind
    _used: set[str] = field(default_factory=set)
    _again: Counter[str] = field(default_factory=Counter)
    _first: dict[str, dict[str, Any]] = field(default_factory=dict)
    _repeated: dict[str, set[str]] = field(default_factory=dict)

    def add(self, line: dict[str, Any], made: str) -> Entry | None:
        """Takes the next line; None if it is the same as one before it.

        Args:
            line: the line.
            made: its id, if no other line has it.
        """
        said = as_identifier(line.get(self.pointers.own))
        if said is not None and self._is_repeated(said, line):
            self.warnings[DUPLICATE_MESSAGE] += 1
            return None
        entry = Entry(line, self._own(made), self._parent(line), self.pointers)
        if said is not None:
            self._latest[said] = entry.id
        self.last = entry.id
        return entry

    def add_behind(self, entry: Entry, made: str) -> Entry:
        """Returns a second entry of one line, which all that points to the line from now on follows."""
        behind = Entry({}, self._own(made), entry.id)
        self.last = behind.id
        self.insert(behind)
        return behind

    def insert(self, entry: Entry) -> None:
        """Lets what points to the message that the latest entry follows, or to what stands between, follow the entry.

        Ways lead to later entries only, so that they end: a pointer to nowhere may be the id of a later one.
        """
        here = entry.parent
        while here in self._used and here != entry.id and here not in self._moved:
            self._moved[here] = entry.id
            here = self.nodes.get(here)

    def pass_over(self, number: int, entry: Entry) -> None:
        """Keeps an entry that is no message; what follows it follows the message before it."""
        self.nodes[entry.id] = entry.parent
        self.keep(number, entry.line)

    def go_to(self, pointer: object) -> None:
        """Goes to the entry that a pointer leads to, or before the first; nowhere if it leads to none."""
        said = as_identifier(pointer)
        self.last = None if said is None else self._latest.get(said, self.last)

    def keep(self, number: int, line: object) -> None:
        """Keeps a line that is no entry."""
        self.warnings["malformed_message"] += is_unreadable(line)
        self.kept[str(number)] = line

    def _parent(self, line: dict[str, Any]) -> str | None:
        if self.pointers.parent not in line:
            return self.last
        pointer = as_identifier(line[self.pointers.parent])
        if pointer is None:
            return None
        nowhere = self.last if self.is_path and self.last is not None else pointer
        return self._end(self._latest.get(pointer, nowhere))

    def _end(self, own: str) -> str:
        """Returns the entry that stands where what points to one is put; ways are shortened, so the work is linear."""
        passed: list[str] = []
        while own in self._moved:
            passed.append(own)
            own = self._moved[own]
        self._moved.update(dict.fromkeys(passed, own))
        return own

    def _own(self, made: str) -> str:
        own = made
        while own in self._used:
            self._again[made] += 1
            own = str(uuid.uuid5(uuid.NAMESPACE_OID, f"{made} {self._again[made]}"))
        self._used.add(own)
        return own

    def _is_repeated(self, said: str, line: dict[str, Any]) -> bool:
        """Tells whether a line was there before; of ids that are there once nothing is compared."""
        if said not in self._first:
            self._first[said] = line
            return False
        if said not in self._repeated:
            self._repeated[said] = {_written(self._first[said])}
        seen = self._repeated[said]
        text = _written(line)
        if text in seen:
            return True
        seen.add(text)
        return False


def header_of(lines: Iterable[Any], kind: str) -> dict[str, Any]:
    """Returns the first line of a type, which says what holds for the session; ``{}`` if there is none."""
    return next((line for line in lines if isinstance(line, dict) and line.get("type") == kind), {})


def _written(line: dict[str, Any]) -> str:
    return json.dumps(line, sort_keys=True)


def times_of(lines: Iterable[Any]) -> tuple[datetime | None, datetime | None]:
    """Returns the earliest and the latest time of lines."""
    told: Counter[str] = Counter()  # by the messages that have them
    stamps = (read_timestamp(line.get("timestamp"), told) for line in lines if isinstance(line, dict))
    times = [moment for moment in stamps if moment is not None]
    return (min(times), max(times)) if times else (None, None)
