"""Fingerprints: hashes over an allow-list of content fields, so that volatile metadata changes nothing.

A message's hash covers its id, parent, role, texts, tool calls and results, whether it is hidden and finished. The
dialogue's fingerprint covers its title, the source's pointer, and the hashes of its live messages in the order of
their ids, because exports reorder messages. Times, models, attachment ids and other metadata are not part of it.
"""

from __future__ import annotations

import hashlib
import unicodedata
from collections.abc import Mapping
from typing import Any, Final

import orjson

FINGERPRINT_VERSION: Final = "1"


def message_hash(fields: Mapping[str, Any]) -> str:
    """Return the hash of one message's content fields, NFC-normalised.

    Args:
        fields: JSON values without objects, in the order of their names: sorting them takes a third of encoding them.
    """
    return _digest(orjson.dumps(fields))


def dialogue_fingerprint(title: str | None, active: str | None, message_hashes: Mapping[str, str]) -> str:
    """Return the fingerprint of a dialogue.

    Args:
        title: its title.
        active: source id of the message that the source's pointer leads to.
        message_hashes: live messages: source id -> content hash.
    """
    fields = {
        "version": FINGERPRINT_VERSION,
        "title": title,
        "active": active,
        "messages": sorted(message_hashes.items()),
    }
    return _digest(orjson.dumps(fields, option=orjson.OPT_SORT_KEYS))


def _digest(encoded: bytes) -> str:
    if not encoded.isascii():
        text = encoded.decode()
        composed = unicodedata.normalize("NFC", text)
        if composed != text:
            encoded = composed.encode()
    return hashlib.sha256(encoded).hexdigest()
