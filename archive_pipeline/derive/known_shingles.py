"""What texts say of what others said before: by shingles of three words, as hashes."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

import numpy as np

from archive_pipeline.domain.choices import Normalization
from archive_pipeline.text.normalization import normalize
from archive_pipeline.text.simhash import shingle_counts, shingle_hashes, word_hashes

# A chunk says nothing new if this share of its shingles is in what was said before it.
KNOWN_SHARE: Final = 0.9
# The one shingle of texts without words.
_NO_WORD: Final = 0


class Shingles:
    """Shingles of texts, by their hashes: three consecutive words each; a text of fewer words is one shingle."""

    def __init__(self, texts: Iterable[str]) -> None:
        """Hash the words of all texts at once: by itself, a short text costs as much as a page."""
        self._numbers = {text: number for number, text in enumerate(dict.fromkeys(texts))}
        words = word_hashes(normalize(list(self._numbers), Normalization.FULL))
        counts = np.diff(words.offsets)
        self._hashes = shingle_hashes(words.hashes, words.offsets, counts)
        self._bounds: list[int] = [0, *np.cumsum(shingle_counts(counts)).tolist()]

    def of(self, text: str) -> set[int]:
        """Return the hashes of a text's shingles; what has no word has one that all of that kind have."""
        number = self._numbers[text]
        start, end = self._bounds[number], self._bounds[number + 1]
        return set(self._hashes[start:end].tolist()) if start < end else {_NO_WORD}


def is_known(shingles: set[int], known: set[int]) -> bool:
    """Tell whether nearly all shingles of a text are among those that are known."""
    return len(shingles & known) >= KNOWN_SHARE * len(shingles)
