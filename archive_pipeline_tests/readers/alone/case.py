"""What makes a conversation of one message."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any, TypeAlias

from benchmarks.fuzz.marks import Marks

# Makes a conversation of a kind and a role, and what of it is to be changed.
Maker: TypeAlias = Callable[[int, str, Marks], tuple[dict[str, Any], dict[str, Any]]]
# A source, what makes its conversations, the kind and the role.
Case: TypeAlias = tuple[str, Maker, int, str]


def seeded(seed: int | str) -> Random:
    return Random(seed)  # noqa: S311 - a test's
