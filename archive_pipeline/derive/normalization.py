"""Normalisation of texts before hashing (seed 000), and the hash itself.

Hashes are over UTF-8, so normalisation yields UTF-8 too. Most texts are ASCII, for which it is one table look-up per
byte; the others take the regular expressions that define it.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Mapping
from typing import Final

from archive_pipeline.settings import Normalization

_PUNCTUATION: Final = re.compile(r"[^\w\s]+")
_SPACE: Final = b" "
_TWO_SPACES: Final = b"  "

_ASCII: Final = [chr(code) for code in range(128)]
_DELETED: Final = "".join(c for c in _ASCII if _PUNCTUATION.fullmatch(c)).encode()
_SPACES_TO_SPACE: Final = bytes(0x20 if chr(code).isspace() and code < 128 else code for code in range(256))
_LOWER: Final = bytes(ord(chr(code).lower()) if code < 128 else code for code in range(256))
_FULL_TABLE: Final = _SPACES_TO_SPACE.translate(_LOWER)


def _none(text: str) -> bytes:
    return text.encode()


def _lowercase(text: str) -> bytes:
    return text.lower().encode()


def _whitespace(text: str) -> bytes:
    if text.isascii():
        return _collapse(text.encode().translate(_SPACES_TO_SPACE))
    return " ".join(text.split()).encode()


def _full(text: str) -> bytes:
    # Punctuation goes before white space is collapsed: the other way round leaves double spaces (decision on hashes).
    if text.isascii():
        return _collapse(text.encode().translate(_FULL_TABLE, _DELETED))
    return " ".join(_PUNCTUATION.sub("", text.lower()).split()).encode()


def _collapse(encoded: bytes) -> bytes:
    while _TWO_SPACES in encoded:
        encoded = encoded.replace(_TWO_SPACES, _SPACE)
    return encoded.strip(_SPACE)


_NORMALIZE: Final[Mapping[Normalization, Callable[[str], bytes]]] = {
    Normalization.NONE: _none,
    Normalization.LOWERCASE: _lowercase,
    Normalization.WHITESPACE: _whitespace,
    Normalization.FULL: _full,
}

# The normalised text of several messages follows from the normalised texts of each: they are joined by a blank line,
# which is white space to all normalisations.
JOINERS: Final[Mapping[Normalization, bytes]] = {
    Normalization.NONE: b"\n\n",
    Normalization.LOWERCASE: b"\n\n",
    Normalization.WHITESPACE: _SPACE,
    Normalization.FULL: _SPACE,
}


def normalize(text: str, normalization: Normalization) -> bytes:
    """Return the UTF-8 of the text as it is hashed under the given normalisation."""
    return _NORMALIZE[normalization](text)


def sha256(encoded: bytes) -> str | None:
    """Return the SHA-256 in hex, None for nothing."""
    return hashlib.sha256(encoded).hexdigest() if encoded else None
