"""Counting the tokens of any part of a text whose words were counted once: sums up to where words begin.

A tokenizer takes texts apart before it looks for tokens. No token of ``cl100k_base`` goes on from a character that is
no white space to a space, nor from a line end to a character that is no white space: what is counted on both sides of
such a place adds up, whatever else is around it. A word here is what stands between two such places
(``split_texts``). Each different word of many texts is counted once, if it was not seen before.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from functools import cache, lru_cache
from itertools import pairwise
from typing import Final

import numpy as np
import numpy.typing as npt
from more_itertools import constrained_batches

from archive_pipeline.text.split_texts import GROUP_CHARACTERS, split_texts
from archive_pipeline.text.tokens import Tokenizer, chunk_tokenizer

# Of words that are remembered: all of them take some 12 MB.
_MOST_WORDS: Final = 1 << 16
_LONGEST_WORD: Final = 32
# Of parts of words that are remembered, none of which is longer than that.
_MOST_PARTS: Final = 1 << 14
# Length and tokens of a word are one number, which is summed up at once; positions, in its upper bits, keep the order.
_TOKEN_BITS: Final = 31
_TOKENS: Final = (1 << _TOKEN_BITS) - 1

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
        sums = self._sums or self._listed()
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

    def earliest_start(self, limit: int, end: int) -> int:
        """Return a position before which every start has more than ``limit`` tokens to ``end``, however it is cut."""
        sums = self._sums or self._listed()
        last = bisect_left(sums, (end + 1) << _TOKEN_BITS) - 1
        fewest = (sums[last] & _TOKENS) - limit
        # What begins inside a word has the tokens of all words behind it at least.
        inside = bisect_left(sums, fewest, hi=last, key=_TOKENS.__and__) - 1
        return sums[max(inside, 0)] >> _TOKEN_BITS

    def _listed(self) -> list[int]:
        """Return the sums as a list, which is made when it is asked for: of most texts nobody asks for parts."""
        self._sums = (self._array - self._array[0]).tolist()
        return self._sums


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
        """Count a word."""
        found = (len(word) << _TOKEN_BITS) + self._tokenizer.count(word)
        if len(word) <= _LONGEST_WORD:
            if len(self) >= _MOST_WORDS:
                self.clear()
            self[word] = found
        return found

    def count(self, texts: Sequence[str]) -> Iterator[CountedText]:
        """Yield the texts, in order, with their sums."""
        for group in constrained_batches(texts, GROUP_CHARACTERS, strict=False):
            yield from self._count_group(group)

    def _count_group(self, texts: Sequence[str]) -> Iterator[CountedText]:
        split = split_texts(texts)
        of_words = np.fromiter(map(self.__getitem__, split.words), dtype=np.int64, count=len(split.words))
        sums = np.zeros(len(split.numbers) + 1, dtype=np.int64)
        np.cumsum(of_words[split.numbers], out=sums[1:])
        tokens = (np.diff(sums[split.bounds]) & _TOKENS).tolist()
        for text, number, (start, end) in zip(texts, tokens, pairwise(split.bounds.tolist()), strict=True):
            yield CountedText(text, number, sums[start : end + 1], self._count_part)

    def _count_part(self, part: str) -> int:
        """Count the tokens of a part of a word: chunks begin after spaces, so most parts lack the space only."""
        return self._count_short(part) if len(part) <= _LONGEST_WORD else self._tokenizer.count(part)


@cache
def word_tokens() -> WordTokens:
    """Return the words that were seen in this process, by the tokenizer that sizes of chunks are counted with."""
    return WordTokens(chunk_tokenizer())
