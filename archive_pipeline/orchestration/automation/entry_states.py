"""What sensors of imports remember of the entries that they watch, and whether an entry was imported.

An entry that was asked for is followed until its run has ended. If that run gave its key back, or was lost, the entry
is asked for again, a bounded number of times. Then, or when its run ended in another way, only its signature is kept.
"""

from __future__ import annotations

import base64
import zlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

import orjson

from archive_pipeline.orchestration.instance.run_keys import Fate

MOST_TIMES_ASKED: Final = 4
# Each costs two queries. Runs take their time, and those that were asked for first end first.
FOLLOWED_PER_SCAN: Final = 100
_VERSION: Final = 2

FateOf = Callable[[str], Fate]


@dataclass(frozen=True, slots=True)
class EntryState:
    """What earlier looks found out about an entry.

    Attributes:
        signature: when it was last looked at.
        file, offset: how far its content was hashed.
        digest: of the content up to there.
        is_taken: its content was handed over; nothing more to do until it changes, or its run turns out to be lost.
        times_asked: how often it was handed over.
        is_settled: its run has ended, or was lost too often.
    """

    signature: str
    file: int = 0
    offset: int = 0
    digest: str = ""
    is_taken: bool = False
    times_asked: int = 0
    is_settled: bool = False

    def taken(self) -> EntryState:
        """Return the state of the entry when its content is handed over."""
        return replace(self, is_taken=True, times_asked=self.times_asked + 1)


@dataclass(frozen=True, slots=True)
class Cursor:
    """What a sensor knows between two looks.

    Attributes:
        entries: states by name.
        notes: what people were told at the last look.
    """

    entries: Mapping[str, EntryState]
    notes: tuple[str, ...] = ()


def followed(known: Mapping[str, EntryState | None], fate_of: FateOf, notes: list[str]) -> dict[str, EntryState | None]:
    """Return the states after a look at what became of the runs that were asked for."""
    result = dict(known)
    pending = [name for name, state in known.items() if state is not None and state.is_taken and not state.is_settled]
    for name in pending[:FOLLOWED_PER_SCAN]:
        result[name] = _followed(name, known[name], fate_of, notes)
    return result


def _followed(name: str, state: EntryState | None, fate_of: FateOf, notes: list[str]) -> EntryState | None:
    if state is None:
        return None
    fate = fate_of(state.digest or state.signature)  # of the inbox both are the same
    if fate is Fate.UNDER_WAY:
        return state
    if fate is Fate.UNREAD and state.times_asked < MOST_TIMES_ASKED:
        return replace(state, is_taken=False)
    if fate is Fate.UNREAD:
        notes.append(
            f"{name} is not imported: {state.times_asked} runs ended before they had read it. Once what they say is "
            "mended, rename it or start the last one anew"
        )
    return EntryState(state.signature, is_taken=True, is_settled=True)


def parse_cursor(text: str | None) -> Cursor:
    """Return what a cursor says; one that cannot be read says nothing, which costs another look."""
    try:
        is_plain = not text or text.startswith("{")  # as version 0.1 wrote it
        document: Any = orjson.loads((text or "{}") if is_plain else zlib.decompress(base64.b85decode(text or "")))
        if document.get("version") not in {1, _VERSION}:
            return Cursor({})
        entries = {name: EntryState(*fields) for name, fields in document["entries"].items()}
        return Cursor(entries, tuple(document.get("notes", ())))
    except (ValueError, TypeError, KeyError, AttributeError, zlib.error):
        return Cursor({})


def write_cursor(cursor: Cursor) -> str:
    """Return the cursor as a text in which little is repeated: Dagster's UI shows it whole."""
    entries = {
        name: [
            state.signature,
            state.file,
            state.offset,
            state.digest,
            state.is_taken,
            state.times_asked,
            state.is_settled,
        ]
        for name, state in cursor.entries.items()
    }
    document = orjson.dumps({"version": _VERSION, "entries": entries, "notes": cursor.notes})
    return base64.b85encode(zlib.compress(document)).decode()
