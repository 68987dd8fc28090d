"""py3langid's classification of many texts at once: all of them are walked through its automaton side by side.

py3langid walks through a text in Python, byte by byte, and multiplies matrices text by text. Here a step of the walk is
one look-up for all texts. Sums are added up in another order, so what is nearly undecided is left to py3langid itself:
codes are the same. The automaton's table has few different parts, so that it takes a sixth of its memory here.
"""

from __future__ import annotations

import unicodedata
from array import array
from collections.abc import Sequence
from functools import cache
from typing import Any, Final

import numpy as np
import numpy.typing as npt
from more_itertools import chunked

# Fewer texts are sooner classified one by one.
_FEWEST_AT_ONCE: Final = 16
# Each takes 16 KB meanwhile, and the messages of a large dialogue are asked about in one call.
_MOST_AT_ONCE: Final = 1_024
# Logarithms of probabilities that differ by more are not a matter of rounding, which is a thousandth of that.
_DECIDED: Final = 0.25
# Of the pairs of a text and a feature that are added up at once, so that they stay in the processor's cache.
_GROUP_PAIRS: Final = 2_048

# States of a part of the automaton's table, 256 of which are a row.
_PART_BITS: Final = 5
_PART: Final = 1 << _PART_BITS

Integers = npt.NDArray[np.int64]
States = npt.NDArray[np.integer[Any]]


class Transitions:
    """The next states of an automaton, by a row of 256 and a byte: each part of a row that differs is kept once.

    Args:
        states: the rows, one after the other.
    """

    def __init__(self, states: array[int]) -> None:
        table, size = memoryview(states).cast("B"), _PART * states.itemsize
        numbers: dict[bytes, int] = {}
        parts = (numbers.setdefault(bytes(table[at : at + size]), len(numbers)) for at in range(0, len(table), size))
        self._starts = np.fromiter(parts, dtype=np.int32, count=len(states) >> _PART_BITS) << _PART_BITS
        self._states: States = np.frombuffer(b"".join(numbers), dtype=states.typecode)

    def __getitem__(self, at: int) -> int:
        """Return the state at a place of the rows, as py3langid looks it up."""
        return int(self._states[self._starts[at >> _PART_BITS] + (at & _PART - 1)])

    def after(self, rows: Integers, letters: npt.NDArray[np.uint8]) -> States:
        """Return the next states, each after the first place of a row and a byte."""
        starts: Integers = self._starts[(rows + letters) >> _PART_BITS]
        return self._states[starts + (letters & _PART - 1)]


class LanguageModel:
    """The model of py3langid, whose identifier is changed to look up states in `Transitions`.

    Args:
        identifier: a ``LanguageIdentifier`` of it.
    """

    def __init__(self, identifier: Any) -> None:
        self._next = identifier.tk_nextmove = Transitions(identifier.tk_nextmove)
        self._identifier = identifier
        self._row = np.array(identifier.tk_row, dtype=np.int64) << 8
        self._feature = np.array(identifier.tk_output, dtype=np.int64)

    def classify(self, texts: Sequence[str]) -> list[str]:
        """Return the ISO 639-1 code of the language of each text."""
        return [code for some in chunked(texts, _MOST_AT_ONCE) for code in self._classify_some(some)]

    def _classify_some(self, texts: Sequence[str]) -> list[str]:
        if len(texts) < _FEWEST_AT_ONCE:
            return [self._identifier.classify(text)[0] for text in texts]
        numbers, features = self._visits(texts)
        scores = self._scores(len(texts), numbers, features)
        best = scores.argmax(axis=1)
        highest = np.partition(scores, -2, axis=1)[:, -2:]
        is_decided = highest[:, 1] - highest[:, 0] > _DECIDED
        return [
            self._identifier.nb_classes[at] if decided else self._identifier.classify(text)[0]
            for text, at, decided in zip(texts, best.tolist(), is_decided.tolist(), strict=True)
        ]

    def _visits(self, texts: Sequence[str]) -> tuple[Integers, Integers]:
        """Return the numbers of texts and, beside each, a feature that the walk through the text comes to."""
        encoded = [_encoded(text) for text in texts]
        lengths = np.array([len(text) for text in encoded])
        order = np.argsort(-lengths, kind="stable")
        longest = int(lengths.max())
        letters = np.frombuffer(b"".join(encoded[at].ljust(longest, b"\0") for at in order), dtype=np.uint8)
        steps = np.ascontiguousarray(letters.reshape(len(texts), longest).T)
        # How many texts are that long, the longest ones being first.
        counts = np.searchsorted(-lengths[order], -np.arange(longest), side="left")
        state: States = np.zeros(len(texts), dtype=np.int64)
        numbers, features = [np.zeros(0, dtype=np.int64)], [np.zeros(0, dtype=np.int64)]
        for step, count in zip(steps, counts.tolist(), strict=True):
            state = self._next.after(self._row[state[:count]], step[:count])
            feature = self._feature[state]
            found = np.flatnonzero(feature >= 0)
            numbers.append(order[found])
            features.append(feature[found])
        return np.concatenate(numbers), np.concatenate(features)

    def _scores(self, count: int, numbers: Integers, features: Integers) -> npt.NDArray[np.float32]:
        """Return, per text, the logarithm of each language's probability; that of texts without features is equal."""
        table, priors = self._identifier.nb_ptc, self._identifier.nb_pc
        keys, times = np.unique(numbers * len(table) + features, return_counts=True)
        of_text, feature = np.divmod(keys, len(table))
        # The table has half floats, which take longer to convert than all that follows.
        different, at = np.unique(feature, return_inverse=True)
        converted = table[different].astype(np.float32)
        weights = np.log1p(times.astype(np.float32))
        scores = np.zeros((count, len(priors)), dtype=np.float32)
        bounds = np.searchsorted(of_text, np.arange(count + 1))
        filled = np.flatnonzero(np.diff(bounds))
        first = 0
        while first < len(filled):
            start = bounds[filled[first]]
            last = max(first + 1, int(np.searchsorted(bounds[filled], start + _GROUP_PAIRS)))
            end = bounds[filled[last - 1] + 1]
            rows = converted[at[start:end]]
            rows *= weights[start:end, None]
            scores[filled[first:last]] = np.add.reduceat(rows, bounds[filled[first:last]] - start, axis=0) + priors
            first = last
        return scores


@cache
def language_model() -> LanguageModel:
    """Return the model that comes with py3langid; it takes half a second to load."""
    from py3langid.langid import MODEL_FILE, LanguageIdentifier  # noqa: PLC0415 (only texts are worth it)

    return LanguageModel(LanguageIdentifier.from_model_file(MODEL_FILE))


def _encoded(text: str) -> bytes:
    """Return the bytes that py3langid walks through."""
    lower = text.lower() if text.isupper() else text
    return unicodedata.normalize("NFC", lower).encode("utf-8", "surrogatepass")
