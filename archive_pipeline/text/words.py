"""Counting words: a word is what ``str.split`` yields (decision on texts)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import accumulate
from typing import Final

import numpy as np

from archive_pipeline.text.normalization import other_characters

# Texts are counted together in groups of about this many characters, so that the arrays stay in the processor's cache.
_GROUP: Final = 1 << 17
_OTHER_SPACES: Final = frozenset(chr(code) for code in range(0x80, 0x3001) if chr(code).isspace())
# What each byte of UTF-8 is: 1 for white space of one byte.
_SPACES: Final = bytes(code < 0x80 and chr(code).isspace() for code in range(256))


def count_words(texts: Sequence[str | None]) -> list[int | None]:
    """Return the number of words of each text, None for no text.

    Texts are counted in groups by looking at the bytes of their UTF-8, which is four times faster than splitting them.
    """
    counts: list[int | None] = [None] * len(texts)
    group: dict[int, bytes] = {}
    size = 0
    for index, text in enumerate(texts):
        if text is None:
            continue
        encoded = text.encode()
        if len(encoded) > len(text) and not _OTHER_SPACES.isdisjoint(other_characters(encoded)):
            counts[index] = len(text.split())
            continue
        group[index] = encoded
        size += len(encoded)
        if size >= _GROUP:
            _count_group(group, counts)
            group, size = {}, 0
    _count_group(group, counts)
    return counts


def _count_group(group: Mapping[int, bytes], counts: list[int | None]) -> None:
    """Count the words of UTF-8 texts, by the places of their counts."""
    # A word begins behind each space that something else follows; there is one before every text.
    together = b" ".join([b"", *group.values()])
    is_space = np.frombuffer(together.translate(_SPACES), dtype=np.uint8)
    starts = np.flatnonzero(is_space[:-1] > is_space[1:])
    bounds = [0, *accumulate(len(encoded) + 1 for encoded in group.values())]
    found = np.diff(np.searchsorted(starts, bounds))
    for index, count in zip(group, found.tolist(), strict=True):
        counts[index] = count
