"""Many texts taken apart at once: what is counted or looked for in them is looked at once for each different word.

Where words begin is seen in the bytes of all texts together. Arrow numbers them without an object for each, and without
Python's lock.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

# Texts are taken apart in groups of so many characters.
GROUP_CHARACTERS: Final = 1 << 20

_SPACE: Final = 1
_LINE_END: Final = 2
_OTHER_SPACE: Final = 3
# What each byte of UTF-8 is; 0 for what is no white space.
_KINDS: Final = bytes(
    {" ": _SPACE, "\n": _LINE_END}.get(chr(code), _OTHER_SPACE if code < 128 and chr(code).isspace() else 0)
    for code in range(256)
)
_INSIDE_RUNS: Final = bytes(code >= 128 or chr(code).isalnum() for code in range(256))
_OUTSIDE_RUNS: Final = bytes(code for code in range(256) if not _INSIDE_RUNS[code])
# White space of several bytes, which rare texts have, and as many bytes that are white space each.
_LONG_SPACES: Final = tuple(
    (space, space.encode(), b"\t" * len(space.encode())) for space in map(chr, range(128, 0x3001)) if space.isspace()
)


@dataclass(frozen=True, slots=True)
class SplitTexts:
    """The words of texts.

    Attributes:
        words: the different ones.
        numbers: of each word, in order, its place in ``words``.
        bounds: where the words of each text begin in ``numbers``, and where the last one's end.
    """

    words: list[str]
    numbers: npt.NDArray[np.int32]
    bounds: npt.NDArray[np.int64]


def split_texts(texts: Sequence[str]) -> SplitTexts:
    """Take texts apart so that no token of ``cl100k_base`` is in two words, and words put together are the text.

    A word begins with the space before it, unless white space is before that space, or after the line ends before it.
    """
    together, ends = _together(texts)
    starts = _word_starts(together, ends)
    # Arrow takes the words as they stand there: nothing is copied.
    return _numbered(together, np.append(starts, len(together)), np.searchsorted(starts, ends))


def split_runs(texts: Sequence[str]) -> SplitTexts:
    """Return the runs of ASCII's letters and digits and of characters that are not ASCII; nothing else is in them."""
    together, ends = _together(texts, between=b" ")
    is_inside = np.frombuffer(together.translate(_INSIDE_RUNS), dtype=np.uint8)
    # Runs begin and end by turns: there is a space before each text, and after the last one.
    edges = np.flatnonzero(is_inside[1:] != is_inside[:-1])
    starts = edges[::2]
    offsets = np.zeros(len(starts) + 1, dtype=np.int64)
    np.cumsum(edges[1::2] - starts, out=offsets[1:])
    return _numbered(together.translate(None, _OUTSIDE_RUNS), offsets, np.searchsorted(starts, ends))


def _together(texts: Sequence[str], *, between: bytes = b"") -> tuple[bytes, npt.NDArray[np.int64]]:
    """Return the UTF-8 of texts with something before, between and after them, and where each ends, 0 before these."""
    encoded = [text.encode() for text in texts]
    sizes = np.fromiter(map(len, encoded), dtype=np.int64, count=len(texts))
    ends = np.zeros(len(texts) + 1, dtype=np.int64)
    np.cumsum(sizes + len(between), out=ends[1:])
    return between.join([b"", *encoded, b""]), ends


def _numbered(together: Any, offsets: npt.NDArray[np.int64], bounds: npt.NDArray[np.int64]) -> SplitTexts:
    """Number the words that stand one after the other, the offsets being where each begins and the last one ends."""
    buffers = [None, pa.py_buffer(offsets.astype(np.int32)), pa.py_buffer(together)]
    words: Any = pa.Array.from_buffers(pa.string(), len(offsets) - 1, buffers)
    different: Any = pc.dictionary_encode(words, memory_pool=pa.system_memory_pool())
    names: list[str] = different.dictionary.to_numpy(zero_copy_only=False).tolist()
    return SplitTexts(names, different.indices.to_numpy(), bounds)


def _word_starts(together: bytes, ends: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """Return where words begin in texts that are put together, those at the beginning of a text too."""
    kinds = np.frombuffer(_short_spaces(together).translate(_KINDS), dtype=np.uint8)
    is_start = np.zeros(len(kinds) + 1, dtype=bool)
    before, here = kinds[:-1], kinds[1:]
    is_start[1:-1] = (before == 0) & (here == _SPACE)
    is_start[1:-1] |= (before == _LINE_END) & (here == 0)
    is_start[ends] = True
    is_start[-1] = False
    return np.flatnonzero(is_start)


def _short_spaces(together: bytes) -> bytes:
    """Return UTF-8 text of the same length with white space of one byte only."""
    if together.isascii():
        return together
    text = together.decode()
    for space, encoded, short in _LONG_SPACES:
        if space in text:
            together = together.replace(encoded, short)
    return together
