"""Simhash, version 1 (the seed's function) and version 2 (shingled, vectorised over many texts).

Version 2, which another language can reproduce:

1. The text is normalised as ``full`` (lower case, punctuation removed) and encoded as UTF-8. A word is what stands
   between spaces, except that each UTF-8 sequence that starts with 0xE3 to 0xED (kana, Han, Hangul) is its own word.
2. The hash of a word starts as its number of bytes; each block of eight bytes (little-endian, the last one padded with
   zeros) turns it into ``mix(hash ^ block)``.
3. A shingle is three consecutive words; its hash is ``mix(h0 + 3 * rotl(h1, 21) + 5 * rotl(h2, 42))``. A text of one or
   two words is one shingle, in which missing words count 0.
4. Bit ``k`` of the simhash is set if it is set in more than half of the shingles (repeated shingles count each time).

All arithmetic is modulo 2**64; ``mix`` is the finaliser of splitmix64. Words do not depend on what stands between
them, so the words of texts joined by white space are the words of the texts one after another.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt
from more_itertools import constrained_batches

from archive_pipeline.domain.choices import Normalization
from archive_pipeline.text.normalization import normalize

SHINGLE_WORDS: Final = 3
# Work is done in groups of this size, so that the arrays stay in the processor's cache.
_GROUP_BYTES: Final = 1 << 17
_GROUP_WORDS: Final = 1 << 15
_BLOCK: Final = 8
_LANE_LIMIT: Final = 255
_SPACE: Final = 0x20
_OWN_FIRST: Final = 0xE3
_OWN_LAST: Final = 0xED
_WORDS: Final = re.compile(rb"[\xe3-\xed][\x80-\xbf]{2}|[^ \xe3-\xed]+")

_U64 = npt.NDArray[np.uint64]
_Index = npt.NDArray[np.intp]


@dataclass(frozen=True)
class WordHashes:
    """Hashes of the words of some texts: those of text ``i`` are ``hashes[offsets[i]:offsets[i + 1]]``."""

    hashes: _U64
    offsets: _Index

    def join(self, groups: Sequence[Sequence[int]]) -> WordHashes:
        """Return the words of new texts, each the given texts one after another."""
        bounds = self.offsets.tolist()
        counts = np.array([sum(bounds[i + 1] - bounds[i] for i in group) for group in groups], dtype=np.intp)
        pieces = [self.hashes[bounds[i] : bounds[i + 1]] for group in groups for i in group]
        hashes = np.concatenate(pieces) if pieces else np.empty(0, dtype=np.uint64)
        return WordHashes(hashes, _offsets(counts))


def simhash_v1(text: str) -> str | None:
    """Return the seed's simhash (seed 000): MD5 of each lower-cased word, one vote a word; None for no words."""
    tokens = text.lower().split()
    if not tokens:
        return None
    votes = [0] * 64
    for token in tokens:
        token_hash = int.from_bytes(hashlib.md5(token.encode(), usedforsecurity=False).digest(), "big")
        for bit in range(64):
            votes[bit] += 1 if (token_hash >> bit) & 1 else -1
    return format(sum(1 << bit for bit in range(64) if votes[bit] > 0), "016x")


def simhash_v2(texts: Sequence[str]) -> list[str | None]:
    """Return version 2 of each text in hex, None for texts without a word."""
    return simhash_words(word_hashes(normalize(texts, Normalization.FULL)))


def word_hashes(texts: Sequence[bytes]) -> WordHashes:
    """Return the hashes of the words of each text, which is normalised as ``full``."""
    hashes: list[_U64] = [np.empty(0, dtype=np.uint64)]
    counts: list[_Index] = [np.empty(0, dtype=np.intp)]
    for group in constrained_batches(texts, _GROUP_BYTES, strict=False):
        group_hashes, group_counts = _hash_group(group)
        hashes.append(group_hashes)
        counts.append(group_counts)
    return WordHashes(np.concatenate(hashes), _offsets(np.concatenate(counts)))


