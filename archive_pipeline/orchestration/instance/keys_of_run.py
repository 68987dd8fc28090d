"""Partition keys as they were when a run began that this process executes.

Dagster asks some two hundred times in a run whether the ends of its range are there, and for all keys between them. A
run is of the dialogues that it was planned for: keys that are added meanwhile stand behind them, and one that is
deleted has no dialogue to build, so to read them once is enough.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass


@dataclass(frozen=True)
class Keys:
    """The keys of a partitions definition, in their order and as a set."""

    in_order: list[str]
    members: frozenset[str]


_read: ContextVar[dict[tuple[int, str], Keys] | None] = ContextVar("keys_of_run", default=None)


@contextmanager
def keys_read_once() -> Iterator[None]:
    """Let storages read the keys of each definition once in the block, in this thread."""
    token = _read.set({})
    try:
        yield
    finally:
        _read.reset(token)


def keys_of_run(storage: object, name: str, read: Callable[[str], Sequence[str]]) -> Keys | None:
    """Return the keys of a definition that a storage reads once, None outside of a run."""
    known = _read.get()
    if known is None:
        return None
    place = (id(storage), name)
    if place not in known:
        keys = list(read(name))
        known[place] = Keys(keys, frozenset(keys))
    return known[place]
