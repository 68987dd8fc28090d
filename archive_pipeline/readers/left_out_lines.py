"""Stand-ins for lines of a session that are left out because not all of it fits (``line_budget``).

A stand-in has what tells the line's place among the others, its short values: who wrote it, its id, what it follows. It
never says what a message says. To readers it is no message, unless the user has written the line: answers to a prompt
that is left out would be taken for answers to the one before. Such a prompt has one part, ``left_out_part``.
"""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Iterable
from itertools import islice
from typing import Any, Final

from archive_pipeline.domain.records import LEFT_OUT_LINE, MessageRecord, PartRecord, PartType

# An anomaly, and a key of stand-ins, as LEFT_OUT_LINE. A copy says nothing that other lines do not say: no message is
# missing with it.
LEFT_OUT_COPY: Final = "left_out_copy"
_NAMES: Final = (LEFT_OUT_LINE, LEFT_OUT_COPY)
_CONTENT: Final = "content"
_MAX_TEXT: Final = 256  # characters: ids, names, folders
_MAX_FIELDS: Final = 64
_MAX_OUTLINE: Final = 16 * 1024  # characters


def is_left_out(line: object) -> bool:
    """Tells whether a line of a session is a stand-in."""
    return isinstance(line, dict) and (LEFT_OUT_LINE in line or LEFT_OUT_COPY in line)


def lacks_message(line: object) -> bool:
    """Tells whether a line of a session stands for one that no other line repeats."""
    return isinstance(line, dict) and LEFT_OUT_LINE in line


def left_out_part() -> PartRecord:
    """Returns what a message has in the place of all that it says."""
    return PartRecord(PartType.UNKNOWN, source_type=LEFT_OUT_LINE)


def is_unread(message: MessageRecord) -> bool:
    """Tells whether a message stands for a line that is left out."""
    return any(part.source_type == LEFT_OUT_LINE for part in message.parts)


def count_left_out(lines: Iterable[object]) -> Counter[str]:
    """Returns how many lines of a session are stand-ins, by the names of the anomalies."""
    return Counter(name for line in lines if isinstance(line, dict) for name in _NAMES if name in line)


def stand_in(value: object, name: str, place: str) -> bytes:
    """Returns the JSON of a stand-in.

    Args:
        value: what the line says; None if that is not known.
        name: of the anomaly.
        place: of the line in its file, for people.
    """
    outline = json.dumps({**_outline(value), name: place})
    return (outline if len(outline) <= _MAX_OUTLINE else json.dumps({name: place})).encode()


def _outline(value: object) -> dict[str, Any]:
    """Returns the short values of an object and of the objects in it, and which types their contents have."""
    if not isinstance(value, dict):
        return {}
    below = {name: _short_values(item) for name, item in _fields(value) if isinstance(item, dict)}
    return {**_short_values(value), **below}


def _short_values(value: dict[str, Any]) -> dict[str, Any]:
    short = {name: item for name, item in _fields(value) if _is_short(item)}
    kinds = _kinds(value.get(_CONTENT))
    return {**short, _CONTENT: [{"type": kind} for kind in kinds]} if kinds else short


def _kinds(content: object) -> list[str]:
    """Returns the types of blocks, which tell a tool's result from words; one without has its kind as its first key."""
    blocks = content if isinstance(content, list) else []
    objects = (block for block in islice(blocks, _MAX_FIELDS) if isinstance(block, dict))
    named = (block.get("type", next(iter(block), None)) for block in objects)
    return list(dict.fromkeys(kind for kind in named if isinstance(kind, str) and len(kind) <= _MAX_TEXT))


def _fields(value: dict[str, Any]) -> Iterable[tuple[str, Any]]:
    return ((name, item) for name, item in islice(value.items(), _MAX_FIELDS) if len(name) <= _MAX_TEXT)


def _is_short(value: object) -> bool:
    if isinstance(value, str):
        return len(value) <= _MAX_TEXT
    if isinstance(value, float):
        return math.isfinite(value)
    return value is None or (isinstance(value, int) and value.bit_length() <= 64)
