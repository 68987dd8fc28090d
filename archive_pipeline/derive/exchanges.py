"""``exchanges`` and ``exchange_content``: exchanges with continuations, times, texts (seed 000)."""

from __future__ import annotations

import hashlib
import operator
from typing import TYPE_CHECKING, Final

import numpy as np
import numpy.typing as npt

from archive_pipeline.derive.asset import TEXT, DerivedAsset
from archive_pipeline.derive.exchange_runs import ExchangeRuns, exchange_runs_of
from archive_pipeline.derive.forest import forest_of
from archive_pipeline.derive.message_texts import text_hashes, word_counts
from archive_pipeline.domain.batch import BLANK_LINE, NO_TIME, DialogueBatch
from archive_pipeline.domain.frames import frame
from archive_pipeline.text.continuation import continuation_pattern
from archive_pipeline.text.runtime import UNICODE

if TYPE_CHECKING:
    import pandas as pd

CODE_VERSION: Final = "2"


def exchanges(batch: DialogueBatch) -> dict[str, pd.DataFrame]:
    """Return the exchanges and their texts."""
    runs = exchange_runs_of(batch)
    patterns = _patterns(runs)
    started, ended = _times(runs)
    ids, depth = batch.message_ids, forest_of(batch).depth
    rows = frame(
        {
            "id": runs.ids,
            "dialogue_id": _dialogues(runs),
            "first_message_id": [ids[first] for first in runs.first],
            "last_message_id": [ids[last] for last in runs.last],
            "message_count": [
                depth[last] - depth[first] + 1 for first, last in zip(runs.first, runs.last, strict=True)
            ],
            "user_message_count": _count_messages(runs, "user"),
            "assistant_message_count": _count_messages(runs, "assistant"),
            "is_continuation": [pattern is not None for pattern in patterns],
            "continuation_of_id": [
                None if pattern is None else runs.ids[previous]
                for pattern, previous in zip(patterns, runs.previous, strict=True)
            ],
            "continuation_pattern": patterns,
            "previous_exchange_id": [None if previous < 0 else runs.ids[previous] for previous in runs.previous],
            "path_position": _path_positions(runs),
            "merged_count": _merged_counts(runs, patterns),
            "started_at": started,
            "ended_at": ended,
        }
    )
    return {"exchanges": rows, "exchange_content": _content(runs)}


def _dialogues(runs: ExchangeRuns) -> list[str]:
    return [runs.batch.dialogue_of_message[last] for last in runs.last]


def _count_messages(runs: ExchangeRuns, role: str) -> list[int]:
    return runs.summed([int(own == role) for own in runs.batch.role], int.__add__)


def _patterns(runs: ExchangeRuns) -> list[str | None]:
    batch = runs.batch
    is_other = [role == "user" and other for role, other in zip(batch.role, batch.has_other_content, strict=True)]
    patterns: list[str | None] = []
    for previous, text, has_other in zip(
        runs.previous, runs.user_text, runs.summed(is_other, operator.or_), strict=True
    ):
        # The first exchange of a path continues nothing (seed 000).
        patterns.append(None if previous < 0 else continuation_pattern(text, has_other_content=has_other))
    return patterns


def _path_positions(runs: ExchangeRuns) -> list[int]:
    positions = [0] * len(runs.ids)
    for index in runs.along_paths:
        if runs.previous[index] >= 0:
            positions[index] = positions[runs.previous[index]] + 1
    return positions


def _merged_counts(runs: ExchangeRuns, patterns: list[str | None]) -> list[int]:
    merged = [0] * len(runs.ids)
    original = list(range(len(runs.ids)))
    for index in runs.along_paths:
        if patterns[index] is not None:
            original[index] = original[runs.previous[index]]
            merged[original[index]] += 1
    return merged


def _times(runs: ExchangeRuns) -> tuple[npt.NDArray[np.datetime64], npt.NDArray[np.datetime64]]:
    created: list[int] = runs.batch.created_at.tolist()
    started, ended = runs.summed(created, _earlier), runs.summed(created, max)  # NO_TIME is before all times
    return np.array(started, dtype="datetime64[us]"), np.array(ended, dtype="datetime64[us]")


def _earlier(left: int, right: int) -> int:
    return max(left, right) if NO_TIME in (left, right) else min(left, right)


def _content(runs: ExchangeRuns) -> pd.DataFrame:
    user_words = _count_words(runs, "user")
    assistant_words = _count_words(runs, "assistant")
    user_hash = _hashes(runs, runs.users, runs.user_text)
    assistant_hash = _hashes(runs, runs.assistants, runs.assistant_text)
    return frame(  # full_text is a generated column
        {
            "exchange_id": runs.ids,
            "dialogue_id": _dialogues(runs),
            "user_text": runs.user_text,
            "assistant_text": runs.assistant_text,
            "user_text_hash": user_hash,
            "assistant_text_hash": assistant_hash,
            "full_text_hash": _full_hashes(runs, user_hash, assistant_hash),
            "user_word_count": user_words,
            "assistant_word_count": assistant_words,
            "total_word_count": [_add(user, other) for user, other in zip(user_words, assistant_words, strict=True)],
        }
    )


def _hashes(runs: ExchangeRuns, members: list[list[int]], texts: list[str | None]) -> list[str | None]:
    known = text_hashes(runs.batch)
    return [
        known[positions[0]]
        if len(positions) == 1
        else None
        if text is None
        else hashlib.sha256(text.encode()).hexdigest()
        for positions, text in zip(members, texts, strict=True)
    ]


def _full_hashes(runs: ExchangeRuns, user_hash: list[str | None], assistant_hash: list[str | None]) -> list[str | None]:
    result: list[str | None] = []
    for index, (user, assistant) in enumerate(zip(runs.user_text, runs.assistant_text, strict=True)):
        if user is None or assistant is None:
            result.append(user_hash[index] or assistant_hash[index])
        else:
            result.append(hashlib.sha256(f"{user}{BLANK_LINE}{assistant}".encode()).hexdigest())
    return result


def _count_words(runs: ExchangeRuns, role: str) -> list[int | None]:
    batch = runs.batch
    own = [count if of == role else None for of, count in zip(batch.role, word_counts(batch), strict=True)]
    return runs.summed(own, _add)


def _add(left: int | None, right: int | None) -> int | None:
    return right if left is None else left + (right or 0)


ASSET: Final = DerivedAsset(
    name="exchanges",
    of=DialogueBatch,
    tables=("exchanges", "exchange_content"),
    upstream=("message_paths", "linear_sequences"),
    derive=lambda batch, _: exchanges(batch),
    code_version=CODE_VERSION,
    runtime_version=lambda: UNICODE,
    description="Recognises prompts that only ask to go on. Texts and hashes are in derived.exchange_content.",
    reads=("messages", "content_parts", "attachments"),
    lineage={
        "first_message_id": ("message_paths.message_id",),
        "last_message_id": ("message_paths.message_id",),
        "continuation_pattern": ("raw/content_parts.text_content", "raw/attachments.message_id"),
        "exchange_content.user_text": TEXT,
        "exchange_content.assistant_text": TEXT,
    },
)
