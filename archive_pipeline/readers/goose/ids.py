"""The ids of sessions and messages, the same in the database, in exports and in the files of earlier versions.

Goose counts the sessions of a day, on each computer and again after one was deleted: the time goes behind such a
number. It gave messages no ids at first, and others when it took files over into its database: an id is made of what
stays the same, unless the message was given one of its own when it was said.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any, Final

from archive_pipeline.readers.json.shapes import as_identifier, as_list, as_object, as_text, is_uuid
from archive_pipeline.readers.timestamps import read_timestamp

_COUNTED: Final = re.compile(r"[0-9]{8}_[0-9]{1,5}")  # before there were numbers, six digits were the time
_PREFIX: Final = "msg_"
# Of a block, the first of these that it has tells it from others; the program adds to the rest of it later.
_TELLING: Final = ("text", "thinking", "id", "tool_use_id", "data", "msg", "message")
_NOT_KEPT: Final = "conversationCompacted"  # later versions drop it


def session_id(about: Mapping[str, Any]) -> str | None:
    """Returns the id of a session by its row or export; None if it says none."""
    said = as_identifier(about.get("id"))
    if said is None or _COUNTED.fullmatch(said) is None:
        return said
    moment = read_timestamp(about.get("created_at"), Counter())
    return said if moment is None else f"{said}-{moment:%H%M%S}"


class MessageIds:
    """Gives the messages of one session their ids, in their order."""

    def __init__(self, session: str | None) -> None:
        self._session = session or ""
        self._used: set[str] = set()
        self._again: Counter[str] = Counter()

    def of(self, message: Mapping[str, Any]) -> str:
        """Returns the id of the next message, which no other one of the session has."""
        said = (as_text(message.get("id")) or "").removeprefix(_PREFIX)
        made = said if is_uuid(said) and said not in self._used else self._made(message)
        self._used.add(made)
        return made

    def _made(self, message: Mapping[str, Any]) -> str:
        moment = read_timestamp(message.get("created"), Counter())
        same = [message.get("role"), None if moment is None else int(moment.timestamp()), *_told(message)]
        digest = hashlib.sha256(json.dumps(same, sort_keys=True).encode()).hexdigest()[:24]
        self._again[digest] += 1
        count = self._again[digest]
        return f"{self._session}-{digest}" if count == 1 else f"{self._session}-{digest}-{count}"


def _told(message: Mapping[str, Any]) -> Iterator[Any]:
    content = message.get("content")
    for block in [content] if isinstance(content, str) else as_list(content):
        fields = as_object(block)
        if fields.get("type") != _NOT_KEPT:
            yield next((fields[name] for name in _TELLING if fields.get(name)), block if not fields else None)
