"""How interactions are told, alone and in what Graph answers: an object with a page of them, of several sessions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from archive_pipeline.readers.declaration import Evidence
from archive_pipeline.readers.gathered import MESSAGES, TREE
from archive_pipeline.readers.json.shapes import as_identifier, as_list, as_object

SESSION: Final = "sessionId"
TYPE: Final = "interactionType"
PAGE: Final = "value"
# Beside its session and its type, what an interaction has of its own.
_OWN_FIELDS: Final = frozenset({"appClass", "requestId", "conversationType"})


def recognise(value: Mapping[str, Any]) -> Evidence:
    """Judges an object by its interactions: those of a session, or those of a page."""
    for name in (MESSAGES, PAGE):
        items = value.get(name)
        if isinstance(items, list) and any(_is_interaction(as_object(item)) for item in items):
            return Evidence(1.0, "interactions of a session, with a type")
    is_likely = TREE in value and any(SESSION in as_object(item) for item in as_list(value.get(MESSAGES)))
    return Evidence(0.1 if is_likely else 0.0, "no interactions with a sessionId and an interactionType")


def tree_of(value: Mapping[str, Any], before: str | None) -> str | None:
    """Returns the session that an interaction belongs to, by its own id or that of the one before it."""
    return (as_identifier(value[SESSION]) or before) if _is_interaction(value) else None


def sessions_before(value: Mapping[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yields the sessions of a page but the last one, each with the place of its first interaction in the page."""
    for name, items in [*by_session(value).items()][:-1]:
        yield f".{PAGE}[{next(iter(items))}]", {TREE: name, MESSAGES: [*items.values()]}


def by_session(value: Mapping[str, Any]) -> dict[str | None, dict[int, dict[str, Any]]]:
    """Returns the interactions of a page by session, each with its place; none of what is no page."""
    found: dict[str | None, dict[int, dict[str, Any]]] = {}
    for place, item in enumerate(as_list(value.get(PAGE))):
        if isinstance(item, dict) and _is_interaction(item):
            found.setdefault(as_identifier(item[SESSION]), {})[place] = item
    return found


def _is_interaction(value: Mapping[str, Any]) -> bool:
    return SESSION in value and isinstance(value.get(TYPE), str) and not _OWN_FIELDS.isdisjoint(value)