def simhash_words(words: WordHashes) -> list[str | None]:
    """Return the simhash of each text of ``words``."""
    result: list[str | None] = []
    first, total = 0, len(words.offsets) - 1
    while first < total:
        bound = words.offsets[first] + _GROUP_WORDS
        last = max(first + 1, int(np.searchsorted(words.offsets, bound, side="right")) - 1)
        offsets = words.offsets[first : last + 1]
        result.extend(_simhash_group(words.hashes[offsets[0] : offsets[-1]], offsets - offsets[0]))
        first = last
    return result


def _hash_group(encoded: Sequence[bytes]) -> tuple[_U64, _Index]:
    """Return the hashes of all words and the number of words of each text."""
    # A space after each text, so that no word runs over into the next one; more of them, so that a block can be read
    # at any word.
    data = np.frombuffer(b" ".join(encoded) + b" " * _BLOCK, dtype=np.uint8)
    ends = np.cumsum([len(text) + 1 for text in encoded])
    starts, lengths = _find_words(data)
    blocks = np.ndarray(shape=(data.size - _BLOCK + 1,), dtype="<u8", buffer=data, strides=(1,))
    hashes = _mix(lengths.astype(np.uint64) ^ (blocks[starts] & _BLOCK_MASK[np.minimum(lengths, _BLOCK)]))
    rest = np.flatnonzero(lengths > _BLOCK)
    done = _BLOCK
    while rest.size:
        block = blocks[starts[rest] + done] & _BLOCK_MASK[np.minimum(lengths[rest] - done, _BLOCK)]
        hashes[rest] = _mix(hashes[rest] ^ block)
        done += _BLOCK
        rest = rest[lengths[rest] > done]
    return hashes, np.diff(np.searchsorted(starts, ends), prepend=0)


def _find_words(data: npt.NDArray[np.uint8]) -> tuple[_Index, _Index]:
    """Return the first byte and the length of each word; ``data`` ends with a space."""
    is_space = data == _SPACE
    ends = np.flatnonzero(is_space)
    starts = np.concatenate((np.zeros(1, dtype=np.intp), ends[:-1] + 1))
    if data.max() >= _OWN_FIRST:
        own = np.flatnonzero((data >= _OWN_FIRST) & (data <= _OWN_LAST))
        after = own + 3
        # Such a sequence begins a word, and so does what follows it unless that is a space.
        starts = np.union1d(starts, np.concatenate((own, after[~is_space[after]])))
        ends = np.append(np.minimum(starts[1:], ends[np.searchsorted(ends, starts[:-1])]), ends[-1])
    lengths = ends - starts
    is_word = lengths > 0
    return starts[is_word], lengths[is_word]


def _simhash_group(hashes: _U64, offsets: _Index) -> list[str | None]:
    counts = np.diff(offsets)
    result: list[str | None] = [None] * counts.size
    filled = np.flatnonzero(counts)
    if not filled.size:
        return result
    shingles = shingle_counts(counts[filled])
    votes = _count_bits(shingle_hashes(hashes, offsets, counts), shingles)
    bits = votes * 2 > shingles[:, None]
    packed = np.packbits(bits, axis=1, bitorder="little").view("<u8").ravel()
    for index, value in zip(filled.tolist(), packed.tolist(), strict=True):
        result[index] = f"{value:016x}"
    return result


def shingles(text: bytes) -> Iterable[tuple[bytes, ...]]:
    """Return the shingles of a text normalised as ``full``, once over: as many different ones as ``shingle_hashes``."""
    words = words_of(text)
    if len(words) < SHINGLE_WORDS:
        return iter([tuple(words)] if words else [])
    return zip(words, words[1:], words[2:], strict=False)


def words_of(text: bytes) -> list[bytes]:
    """Return the words of a text normalised as ``full``."""
    # In ASCII no sequence is a word of its own, and splitting is three times as fast.
    return text.split() if text.isascii() else _WORDS.findall(text)


