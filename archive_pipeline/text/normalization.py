"""Normalisation of texts before hashing (seeds 000 and 003), and the hash itself.

Hashes are over UTF-8, so normalisation yields UTF-8 too. ASCII characters, which are most of all texts, take one table
look-up per byte; each other character that occurs takes the regular expressions that define the normalisation, which
is remembered: a few quotation marks, dashes and letters make up most of them.
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Final, NamedTuple

import numpy as np
from more_itertools import constrained_batches

from archive_pipeline.domain.choices import Normalization

_PUNCTUATION: Final = re.compile(r"[^\w\s]+")
_ASCII_BYTES: Final = bytes(range(128))
# The one letter whose lower case depends on what stands around it.
_SIGMA: Final = "\u03a3"
_SPACE: Final = b" "
# A byte that UTF-8 never has.
_SEPARATOR: Final = b"\xff"
# Texts are looked at in groups that stay in the processor's cache.
_GROUP_BYTES: Final = 1 << 17

_ASCII: Final = [chr(code) for code in range(128)]
_DELETED: Final = "".join(c for c in _ASCII if _PUNCTUATION.fullmatch(c)).encode()
_SPACES_TO_SPACE: Final = bytes(0x20 if chr(code).isspace() and code < 128 else code for code in range(256))
_LOWER: Final = bytes(ord(chr(code).lower()) if code < 128 else code for code in range(256))
_FULL_TABLE: Final = _SPACES_TO_SPACE.translate(_LOWER)


def _none(texts: Sequence[str]) -> list[bytes]:
    return [text.encode() for text in texts]


def _lowercase(texts: Sequence[str]) -> list[bytes]:
    return [text.lower().encode() for text in texts]


def _whitespace(texts: Sequence[str]) -> list[bytes]:
    encoded = [(text if text.isascii() else " ".join(text.split())).encode() for text in texts]
    return _collapsed(encoded, _SPACES_TO_SPACE)


def _full(texts: Sequence[str]) -> list[bytes]:
    return _collapsed([_full_but_ascii(text) for text in texts], _FULL_TABLE, _DELETED)


def _full_but_ascii(text: str) -> bytes:
    encoded = text.encode()
    if len(encoded) == len(text):
        return encoded
    others = other_characters(encoded)
    if _SIGMA in others:
        return define_full(text).encode()
    for character in others:
        # UTF-8 of a character is no part of another one's.
        before, after = _full_character(character)
        if before != after:
            encoded = encoded.replace(before, after)
    return encoded


def other_characters(encoded: bytes) -> set[str]:
    """Return the different characters of UTF-8 text that are not ASCII."""
    return set(encoded.translate(None, _ASCII_BYTES).decode())


def define_full(text: str) -> str:
    """Return the text under ``full``, by definition: lower case, without punctuation, white space collapsed.

    Punctuation goes before white space is collapsed: the other way round leaves double spaces (decision on hashes).
    """
    return " ".join(_PUNCTUATION.sub("", text.lower()).split())


@lru_cache(maxsize=65_536)
def _full_character(character: str) -> tuple[bytes, bytes]:
    lower = _PUNCTUATION.sub("", character.lower())
    return character.encode(), (" " if lower.isspace() else lower).encode()


_NORMALIZE: Final[Mapping[Normalization, Callable[[Sequence[str]], list[bytes]]]] = {
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


def nfc(text: str) -> str:
    """Return the text in Unicode normalisation form C."""
    return text if text.isascii() else _characters(text)[0]


def text_forms(texts: Sequence[str]) -> tuple[list[str], list[str]]:
    """Return texts in form C, and the same case-folded, white space collapsed and cut at the ends, in form C again.

    White space is what ``str.isspace`` says.
    """
    composed: list[str] = []
    folded: list[bytes] = []
    decomposed: set[int] = set()
    for number, text in enumerate(texts):
        if text.isascii():
            composed.append(text)
            folded.append(text.encode())
            continue
        text_c, encoded, characters = _characters(text)
        composed.append(text_c)
        for character in characters:
            if character.before != character.after:
                encoded = encoded.replace(character.before, character.after)
            if not character.stays_composed:
                decomposed.add(number)
        folded.append(encoded)
    collapsed = [encoded.decode() for encoded in _collapsed(folded, _FULL_TABLE)]
    for number in decomposed:
        collapsed[number] = unicodedata.normalize("NFC", collapsed[number])
    return composed, collapsed


def _characters(text: str) -> tuple[str, bytes, list[_Folded]]:
    """Return a text in form C, its UTF-8, and the different characters of it that are not ASCII."""
    encoded = text.encode()
    found = [_folded(character) for character in other_characters(encoded)]
    if all(character.is_composed for character in found):
        return text, encoded, found
    text = unicodedata.normalize("NFC", text)
    encoded = text.encode()
    return text, encoded, [_folded(character) for character in other_characters(encoded)]


def _collapsed(texts: Sequence[bytes], table: bytes, deleted: bytes = b"") -> list[bytes]:
    """Return UTF-8 texts with bytes translated or deleted, then white space collapsed and cut at the ends."""
    return [
        text
        for group in constrained_batches(texts, _GROUP_BYTES, strict=False)
        for text in _collapsed_together(_SEPARATOR.join(group).translate(table, deleted))
    ]


def _collapsed_together(together: bytes) -> Iterator[bytes]:
    is_space = np.frombuffer(together + _SEPARATOR, dtype=np.uint8) == _SPACE[0]
    is_kept = ~(is_space[:-1] & is_space[1:])
    kept = np.frombuffer(together, dtype=np.uint8)[is_kept].tobytes()
    return (text.strip(_SPACE) for text in kept.split(_SEPARATOR))


class _Folded(NamedTuple):
    """One character and what case folding makes of it, in UTF-8; whether form C leaves each alone in any text."""

    before: bytes
    after: bytes
    is_composed: bool
    stays_composed: bool


@lru_cache(maxsize=65_536)
def _folded(character: str) -> _Folded:
    after = " " if character.isspace() else character.casefold()
    return _Folded(character.encode(), after.encode(), _is_inert(character), all(map(_is_inert, after)))


def _is_inert(character: str) -> bool:
    """Tell whether form C leaves a character alone whatever stands around it; False where that is not certain."""
    if not unicodedata.is_normalized("NFC", character):
        return False
    if unicodedata.category(character).startswith("M"):  # marks; variation selectors never compose
        return "\ufe00" <= character <= "\ufe0f"
    return not "\u1100" <= character <= "\u11ff"  # jamo compose to syllables


def normalize(texts: Sequence[str], normalization: Normalization) -> list[bytes]:
    """Return the UTF-8 of each text as it is hashed under the given normalisation; many at once take half the time."""
    return _NORMALIZE[normalization](texts)


def sha256(encoded: bytes) -> str | None:
    """Return the SHA-256 in hex, None for nothing."""
    return hashlib.sha256(encoded).hexdigest() if encoded else None
