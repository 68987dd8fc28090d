"""Which messages are copies of a shared prefix: the same texts in the same order from the root (forks, resumed chats).

The hash of a path covers role and text of every message with text from the root down to it, so that it is equal
exactly where all of the way is. Equal paths alone do not make a fork: two chats may begin with the same instructions
and the same question. What a fork copies has been answered, so a prefix counts as shared only if it leads to the same
answer: a message at or below the first answer of its path is known by its own path, and one above it by the path of a
first answer below it that occurs more than once. Messages of dialogues that are linked (``raw.dialogue_links``) are
known by their ids in the source as well.
"""

from __future__ import annotations

import hashlib
from array import array
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from archive_pipeline.derive.forest import forest_of
from archive_pipeline.derive.message_texts import text_hashes
from archive_pipeline.domain.batch import ROOT, DialogueBatch

NO_PREFIX: Final = 0
_NO_OPENING: Final = -1
_BYTES: Final = 8

_U64 = npt.NDArray[np.uint64]
_Index = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Openings:
    """What tells shared openings of a batch apart; an opening is a message above the first answer of its path.

    A message is referred to by a handle: the path hash itself of a message that has been answered or answers,
    ``-1 - number`` of an opening.

    Attributes:
        parents: per opening, the number of the opening above it, -1 for none; that one has a smaller number.
        answers: path hashes of first answers.
        answered: per first answer, the number of the opening right above it.
    """

    parents: _Index
    answers: _U64
    answered: _Index


def openings_of(batch: DialogueBatch) -> tuple[_Index, Openings]:
    """Return the handle of each message of a batch, and its openings."""
    paths = path_hashes(batch)
    handles = [0] * len(batch)
    parents, answers, answered = list[int](), list[int](), list[int]()
    for position in forest_of(batch).order:
        parent = batch.parent[position]
        above = -1 if parent == ROOT else handles[parent]
        has_opening_above = parent == ROOT or above < 0
        if not has_opening_above:
            handles[position] = paths[position]
        elif batch.role[position] == "assistant" and batch.text[position] is not None:
            handles[position] = paths[position]
            if parent != ROOT:
                answers.append(paths[position])
                answered.append(-1 - above)
        else:
            handles[position] = -1 - len(parents)
            parents.append(_NO_OPENING if parent == ROOT else -1 - above)
    return np.array(handles, dtype=np.int64), Openings(
        np.array(parents, dtype=np.int64), np.array(answers, dtype=np.uint64), np.array(answered, dtype=np.int64)
    )


class Prefixes:
    """The openings of all batches, numbered as one."""

    def __init__(self) -> None:
        self._count = 0
        self._added = [_NOTHING]

    def add(self, openings: Openings) -> int:
        """Add the openings of a batch; return the number of the first of them, by which ``numbered`` takes handles."""
        first = self._count
        self._count += openings.parents.size
        parents = np.where(openings.parents == _NO_OPENING, _NO_OPENING, openings.parents + first)
        self._added.append(Openings(parents, openings.answers, openings.answered + first))
        return first

    def opening_prefixes(self) -> _U64:
        """Return per opening the smallest path of a first answer below it that occurs more than once, else 0."""
        answers = np.concatenate([each.answers for each in self._added])
        answered = np.concatenate([each.answered for each in self._added])
        parents = array("q", np.concatenate([each.parents for each in self._added]).tobytes())
        _, inverse, counts = np.unique(answers, return_inverse=True, return_counts=True)
        shared = (counts > 1)[inverse]
        best = array("Q", [NO_PREFIX]) * len(parents)
        for answer, opening in zip(answers[shared].tolist(), answered[shared].tolist(), strict=True):
            _lower(best, opening, answer)
        for number in range(len(best) - 1, -1, -1):  # what is below has a larger number
            if best[number] and parents[number] != _NO_OPENING:
                _lower(best, parents[number], best[number])
        return np.frombuffer(best, dtype=np.uint64)


def numbered(handles: _Index, first: int) -> _Index:
    """Return the handles of a batch as those of all batches; ``first`` is the number of the batch's first opening."""
    return np.where(handles < 0, handles - first, handles)


def linked_id(source: str, source_id: str) -> int:
    """Return what a message of a linked dialogue is known by, whatever its text and its way: 63 bits, never 0."""
    digest = hashlib.sha256(f"{source}\x1f{source_id}".encode()).digest()
    return (int.from_bytes(digest[:_BYTES], "big") >> 1) or 1


_NOTHING: Final = Openings(np.zeros(0, np.int64), np.zeros(0, np.uint64), np.zeros(0, np.int64))


def _lower(best: array[int], number: int, value: int) -> None:
    if best[number] == NO_PREFIX or value < best[number]:
        best[number] = value


def path_hashes(batch: DialogueBatch) -> list[int]:
    """Return per message the hash of the texts from the root down to it, 63 bits.

    A message without text has its parent's; 0 means that there is no text down to it, and no other path has that.
    """
    hashes, texts = [0] * len(batch), text_hashes(batch)
    for position in forest_of(batch).order:
        parent = batch.parent[position]
        above = 0 if parent == ROOT else hashes[parent]
        text_hash = texts[position]
        if text_hash is None:
            hashes[position] = above
        else:
            digest = hashlib.sha256(f"{above:x} {batch.role[position]} {text_hash}".encode()).digest()
            hashes[position] = (int.from_bytes(digest[:_BYTES], "big") >> 1) or 1
    return hashes
