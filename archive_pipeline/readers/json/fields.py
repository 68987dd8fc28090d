"""Reading an object of the source field by field: what is taken leaves the rest, and the rest is kept.

Reading a value for a column and removing it from what ``source_json`` holds is one act here, so that a field of an
unexpected shape, which no column takes, stays in the rest by itself.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from archive_pipeline.readers.json.shapes import as_identifier, as_size, as_text, joined

# A union in the call of isinstance is made anew by each.
_HOLDING: Final = (str, list, dict)


class Fields:
    """The fields of a JSON object; anything else has none.

    Each ``take_…`` returns the value of a field if it is of the kind that is asked for, and removes it. A field of
    another kind stays.
    """

    __slots__ = ("_left",)

    def __init__(self, value: object) -> None:
        # Nearly always a dict: asking for a Mapping alone takes longer than the copy.
        fields: Mapping[str, Any] = value if type(value) is dict or isinstance(value, Mapping) else {}
        self._left = dict(fields)

    def take_text(self, name: str) -> str | None:
        """Takes a string that holds something."""
        text = as_text(self._left.get(name))
        if text is not None:
            del self._left[name]
        return text

    def take_identifier(self, name: str) -> str | None:
        """Takes an id: a string, a number as text, or Mongo's ``{"$oid": ...}`` as its text."""
        identifier = as_identifier(self._left.get(name))
        if identifier is not None:
            del self._left[name]
        return identifier

    def take_size(self, name: str) -> int | None:
        """Takes a byte count."""
        size = as_size(self._left.get(name))
        if size is not None:
            del self._left[name]
        return size

    def take_flag(self, name: str) -> bool | None:
        """Takes true or false."""
        value = self._left.get(name)
        if not isinstance(value, bool):
            return None
        del self._left[name]
        return value

    def take_items(self, name: str) -> list[Any]:
        """Takes an array, and anything else that holds something as the only item of one."""
        value = self._left.pop(name, None)
        if isinstance(value, list):
            return value
        return [] if is_empty(value) else [value]

    def take_objects(self, name: str) -> list[dict[str, Any]]:
        """Takes the objects of an array, or an object; what else says something stays."""
        items = self.take_items(name)
        self.put_back(name, [item for item in items if not isinstance(item, dict) and not is_empty(item)])
        return [item for item in items if isinstance(item, dict) and item]

    def take_texts(self, name: str) -> list[str]:
        """Takes a string, or an array of nothing but strings, as an array."""
        value = self._left.get(name)
        items: list[Any] = value if isinstance(value, list) else [value]
        if not all(isinstance(item, str) for item in items):
            return []
        del self._left[name]
        return items

    def take(self, name: str) -> Any:
        """Takes whatever the field holds; None if there is no such field."""
        return self._left.pop(name, None)

    def first_text(self, names: Iterable[str]) -> str | None:
        """Takes the text of the first of these fields that has one, its strings joined if it is an array of them."""
        return next((text for name in names if (text := joined(self.take_texts(name)))), None)

    def put_back(self, name: str, items: list[Any]) -> None:
        """Gives back items of an array that nothing has taken."""
        if items:
            self._left[name] = items

    def fields_left(self) -> dict[str, Any]:
        """Returns what nothing has taken, empty values included."""
        return self._left

    def rest(self) -> dict[str, Any] | None:
        """Returns what nothing has taken and holds something; None if there is nothing."""
        return {name: value for name, value in self._left.items() if value or not is_empty(value)} or None


def is_empty(value: object) -> bool:
    """True for null, the empty string, the empty array and the empty object: they say nothing."""
    return not value and (value is None or isinstance(value, _HOLDING))


def holds_text(value: object) -> bool:
    """True if the value is or contains a string that holds something."""
    return any(texts_in(value))


def texts_in(value: object) -> Iterator[str]:
    """Yields the strings that a value is or contains, keys of objects left out, in no particular order."""
    waiting = [value]
    while waiting:
        item = waiting.pop()
        if isinstance(item, str):
            yield item
        elif isinstance(item, dict):
            waiting.extend(item.values())
        elif isinstance(item, list):
            waiting.extend(item)
