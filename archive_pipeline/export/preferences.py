"""Pairs of answers to one prompt of which one was preferred, and the rule that says so.

Both answers are whole, regenerations of one another (siblings on the assistant's side), without an error of a tool, and
say different things. A user who edits a prompt prefers no answer, so edits make no pair. The first rule that tells
the two apart decides:

- ``annotation``: a person marked one as chosen or the other as rejected, and nothing contradicts it;
- ``continued``: the user went on from one and not from the other;
- ``current``: nobody went on from either, and the source's pointer leads to one of them.
"""

from __future__ import annotations

from bisect import bisect
from collections import Counter, defaultdict
from collections.abc import Container, Iterator
from dataclasses import dataclass
from heapq import merge
from math import comb
from typing import Literal, NamedTuple

from archive_pipeline.derive.forest import ASSISTANT_SIDE, forest_of
from archive_pipeline.domain.batch import BLANK_LINE
from archive_pipeline.domain.choices import Normalization
from archive_pipeline.duplicates.similarity import SMALLEST_SET, THRESHOLD, threshold
from archive_pipeline.export.branches import pointed_message
from archive_pipeline.export.chat import turns
from archive_pipeline.export.selection import Annotations
from archive_pipeline.export.turns import Turn
from archive_pipeline.retrieval.reading.dialogues import Dialogue
from archive_pipeline.retrieval.reading.messages import COMPLETE
from archive_pipeline.text.normalization import normalize
from archive_pipeline.text.simhash import SHINGLE_WORDS, shingles, words_of

Rule = Literal["annotation", "continued", "current"]


@dataclass(frozen=True, slots=True)
class Answer:
    """What one sibling and the messages of the assistant below it say.

    Attributes:
        positions: of its messages.
        turns: as chat turns.
        is_continued: a message of the user follows.
    """

    positions: list[int]
    turns: list[Turn]
    is_continued: bool

    @property
    def text(self) -> str:
        """All that it says."""
        return BLANK_LINE.join(turn.content for turn in self.turns if turn.content)


class _Standing(NamedTuple):
    """What prefers an answer to others: those that stand alike are preferred to none of one another.

    Attributes:
        mark: 1 if a person chose it, -1 if one rejected it, 0 for neither or both.
        is_continued: the user went on from it.
        is_current: nobody did, and the source's pointer leads to it.
    """

    mark: int
    is_continued: bool
    is_current: bool


@dataclass(frozen=True, slots=True)
class Preference:
    """A prompt with a better and a worse answer."""

    prompt: list[Turn]
    chosen: Answer
    rejected: Answer
    rule: Rule


def preferences(
    dialogue: Dialogue, annotations: Annotations, roles: Container[str], counts: Counter[str]
) -> Iterator[Preference]:
    """Yield the preferences of a dialogue, in the order of its messages.

    Args:
        dialogue: the dialogue.
        annotations: what a person said about it.
        roles: messages of other roles are left out of prompts and answers.
        counts: pairs that are none, by reason.
    """
    forest = forest_of(dialogue.batch)
    parents = [parent for parent in dialogue.batch.positions(dialogue.number) if len(forest.children[parent]) > 1]
    # Not down to a leaf, and no other path instead: a source that points to no answer prefers none.
    current = frozenset(dialogue.path(pointed_message(dialogue))) if parents else frozenset()
    for parent in parents:
        siblings = sorted(forest.children[parent])
        if {dialogue.batch.role[sibling] for sibling in siblings} <= ASSISTANT_SIDE:
            prompt = turns(dialogue, dialogue.path(parent), roles, Counter())
            if prompt and prompt[-1].role == "user":
                yield from _of_siblings(dialogue, siblings, prompt, annotations, roles, counts, current)
            else:
                counts["regenerations that answer no user"] += 1


