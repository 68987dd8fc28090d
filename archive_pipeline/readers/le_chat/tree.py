"""Which message a message of Le Chat follows: exports have no parents, and no order either, but versions and times.

A prompt that is edited and an answer that is made anew are further versions of one id. What they follow is found as
the chat went: an answer follows the prompt that was sent just before it, any other version what its first one follows,
and a new message the one before it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from operator import itemgetter
from typing import Any, Final

from archive_pipeline.readers.json.shapes import as_identifier
from archive_pipeline.readers.timestamps import read_timestamp

_PARENT: Final = "parentId"
_USER: Final = "user"
_BEFORE_ALL: Final = datetime.min.replace(tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Placed:
    """A message as the source has it, with its name in the dialogue and that of the one that it follows."""

    item: dict[str, Any]
    name: str
    parent: str | None


def placed(items: Iterable[dict[str, Any]]) -> list[Placed]:
    """Returns the messages in the order of their times, each with what it follows."""
    ordered = _in_order(items)
    names_parents = any(as_identifier(item.get(_PARENT)) for item in ordered)
    found: list[Placed] = []
    before: Placed | None = None
    of_ids: dict[str, str | None] = {}
    seen: set[str] = set()
    for number, item in enumerate(ordered):
        own = as_identifier(item.get("id")) or f"message-{number}"
        parent = _named_parent(item) if names_parents else _followed(item, own, before, of_ids)
        of_ids.setdefault(own, parent)
        found.append(Placed(item, _name(own, item.get("version")), parent))
        # A message that stands there twice was said once.
        before = before if found[-1].name in seen else found[-1]
        seen.add(found[-1].name)
    return found


def _in_order(items: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """Returns the messages by their times, of one time prompts first; one without a time stays where it was."""
    place = _BEFORE_ALL, False
    timed: list[tuple[tuple[datetime, bool], dict[str, Any]]] = []
    for item in items:
        moment = read_timestamp(item.get("createdAt"), Counter())
        place = place if moment is None else (moment, item.get("role") != _USER)
        timed.append((place, item))
    return [item for _, item in sorted(timed, key=itemgetter(0))]


def _followed(item: Mapping[str, Any], own: str, before: Placed | None, of_ids: Mapping[str, str | None]) -> str | None:
    is_answer = item.get("role") != _USER and before is not None and before.item.get("role") == _USER
    if own in of_ids and not is_answer:
        return of_ids[own]
    return None if before is None else before.name


def _named_parent(item: Mapping[str, Any]) -> str | None:
    """Returns the parent that a message names, as the site's own messages do."""
    parent = as_identifier(item.get(_PARENT))
    return None if parent is None else _name(parent, item.get("parentVersion"))


def _name(own: str, version: object) -> str:
    """Returns what tells a version of a message from others; the first one has the message's id."""
    is_further = isinstance(version, int) and not isinstance(version, bool) and version > 0
    return f"{own}-v{version}" if is_further else own
