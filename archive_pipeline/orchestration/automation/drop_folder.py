"""The drop folder: which of its entries are complete and new, told without a clock and without reading them twice.

An entry is a file, or a folder with all that is in it. It counts as complete when a second look finds the same sizes
and modification times; they are compared for equality only, so clocks may go back. Then its content is hashed, a
bounded number of bytes and seconds per look. What is known of each entry is kept in a cursor (``entry_states``).
"""

from __future__ import annotations

import hashlib
import math
import os
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from archive_pipeline.orchestration.automation.entry_states import (
    Cursor,
    EntryState,
    FateOf,
    followed,
    parse_cursor,
    write_cursor,
)
from archive_pipeline.orchestration.instance.run_keys import Fate
from archive_pipeline.readers.file_ids import ids_of
from archive_pipeline.readers.found import is_opened

BYTES_PER_SCAN: Final = 1_000_000_000
# Dagster waits a minute for a sensor and then throws away what it found out: a slow disk would be read for ever. After
# these seconds a look ends with the block it is in.
SECONDS_PER_SCAN: Final = 20.0
ENTRIES_PER_SCAN: Final = 25
# Entries beyond these are not watched; with all that is known of an entry the cursor stays below half a megabyte.
MOST_ENTRIES: Final = 2_000
BLOCK_BYTES: Final = 64 * 1024 * 1024
# What browsers and copying programs call a file that they have not finished.
UNFINISHED: Final = (".crdownload", ".download", ".opdownload", ".part", ".partial", ".tmp")


@dataclass(frozen=True, slots=True)
class Entry:
    """What stands in the drop folder under one name.

    Attributes:
        signature: differs whenever a file comes, goes, or changes its size or modification time.
        files: paths and sizes of the files whose content an import would read, sorted.
    """

    signature: str
    files: tuple[tuple[Path, int], ...]


@dataclass(frozen=True, slots=True)
class ReadyEntry:
    """An entry to import: where it is, its signature, and the hash of its content, which no other content has."""

    path: Path
    signature: str
    content: str


@dataclass(frozen=True, slots=True)
class ScanResult:
    """The result of a look at the drop folder.

    Attributes:
        ready: what to import, in the order of names, each content once.
        cursor: for the next look.
        waiting: entries that may still be growing, are not hashed to their end, or whose content has a run under way.
        notes: for people: what cannot be read, and what is not watched.
        new_notes: those of them that the last look did not have.
    """

    ready: tuple[ReadyEntry, ...]
    cursor: str
    waiting: int
    notes: tuple[str, ...]
    new_notes: tuple[str, ...]


def scan_once(
    folder: Path,
    cursor: str | None,
    fate_of: FateOf,
    *,
    budget: int = BYTES_PER_SCAN,
    seconds: float = SECONDS_PER_SCAN,
) -> ScanResult:
    """Scan the folder once; hash up to ``budget`` bytes (rounded up to a block) of what is complete.

    After ``seconds`` no further block is begun, but for the first one: every look gets on. An entry waits while
    ``fate_of`` says of its content that a run has not ended: that run may find the file gone.
    """
    deadline = time.monotonic() + seconds
    notes: list[str] = []
    entries = scan(folder, notes)
    before = parse_cursor(cursor)
    known = followed(settle(before.entries, entries), fate_of, notes)
    ready: dict[str, ReadyEntry] = {}
    has_read = False
    for name, entry in entries.items():
        state = known[name]
        if state is None or state.is_taken:
            continue
        is_late = has_read and time.monotonic() >= deadline
        if budget <= 0 or is_late or len(ready) == ENTRIES_PER_SCAN:
            break
        try:
            state, used = hash_on(entry, state, budget, deadline)
        except OSError as error:
            notes.append(f"{name} cannot be read: {error.strerror}")
            continue
        budget, has_read = budget - used, True
        known[name] = state
        is_ready = state.file == len(entry.files) and _is_unchanged(folder / name, entry)
        if is_ready and state.digest not in ready and fate_of(state.digest) is not Fate.UNDER_WAY:
            ready[state.digest] = ReadyEntry(folder / name, state.signature, state.digest)
            known[name] = state.taken()
    kept = {name: known[name] or EntryState(entry.signature) for name, entry in entries.items()}
    waiting = sum(not state.is_taken for state in kept.values())
    new_notes = tuple(note for note in notes if note not in before.notes)
    return ScanResult(tuple(ready.values()), write_cursor(Cursor(kept, tuple(notes))), waiting, tuple(notes), new_notes)


