"""Train, validation and test: what shares a cluster of duplicates or a beginning is on one side.

Dialogues that share a cluster of duplicates, or all messages up to some response (forks, resumed chats), are one
component; a component is in one split as a whole. Near clusters are stars: of two near-duplicates of which neither is
the kept member of the other's cluster nothing is stored, and they may be on two sides. Which split a component is in
depends on its smallest id alone, so an export of a part of the archive splits as one of all of it, and more dialogues
move none unless they join components.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from typing import Final

from archive_pipeline.export.choices import SPLITS
from archive_pipeline.store.snapshot import Snapshot
from archive_pipeline.store.sql_files import load_query

_HASH_BYTES: Final = 8
_HASHES: Final = 1 << (8 * _HASH_BYTES)


def read_components(snapshot: Snapshot) -> dict[str, str]:
    """Return per dialogue that is linked to another the smallest id of its component; memory grows with links."""
    with snapshot.connection.cursor("dialogue_links") as cursor:
        return components(cursor.execute(load_query("export/dialogue_links").rstrip().rstrip(";")))


def components(links: Iterable[tuple[str, str]]) -> dict[str, str]:
    """Return per dialogue the smallest id of its component.

    Args:
        links: (dialogue, what it has): dialogues that have the same are linked.
    """
    parent: dict[str, str] = {}
    first: dict[str, str] = {}
    for dialogue, link in links:
        parent.setdefault(dialogue, dialogue)
        one, other = _root(parent, dialogue), _root(parent, first.setdefault(link, dialogue))
        # The smallest id is the root, so that the order of links does not matter.
        parent[max(one, other)] = min(one, other)
    return {dialogue: _root(parent, dialogue) for dialogue in parent}


def _root(parent: dict[str, str], name: str) -> str:
    while parent[name] != name:
        parent[name] = parent[parent[name]]
        name = parent[name]
    return name


def split_of(dialogue_id: str, component: Mapping[str, str], shares: tuple[float, ...]) -> str:
    """Return the split of a dialogue.

    Args:
        dialogue_id: the dialogue.
        component: as ``components`` returns it.
        shares: of train, validation and test; they add up to 1.
    """
    name = component.get(dialogue_id, dialogue_id)
    place = int.from_bytes(hashlib.sha256(name.encode()).digest()[:_HASH_BYTES], "big") / _HASHES
    end = 0.0
    for split, share in zip(SPLITS, shares, strict=True):
        end += share
        if place < end:
            return split
    # Rounding may leave the sum just below 1.
    return next(split for split, share in reversed([*zip(SPLITS, shares, strict=True)]) if share)
