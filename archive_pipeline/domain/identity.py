"""Deterministic identities: one function for every kind of row, so that a rebuild gives the same ids.

Ids are UUID version 5 under one namespace; the name is the kind and the parts joined by U+001F (unit separator),
which no id of any source contains. Ids are handled as canonical strings: rows carry millions of them.
"""

from __future__ import annotations

import hashlib
import re
import uuid
from typing import Final

NAMESPACE: Final = uuid.uuid5(uuid.NAMESPACE_DNS, "llm-archive-pipeline")
SEPARATOR: Final = "\x1f"
SHARD_COUNT: Final = 1024
# Begins the ids that are made for what has none in its source.
MADE: Final = "made-"

_SAFE_KEY: Final = re.compile(r"[A-Za-z0-9_-]{1,128}")
_HASHED_KEY: Final = re.compile(r"[a-z0-9_]+-h[0-9a-f]{16}")
# Every name is hashed behind it: to copy that state is faster than to begin anew.
_NAMESPACE_HASHED: Final = hashlib.sha1(NAMESPACE.bytes, usedforsecurity=False)
# A hexadecimal digit with its two highest bits as RFC 9562 has them.
_WITH_VARIANT: Final = {digit: f"{int(digit, 16) & 0x3 | 0x8:x}" for digit in "0123456789abcdef"}


def row_id(kind: str, *parts: str) -> str:
    """Return the UUIDv5 of ``kind`` and ``parts`` as a canonical string: what ``uuid.uuid5`` gives, computed faster."""
    hashed = _NAMESPACE_HASHED.copy()
    hashed.update(SEPARATOR.join((kind, *parts)).encode("utf-8", "surrogatepass"))
    text = hashed.hexdigest()
    return f"{text[:8]}-{text[8:12]}-5{text[13:16]}-{_WITH_VARIANT[text[16]]}{text[17:20]}-{text[20:32]}"


def dialogue_id(source: str, source_id: str) -> str:
    """A dialogue is ``(source, source_id)``."""
    return row_id("dialogue", source, source_id)


def message_id(dialogue: str, source_id: str) -> str:
    """A message is ``(dialogue, source message id)``; ``dialogue`` is the dialogue's id."""
    return row_id("message", dialogue, source_id)


def partition_key(source: str, source_id: str) -> str:
    """Return ``<source>-<source_id>`` of ``[A-Za-z0-9_-]`` only; an id that does not fit becomes a short hash."""
    if _SAFE_KEY.fullmatch(source_id):
        return f"{source}-{source_id}"
    digest = hashlib.sha256(source_id.encode("utf-8", "surrogatepass")).hexdigest()[:16]
    return f"{source}-h{digest}"


def source_of_key(key: str) -> str:
    """Return the source of a dialogue by its partition key: no source's name has a hyphen."""
    return key.partition("-")[0]


def may_be_shared(key: str) -> bool:
    """Tell whether two ids of a source can have the partition key: one that is, or reads like, a short hash."""
    return _HASHED_KEY.fullmatch(key) is not None


def shard_key(dialogue: str) -> str:
    """Return the shard of a dialogue id, ``s0000`` to ``s1023``, by a stable hash."""
    digest = hashlib.sha256(dialogue.encode()).digest()
    return f"s{int.from_bytes(digest[:2], 'big') % SHARD_COUNT:04d}"


def as_uuid(name: str) -> str | None:
    """Return the id that a name says, in whichever way UUIDs are written; None if it is no UUID."""
    try:
        return str(uuid.UUID(name))
    except ValueError:
        return None