def settle(known: Mapping[str, EntryState], entries: Mapping[str, Entry]) -> dict[str, EntryState | None]:
    """Return what is still true of each present entry: None for one that is new or has changed since the last look."""
    settled: dict[str, EntryState | None] = {}
    for name, entry in entries.items():
        state = known.get(name)
        settled[name] = state if state is not None and state.signature == entry.signature else None
    return settled


def scan(folder: Path, notes: list[str]) -> dict[str, Entry]:
    """Return the folder's entries by name, in order; what is hidden, empty or called unfinished is left out."""
    listed = os.listdir(folder) if folder.is_dir() else []  # noqa: PTH208 (names, not paths)
    names = sorted(name for name in listed if not _is_unfinished(name) and _is_text(name, notes))
    if len(names) > MOST_ENTRIES:
        notes.append(
            f"{folder} has {len(names):,} entries; the first {MOST_ENTRIES:,} are watched: put exports into folders"
        )
    entries: dict[str, Entry] = {}
    for name in names[:MOST_ENTRIES]:
        try:
            entry = entry_at(folder / name)
        except OSError as error:
            notes.append(f"{name} cannot be read: {error.strerror}")
            continue
        if entry is not None and entry.files:
            entries[name] = entry
        elif entry is not None:
            notes.append(f"{name} holds neither JSON nor zip nor attached files")
    return entries


def entry_at(path: Path) -> Entry | None:
    """Return what stands at a path, None if there is nothing in it yet or a program is still writing it."""
    files = _files_below(path) if path.is_dir() else [path]
    if not files or any(_is_unfinished(file.name) for file in files):
        return None
    found = [(file, file.stat()) for file in files]
    if not any(status.st_size for _, status in found):
        return None
    described = [[os.path.relpath(file, path), status.st_size, status.st_mtime_ns] for file, status in found]
    signature = hashlib.sha256(repr(described).encode("utf-8", "surrogatepass")).hexdigest()[:32]
    read = [(file, status.st_size) for file, status in found if file == path or _is_read_in_folders(path, file)]
    return Entry(signature, tuple(read))


def hash_on(entry: Entry, state: EntryState, budget: int, deadline: float) -> tuple[EntryState, int]:
    """Hash the content from where ``state`` is, and return the new state and how many bytes were read.

    At least one block is read, and none is begun after the deadline (of the monotonic clock).

    The digest is a chain over blocks of a fixed size, so that it can be continued by another process and does not
    depend on where looks ended. A file that has grown since the look is not read to its end.
    """
    used, file, offset, digest = 0, state.file, state.offset, state.digest
    while file < len(entry.files) and _may_go_on(used, budget, deadline):
        path, size = entry.files[file]
        if offset > size:  # it has grown, which the next look sees
            break
        with path.open("rb") as stream:
            stream.seek(offset)
            while offset <= size and _may_go_on(used, budget, deadline):
                block = stream.read(BLOCK_BYTES)
                used += len(block)
                offset += len(block)
                ended = len(block) < BLOCK_BYTES
                digest = hashlib.sha256(f"{digest}|{int(ended)}|".encode() + block).hexdigest()
                if ended:
                    file, offset = file + 1, 0
                    break
    return replace(state, file=file, offset=offset, digest=digest), used


def digest_of(entry: Entry) -> str | None:
    """Return the hash of an entry's whole content, None where a file has grown meanwhile."""
    state, _ = hash_on(entry, EntryState(entry.signature), sys.maxsize, math.inf)
    return state.digest if state.file == len(entry.files) else None


def _may_go_on(used: int, budget: int, deadline: float) -> bool:
    return used < budget and (not used or time.monotonic() < deadline)


def _is_unchanged(path: Path, entry: Entry) -> bool:
    try:
        now = entry_at(path)
    except OSError:
        return False
    return now is not None and now.signature == entry.signature


def _files_below(folder: Path) -> Sequence[Path]:
    found: list[Path] = []
    for root, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        found += [Path(root) / name for name in sorted(names) if not name.startswith(".")]
    return [path for path in found if path.is_file()]


def _is_unfinished(name: str) -> bool:
    return name.startswith(".") or name.lower().endswith(UNFINISHED)


def _is_read_in_folders(folder: Path, path: Path) -> bool:
    return is_opened(path.name, path.as_posix()) or bool(ids_of(path.relative_to(folder).as_posix(), {}))


def _is_text(name: str, notes: list[str]) -> bool:
    try:
        name.encode()
    except UnicodeEncodeError:
        notes.append(f"{name!a} has a name that is not Unicode: rename it")
        return False
    return True
