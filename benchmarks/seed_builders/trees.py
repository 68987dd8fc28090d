"""The seed's ``TreeBuilder``: paths by breadth-first search, the primary path, one sequence a leaf.

Where the document leaves a method out (sibling index, branch reason, branch point, classes of branches), the shortest
reading of its name stands here.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Final
from uuid import UUID, uuid4

from sqlalchemy.orm import Session

from benchmarks.seed_builders.models import DialogueTree, LinearSequence, Message, MessagePath, SequenceMessage

BATCH_SIZE: Final = 100
EARLIEST: Final = datetime.min.replace(tzinfo=UTC)


class TreeBuilder:
    """Builds derived tree structures from raw messages."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self._messages: dict[UUID, Message] = {}

    def build(self, dialogue_ids: Sequence[UUID], batch_size: int = BATCH_SIZE) -> None:
        """Build tree structures for the dialogues, committing once a batch."""
        for i, dialogue_id in enumerate(dialogue_ids):
            self._process_dialogue(dialogue_id)
            if (i + 1) % batch_size == 0:
                self.session.commit()
        self.session.commit()

    def _process_dialogue(self, dialogue_id: UUID) -> None:
        messages = (
            self.session.query(Message)
            .filter(Message.dialogue_id == dialogue_id)
            .filter(Message.deleted_at.is_(None))
            .order_by(Message.created_at.nulls_first(), Message.id)
            .all()
        )
        self._messages = {m.id: m for m in messages}
        paths = self._compute_paths(dialogue_id, messages)
        primary_ids = self._select_primary_path(paths, self._messages)
        for path in paths:
            path.is_on_primary_path = path.message_id in primary_ids
            self.session.add(path)
        for sequence in self._extract_sequences(dialogue_id, paths):
            self.session.add(sequence)
        self.session.add(self._create_tree_analysis(dialogue_id, paths))

    def _compute_paths(self, dialogue_id: UUID, messages: list[Message]) -> list[MessagePath]:
        """Compute materialized paths for all messages."""
        paths = []
        children_of: dict[UUID, list[UUID]] = defaultdict(list)
        for m in messages:
            if m.parent_id:
                children_of[m.parent_id].append(m.id)
        roots = [m for m in messages if m.parent_id is None]
        queue: list[tuple[UUID, list[UUID]]] = [(root.id, []) for root in roots]
        while queue:
            msg_id, ancestor_path = queue.pop(0)
            children = children_of[msg_id]
            path = MessagePath(
                message_id=msg_id,
                dialogue_id=dialogue_id,
                ancestor_path=ancestor_path,
                depth=len(ancestor_path),
                is_root=len(ancestor_path) == 0,
                is_leaf=len(children) == 0,
                child_count=len(children),
                sibling_index=self._compute_sibling_index(msg_id, ancestor_path, children_of),
                is_on_primary_path=False,
            )
            paths.append(path)
            for child_id in children:
                queue.append((child_id, [*ancestor_path, msg_id]))  # noqa: PERF401 - as the seed has it
        return paths

    def _compute_sibling_index(
        self, msg_id: UUID, ancestor_path: list[UUID], children_of: dict[UUID, list[UUID]]
    ) -> int:
        return children_of[ancestor_path[-1]].index(msg_id) if ancestor_path else 0

    def _select_primary_path(self, paths: list[MessagePath], messages: dict[UUID, Message]) -> set[UUID]:
        """Select the primary (main) conversation path: the deepest leaf, then the most recent."""
        leaves = [p for p in paths if p.is_leaf]
        if not leaves:
            return set()

        def score_leaf(path: MessagePath) -> tuple[int, datetime]:
            return (path.depth, messages[path.message_id].created_at or EARLIEST)

        best_leaf = max(leaves, key=score_leaf)
        return set(best_leaf.ancestor_path) | {best_leaf.message_id}

    def _extract_sequences(self, dialogue_id: UUID, paths: list[MessagePath]) -> list[LinearSequence]:
        """Extract all root-to-leaf paths as linear sequences."""
        sequences = []
        leaves = [p for p in paths if p.is_leaf]
        for leaf_path in leaves:
            sequence = LinearSequence(
                id=uuid4(),
                dialogue_id=dialogue_id,
                leaf_message_id=leaf_path.message_id,
                sequence_length=leaf_path.depth + 1,
                is_primary=leaf_path.is_on_primary_path,
                branch_reason=self._detect_branch_reason(leaf_path, paths),
                branched_at_depth=self._find_branch_point(leaf_path, paths),
            )
            sequences.append(sequence)
            all_msg_ids = [*leaf_path.ancestor_path, leaf_path.message_id]
            for position, msg_id in enumerate(all_msg_ids):
                self.session.add(SequenceMessage(sequence_id=sequence.id, message_id=msg_id, position=position))
        return sequences

    def _find_branch_point(self, leaf_path: MessagePath, paths: list[MessagePath]) -> int | None:
        if leaf_path.is_on_primary_path:
            return None
        by_id = {p.message_id: p for p in paths}
        shared = [by_id[i].depth for i in leaf_path.ancestor_path if by_id[i].is_on_primary_path]
        return max(shared) if shared else None

    def _detect_branch_reason(self, leaf_path: MessagePath, paths: list[MessagePath]) -> str:
        depth = self._find_branch_point(leaf_path, paths)
        if leaf_path.is_on_primary_path:
            return "primary"
        way = [*leaf_path.ancestor_path, leaf_path.message_id]
        branched = way[0 if depth is None else depth + 1]
        return "edit" if self._messages[branched].role == "user" else "regeneration"

    def _classify_branches(self, paths: list[MessagePath]) -> tuple[bool, bool]:
        parents = {p.message_id for p in paths if p.child_count > 1}
        roles = {self._messages[p.message_id].role for p in paths if p.ancestor_path and p.ancestor_path[-1] in parents}
        return bool(roles - {"user"}), "user" in roles

    def _create_tree_analysis(self, dialogue_id: UUID, paths: list[MessagePath]) -> DialogueTree:
        """Create aggregate tree statistics."""
        branch_count = sum(1 for p in paths if p.child_count > 1)
        has_regenerations, has_edits = self._classify_branches(paths)
        primary_leaves = [p for p in paths if p.is_leaf and p.is_on_primary_path]
        primary_leaf = primary_leaves[0] if primary_leaves else None
        return DialogueTree(
            dialogue_id=dialogue_id,
            total_nodes=len(paths),
            max_depth=max(p.depth for p in paths) if paths else 0,
            branch_count=branch_count,
            leaf_count=sum(1 for p in paths if p.is_leaf),
            primary_leaf_id=primary_leaf.message_id if primary_leaf else None,
            primary_path_length=primary_leaf.depth + 1 if primary_leaf else None,
            has_regenerations=has_regenerations,
            has_edits=has_edits,
        )
