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
from dataclasses import dataclass, field
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


@dataclass
class Prefixes:
    """The paths of all messages that were added, and what tells shared openings apart.

    A message is referred to by a handle, which ``add`` returns: the path hash itself of a message that has been
    answered or answers, ``-1 - number`` of an opening (a message above the first answer of its path).

    Attributes:
        parents: per opening, the number of the opening above it, -1 for none; it was added before.
        answers: path hashes of first answers.
        answered: per first answer, the number of the opening right above it.
    """

    parents: list[int] = field(default_factory=list)
    answers: list[int] = field(default_factory=list)
    answered: list[int] = field(default_factory=list)

    def add(self, batch: DialogueBatch) -> list[int]:
        """Add the messages of a batch; return their handles."""
        paths = path_hashes(batch)
        handles = [0] * len(batch)
        for position in forest_of(batch).order:
            parent = batch.parent[position]
            above = -1 if parent == ROOT else handles[parent]
            has_opening_above = parent == ROOT or above < 0
            if not has_opening_above:
                handles[position] = paths[position]
            elif batch.role[position] == "assistant" and batch.text[position] is not None:
                handles[position] = paths[position]
                if parent != ROOT:
                    self.answers.append(paths[position])
                    self.answered.append(-1 - above)
            else:
                handles[position] = -1 - len(self.parents)
                self.parents.append(_NO_OPENING if parent == ROOT else -1 - above)
        return handles

    def opening_prefixes(self) -> _U64:
        """Return per opening the smallest path of a first answer below it that occurs more than once, else 0."""
        answers = np.array(self.answers, dtype=np.uint64)
        distinct, inverse, counts = np.unique(answers, return_inverse=True, return_counts=True)
        shared = (counts > 1)[inverse] if distinct.size else np.zeros(0, dtype=np.bool_)
        best = [NO_PREFIX] * len(self.parents)
        for answer, opening in zip(answers[shared].tolist(), np.array(self.answered)[shared].tolist(), strict=True):
            _lower(best, opening, answer)
        for number in range(len(best) - 1, -1, -1):  # what is below was added later
            if best[number] and self.parents[number] != _NO_OPENING:
                _lower(best, self.parents[number], best[number])
        return np.array(best, dtype=np.uint64)


def linked_id(source: str, source_id: str) -> int:
    """Return what a message of a linked dialogue is known by, whatever its text and its way: 63 bits, never 0."""
    digest = hashlib.sha256(f"{source}\x1f{source_id}".encode()).digest()
    return (int.from_bytes(digest[:_BYTES], "big") >> 1) or 1


def _lower(best: list[int], number: int, value: int) -> None:
    if best[number] == NO_PREFIX or value < best[number]:
        best[number] = value


def path_hashes(batch: DialogueBatch) -> list[int]:
    """Return per message the hash of the texts from the root down to it, 63 bits.

    A message without text has its parent's; 0 means that there is no text down to it, and no other path has that.
    """
    hashes = [0] * len(batch)
    for position in forest_of(batch).order:
        parent = batch.parent[position]
        above = 0 if parent == ROOT else hashes[parent]
        text_hash = text_hashes(batch)[position]
        if text_hash is None:
            hashes[position] = above
        else:
            digest = hashlib.sha256(f"{above:x} {batch.role[position]} {text_hash}".encode()).digest()
            hashes[position] = (int.from_bytes(digest[:_BYTES], "big") >> 1) or 1
    return hashes
