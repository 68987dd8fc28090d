"""Values that variables and fields named like a secret are set to, or compared with, by the rules of detect-secrets.

Its patterns take quadratic time of a line, and find in it one value each. Here they are tried at each name, on what
follows it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from types import ModuleType
from typing import Final

_KEYWORD: Final = re.compile(
    r"(?:pass(?:word|wd|phrase)?|pwd|secret|token|key|credentials?|auth)(?=[\w\"'\])\- ]{0,24}[:=(\"'`])", re.IGNORECASE
)
_SHORTEST: Final = 6
# What stands for a secret in examples.
_NO_SECRET: Final = re.compile(r"[*x.<>{}$_-]*|.*(?:\$\{|\{\{|<your|example|placeholder|changeme).*", re.IGNORECASE)
_REACH: Final = 300
_OPENINGS: Final = {quote: re.compile(rf"{quote}(?=\w)") for quote in "\"'`"}


class AssignedValues:
    """What finds them."""

    def __init__(self, keyword: ModuleType) -> None:
        """Take the patterns of ``detect_secrets.plugins.keyword``."""
        names = "|".join(keyword.DENYLIST)
        self._name = re.compile(rf"(?:{names})\w*+", re.IGNORECASE)
        self._comparison = re.compile(rf"(?<![\v,'\"`])[\"'`](?=\s*+[!=]{{2,3}}\s*+\w*?(?:{names}))")
        # A name ends with its word: what follows is not tried at each letter of it.
        self._patterns = [
            (re.compile(pattern.pattern.replace(r")\w*", r")\w*+"), pattern.flags), group)
            for pattern, group in keyword.QUOTES_REQUIRED_DENYLIST_REGEX_TO_GROUP.items()
            if pattern != keyword.PRECEDED_BY_EQUAL_COMPARISON_SIGNS_QUOTES_REQUIRED_REGEX
        ]

    def find(self, text: str) -> Iterator[tuple[int, int]]:
        """Yield where they stand, and where else near their names the same characters do."""
        for start, end in _stretches(text):
            for values in (self._assigned(text, start, end), self._compared(text, start, end)):
                looked_for: dict[str, int] = {}
                for place, value in values:
                    if len(value) < _SHORTEST or _NO_SECRET.fullmatch(value):
                        continue
                    # The name may have the value's characters, too: "hunter" in db_hunter = "hunter".
                    first, last = max(start, place - _REACH, looked_for.get(value, 0)), min(end, place + _REACH)
                    while (first := text.find(value, first, last)) >= 0:
                        yield first, first + len(value)
                        first += 1
                    looked_for[value] = last - len(value) + 1

    def _assigned(self, text: str, start: int, end: int) -> Iterator[tuple[int, str]]:
        """Yield where the names within a stretch end, each with a value that follows."""
        for name in self._name.finditer(text, start, end):
            for pattern, group in self._patterns:
                match = pattern.match(text, name.start(), min(end, name.end() + _REACH))
                if match is not None:
                    value = match[group]
                    yield name.end(), value
                    if text[match.start(group) - 1] == "`":
                        yield name.end(), value.partition("`")[0]

    def _compared(self, text: str, start: int, end: int) -> Iterator[tuple[int, str]]:
        """Yield where values within a stretch end that names follow, each with the value."""
        for closing in self._comparison.finditer(text, start, end):
            place = closing.start()
            earliest = max(start, place - _REACH)
            # No value has one of these quotation marks in it.
            earliest = max(earliest, text.rfind('"', earliest, place), text.rfind("'", earliest, place))
            opening = _OPENINGS[closing[0]].search(text, earliest, place)
            if opening is not None:
                value = text[opening.end() : place]
                yield place, value
                if closing[0] == "`":
                    yield place, value.rpartition("`")[2]


def _stretches(text: str) -> Iterator[tuple[int, int]]:
    """Yield the parts of lines that a keyword begins and in which one is never far."""
    start, end = 0, 0
    for keyword in _KEYWORD.finditer(text):
        place = keyword.start()
        if place >= end:
            yield start, end
            start = place
        line_end = text.find("\n", place, place + _REACH)
        end = min(len(text), place + _REACH) if line_end < 0 else line_end
    yield start, end
