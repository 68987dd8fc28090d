"""Marks: values that occur once in an input, so that what becomes of each can be seen in the rows.

The law: every value of the input is in a column of ``raw``, in a ``source_json``, or in a rejected record. Null and the
empty string, array and object say nothing and are not looked for.
"""

from __future__ import annotations

import itertools
import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, Final

from archive_pipeline.readers.json.fields import is_empty
from archive_pipeline.readers.json.parsing import parse_json
from archive_pipeline.text.sanitize import clean_text

_MARK: Final = re.compile(r"m\d+q")
_FIRST_NUMBER: Final = 7_000_000_000  # as seconds a time after 2190, in nobody's file


class Marks:
    """A supply of marks."""

    def __init__(self) -> None:
        self._numbers = itertools.count()

    def text(self) -> str:
        """Return a string that no other mark contains."""
        return f"m{next(self._numbers)}q"

    def number(self) -> int:
        """Return a whole number of its own."""
        return _FIRST_NUMBER + next(self._numbers)

    def renewed(self, value: Any) -> Any:
        """Return a copy of a JSON value with marks of its own."""
        if isinstance(value, dict):
            return {key: self.renewed(item) for key, item in value.items()}
        if isinstance(value, list):
            return [self.renewed(item) for item in value]
        if isinstance(value, str):
            return _MARK.sub(lambda _: self.text(), value)
        is_mark = isinstance(value, int) and value >= _FIRST_NUMBER
        return self.number() if is_mark else value


@dataclass(slots=True)
class Values:
    """The values of something: of an input, or of the rows made of it.

    Attributes:
        strings, numbers: the values.
        keys: names of fields.
        telling: names of fields whose value says something.
    """

    strings: set[str] = field(default_factory=set)
    numbers: set[float] = field(default_factory=set)
    keys: set[str] = field(default_factory=set)
    telling: set[str] = field(default_factory=set)

    def add(self, value: object) -> None:
        """Add the values of a JSON value of an input, however deep it is."""
        for item in self.add_kept(value):
            if isinstance(item, dict):
                self.telling.update(key for key, inner in item.items() if not is_empty(inner))

    def add_kept(self, value: object) -> list[object]:
        """Add the values of a JSON value of a row, of which nobody asks what its fields say; return all below it."""
        strings, numbers = self.strings, self.numbers
        items = [value]
        for item in items:  # which grows meanwhile
            if isinstance(item, str):
                strings.add(item)
            elif isinstance(item, dict):
                self.keys.update(item)
                items.extend(item.values())
            elif isinstance(item, list):
                items.extend(item)
            elif isinstance(item, int | float) and not isinstance(item, bool):
                numbers.add(item)
        return items


def missing(given: Values, kept: Values) -> list[str]:
    """Return the values of the input that are not among those of the rows, as Python writes them.

    JSON as text, of which the rows have the values, is not missing.
    """
    absent = _absent(given, kept)
    said = Values()
    for text in given.strings:
        if text.startswith(("{", "[")) and repr(clean_text(text, Counter())) in absent:
            with suppress(ValueError):
                said.add(parse_json(text.encode("utf-8", "surrogatepass"))[0])
                absent.remove(repr(clean_text(text, Counter())))
    return absent + _absent(said, kept)


def _absent(given: Values, kept: Values) -> list[str]:
    """Return the values of the input that are not among those of the rows.

    A string may be part of a longer one, since parts of a text are joined; a number may be written as text. Of the
    keys only marks of values that say something count: the others are names of fields that became columns.
    """
    cleaned: Counter[str] = Counter()
    clean = {clean_text(string, cleaned) for string in given.strings} - {""}
    numbers = {float(number) for number in kept.numbers}  # a database writes 1e300 as an integer
    everything = "\0".join(itertools.chain(kept.strings, kept.keys))
    lost: Iterator[object] = itertools.chain(
        (string for string in clean if string not in kept.strings and not _is_in(string, everything)),
        (number for number in given.numbers if float(number) not in numbers and str(number) not in everything),
        (key for key in _marked(given.telling) if key not in everything),
    )
    return sorted(map(repr, lost))


def _is_in(string: str, everything: str) -> bool:
    """Tell whether a string is there, as it is or, of what is deeper than rows can be, in JSON text."""
    return string in everything or json.dumps(string, ensure_ascii=False)[1:-1] in everything


def _marked(keys: Iterable[str]) -> Iterator[str]:
    return (key for key in keys if _MARK.fullmatch(key))
