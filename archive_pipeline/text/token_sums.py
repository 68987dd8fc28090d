"""Counting the tokens of any part of a text whose words were counted once: sums up to where words begin.

A tokenizer takes texts apart before it looks for tokens. No token of ``cl100k_base`` goes on from a character that is
no white space to a space, nor from a line end to a character that is no white space: what is counted on both sides of
such a place adds up, whatever else is around it. A word here is what stands between two such places. Many texts are
split at once, and each different word of them is counted once, if it was not seen before.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from functools import cache, lru_cache
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from archive_pipeline.text.tokens import Tokenizer, chunk_tokenizer

# Of words that are remembered: all of them take some 12 MB.
_MOST_WORDS: Final = 1 << 16
_LONGEST_WORD: Final = 32
# Of parts of words that are remembered, none of which is longer than that.
_MOST_PARTS: Final = 1 << 14
# Texts are split in groups of so many characters.
_GROUP_CHARACTERS: Final = 1 << 20
# Length and tokens of a word are one number, which is summed up at once; positions, in its upper bits, keep the order.
_TOKEN_BITS: Final = 31
_TOKENS: Final = (1 << _TOKEN_BITS) - 1

# Marks the word that no space is before, and stands for a space that is inside a word.
_BEGINNING: Final = "\x00"
_INNER_SPACE: Final = "\x01"
_LINE_BEGINNING: Final = re.compile(r"\n(?=[^\s\x01])")
_SPACE_AFTER_SPACE: Final = re.compile(r" (?<=\s )")
# White space that is neither a space nor a line end.
_RARE_SPACES: Final = "".join(chr(code) for code in range(0x3001) if chr(code).isspace() and chr(code) not in " \n")

Sums = npt.NDArray[np.int64]


class CountedText:
    """A text, and its tokens up to where each of its words begins.

    Args:
        text: the text.
        tokens: how many it has.
        sums: position and tokens up to there in one number, for each word and for the end of the text; of any base.
        count: counts the tokens of what is less than a word.
    """

    __slots__ = ("_array", "_count", "_sums", "text", "tokens")

    def __init__(self, text: str, tokens: int, sums: Sums, count: Callable[[str], int]) -> None:
        self.text = text
        self.tokens = tokens
        self._array = sums
        self._sums: list[int] = []
        self._count = count

    def between(self, start: int, end: int) -> int:
        """Return the number of tokens of ``text[start:end]``, as if it were a text of its own."""
        sums = self._sums
        if not sums:  # of most texts nobody asks more than how many tokens they have
            sums = self._sums = (self._array - self._array[0]).tolist()
        first = bisect_left(sums, start << _TOKEN_BITS)
        last = bisect_left(sums, (end + 1) << _TOKEN_BITS) - 1
        if first > last:
            return self._count(self.text[start:end])
        before, after = sums[first], sums[last]
        tokens = after - before & _TOKENS
        if start < (begins := before >> _TOKEN_BITS):
            tokens += self._count(self.text[start:begins])
        if (ends := after >> _TOKEN_BITS) < end:
            tokens += self._count(self.text[ends:end])
        return tokens


class WordTokens(dict[str, int]):
    """Length and tokens of words that were seen, as one number; a word that was not is counted when it is asked for.

    Args:
        tokenizer: counts them.
    """

    def __init__(self, tokenizer: Tokenizer) -> None:
        super().__init__()
        self._tokenizer = tokenizer
        self._count_short = lru_cache(maxsize=_MOST_PARTS)(tokenizer.count)

    def __missing__(self, word: str) -> int:
        """Count a word, which is without the space it begins with, or has a mark if it begins with something else."""
        own = word.replace(_INNER_SPACE, " ")
        own = own[1:] if own.startswith(_BEGINNING) else " " + own
        found = self._packed(own)
        if len(word) <= _LONGEST_WORD:
            if len(self) >= _MOST_WORDS:
                self.clear()
            self[word] = found
        return found

    def count(self, texts: Sequence[str]) -> Iterator[CountedText]:
        """Yield the texts, in order, with their sums."""
        group: list[str] = []
        size = 0
        for text in texts:
            group.append(text)
            size += len(text)
            if size >= _GROUP_CHARACTERS:
                yield from self._count_group(group)
                group, size = [], 0
        yield from self._count_group(group)

    def _count_group(self, texts: list[str]) -> Iterator[CountedText]:
        # Arrow splits and numbers words without an object for each, and without Python's lock.
        pool = pa.system_memory_pool()
        split = pc.split_pattern(pa.array(_all_marked(texts), pa.string()), " ", memory_pool=pool)
        different: Any = pc.dictionary_encode(split.values, memory_pool=pool)
        of_words = np.array(list(map(self.__getitem__, different.dictionary.to_pylist())), dtype=np.int64)
        sums = np.zeros(len(different) + 1, dtype=np.int64)
        np.cumsum(of_words[different.indices.to_numpy()], out=sums[1:])
        offsets = split.offsets.to_numpy()
        tokens = (np.diff(sums[offsets]) & _TOKENS).tolist()
        ends = offsets.tolist()
        for number, text in enumerate(texts):
            if _BEGINNING in text or _INNER_SPACE in text:
                yield CountedText(text, *self._as_one_word(text), self._tokenizer.count)
            else:
                own = sums[ends[number] : ends[number + 1] + 1]
                yield CountedText(text, tokens[number], own, self._count_part)

    def _as_one_word(self, text: str) -> tuple[int, Sums]:
        packed = self._packed(text)
        return packed & _TOKENS, np.array([0, packed], dtype=np.int64)

    def _count_part(self, part: str) -> int:
        """Count the tokens of a part of a word: chunks begin after spaces, so most parts lack the space only."""
        return self._count_short(part) if len(part) <= _LONGEST_WORD else self._tokenizer.count(part)

    def _packed(self, text: str) -> int:
        return (len(text) << _TOKEN_BITS) + self._tokenizer.count(text)


@cache
def word_tokens() -> WordTokens:
    """Return the words that were seen in this process, by the tokenizer that sizes of chunks are counted with."""
    return WordTokens(chunk_tokenizer())


def _all_marked(texts: Sequence[str]) -> Iterator[str]:
    """Yield the texts with spaces only between their words."""
    # One look at all of them shows which white space none of them has.
    together = "".join(texts)
    rare = [space for space in _RARE_SPACES if space in together]
    for text in texts:
        yield _marked(text, rare)


def _marked(text: str, rare: Sequence[str]) -> str:
    """Return a text with spaces only between its words.

    Args:
        text: the text.
        rare: the white space that it may have, beside spaces and line ends.
    """
    if "  " in text or "\n " in text or (rare and any(space in text for space in rare)):
        text = _SPACE_AFTER_SPACE.sub(_INNER_SPACE, text)
    if "\n" in text:
        text = _LINE_BEGINNING.sub(f"\n {_BEGINNING}", text)
    return _BEGINNING + text
