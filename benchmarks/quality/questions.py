"""Questions with what answers them, and which half of them nothing may be tuned on."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from pathlib import Path


class Kind(StrEnum):
    """What is hard about a question, after LongMemEval (Wu et al., 2024)."""

    SINGLE = "as said"
    PARAPHRASED = "paraphrased"
    ASSISTANT = "said by the assistant"
    TEMPORAL = "temporal"
    MULTI = "several sessions"
    UPDATED = "updated"
    PART = "part of the words"
    TRIAL = "other trials"
    ABSENT = "other detail"
    UNASKED = "nothing on it"
    NONSENSE = "no words"


# Of these nothing is right. ABSENT has sessions of the subject and the person, which search cannot tell from an answer.
ABSTENTION = frozenset({Kind.ABSENT, Kind.UNASKED, Kind.NONSENSE})


@dataclass(frozen=True, slots=True, eq=False)
class Question:
    """One question.

    Attributes:
        id: stable, whatever else is asked.
        kind: what is hard about it.
        text: as it is searched.
        gold: source ids of dialogues -> source ids of messages that answer; empty where nothing does.
        outdated: dialogues that say what was right before; relevant, but less.
        itself: a dialogue that the question is taken from, which does not count.
        source: which conversations it is about, where an archive has several sorts.
    """

    id: str
    kind: Kind
    text: str
    gold: Mapping[str, frozenset[str]] = field(default_factory=dict)
    outdated: frozenset[str] = frozenset()
    itself: str | None = None
    source: str = ""

    @property
    def is_held_out(self) -> bool:
        """Whether nothing is tuned on it: by a hash of its id, so that it stays where it is."""
        return hashlib.sha256(self.id.encode()).digest()[0] % 2 == 1


@dataclass(frozen=True, slots=True)
class Asked:
    """An archive's files and the questions about it.

    Attributes:
        name: of the archive.
        files: exports to import.
        questions: lists of what is asked, by name.
        now: when they are asked.
    """

    name: str
    files: list[Path]
    questions: Mapping[str, list[Question]]
    now: datetime