def _of_siblings(
    dialogue: Dialogue,
    siblings: list[int],
    prompt: list[Turn],
    annotations: Annotations,
    roles: Container[str],
    counts: Counter[str],
    current: frozenset[int],
) -> Iterator[Preference]:
    answers = []
    for sibling in siblings:
        answer = answer_of(dialogue, sibling, roles, current)
        reason = _unfit(dialogue, answer)
        if reason is None:
            answers.append(answer)
        else:
            counts[reason] += 1
    standings = [_standing(dialogue, answer, annotations, current) for answer in answers]
    alike: defaultdict[_Standing, list[int]] = defaultdict(list)
    for place, standing in enumerate(standings):
        alike[standing].append(place)
    if undecided := sum(comb(len(places), 2) for places in alike.values()):
        counts["pairs without a preference"] += undecided
    for place, standing in enumerate(standings):
        # Thousands may stand alike, which make no pairs: only those of another standing are looked at.
        others = (places[bisect(places, place) :] for other, places in alike.items() if other != standing)
        for other in merge(*others):
            left, right = answers[place], answers[other]
            if is_near_duplicate(left.text, right.text):
                counts["pairs of near-duplicates"] += 1
            else:
                rule, is_left = _decided(standing, standings[other])
                yield Preference(prompt, *((left, right) if is_left else (right, left)), rule)


def answer_of(dialogue: Dialogue, first: int, roles: Container[str], current: Container[int]) -> Answer:
    """Return the answer that begins with a message and goes down to the user's next one.

    Where the assistant's side branches within it, it goes on along the ``current`` path, else to the largest branch.
    """
    forest, role = forest_of(dialogue.batch), dialogue.batch.role
    positions = [first]
    while True:
        below = forest.children[positions[-1]]
        following = [child for child in below if role[child] in ASSISTANT_SIDE]
        if not following or len(following) < len(below):
            break
        positions.append(next((child for child in following if child in current), following[0]))
    is_continued = any(role[child] == "user" for child in forest.children[positions[-1]])
    return Answer(positions, turns(dialogue, positions, roles, Counter()), is_continued)


def _unfit(dialogue: Dialogue, answer: Answer) -> str | None:
    """Return why an answer can be in no pair, None if it can."""
    messages = [dialogue.message(position) for position in answer.positions]
    if any(message.state != COMPLETE for message in messages):
        return "interrupted answers"
    if any(part.is_error or part.kind == "error" for message in messages for part in message.parts):
        return "answers with an error of a tool"
    if len(answer.turns) == 0 or answer.turns[0].role != "assistant" or not answer.turns[-1].content:
        return "answers without text at their end"
    return "answers without text at their end" if answer.turns[-1].calls else None


def _standing(dialogue: Dialogue, answer: Answer, annotations: Annotations, current: Container[int]) -> _Standing:
    own = [dialogue.batch.message_ids[position] for position in answer.positions]
    good, bad = (any(name in marked for name in own) for marked in (annotations.chosen, annotations.rejected))
    is_current = not answer.is_continued and answer.positions[0] in current
    return _Standing(good - bad, answer.is_continued, is_current)


def _decided(left: _Standing, right: _Standing) -> tuple[Rule, bool]:
    """Return the rule that prefers one of two answers of different standing, and whether that is the left one."""
    if left.mark != right.mark:
        return "annotation", left.mark > right.mark
    if left.is_continued != right.is_continued:
        return "continued", left.is_continued
    return "current", left.is_current


def is_near_duplicate(left: str, right: str) -> bool:
    """Return whether two texts say nearly the same, by the measure of ``duplicate_clusters``."""
    texts = normalize([left, right], Normalization.FULL)
    if texts[0] == texts[1]:
        return True
    # A few short texts at a time: sets of Python take a tenth of the time of arrays.
    if _begin_differently(*texts):
        return False
    one = set(shingles(texts[0]))
    if len(one) < SMALLEST_SET:
        return False
    common = len(one.intersection(shingles(texts[1])))
    # What else the other text says only makes them less alike: most pairs need no second set.
    if common / len(one) < THRESHOLD:
        return False
    smaller, larger = sorted((len(one), len(set(shingles(texts[1])))))
    # No two sets have more in common than the smaller one has.
    if smaller < SMALLEST_SET or smaller / larger < threshold(smaller):
        return False
    return common / (smaller + larger - common) >= threshold(smaller)


def _begin_differently(left: bytes, right: bytes) -> bool:
    """Return whether two fifths of a text differ by more than all of it may, as in most pairs."""
    words = words_of(left)
    most = len(words) - SHINGLE_WORDS + 1
    beginning = set(zip(words[: max(most, 0) * 2 // 5], words[1:], words[2:], strict=False))
    return len(beginning) - len(beginning.intersection(shingles(right))) > (1 - THRESHOLD) * most
