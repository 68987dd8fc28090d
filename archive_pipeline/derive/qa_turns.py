"""Which answers belong to which user message: the pairing rule of seed 004, along every path of a tree.

Shared by the table ``qa_pairs`` and the public ``build_qa_pairs``, to which a list of messages is a tree of one path.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal

AnswerRule = Literal["first", "final"]
NONE: Final = -1


@dataclass(frozen=True, slots=True)
class Turn:
    """A user message and one answer to it; positions of messages."""

    question: int
    answer: int
    is_on_primary_path: bool


def find_turns(
    order: Sequence[int],
    parents: Sequence[int],
    roles: Sequence[str | None],
    has_text: Sequence[bool],
    on_primary_path: Sequence[bool],
    *,
    answer: AnswerRule,
) -> list[Turn]:
    """Return every (user message, answer) that some root-to-leaf path has, once each, in the order of questions.

    A turn ends before the next user message or with the leaf. ``first`` takes the first assistant message (seed 004);
    ``final`` takes the last one with text, or the last one if none has text. A user message without an assistant
    message before the turn ends has no pair.

    Args:
        order: positions, each parent before its children.
        parents: position of the parent, -1 for a root.
        roles: role of the message; None for messages that are passed over (unfinished, hidden).
        has_text: the message has text of its own.
        on_primary_path: the message is on the primary path.
        answer: the rule.
    """
    question = [NONE] * len(parents)
    best = [NONE] * len(parents)
    found: dict[tuple[int, int], bool] = {}
    ends = [True] * len(parents)
    for position in order:
        parent = parents[position]
        if parent != NONE:
            question[position], best[position] = question[parent], best[parent]
            ends[parent] = False
        role = roles[position]
        if role == "user":
            if parent != NONE:
                _record(found, question[parent], best[parent], is_primary=on_primary_path[position])
            question[position], best[position] = position, NONE
        elif role == "assistant" and _is_better(best[position], position, has_text, answer):
            best[position] = position
    for position in order:
        if ends[position]:
            _record(found, question[position], best[position], is_primary=on_primary_path[position])
    turns = [Turn(asked, given, is_primary) for (asked, given), is_primary in found.items()]
    return sorted(turns, key=lambda turn: (turn.question, turn.answer))


def _is_better(best: int, position: int, has_text: Sequence[bool], answer: AnswerRule) -> bool:
    if best == NONE:
        return True
    return answer == "final" and (has_text[position] or not has_text[best])


def _record(found: dict[tuple[int, int], bool], question: int, answer: int, *, is_primary: bool) -> None:
    if NONE not in {question, answer}:
        found[question, answer] = found.get((question, answer), False) or is_primary
