"""The inbox: a prefix of an object storage that is watched as the drop folder is, by listings alone.

An entry is an object below the prefix, or all objects below a further one. It counts as complete when a second look
finds the same names, sizes and versions. Storages say which version an object has, so that nothing has to be read.
"""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from archive_pipeline.orchestration.automation.drop_folder import (
    ENTRIES_PER_SCAN,
    MOST_ENTRIES,
    UNFINISHED,
    EntryState,
    parse_cursor,
    write_cursor,
)
from archive_pipeline.remote.storage import RemoteObject

_DIGITS: Final = 32


@dataclass(frozen=True, slots=True)
class ReadyAddress:
    """An entry to import: its address, its name, and what no other content has."""

    address: str
    name: str
    content: str


@dataclass(frozen=True, slots=True)
class InboxScan:
    """The result of a look at the inbox.

    Attributes:
        ready: what to import, in the order of names, each content once.
        cursor: for the next look.
        waiting: entries that may still be growing, or whose content has a run that has not ended.
        note: for people, if there is more than is watched.
    """

    ready: tuple[ReadyAddress, ...]
    cursor: str
    waiting: int
    note: str | None


def scan_inbox(
    inbox: str, objects: Iterable[RemoteObject], cursor: str | None, is_under_way: Callable[[str], bool]
) -> InboxScan:
    """Return what is complete and new of the objects below an inbox.

    An entry waits while ``is_under_way`` says of its content that a run has not ended, or while another entry has it.
    """
    found = _entries(inbox, objects)
    entries = dict(sorted(found.items())[:MOST_ENTRIES])
    known = parse_cursor(cursor)
    kept: dict[str, EntryState] = {}
    ready: dict[str, ReadyAddress] = {}
    for name, content in entries.items():
        signature = _signature(content)
        state = known.get(name)
        if state is None or state.signature != signature:
            state = EntryState(signature)
        elif not (state.is_taken or len(ready) == ENTRIES_PER_SCAN or signature in ready or is_under_way(signature)):
            ready[signature] = ReadyAddress(f"{inbox.rstrip('/')}/{name}", name.rstrip("/"), signature)
            state = replace(state, is_taken=True)
        kept[name] = state
    waiting = sum(not state.is_taken for state in kept.values())
    note = None
    if len(found) > MOST_ENTRIES:
        note = f"{inbox} has {len(found):,} entries; the first {MOST_ENTRIES:,} are watched: put exports below prefixes"
    return InboxScan(tuple(ready.values()), write_cursor(kept), waiting, note)


def _entries(inbox: str, objects: Iterable[RemoteObject]) -> Mapping[str, Sequence[tuple[str, int, str]]]:
    """Return the objects of each entry, without its name: the same content has the same, whatever it is called."""
    found: defaultdict[str, list[tuple[str, int, str]]] = defaultdict(list)
    for item in objects:
        name, slash, rest = item.address[len(inbox.rstrip("/")) + 1 :].partition("/")
        if item.size and not name.startswith(".") and not item.address.lower().endswith(UNFINISHED):
            found[name + slash].append((rest, item.size, item.version))
    return found


def _signature(content: Sequence[tuple[str, int, str]]) -> str:
    return hashlib.sha256(repr(sorted(content)).encode("utf-8", "surrogatepass")).hexdigest()[:_DIGITS]
