"""The inbox: a prefix of an object storage that is watched as the drop folder is, by listings alone.

An entry is an object below the prefix, or all objects below a further one. It counts as complete when a second look
finds the same names, sizes and versions. Storages say which version an object has, so that nothing has to be read.
"""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from archive_pipeline.orchestration.automation.drop_folder import ENTRIES_PER_SCAN, MOST_ENTRIES, UNFINISHED
from archive_pipeline.orchestration.automation.entry_states import (
    Cursor,
    EntryState,
    FateOf,
    followed,
    parse_cursor,
    write_cursor,
)
from archive_pipeline.orchestration.instance.run_keys import Fate
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
        notes: for people: what is not imported, and whether there is more than is watched.
        new_notes: those of them that the last look did not have.
    """

    ready: tuple[ReadyAddress, ...]
    cursor: str
    waiting: int
    notes: tuple[str, ...]
    new_notes: tuple[str, ...]


def scan_inbox(inbox: str, objects: Iterable[RemoteObject], cursor: str | None, fate_of: FateOf) -> InboxScan:
    """Return what is complete and new of the objects below an inbox.

    An entry waits while ``fate_of`` says of its content that a run has not ended, or while another entry has it.
    """
    notes: list[str] = []
    signatures = _watched(inbox, objects, notes)
    before = parse_cursor(cursor)
    unchanged = {name: state for name, state in before.entries.items() if signatures.get(name) == state.signature}
    known = followed(unchanged, fate_of, notes)
    kept: dict[str, EntryState] = {}
    ready: dict[str, ReadyAddress] = {}
    for name, signature in signatures.items():
        state = known.get(name)
        if state is None:
            state = EntryState(signature)
        elif not (
            state.is_taken
            or len(ready) == ENTRIES_PER_SCAN
            or signature in ready
            or fate_of(signature) is Fate.UNDER_WAY
        ):
            ready[signature] = ReadyAddress(f"{inbox.rstrip('/')}/{name}", name.rstrip("/"), signature)
            state = state.taken()
        kept[name] = state
    waiting = sum(not state.is_taken for state in kept.values())
    new_notes = tuple(note for note in notes if note not in before.notes)
    return InboxScan(tuple(ready.values()), write_cursor(Cursor(kept, tuple(notes))), waiting, tuple(notes), new_notes)


def content_of(address: str, objects: Iterable[RemoteObject]) -> str | None:
    """Return what no other content has of the objects at the address of an entry, None if there are none."""
    inbox, _, name = address.rstrip("/").rpartition("/")
    entries = _entries(inbox, objects)
    content = entries.get(f"{name}/" if address.endswith("/") else name)
    return None if content is None else _signature(content)


def _watched(inbox: str, objects: Iterable[RemoteObject], notes: list[str]) -> dict[str, str]:
    """Return the signatures of the entries that are watched, by their names."""
    found = sorted(_entries(inbox, objects).items())
    if len(found) > MOST_ENTRIES:
        notes.append(
            f"{inbox} has {len(found):,} entries; the first {MOST_ENTRIES:,} are watched: put exports below prefixes"
        )
    return {name: _signature(content) for name, content in found[:MOST_ENTRIES]}


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
