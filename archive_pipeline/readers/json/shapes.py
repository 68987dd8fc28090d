"""Narrow views on JSON whose shape nobody guarantees, shared by the readers.

Each function takes any value and returns a value of one type or None; nothing here raises. What belongs to one
vendor's format stays in that vendor's module.
"""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections import Counter
from collections.abc import Iterable
from typing import Any, Final

from archive_pipeline.domain.records import MessageRecord

DUPLICATE_MESSAGE = "duplicate_message"
RELINKED_PARENT = "relinked_parent"
# An id with anything beside it is none: what stands beside would be lost.
_MONGO_ID = {"$oid"}
_UUID: Final = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)


def as_object(value: object) -> dict[str, Any]:
    """Returns the JSON object, an empty one for everything else."""
    return value if isinstance(value, dict) else {}


def as_list(value: object) -> list[Any]:
    """Returns the JSON array, an empty one for everything else."""
    return value if isinstance(value, list) else []


def as_text(value: object) -> str | None:
    """Returns the string if it is one and holds something."""
    return value if isinstance(value, str) and value else None


def as_identifier(value: object) -> str | None:
    """Returns an id as text; numbers are taken too, since some tools write them, and Mongo's ``{"$oid": ...}``."""
    if isinstance(value, str):
        return value or None
    if isinstance(value, dict):
        return as_text(value["$oid"]) if value.keys() == _MONGO_ID else None
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else None


def is_uuid(text: str) -> bool:
    """Tells whether a text is a UUID as they are written: with hyphens, in any case."""
    return _UUID.fullmatch(text) is not None


def as_size(value: object) -> int | None:
    """Returns a byte count, None for what cannot be one."""
    if isinstance(value, bool) or not isinstance(value, int):
        return None
    return value if 0 <= value < 2**63 else None


def order_number(value: object) -> float:
    """Returns a number to order by; 0 for what is none, and for the one that has no order."""
    return value if isinstance(value, int | float) and value == value else 0  # noqa: PLR0124


def base64_sha256(value: object) -> str | None:
    """Returns the SHA-256 (hex) of what base64 text stands for, None for what is no such text."""
    if not isinstance(value, str) or not value:
        return None
    try:
        content = base64.b64decode(value, validate=True)
    except ValueError:
        return None
    return hashlib.sha256(content).hexdigest()


def is_same(value: object, other: object) -> bool:
    """Tells whether two values are the same in JSON: 1 is neither true nor 1.0."""
    return value == other and json.dumps(value, sort_keys=True) == json.dumps(other, sort_keys=True)


def joined(texts: Iterable[str | None]) -> str | None:
    """Joins the texts that hold something by a blank line; None if none does."""
    return "\n\n".join(text for text in texts if text) or None


def unique_messages(
    messages: Iterable[MessageRecord], warnings: Counter[str]
) -> tuple[tuple[MessageRecord, ...], dict[int, int]]:
    """Keeps the first message of each id and counts the others; messages without an id are all kept.

    Returns:
        What is kept, and the positions of the others with that of the message that was kept instead.
    """
    seen: dict[str, int] = {}
    kept = []
    repeated: dict[int, int] = {}
    for position, message in enumerate(messages):
        if message.source_id is not None:
            first = seen.setdefault(message.source_id, position)
            if first != position:
                warnings[DUPLICATE_MESSAGE] += 1
                repeated[position] = first
                continue
        kept.append(message)
    return tuple(kept), repeated
