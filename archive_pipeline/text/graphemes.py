"""Where grapheme clusters, the characters that readers see, begin and end in a text (UAX 29)."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import Final

import numpy as np
import numpy.typing as npt
import regex

from archive_pipeline.text.normalization import other_characters

# `regex` counts the letters of flags from the beginning of their run at each flag: all but the last one of a run are
# found without it.
_GRAPHEME: Final = regex.compile(r"\p{GCB=Regional_Indicator}{2}(?=\p{GCB=Regional_Indicator})|\X")
# Each cluster of several characters has one of these, or is CR LF: property values of UAX 29, and three letters that
# `regex` joins with letters of Indian scripts. Most texts have none.
_JOINING: Final = regex.compile(
    r"[\p{GCB=Extend}\p{GCB=ZWJ}\p{GCB=SpacingMark}\p{GCB=Prepend}\p{GCB=Regional_Indicator}"
    r"\p{GCB=L}\p{GCB=V}\p{GCB=T}\u1cf5\u1cf6\U00011a3a]"
)


def grapheme_edges(text: str) -> npt.NDArray[np.int64] | None:
    """Return where grapheme clusters begin, and the end of the text; None if that is everywhere."""
    others = () if text.isascii() else other_characters(text.encode())
    if "\r\n" not in text and not any(map(_joins, others)):
        return None
    ends = np.fromiter(grapheme_ends(text), dtype=np.int64)
    return np.concatenate((np.zeros(1, dtype=np.int64), ends))


def grapheme_ends(text: str) -> Iterator[int]:
    """Yield where each grapheme cluster of a text ends, in order."""
    return (match.end() for match in _GRAPHEME.finditer(text))


@lru_cache(maxsize=4096)
def _joins(character: str) -> bool:
    return _JOINING.match(character) is not None


def is_one_cluster(text: str, position: int) -> bool:
    """Tell whether the characters before and after a position, one of them white space, are one grapheme cluster."""
    return _GRAPHEME.fullmatch(text, position - 1, position + 1) is not None
