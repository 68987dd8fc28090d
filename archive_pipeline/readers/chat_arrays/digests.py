"""Hashes of binary content that comes with a messages array."""

from __future__ import annotations

import base64
import binascii
import hashlib

from archive_pipeline.errors import InvalidMessagesError


def sha256(content: bytes) -> str:
    """Return the hash of content in hexadecimal digits."""
    return hashlib.sha256(content).hexdigest()


def sha256_of_base64(text: str, place: str) -> str:
    """Return the hash of what a text encodes.

    Raises:
        InvalidMessagesError: the text is not base64.
    """
    try:
        return sha256(base64.b64decode("".join(text.split()), validate=True))
    except (binascii.Error, ValueError) as error:
        raise InvalidMessagesError(f"{place} holds text that is not base64 ({error})") from error
