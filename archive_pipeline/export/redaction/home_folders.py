"""Names of users in paths of home folders, as systems and agents write them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

_NAME: Final = r"[^\s/\\\"'`:<>|)\]},;]{1,64}"
# More words are of a name only if the path goes on behind them.
_MORE_WORDS: Final = r"(?: [^\W\d_][\w.-]{0,63}){1,3}"
_ON_DRIVE: Final = re.compile(
    rf":(?<=[A-Za-z]:)(?:\\{{1,8}}|/)(?i:users)(?:\\{{1,8}}|/)({_NAME}(?:{_MORE_WORDS}(?=[\\/\"`]))?)"
)
_UNDER_USERS: Final = re.compile(rf"/Users/({_NAME}(?:{_MORE_WORDS}(?=/))?)")
_UNDER_HOME: Final = re.compile(rf"/home/({_NAME})")
# Claude Code names the folder of a project after its path, with hyphens for what is no letter or digit.
_HYPHENATED: Final = re.compile(
    r"(?:(?<=projects[/\\])|\A(?=\S+\Z))(?:-home|-Users|[A-Za-z]--Users)-([^\s/\\\"'`:<>|)\]},;-]{1,64})"
)
_NO_USERS: Final = frozenset({"shared", "public", "default", "all users", "runner", "user", "username", "you", "name"})


def users_of_home_folders(text: str) -> Iterator[tuple[int, int]]:
    """Yield where they stand, but for those that examples and systems have."""
    patterns = [_ON_DRIVE, _UNDER_USERS, _UNDER_HOME]
    if "-home-" in text or "-Users-" in text:
        patterns.append(_HYPHENATED)
    for pattern in patterns:
        for match in pattern.finditer(text):
            if match[1].lower() not in _NO_USERS:
                yield match.span(1)
