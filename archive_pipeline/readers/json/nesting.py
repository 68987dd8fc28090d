"""Finds the records in an element that is none itself: arrays in arrays, and objects around records.

What stands beside the records is handed on too, gathered in one element per container, so that nothing is lost.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import orjson

from archive_pipeline.readers.json.documents import MESSAGES
from archive_pipeline.readers.json.kinds import Kinds

IsRecord = Callable[[object], bool]
_MAX_LEVELS = 8
_SHOWN_KEY = 40


@dataclass(frozen=True, slots=True)
class Element:
    """One element of the top-level array, or the file's only object, or what one of them contains.

    Attributes:
        locator: ``file[index]``, or the file alone if it is one object, followed by ``.key`` and ``[index]`` for what
            stands inside an element.
        raw: the bytes as the file has them (UTF-8 also where the file is UTF-16); for what stands inside an element
            its value as JSON text.
        value: what they say.
        warnings: names of the liberties taken to read them.
    """

    locator: str
    raw: bytes
    value: Any
    warnings: tuple[str, ...] = ()


def unfold(element: Element, kinds: Kinds) -> Iterator[Element]:
    """Yields the records in an element, and what is none of them; the element itself if it has no records in it.

    An array that is one conversation becomes an object with it.
    """
    if isinstance(element.value, list) and kinds.is_conversation(element.value):
        raw = b'{"%s":%s}' % (MESSAGES.encode(), element.raw)
        yield Element(element.locator, raw, {MESSAGES: element.value}, element.warnings)
    elif kinds.is_record(element.value) or not _is_container(element.value, kinds):
        yield element
    else:
        for locator, value in _inside(element.locator, element.value, kinds.is_inner, _MAX_LEVELS):
            yield Element(locator, as_json(value), value, element.warnings)


def _is_container(value: Any, kinds: Kinds) -> bool:
    """Tells whether records may be in a value, or it is an array that only began as one conversation does."""
    begins_as_one = isinstance(value, list) and bool(value) and kinds.is_message(value[0])
    return begins_as_one or holds_record(value, kinds.is_inner)


def _inside(locator: str, container: Any, is_record: IsRecord, levels: int) -> Iterator[tuple[str, Any]]:
    others: dict[str, Any] = {}
    for key, value in _items(container):
        place = f"{locator}.{key[:_SHOWN_KEY]}" if isinstance(key, str) else f"{locator}[{key}]"
        if is_record(value):
            yield place, value
        elif holds_record(value, is_record, levels - 1):
            yield from _inside(place, value, is_record, levels - 1)
        elif isinstance(key, str):
            others[key] = value
        else:
            yield place, value
    if others:
        yield locator, others


def _items(container: Any) -> Iterable[tuple[str | int, Any]]:
    return container.items() if isinstance(container, dict) else enumerate(container)


def holds_record(value: Any, is_record: IsRecord, levels: int = _MAX_LEVELS) -> bool:
    """Tells whether a record stands inside of a value, in so many levels."""
    level = [value]
    for _ in range(levels):
        level = [
            item
            for container in level
            if isinstance(container, dict | list)
            for item in (container.values() if isinstance(container, dict) else container)
            if isinstance(item, dict | list)
        ]
        if not level:
            return False
        if any(map(is_record, level)):
            return True
    return False


def as_json(value: Any) -> bytes:
    """Returns a value as JSON text."""
    try:
        return orjson.dumps(value)
    except TypeError:  # lone surrogates and long integers
        return json.dumps(value).encode()


def as_held_json(value: Any) -> bytes:
    """Returns a value as JSON text that is to be held: orjson leaves what it returns in a buffer of 4 KB at least."""
    return bytes(memoryview(as_json(value)))
