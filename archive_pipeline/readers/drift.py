"""What a vendor's conversations have that this version does not know: fields, words that name types, types of values.

What is known stands in ``shapes/<source>.txt``; its notation is explained in ``shapes/chatgpt.txt``. A source without
such a file has no drift. Nothing is lost by it: readers keep what they do not know. It is told so that a change of a
vendor is noticed with the first export that has it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from types import NoneType
from typing import Any, Final, Literal

import archive_pipeline.readers
from archive_pipeline.errors import ConfigurationError

DriftKind = Literal["key", "content_type", "value_type"]
# What holds a place, None for the conversation, and the place's name in it: a path is made of it only to be told.
_Place = tuple["_Place | None", str]
# Kind, path and value.
_Found = tuple[DriftKind, str, str]
KINDS: Final[tuple[DriftKind, ...]] = ("key", "content_type", "value_type")
MAX_DISTINCT: Final = 500
MAX_COUNTED: Final = 10_000  # in one conversation, of whatever
_SHOWN: Final = 100  # characters of a name
_ITEMS: Final = "[]"
_ANY_NAME: Final = "*"
_TYPES: Final[Mapping[str, frozenset[type]]] = {
    "s": frozenset({str}),
    "n": frozenset({int, float}),
    "b": frozenset({bool}),
    "a": frozenset({list}),
    "o": frozenset({dict}),
    "*": frozenset({str, int, float, bool, list, dict}),
}
_NAMES: Final[Mapping[type, str]] = {
    str: "text",
    int: "number",
    float: "number",
    bool: "true or false",
    list: "array",
    dict: "object",
}


@dataclass(slots=True)
class Shape:
    """What is known of one place in a conversation.

    Attributes:
        types: Python types of its values.
        fields: of objects: what is known below, by name; ``*`` for any name.
        items: of arrays: what is known of their items.
        words: where it names a type: all that are known; None elsewhere.
        plain: those of the types whose values have nothing in them that could be unknown; set by ``settle``.
        deep: those of the types whose values are looked into; set by ``settle``.
        said: words that are known where a text may be; set by ``settle``.
    """

    types: frozenset[type] = frozenset({NoneType})
    fields: dict[str, Shape] = field(default_factory=dict)
    items: Shape | None = None
    words: set[str] | None = None
    plain: frozenset[type] = frozenset()
    deep: frozenset[type] = frozenset()
    said: frozenset[str] = frozenset()

    def below(self, name: str) -> Shape:
        """Returns what is known of a field or, by ``[]``, of the items; adds it if there is nothing yet."""
        if name == _ITEMS:
            self.items = self.items or Shape()
            return self.items
        return self.fields.setdefault(name, Shape())

    def settle(self) -> None:
        """Sets what follows from the rest here and below, now that everything is written down."""
        self.deep = self.types & {dict, list} if self.fields or self.items is not None else frozenset()
        self.plain = self.types - self.deep - ({str} if self.words is not None else set())
        self.said = frozenset(self.words or ()) if str in self.types else frozenset()
        for below in (*self.fields.values(), *([self.items] if self.items is not None else [])):
            below.settle()


@dataclass(frozen=True, slots=True, order=True)
class Unknown:
    """Something that is not known.

    Attributes:
        source: whose conversations have it.
        kind: ``key``: a field; ``content_type``: a word where types are named; ``value_type``: another type of value.
        path: its place in a conversation, ``*`` for ids and ``[]`` for items of arrays.
        value: the word, or the type of the value.
    """

    source: str
    kind: DriftKind
    path: str
    value: str


@dataclass(slots=True)
class Sightings:
    """How often something unknown was met, and where first."""

    count: int
    first_locator: str


class Drift:
    """What is unknown in some conversations; of hostile files at most ``MAX_DISTINCT`` different things are kept.

    Attributes:
        found: what is unknown, in the order in which it was met.
    """

    def __init__(self) -> None:
        self.found: dict[Unknown, Sightings] = {}

    def look_at(self, source: str, conversation: Mapping[str, Any], locator: str) -> None:
        """Adds what is unknown in a conversation."""
        known = known_shapes(source)
        if known is None:
            return
        unknown: list[_Found] = []
        _collect(dict(conversation), known, None, unknown)
        for kind, path, value in unknown:
            self._add(Unknown(source, kind, path, value[:_SHOWN]), 1, locator)

    def add(self, other: Drift) -> None:
        """Adds what was found elsewhere."""
        for unknown, sightings in other.found.items():
            self._add(unknown, sightings.count, sightings.first_locator)

    def _add(self, unknown: Unknown, count: int, locator: str) -> None:
        seen = self.found.get(unknown)
        if seen is not None:
            seen.count += count
        elif len(self.found) < MAX_DISTINCT:
            self.found[unknown] = Sightings(count, locator)


@cache
def known_shapes(source: str) -> Shape | None:
    """Returns what is known of the conversations of a source; None if nothing is written down.

    Raises:
        ConfigurationError: if what is written down cannot be read.
    """
    file = files(archive_pipeline.readers) / "shapes" / f"{source}.txt"
    if not file.is_file():
        return None
    root = Shape()
    for line in file.read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#"):
            _add_line(root, line, source)
    root.settle()
    return root


def _add_line(root: Shape, line: str, source: str) -> None:
    head, _, names = line.partition(" :")
    types, _, place = head.partition(" ")
    if types != "=" and not set(types) <= set(_TYPES):
        msg = f"shapes/{source}.txt has a line that is none: {line}"
        raise ConfigurationError(msg)
    shape = root
    for part in place.replace(_ITEMS, f".{_ITEMS}").split(".") if place else ():
        shape = shape.below(part)
    if types == "=":
        shape.words = {*(shape.words or ()), *names.split()}
        return
    for name in names.split():
        child = shape.below(name)
        child.types = child.types.union(*(_TYPES[letter] for letter in types))


def _collect(value: dict[str, Any] | list[Any], shape: Shape, place: _Place | None, unknown: list[_Found]) -> None:
    """Adds what is unknown in an object or array of which something is known.

    Every field of an import comes by here: what is as usual costs a look-up and nothing else.
    """
    if isinstance(value, dict):
        fields = shape.fields
        any_name = fields.get(_ANY_NAME)
        for name, item in value.items():
            known = fields.get(name) or any_name
            if known is None:
                _tell(unknown, ("key", _path(place, name[:_SHOWN]), _type_name(item)))
            elif type(item) not in known.plain:
                _judge(item, known, (place, name if name in fields else _ANY_NAME), unknown)
    elif shape.items is not None:
        for item in value:
            if type(item) not in shape.items.plain:
                _judge(item, shape.items, (place, _ITEMS), unknown)


def _judge(item: Any, known: Shape, place: _Place, unknown: list[_Found]) -> None:
    kind = type(item)
    if kind in known.deep:
        if item:
            _collect(item, known, place, unknown)
    elif kind not in known.types:
        _tell(unknown, ("value_type", _path(*place), _type_name(item)))
    elif kind is str and item not in known.said:
        _tell(unknown, ("content_type", _path(*place), item))


def _tell(unknown: list[_Found], found: _Found) -> None:
    if len(unknown) < MAX_COUNTED:
        unknown.append(found)


def _path(place: _Place | None, name: str) -> str:
    if place is None:
        return name
    above = _path(*place)
    return above + _ITEMS if name == _ITEMS else f"{above}.{name}"


def _type_name(value: object) -> str:
    return _NAMES.get(type(value), "null")
