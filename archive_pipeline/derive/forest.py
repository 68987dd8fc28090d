"""The tree structure of a batch: depth-first order, depths, paths. Everything is linear and nothing recurses."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import chain
from typing import Final

from archive_pipeline.domain.batch import ROOT, DialogueBatch
from archive_pipeline.errors import ArchiveError

ASSISTANT_SIDE: Final = frozenset({"assistant", "tool"})


class CyclicParentsError(ArchiveError):
    """Parents in ``raw.messages`` form a cycle, which the importer never writes."""


@dataclass(frozen=True)
class Forest:
    """Structure per message, by position in the batch.

    Attributes:
        order: positions in depth-first order, dialogue after dialogue; a parent comes before its children, and of
            several children the one with the most descendants comes first.
        children: per message, its children: the one with the most descendants, then the others in message order.
        roots: per dialogue, its roots in message order.
        depth: messages between it and its root.
        tree_left: place in the depth-first order of its dialogue, from 0.
        tree_right: largest ``tree_left`` among itself and its descendants.
        run_left: ``tree_left`` of the first message of its run. A run goes from a message to the child that comes
            first, again and again, so ``tree_left`` counts on along it, and a path from a root is made of at most
            log2(messages) pieces of runs.
        run_parent_left: ``tree_left`` of the parent of its run's first message; -1 if that is a root.
        sibling_index: place among its siblings (roots are siblings of each other).
        primary_leaf: per dialogue, the leaf that is deepest, then most recent, then last in sequence; -1 without
            messages (seed 000; ties by decision).
        on_primary_path, on_active_path: on the way to the primary leaf, to the message the source points to.
    """

    order: list[int]
    children: list[list[int]]
    roots: list[list[int]]
    depth: list[int]
    tree_left: list[int]
    tree_right: list[int]
    run_left: list[int]
    run_parent_left: list[int]
    sibling_index: list[int]
    primary_leaf: list[int]
    on_primary_path: list[bool]
    on_active_path: list[bool]

    def group_class(self, roles: list[str], siblings: list[int]) -> str:
        """Return what a group of siblings is: ``regeneration``, ``edit`` or ``fork`` (decision on branch classes)."""
        kinds = {roles[sibling] for sibling in siblings}
        if kinds <= ASSISTANT_SIDE:
            return "regeneration"
        return "edit" if kinds == {"user"} else "fork"

    def class_below(self, roles: list[str], parent: int) -> str:
        """Return what the children of a message are; roots (-1), of which nothing is shared, are a ``fork``."""
        return "fork" if parent == ROOT else self.group_class(roles, self.children[parent])

    def way_down(self, position: int) -> list[int]:
        """Return what is below a message down to a leaf, by the primary path, else by the latest child."""
        way: list[int] = []
        while below := self.children[position]:
            position = next((child for child in below if self.on_primary_path[child]), max(below))
            way.append(position)
        return way


def forest_of(batch: DialogueBatch) -> Forest:
    """Return the tree structure, computed once and shared by all derived tables."""
    return batch.computed(build_forest)


def build_forest(batch: DialogueBatch) -> Forest:
    """Compute the structure of all dialogues of the batch.

    Raises:
        CyclicParentsError: some messages cannot be reached from a root.
    """
    children, roots, sibling_index = _children(batch)
    from_roots = _breadth_first_order(children, roots)
    if len(from_roots) != len(batch):
        reached = set(from_roots)
        lost = next(position for position in range(len(batch)) if position not in reached)
        raise CyclicParentsError(
            f"dialogue {batch.dialogue_of_message[lost]}: the parents of its messages form a cycle"
        )
    _largest_first(batch.parent, children, from_roots)
    order = _depth_first_order(children, roots)
    depth, tree_left, tree_right = _intervals(batch, order)
    run_left, run_parent_left = _runs(batch.parent, order, tree_left)
    primary_leaf = _primary_leaves(batch, children, depth)
    return Forest(
        order=order,
        children=children,
        roots=roots,
        depth=depth,
        tree_left=tree_left,
        tree_right=tree_right,
        run_left=run_left,
        run_parent_left=run_parent_left,
        sibling_index=sibling_index,
        primary_leaf=primary_leaf,
        on_primary_path=_on_path_to(batch.parent, primary_leaf),
        on_active_path=_on_path_to(batch.parent, _active_messages(batch)),
    )


def _children(batch: DialogueBatch) -> tuple[list[list[int]], list[list[int]], list[int]]:
    children: list[list[int]] = [[] for _ in range(len(batch))]
    roots: list[list[int]] = [[] for _ in batch.dialogue_ids]
    sibling_index: list[int] = []
    dialogue = batch.dialogue
    for position, parent in enumerate(batch.parent):
        siblings = roots[dialogue[position]] if parent == ROOT else children[parent]
        sibling_index.append(len(siblings))
        siblings.append(position)
    return children, roots, sibling_index


def _breadth_first_order(children: list[list[int]], roots: list[list[int]]) -> list[int]:
    order = [*chain.from_iterable(roots)]
    for position in order:  # which grows meanwhile
        order += children[position]
    return order


def _depth_first_order(children: list[list[int]], roots: list[list[int]]) -> list[int]:
    order: list[int] = []
    for dialogue_roots in roots:
        stack = dialogue_roots[::-1]
        while stack:
            below = [stack.pop()]
            # Most messages have one child, which needs no place on the stack.
            while len(below) == 1:
                [position] = below
                order.append(position)
                below = children[position]
            stack += reversed(below)
    return order


def _largest_first(parents: list[int], children: list[list[int]], order: list[int]) -> None:
    """Move the child with the most descendants to the front of its siblings; in the order, parents come first."""
    size = [1] * len(order)
    for position in reversed(order):
        if parents[position] != ROOT:
            size[parents[position]] += size[position]
    for siblings in children:
        if len(siblings) > 1:
            largest = max(siblings, key=size.__getitem__)
            siblings.remove(largest)
            siblings.insert(0, largest)


def _runs(parents: list[int], order: list[int], tree_left: list[int]) -> tuple[list[int], list[int]]:
    run_left, run_parent_left = [0] * len(order), [-1] * len(order)
    for position in order:
        parent = parents[position]
        if parent == ROOT:
            run_left[position] = tree_left[position]
        elif tree_left[position] == tree_left[parent] + 1:
            run_left[position], run_parent_left[position] = run_left[parent], run_parent_left[parent]
        else:
            run_left[position], run_parent_left[position] = tree_left[position], tree_left[parent]
    return run_left, run_parent_left


def _intervals(batch: DialogueBatch, order: list[int]) -> tuple[list[int], list[int], list[int]]:
    parents, dialogue = batch.parent, batch.dialogue
    count = len(order)
    depth, tree_left, tree_right = [0] * count, [0] * count, [0] * count
    current, left = -1, 0
    for position in order:
        if dialogue[position] != current:
            current, left = dialogue[position], 0
        tree_left[position] = tree_right[position] = left
        left += 1
        parent = parents[position]
        if parent != ROOT:
            depth[position] = depth[parent] + 1
    for position in reversed(order):
        parent = parents[position]
        if parent != ROOT and tree_right[position] > tree_right[parent]:
            tree_right[parent] = tree_right[position]
    return depth, tree_left, tree_right


def _primary_leaves(batch: DialogueBatch, children: list[list[int]], depth: list[int]) -> list[int]:
    best = [-1] * len(batch.dialogue_ids)
    best_score: list[tuple[int, int, int]] = [(-1, 0, 0)] * len(best)
    times: list[int] = batch.created_at.tolist()
    numbers, dialogue = batch.sequence_number, batch.dialogue
    for position, below in enumerate(children):
        if below:
            continue
        index = dialogue[position]
        score = (depth[position], times[position], numbers[position])
        if score > best_score[index]:
            best_score[index], best[index] = score, position
    return best


def _active_messages(batch: DialogueBatch) -> list[int]:
    wanted = {active for active in batch.active_ids if active is not None}
    found = {message_id: position for position, message_id in enumerate(batch.message_ids) if message_id in wanted}
    return [-1 if active is None else found.get(active, -1) for active in batch.active_ids]


def _on_path_to(parents: list[int], targets: list[int]) -> list[bool]:
    marked = [False] * len(parents)
    for target in targets:
        position = target
        while position != ROOT:
            marked[position] = True
            position = parents[position]
    return marked
