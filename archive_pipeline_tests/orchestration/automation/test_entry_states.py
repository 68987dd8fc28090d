"""What a cursor holds, and which cursors of earlier versions are read."""

from __future__ import annotations

import hashlib
import json

from archive_pipeline.orchestration.automation.entry_states import (
    FOLLOWED_PER_SCAN,
    Cursor,
    EntryState,
    followed,
    parse_cursor,
    write_cursor,
)
from archive_pipeline.orchestration.instance.run_keys import Fate

ENTRIES = 2_000


def digest(number: int) -> str:
    return hashlib.sha256(str(number).encode()).hexdigest()


def test_the_cursor_of_as_many_entries_as_are_watched_is_small():
    settled = {
        f"conversations-{number:06d}.zip": EntryState(digest(number)[:32], is_taken=True, is_settled=True)
        for number in range(ENTRIES)
    }
    text = write_cursor(Cursor(settled))
    assert len(text) < 65_000
    assert parse_cursor(text) == Cursor(settled)
    asked = {
        f"{'n' * 90}{number:06d}.zip": EntryState(digest(number)[:32], 1, 0, digest(-number)).taken()
        for number in range(ENTRIES)
    }
    cursor = Cursor(asked, ("a note of é",))
    assert len(write_cursor(cursor)) < 200_000
    assert parse_cursor(write_cursor(cursor)) == cursor


def test_the_cursor_of_an_earlier_version_is_read_and_what_it_has_as_taken_is_looked_up():
    text = json.dumps({"version": 1, "entries": {"a": ["s", 1, 0, "da", True], "b": ["t", 1, 0, "db", True]}})
    known = parse_cursor(text).entries
    fates = {"da": Fate.UNREAD, "db": Fate.UNKNOWN}
    notes: list[str] = []
    assert followed(known, fates.__getitem__, notes) == {
        "a": EntryState("s", 1, 0, "da"),
        "b": EntryState("t", is_taken=True, is_settled=True),
    }
    assert notes == []


def test_a_look_follows_a_bounded_number_of_runs():
    known = {f"{number:03}": EntryState("s", 1, 0, digest(number)).taken() for number in range(150)}
    asked: list[str] = []
    followed(known, lambda content: asked.append(content) or Fate.UNDER_WAY, [])
    assert asked == [digest(number) for number in range(FOLLOWED_PER_SCAN)]
