"""Which answers an export leaves out as copies: of each cluster of duplicates it keeps one of those that it has.

What the archive keeps of a cluster may not be among them: another dialogue was chosen, or another path. So the answers
of all examples are offered first, and then written.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final, NamedTuple

import pyarrow as pa

from archive_pipeline.domain.choices import DroppedDuplicates

_NEAR: Final = "near"


class Member(NamedTuple):
    """What a message is in the widest cluster that counts.

    Attributes:
        cluster_id: of the cluster.
        is_kept: it is the one that the archive keeps.
    """

    cluster_id: str
    is_kept: bool


Members = Mapping[str, Member]


def cluster_members(rows: pa.Table, drop: DroppedDuplicates) -> dict[str, Member]:
    """Return per id of a message its place in the widest of its clusters: each is contained in the next.

    Args:
        rows: of ``export/cluster_members``.
        drop: the methods that count: near-duplicates too, or not.
    """
    widest: dict[str, tuple[tuple[int, str], Member]] = {}
    for row in rows.to_pylist():
        if drop != _NEAR and row["method"] == _NEAR:
            continue
        found = ((row["cluster_size"], row["method"]), Member(row["cluster_id"], row["is_kept"]))
        message_id: str = row["message_id"]
        widest[message_id] = max(found, widest.get(message_id, found))
    return {message_id: member for message_id, (_, member) in widest.items()}


@dataclass
class KeptAnswers:
    """The answer that an export keeps of each cluster.

    Attributes:
        is_offering: answers are offered and nothing is written.
        of_cluster: id of a cluster -> id of the message that is kept.
    """

    is_offering: bool = False
    of_cluster: dict[str, str] = field(default_factory=dict)

    def offer(self, message_ids: Iterable[str], members: Members) -> None:
        """Keep what the archive keeps; of a cluster whose kept member is never offered, what is offered first."""
        for message_id in message_ids:
            member = members.get(message_id)
            if member is not None and (member.is_kept or member.cluster_id not in self.of_cluster):
                self.of_cluster[member.cluster_id] = message_id

    def are_copies(self, message_ids: Iterable[str], members: Members) -> bool:
        """Return whether each message is a copy of one that is kept."""
        return all(
            (member := members.get(message_id)) is not None
            and self.of_cluster.get(member.cluster_id, message_id) != message_id
            for message_id in message_ids
        )
