"""Which texts are English by words that no other language has: most English texts, at a hundredth of a classification.

Texts are split together, by Arrow where they are ASCII: one by one, that takes longer than to count their tokens.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

# Words that are frequent in English and words of no other language with a configuration.
_ENGLISH: Final = frozenset(
    {"the", "and", "of", "to", "that", "with", "you", "this", "for", "are", "your", "which", "would", "from", "they"}
    | {"there", "when", "could", "should", "about", "these", "their", "been", "were", "what", "how", "if", "or", "then"}
)
_FEWEST_DIFFERENT: Final = 3  # a title in another language has two
_RAREST: Final = 8  # of so many words, at least one

# ASCII in lower case, its white space as spaces.
_FOLDED: Final = bytes(0x20 if chr(code).isspace() else ord(chr(code).lower()) for code in range(128)).ljust(256, b" ")


@cache
def _values() -> Any:
    """Return the words for Arrow, which imports Pandas for its first array."""
    return pa.array(sorted(_ENGLISH))


def are_plainly_english(texts: Sequence[str]) -> list[bool]:
    """Tell of each text whether it has enough words that only English has."""
    found = [not text.isascii() and _is_plainly_english(text) for text in texts]
    plain = [number for number, text in enumerate(texts) if text.isascii()]
    for number, is_english in zip(plain, _are_plainly_english([texts[number] for number in plain]), strict=True):
        found[number] = is_english
    return found


def _is_plainly_english(text: str) -> bool:
    words = text.lower().split()
    found = list(filter(_ENGLISH.__contains__, words))
    return len(set(found)) >= _FEWEST_DIFFERENT and len(found) * _RAREST >= len(words)


def _are_plainly_english(texts: Sequence[str]) -> list[bool]:
    """Do the same for texts in ASCII."""
    if not texts:
        return []
    pool = pa.system_memory_pool()
    folded = pa.array([text.encode().translate(_FOLDED).strip() for text in texts], pa.string())
    split: Any = pc.ascii_split_whitespace(folded, memory_pool=pool)
    known: Any = pc.index_in(split.values, value_set=_values(), memory_pool=pool)
    of_words = known.fill_null(len(_ENGLISH)).to_numpy()
    starts, ends = split.offsets.to_numpy()[:-1], split.offsets.to_numpy()[1:]
    is_known = of_words < len(_ENGLISH)
    counts = np.add.reduceat(is_known, starts, dtype=np.int64)
    bits = np.left_shift(is_known.astype(np.int64), of_words)
    different = np.bitwise_count(np.bitwise_or.reduceat(bits, starts))
    is_english: list[bool] = ((different >= _FEWEST_DIFFERENT) & (counts * _RAREST >= ends - starts)).tolist()
    return is_english
