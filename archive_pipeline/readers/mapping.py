"""A mapping of nodes by key, as ChatGPT and DeepSeek write it: which node a name means, and what is above each.

What a node says stays in each vendor's module.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from archive_pipeline.readers.json.shapes import as_identifier, as_list, as_object


def aliases_of(mapping: Mapping[str, Any]) -> dict[str, str]:
    """Returns the key of every node id and message id that is not a key itself: pointers may use any of them."""
    aliases: dict[str, str] = {}
    for key, node in mapping.items():
        if not isinstance(node, dict):
            continue
        message = node.get("message")
        for name in (node.get("id"), message.get("id") if isinstance(message, dict) else None):
            if name != key and (known := as_identifier(name)) is not None and known not in mapping:
                aliases.setdefault(known, key)
    return aliases


def parents_of(mapping: Mapping[str, Any], aliases: Mapping[str, str]) -> dict[str, str | None]:
    """Returns the parent of each node, as a key where the mapping has it.

    Where no node names a parent, it is the first other one that has the node among its ``children``.
    """
    parents = {
        key: as_identifier(node.get("parent")) if isinstance(node, dict) else None for key, node in mapping.items()
    }
    if not any(parents.values()):
        return parents | _parents_from_children(mapping, aliases)
    return {key: aliases.get(parent, parent) if parent else None for key, parent in parents.items()}


def _parents_from_children(mapping: Mapping[str, Any], aliases: Mapping[str, str]) -> dict[str, str]:
    parents: dict[str, str] = {}
    for key, node in mapping.items():
        for child in map(as_identifier, as_list(as_object(node).get("children"))):
            known = aliases.get(child, child) if child is not None else None
            if known is not None and known != key and known in mapping:
                parents.setdefault(known, key)
    return parents
