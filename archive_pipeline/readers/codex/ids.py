"""Ids of messages, which rollout files do not have: made from the turn, and from the first item of the message.

A file grows at its end, where the first item of a message stays what it is; but what an event said before its item came
is read from the item then, which has more: all texts of a thought, and its encrypted content. So the first text stands
for an item that has any. A fork repeats its parent's turns with
their ids and items, so that the same message has the same id in both. Without ids of turns, the session's own id is
taken, and a fork shares nothing with its parent.
"""

from __future__ import annotations

import hashlib
import json
import uuid
from collections import Counter
from collections.abc import Mapping
from typing import Any, Final

from archive_pipeline.readers.codex.content import MESSAGE, REASONING, texts_of
from archive_pipeline.readers.json.fields import is_empty
from archive_pipeline.readers.json.shapes import as_identifier

# What a later version writes anew of an item that it copies.
_CHANGING: Final = frozenset({"id", "status", "phase", "timestamp", "internal_chat_message_metadata_passthrough"})


class Ids:
    """Makes the ids of a session's messages, in their order."""

    def __init__(self, session: str | None) -> None:
        self._session = session
        self._made: Counter[tuple[str | None, str]] = Counter()

    def make(self, turn: str | None, item: Mapping[str, Any]) -> str:
        """Returns the id of a message that begins with an item, in a turn."""
        digest = _digest(item)
        number = self._made[turn, digest]
        self._made[turn, digest] += 1
        name = f"{digest}-{number}"
        space = _uuid(turn) or (_uuid(self._session) if turn is None else None)
        if space is not None:
            return str(uuid.uuid5(space, name))
        if self._session is None:
            return name  # no UUID: nothing says that another session's is not the same by chance
        return str(uuid.uuid5(uuid.NAMESPACE_OID, json.dumps(["codex", self._session, turn, name])))


def _digest(item: Mapping[str, Any]) -> str:
    call = as_identifier(item.get("call_id"))
    kept: Any = {name: value for name, value in item.items() if name not in _CHANGING and not is_empty(value)}
    if call is not None:
        kept = [item.get("type"), call]
    elif (text := _first_text(item)) is not None:
        kept = [item.get("type"), item.get("role"), text]
    return hashlib.sha256(json.dumps(kept, sort_keys=True).encode()).hexdigest()[:24]


def _first_text(item: Mapping[str, Any]) -> str | None:
    """Returns the first text of what events repeat."""
    if item.get("type") not in (MESSAGE, REASONING):
        return None
    return next(iter([*texts_of(item.get("summary")), *texts_of(item.get("content"))]), None)


def _uuid(name: str | None) -> uuid.UUID | None:
    try:
        return uuid.UUID(name) if name is not None else None
    except ValueError:
        return None
