"""``exchanges`` and ``exchange_content``: what the user said until the assistant was done (seed 000).

Exchanges are computed along each root-to-leaf path and shared. Where an exchange starts depends only on the messages
above it, so an exchange is known by its last message, and one pass from parents to children finds them all.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Final

import numpy as np
import numpy.typing as npt
import pandas as pd

from archive_pipeline.derive.batch import NO_TIME, DialogueBatch
from archive_pipeline.derive.continuation import continuation_pattern
from archive_pipeline.derive.forest import ROOT
from archive_pipeline.derive.frames import frame
from archive_pipeline.derive.normalization import sha256_text
from archive_pipeline.identity import row_id

CODE_VERSION: Final = "1"
BLANK_LINE: Final = "\n\n"


@dataclass(frozen=True)
class ExchangeRuns:
    """The exchanges of a batch; an exchange is a position in these lists, in the order of their last messages.

    Attributes:
        ids: id of the exchange.
        last: its last message.
        first: its first message.
        previous: the exchange before it on the path, -1 for none.
        users, assistants: its user and assistant messages in order.
    """

    batch: DialogueBatch
    ids: list[str]
    last: list[int]
    first: list[int]
    previous: list[int]
    users: list[list[int]]
    assistants: list[list[int]]

    @cached_property
    def user_text(self) -> list[str | None]:
        """Texts of the user messages, joined by a blank line."""
        return [self._join(positions) for positions in self.users]

    @cached_property
    def assistant_text(self) -> list[str | None]:
        """Texts of the assistant messages, joined by a blank line."""
        return [self._join(positions) for positions in self.assistants]

    def _join(self, positions: list[int]) -> str | None:
        texts = self.batch.text
        if len(positions) == 1:
            return texts[positions[0]]
        return BLANK_LINE.join([text for position in positions if (text := texts[position]) is not None]) or None


def exchange_runs(batch: DialogueBatch) -> ExchangeRuns:
    """Find all exchanges of the batch.

    An exchange closes when an assistant message has been seen and the next message on the path is a user message.
    """
    start, closes = _starts(batch)
    last = [position for position in range(len(batch)) if closes[position]]
    number = {position: index for index, position in enumerate(last)}
    users: list[list[int]] = []
    assistants: list[list[int]] = []
    for position in last:
        members = _members(batch, start[position], position)
        users.append([member for member in members if batch.role[member] == "user"])
        assistants.append([member for member in members if batch.role[member] == "assistant"])
    before = [batch.parent[start[position]] for position in last]
    return ExchangeRuns(
        batch=batch,
        ids=[row_id("exchange", batch.message_ids[position]) for position in last],
        last=last,
        first=[start[position] for position in last],
        previous=[-1 if position == ROOT else number[position] for position in before],
        users=users,
        assistants=assistants,
    )


def _starts(batch: DialogueBatch) -> tuple[list[int], list[bool]]:
    """Per message: the first message of its exchange, and whether an exchange ends with it on some path."""
    roles, parents = batch.role, batch.parent
    start = list(range(len(batch)))
    answered = [False] * len(batch)
    closes = [not below for below in batch.forest.children]
    for position in batch.forest.order:
        role, parent = roles[position], parents[position]
        if parent != ROOT:
            if role == "user" and answered[parent]:
                closes[parent] = True
                continue
            start[position] = start[parent]
            answered[position] = answered[parent]
        if role == "assistant":
            answered[position] = True
    return start, closes


def _members(batch: DialogueBatch, first: int, last: int) -> list[int]:
    members = [last]
    while members[-1] != first:
        members.append(batch.parent[members[-1]])
    members.reverse()
    return members


def exchanges(batch: DialogueBatch) -> dict[str, pd.DataFrame]:
    """Return the exchanges and their texts."""
    runs = exchange_runs(batch)
    patterns = _patterns(runs)
    started, ended = _times(runs)
    ids = batch.message_ids
    rows = frame(
        {
            "id": runs.ids,
            "dialogue_id": [batch.dialogue_of_message[last] for last in runs.last],
            "first_message_id": [ids[first] for first in runs.first],
            "last_message_id": [ids[last] for last in runs.last],
            "message_count": [
                batch.forest.depth[last] - batch.forest.depth[first] + 1
                for first, last in zip(runs.first, runs.last, strict=True)
            ],
            "user_message_count": [len(positions) for positions in runs.users],
            "assistant_message_count": [len(positions) for positions in runs.assistants],
            "is_continuation": [pattern is not None for pattern in patterns],
            "continuation_of_id": [
                None if pattern is None else runs.ids[previous]
                for pattern, previous in zip(patterns, runs.previous, strict=True)
            ],
            "continuation_pattern": patterns,
            "merged_count": _merged_counts(runs, patterns),
            "started_at": started,
            "ended_at": ended,
        }
    )
    return {"exchanges": rows, "exchange_content": _content(runs)}


def _patterns(runs: ExchangeRuns) -> list[str | None]:
    patterns: list[str | None] = []
    other = runs.batch.has_other_content
    for index, text in enumerate(runs.user_text):
        if runs.previous[index] < 0:  # the first exchange of a path continues nothing (seed 000)
            patterns.append(None)
            continue
        has_other = any(other[position] for position in runs.users[index])
        patterns.append(continuation_pattern(text, has_other_content=has_other))
    return patterns


def _merged_counts(runs: ExchangeRuns, patterns: list[str | None]) -> list[int]:
    merged = [0] * len(runs.ids)
    original = list(range(len(runs.ids)))
    depth = runs.batch.forest.depth
    for index in sorted(original, key=lambda index: depth[runs.last[index]]):  # an exchange after the one before it
        if patterns[index] is not None:
            original[index] = original[runs.previous[index]]
            merged[original[index]] += 1
    return merged


def _times(runs: ExchangeRuns) -> tuple[npt.NDArray[np.datetime64], npt.NDArray[np.datetime64]]:
    created = runs.batch.created_at.tolist()
    started: list[int] = []
    ended: list[int] = []
    for first, last in zip(runs.first, runs.last, strict=True):
        times = [created[member] for member in _members(runs.batch, first, last) if created[member] != NO_TIME]
        started.append(min(times, default=NO_TIME))
        ended.append(max(times, default=NO_TIME))
    return np.array(started, dtype="datetime64[us]"), np.array(ended, dtype="datetime64[us]")


def _content(runs: ExchangeRuns) -> pd.DataFrame:
    words = runs.batch.word_count
    user_words = [_count(words, positions) for positions in runs.users]
    assistant_words = [_count(words, positions) for positions in runs.assistants]
    full_text = [join_texts(*texts) for texts in zip(runs.user_text, runs.assistant_text, strict=True)]
    return frame(
        {
            "exchange_id": runs.ids,
            "user_text": runs.user_text,
            "assistant_text": runs.assistant_text,
            "full_text": full_text,
            "user_text_hash": [sha256_text(text) for text in runs.user_text],
            "assistant_text_hash": [sha256_text(text) for text in runs.assistant_text],
            "full_text_hash": [sha256_text(text) for text in full_text],
            "user_word_count": user_words,
            "assistant_word_count": assistant_words,
            "total_word_count": [_add(user, other) for user, other in zip(user_words, assistant_words, strict=True)],
        }
    )


def join_texts(user_text: str | None, assistant_text: str | None) -> str | None:
    """Return both texts joined by a blank line; None if there is neither."""
    if user_text is None:
        return assistant_text
    return user_text if assistant_text is None else f"{user_text}{BLANK_LINE}{assistant_text}"


def _count(words: list[int | None], positions: list[int]) -> int | None:
    counts = [count for position in positions if (count := words[position]) is not None]
    return sum(counts) if counts else None


def _add(left: int | None, right: int | None) -> int | None:
    return right if left is None else left + (right or 0)
