"""Which turns of a path training takes: whole answers with what is before them.

Nothing is trained on what was interrupted or failed; what is whole behind it stays, and no prompt is lost for it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Final

from archive_pipeline.export.turns import Turn, joined, unfinished

_BEHIND_INTERRUPTED: Final = "turns behind interrupted or failed calls"
_BEHIND_LAST: Final = "turns behind the last whole answer"


def answered_turns(found: Iterable[Turn], counts: Counter[str], *, has_context: bool) -> list[Turn]:
    """Return the turns up to the last whole answer.

    Args:
        found: turns by how they ended.
        counts: what is left out is counted here, by name; also interrupted answers that stay as context.
        has_context: the format can have answers that are not trained: interrupted ones stay where two answers would not
            be neighbours. Elsewhere they are left out, and so is what the model went on with, which builds on them.
    """
    kept: list[Turn] = []
    is_interrupted = is_skipping = False
    for turn in found:
        if turn.role == "user":
            is_interrupted = is_skipping = False
        if turn.role != "assistant":
            kept.append(turn)
            continue
        if not turn.is_complete:
            # One message with several calls is several turns, and one answer.
            if not is_interrupted:
                counts[unfinished(turn.state)] += 1
            is_interrupted = True
            is_skipping = is_skipping or not has_context or _is_second_answer(kept)
        elif is_skipping:
            counts[_BEHIND_INTERRUPTED] += 1
        if not is_skipping:
            kept.append(turn)
    return joined(_to_last_answer(kept, counts))


def _is_second_answer(before: list[Turn]) -> bool:
    return bool(before) and before[-1].role == "assistant" and not before[-1].results


def _to_last_answer(found: list[Turn], counts: Counter[str]) -> list[Turn]:
    end = len(found)
    while end and not _is_whole_answer(found[end - 1]):
        end -= 1
    # Interrupted answers are counted as such, and a path without any answer as one.
    if behind := sum(turn.is_complete for turn in found[end:] if end):
        counts[_BEHIND_LAST] += behind
    return found[:end]


def _is_whole_answer(turn: Turn) -> bool:
    return turn.role == "assistant" and turn.is_complete and not turn.calls
