"""Answers of other dialogues to the question of a result: search puts them aside, a context has them if it has room."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any


def independent_alternatives(results: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return the alternatives of results that have an answer of their own, as results, best first."""
    found = [
        {**other, "metadata": {"answered_at": other["answered_at"]}}
        for result in results
        for other in result.get("alternatives") or ()
        if other.get("is_independent")
    ]
    return sorted(found, key=lambda other: float(other["score"]), reverse=True)
