"""Fields that are never handed on, wherever they stand: at any depth, in JSON inside a text, in what is no JSON."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Any, Final

# JSON inside a text has backslashes before its quotes, twice as many and one more at each level.
_MAX_BACKSLASHES: Final = 63
_DUPLICATE: Final = " (duplicate "  # of a key that occurs several times (``readers.json.parsing``)


def may_have(raw: bytes, names: frozenset[str]) -> bool:
    """Tells whether JSON text can have one of the fields; their letters may be escaped."""
    return b"\\u00" in raw or any(name.encode() in raw for name in names)


def remove(value: Any, names: frozenset[str]) -> tuple[Any, bool]:
    """Removes fields from a JSON value, which changes; returns it, and whether it had any."""
    holder = [value]
    waiting: list[Any] = [holder]
    is_changed = False
    while waiting:
        container = waiting.pop()
        for key, item in _items(container):
            if isinstance(key, str) and key.partition(_DUPLICATE)[0] in names:
                del container[key]
                is_changed = True
            elif isinstance(item, dict | list):
                waiting.append(item)
            elif isinstance(item, str) and (blanked := blank(item, names)) != item:
                container[key] = blanked
                is_changed = True
    return holder[0], is_changed


def _items(container: Any) -> Iterator[tuple[str | int, Any]]:
    return iter([*container.items()] if isinstance(container, dict) else enumerate(container))


def blank(text: str, names: frozenset[str]) -> str:
    """Returns a text with nothing in the strings behind the names of fields; to its end, where a string has none."""
    return _strings(names).sub(r"\g<before>\g<after>", text) if any(name in text for name in names) else text


@lru_cache(maxsize=16)
def _strings(names: frozenset[str]) -> re.Pattern[str]:
    some = "|".join(map(re.escape, sorted(names)))
    quote = rf"\\{{0,{_MAX_BACKSLASHES}}}"
    return re.compile(
        rf'(?P<before>(?:{some}){quote}"\s*:\s*(?P<level>{quote})").*?(?P<after>(?<!\\)(?P=level)"|\Z)', re.DOTALL
    )
