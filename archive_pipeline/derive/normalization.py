"""Normalisation of texts before hashing (seed 000), and the hash itself."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Mapping
from typing import Final

from archive_pipeline.settings import Normalization

_PUNCTUATION: Final = re.compile(r"[^\w\s]+")


def _collapse(text: str) -> str:
    return " ".join(text.split())


def _full(text: str) -> str:
    # Punctuation goes before white space is collapsed: the other way round leaves double spaces (decision on hashes).
    return _collapse(_PUNCTUATION.sub("", text.lower()))


NORMALIZE: Final[Mapping[Normalization, Callable[[str], str]]] = {
    Normalization.NONE: str,
    Normalization.LOWERCASE: str.lower,
    Normalization.WHITESPACE: _collapse,
    Normalization.FULL: _full,
}


def normalize(text: str, normalization: Normalization) -> str:
    """Return the text as it is hashed under the given normalisation."""
    return NORMALIZE[normalization](text)


def sha256_text(text: str | None) -> str | None:
    """Return the SHA-256 of the UTF-8 text in hex, None for no or empty text."""
    return hashlib.sha256(text.encode()).hexdigest() if text else None