def shingle_counts(counts: _Index) -> _Index:
    """Return how many shingles texts of so many words have: as many as ``shingle_hashes`` returns."""
    return np.where(counts > 0, np.maximum(counts - (SHINGLE_WORDS - 1), 1), 0)


def shingle_hashes(hashes: _U64, offsets: _Index, counts: _Index) -> _U64:
    """Return the hashes of all shingles, text after text: one for a text of one or two words, none for one without.

    Args:
        hashes: of the words of all texts.
        offsets: those of text ``i`` are ``hashes[offsets[i]:offsets[i + 1]]``.
        counts: words of each text.
    """
    second, third = np.zeros_like(hashes), np.zeros_like(hashes)
    second[:-1], third[:-2] = hashes[1:], hashes[2:]
    last = offsets[1:][counts > 0] - 1
    last_but_one = offsets[1:][counts > 1] - 2
    second[last] = 0
    third[last] = 0
    third[last_but_one] = 0
    # The last two words of a text start no shingle, unless the text has only one or two.
    keep = np.ones(hashes.size, dtype=np.bool_)
    keep[last[counts[counts > 0] > 1]] = False
    keep[last_but_one[counts[counts > 1] > 2]] = False
    combined = hashes + np.uint64(3) * _rotate(second, 21) + np.uint64(5) * _rotate(third, 42)
    return _mix(combined[keep])


def _count_bits(values: _U64, counts: _Index) -> npt.NDArray[np.int64]:
    """Return how often each of the 64 bits is set in each segment of ``values``; shape (segments, 64).

    Each byte is spread over the eight one-byte lanes of a 64-bit integer, so that one addition counts eight bits: a
    product with ones nine bits apart has the bits of the byte, last one first, at the top of the lanes. A lane holds up
    to 255: longer segments are counted in blocks.
    """
    blocks = -(-counts // _LANE_LIMIT)
    first_block = np.cumsum(blocks) - blocks
    within = np.arange(blocks.sum()) - np.repeat(first_block, blocks)
    offsets = np.repeat(np.cumsum(counts) - counts, blocks) + within * _LANE_LIMIT
    planes = values.astype("<u8").view(np.uint8).reshape(-1, _BLOCK)
    lanes = np.empty((offsets.size, _BLOCK), dtype="<u8")
    for plane in range(_BLOCK):
        spread = planes[:, plane].astype(np.uint64)
        spread *= _NINE_APART
        spread >>= _TOP_TO_BOTTOM
        spread &= _BOTTOM_BITS
        lanes[:, plane] = np.add.reduceat(spread, offsets)
    block_votes = lanes.view(np.uint8).reshape(-1, _BLOCK, _BLOCK)[:, :, ::-1].reshape(-1, 64)
    if offsets.size == counts.size:
        return block_votes.astype(np.int64)
    return np.add.reduceat(block_votes, first_block, axis=0, dtype=np.int64)


def _offsets(counts: _Index) -> _Index:
    return np.concatenate((np.zeros(1, dtype=np.intp), np.cumsum(counts, dtype=np.intp)))


def _rotate(values: _U64, bits: int) -> _U64:
    return (values << np.uint64(bits)) | (values >> np.uint64(64 - bits))


def _mix(values: _U64) -> _U64:
    mixed = values + np.uint64(0x9E3779B97F4A7C15)
    mixed ^= mixed >> np.uint64(30)
    mixed *= np.uint64(0xBF58476D1CE4E5B9)
    mixed ^= mixed >> np.uint64(27)
    mixed *= np.uint64(0x94D049BB133111EB)
    mixed ^= mixed >> np.uint64(31)
    return mixed


_BLOCK_MASK: Final[_U64] = np.array([(1 << (8 * size)) - 1 for size in range(_BLOCK + 1)], dtype=np.uint64)
_NINE_APART: Final = np.uint64(0x8040201008040201)
_TOP_TO_BOTTOM: Final = np.uint64(7)
_BOTTOM_BITS: Final = np.uint64(0x0101010101010101)
