"""The paths of a dialogue and their names: ``main``, then ``regeneration-1``, ``edit-1``, ``fork-1`` and so on.

Branches are numbered in the order in which their last messages came into the archive, so a later import changes no
name unless another path becomes the primary one.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Final

from archive_pipeline.derive.forest import ASSISTANT_SIDE, forest_of
from archive_pipeline.derive.linear_sequences import branch_reason, last_shared_with_primary
from archive_pipeline.domain.batch import ROOT
from archive_pipeline.domain.choices import ExportPaths
from archive_pipeline.errors import UnknownBranchError
from archive_pipeline.retrieval.reading.dialogues import Dialogue

MAIN: Final = "main"
_MOST_NAMED: Final = 10


@dataclass(frozen=True, slots=True)
class Branch:
    """A path from a root to a leaf.

    Attributes:
        name: as said above.
        leaf: position of its last message in the batch.
        branched_at: position of the last message it shares with the main path; -1 if it shares none, or is it.
    """

    name: str
    leaf: int
    branched_at: int


def branches(dialogue: Dialogue) -> list[Branch]:
    """Return all paths of a dialogue, the main one first; none of a dialogue without messages."""
    forest = forest_of(dialogue.batch)
    primary = forest.primary_leaf[dialogue.number]
    if primary == ROOT:
        return []
    positions = dialogue.batch.positions(dialogue.number)
    leaves = [position for position in positions if not forest.children[position] and position != primary]
    leaves.sort(key=dialogue.batch.sequence_number.__getitem__)
    shared = dialogue.batch.computed(last_shared_with_primary)
    # Thousands may branch at one message.
    reasons = {point: branch_reason(dialogue.batch, point) for point in {shared[leaf] for leaf in leaves}}
    found, counted = [Branch(MAIN, primary, ROOT)], Counter[str]()
    for leaf in leaves:
        reason = reasons[shared[leaf]]
        counted[reason] += 1
        found.append(Branch(f"{reason}-{counted[reason]}", leaf, shared[leaf]))
    return found


def chosen_leaves(dialogue: Dialogue, paths: ExportPaths) -> list[int]:
    """Return the last messages of the paths that are asked for, the one to train first in front."""
    if paths == "all":
        return [branch.leaf for branch in branches(dialogue)]
    current = current_leaf(dialogue) if paths == "active" else forest_of(dialogue.batch).primary_leaf[dialogue.number]
    return [] if current == ROOT else [current]


def current_leaf(dialogue: Dialogue) -> int:
    """Return the leaf that the source's pointer leads to, else the end of the main path; -1 without messages.

    A pointer to a message that others follow leads on as a reader does who opens the conversation there.
    """
    forest, pointed = forest_of(dialogue.batch), pointed_message(dialogue)
    if pointed == ROOT:
        return forest.primary_leaf[dialogue.number]
    return [pointed, *forest.way_down(pointed)][-1]


def pointed_message(dialogue: Dialogue) -> int:
    """Return the message that the source points to; -1 if it points to none of the dialogue."""
    positions = dialogue.batch.positions(dialogue.number)
    own = dialogue.batch.message_ids[positions.start : positions.stop]
    active = dialogue.heading.active_message_id
    return positions.start + own.index(active) if active in own else ROOT


def named_leaf(dialogue: Dialogue, name: str) -> int:
    """Return the last message of the branch of this name, or of the path to the message of this id.

    Raises:
        UnknownBranchError: there is none, or the beginning of an id is that of several.
    """
    known = branches(dialogue)
    by_name = [branch.leaf for branch in known if branch.name == name]
    by_id = [
        position
        for position in dialogue.batch.positions(dialogue.number)
        if dialogue.batch.message_ids[position].startswith(name.lower())
    ]
    found = by_name or by_id
    if len(found) == 1 and name:
        return found[0]
    more = f" and {len(known) - _MOST_NAMED:,} more (--tree)" if len(known) > _MOST_NAMED else ""
    names = ", ".join(branch.name for branch in known[:_MOST_NAMED])
    raise UnknownBranchError(f"no branch or message is {name!r}; there are {names or 'none'}{more}")


def named_answer(dialogue: Dialogue, name: str) -> str:
    """Return the id of an answer: the message of this id, or the first answer of a branch that others do not have.

    Args:
        dialogue: the dialogue.
        name: of a branch, the id of a message, or the beginning of one. The main path has such an answer where other
            branches leave it at one place.

    Raises:
        UnknownBranchError: there is none, it is no answer, or the beginning of an id is that of several.
    """
    leaf = named_leaf(dialogue, name)
    known = {branch.name: branch.branched_at for branch in branches(dialogue)}
    role, ids = dialogue.batch.role, dialogue.batch.message_ids
    if name not in known:
        if role[leaf] not in ASSISTANT_SIDE:
            raise UnknownBranchError(f"message {ids[leaf]} is no answer of an assistant")
        return ids[leaf]
    forks = {at for other, at in known.items() if other != MAIN} if name == MAIN else {known[name]}
    if len(forks) > 1:
        raise UnknownBranchError(f"branches leave {MAIN!r} at {len(forks)} places: name the answer by its id (--tree)")
    path = dialogue.path(leaf)
    start = max((path.index(fork) + 1 for fork in forks if fork != ROOT), default=0)
    answers = [position for position in path[start:] if role[position] in ASSISTANT_SIDE]
    if not answers:
        raise UnknownBranchError(f"branch {name!r} has no answer of its own")
    return ids[answers[0 if forks else -1]]


def named_message(dialogue: Dialogue, name: str) -> str:
    """Return the id of the message that ``named_leaf`` finds."""
    return dialogue.batch.message_ids[named_leaf(dialogue, name)]
