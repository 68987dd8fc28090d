"""The drop folder: when an entry counts as complete, and what is remembered of it."""

from __future__ import annotations

import os
import time
from collections.abc import Collection
from pathlib import Path

import pytest

from archive_pipeline.orchestration.automation import drop_folder
from archive_pipeline.orchestration.automation.drop_folder import Entry, ScanResult, hash_on, scan_once, settle
from archive_pipeline.orchestration.automation.entry_states import MOST_TIMES_ASKED, EntryState, parse_cursor
from archive_pipeline.orchestration.instance.run_keys import Fate


def look(folder: Path, cursor: str | None, under_way: Collection[str] = (), **bounds: float) -> ScanResult:
    def fate_of(content: str) -> Fate:
        return Fate.UNDER_WAY if content in under_way else Fate.UNKNOWN

    return scan_once(folder, cursor, fate_of, **bounds)


def looks(folder: Path, times: int, cursor: str | None = None) -> ScanResult:
    for _ in range(times):
        seen = look(folder, cursor)
        cursor = seen.cursor
    return seen


def names(seen: ScanResult) -> list[str]:
    return [ready.path.name for ready in seen.ready]


def contents(seen: ScanResult) -> list[str]:
    return [ready.content for ready in seen.ready]


def test_a_file_is_taken_when_two_looks_find_it_the_same_and_never_again(tmp_path: Path) -> None:
    (tmp_path / "conversations.json").write_text("[]")
    first = look(tmp_path, None)
    assert (names(first), first.waiting) == ([], 1)
    second = look(tmp_path, first.cursor)
    assert (names(second), second.waiting) == (["conversations.json"], 0)
    assert names(looks(tmp_path, 3, second.cursor)) == []


def test_a_file_that_grows_between_looks_waits(tmp_path: Path) -> None:
    path, cursor = tmp_path / "conversations.json", None
    for size in range(1, 5):
        path.write_text("x" * size)
        seen = look(tmp_path, cursor)
        assert names(seen) == []
        cursor = seen.cursor
    assert names(look(tmp_path, cursor)) == ["conversations.json"]


def test_a_file_that_grew_since_the_look_is_not_read_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(drop_folder, "BLOCK_BYTES", 4)
    path = tmp_path / "conversations.json"
    path.write_text("x" * 40)
    entry, state = Entry("signature", ((path, 6),)), EntryState("signature")
    state, used = hash_on(entry, state, 1_000, time.monotonic() + 60)
    assert (state.file, used) == (0, 8)
    assert hash_on(entry, state, 1_000, time.monotonic() + 60) == (state, 0)


def test_a_taken_file_that_changes_is_taken_again_with_another_content(tmp_path: Path) -> None:
    path = tmp_path / "conversations.json"
    path.write_text("[1]")
    before = looks(tmp_path, 2)
    path.write_text("[1, 2]")
    after = looks(tmp_path, 2, before.cursor)
    assert names(after) == ["conversations.json"]
    assert after.ready[0].content != before.ready[0].content


def test_a_file_that_was_only_touched_has_the_same_content(tmp_path: Path) -> None:
    path = tmp_path / "conversations.json"
    path.write_text("[1]")
    before = looks(tmp_path, 2)
    os.utime(path, (1, 1))
    assert contents(looks(tmp_path, 2, before.cursor)) == contents(before)


@pytest.mark.parametrize("time", [0, 1, 4_000_000_000])
def test_times_of_files_may_lie_in_the_past_or_future_and_go_back(tmp_path: Path, time: int) -> None:
    path = tmp_path / "conversations.json"
    path.write_text("[1]")
    first = look(tmp_path, None)
    os.utime(path, (time, time))
    second = look(tmp_path, first.cursor)
    assert names(second) == []
    assert names(look(tmp_path, second.cursor)) == ["conversations.json"]


def test_two_copies_of_the_same_content_are_one_import(tmp_path: Path) -> None:
    for name in ("a.json", "b.json"):
        (tmp_path / name).write_text("[1]")
    seen = looks(tmp_path, 2)
    assert (names(seen), seen.waiting) == (["a.json"], 1)
    waiting = look(tmp_path, seen.cursor, {seen.ready[0].content})
    assert (names(waiting), waiting.waiting) == ([], 1)
    ended = look(tmp_path, waiting.cursor)
    assert (names(ended), ended.ready[0].content, ended.waiting) == (["b.json"], seen.ready[0].content, 0)


def test_a_file_that_is_renamed_before_its_run_has_ended_waits_under_its_new_name(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text("[1]")
    asked = looks(tmp_path, 2)
    [content] = [ready.content for ready in asked.ready]
    (tmp_path / "a.json").rename(tmp_path / "b.json")
    renamed = look(tmp_path, look(tmp_path, asked.cursor, {content}).cursor, {content})
    assert (names(renamed), renamed.waiting) == ([], 1)
    ended = look(tmp_path, renamed.cursor)
    assert (names(ended), ended.ready[0].content, ended.waiting) == (["b.json"], content, 0)


def test_an_entry_whose_run_was_lost_is_asked_for_again_and_after_four_times_somebody_is_told(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text("[1]")
    (tmp_path / "b.json").write_text("[2]")
    asked = looks(tmp_path, 2)
    lost, read = asked.ready
    fates = {lost.content: Fate.UNREAD, read.content: Fate.OVER}
    cursor, times = asked.cursor, 1
    while (seen := scan_once(tmp_path, cursor, fates.__getitem__)).ready:
        assert seen.ready == (lost,)
        cursor, times = seen.cursor, times + 1
    assert times == MOST_TIMES_ASKED == 4
    [note] = seen.new_notes
    assert note.startswith("a.json is not imported: 4 runs ended before they had read it.")
    last = scan_once(tmp_path, seen.cursor, {}.__getitem__)  # nobody is asked any more
    assert (last.ready, last.notes, last.waiting) == ((), (), 0)
    assert {state.is_settled for state in parse_cursor(last.cursor).entries.values()} == {True}
    (tmp_path / "a.json").write_text("[1, 2, 3]")
    assert names(looks(tmp_path, 2, last.cursor)) == ["a.json"]


def test_a_folder_waits_for_all_that_is_in_it(tmp_path: Path) -> None:
    export = tmp_path / "export" / "deep"
    export.mkdir(parents=True)
    assert look(tmp_path, None).waiting == 0
    (export / "conversations.json").write_text("[1]")
    (export / "picture.png").write_text("...")
    cursor = look(tmp_path, None).cursor
    (export / "picture.png").write_text("......")
    second = look(tmp_path, cursor)
    assert names(second) == []
    third = look(tmp_path, second.cursor)
    assert names(third) == ["export"]
    assert third.ready[0].path == tmp_path / "export"


def test_attached_files_in_a_folder_are_part_of_its_content(tmp_path: Path) -> None:
    (tmp_path / "export").mkdir()
    (tmp_path / "export" / "conversations.json").write_text("[1]")
    before = looks(tmp_path, 2)
    (tmp_path / "export" / "file-AbCdEfGhIjKlMnOpQrStUv.dat").write_text("...")
    after = looks(tmp_path, 2, before.cursor)
    assert names(after) == ["export"]
    assert contents(after) != contents(before)


def test_pictures_in_a_folder_are_no_part_of_its_content(tmp_path: Path) -> None:
    (tmp_path / "export").mkdir()
    (tmp_path / "export" / "conversations.json").write_text("[1]")
    before = looks(tmp_path, 2)
    (tmp_path / "export" / "picture.png").write_text("...")
    assert contents(looks(tmp_path, 2, before.cursor)) == contents(before)


def test_what_is_hidden_empty_or_unfinished_is_left_out(tmp_path: Path) -> None:
    (tmp_path / ".hidden.json").write_text("[1]")
    (tmp_path / "empty.json").write_text("")
    (tmp_path / "export.zip.crdownload").write_text("PK")
    (tmp_path / "copying").mkdir()
    (tmp_path / "copying" / "a.json").write_text("[1]")
    (tmp_path / "copying" / "b.json.part").write_text("[")
    seen = looks(tmp_path, 3)
    assert (seen.ready, seen.waiting, seen.notes) == ((), 0, ())


def test_a_folder_without_anything_to_read_is_named(tmp_path: Path) -> None:
    (tmp_path / "holiday").mkdir()
    (tmp_path / "holiday" / "beach.jpg").write_text("...")
    seen = looks(tmp_path, 3)
    assert (seen.ready, seen.notes) == ((), ("holiday holds neither JSON nor zip nor attached files",))


def test_entries_that_cannot_be_read_are_named_and_cost_no_other(tmp_path: Path) -> None:
    (tmp_path / "gone.json").symlink_to(tmp_path / "nowhere.json")
    (tmp_path / os.fsdecode(b"caf\xe9.json")).write_text("[1]")
    (tmp_path / "good.json").write_text("[1]")
    seen = looks(tmp_path, 2)
    assert names(seen) == ["good.json"]
    assert [note.split(" ")[0] for note in seen.notes] == ["'caf\\udce9.json'", "gone.json"]
    assert seen.new_notes == ()  # the first look had them
    (tmp_path / "gone.json").unlink()
    (tmp_path / "other.json").symlink_to(tmp_path / "nowhere.json")
    assert [note.split(" ")[0] for note in look(tmp_path, seen.cursor).new_notes] == ["other.json"]


def test_a_folder_that_is_not_there_is_empty(tmp_path: Path) -> None:
    assert look(tmp_path / "imports", None).ready == ()


def test_hashing_goes_on_where_the_last_look_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(drop_folder, "BLOCK_BYTES", 10)
    (tmp_path / "export").mkdir()
    for name, size in (("a.json", 35), ("b.json", 20), ("c.json", 5)):
        (tmp_path / "export" / name).write_text("x" * size)
    whole = looks(tmp_path, 2)
    cursor, ticks = look(tmp_path, None).cursor, 0
    while True:
        seen = look(tmp_path, cursor, budget=10)
        ticks, cursor = ticks + 1, seen.cursor
        if seen.ready:
            break
        assert seen.waiting == 1
    assert seen.ready == whole.ready
    assert ticks == 6


def test_a_slow_disk_is_read_a_block_a_look_at_least(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(drop_folder, "BLOCK_BYTES", 10)
    for name, size in (("a.json", 25), ("b.json", 5)):
        (tmp_path / name).write_text("x" * size)
    whole = looks(tmp_path, 2)
    assert names(whole) == ["a.json", "b.json"]
    cursor, taken = look(tmp_path, None).cursor, []
    for _ in range(4):
        seen = look(tmp_path, cursor, seconds=0)  # the time is up before the first block
        cursor = seen.cursor
        taken.append(names(seen))
    assert taken == [[], [], ["a.json"], ["b.json"]]
    assert [*parse_cursor(cursor).entries] == [*parse_cursor(whole.cursor).entries]


def test_a_tick_whose_result_was_lost_is_repeated_with_the_same_result(tmp_path: Path) -> None:
    """A tick that timed out, or whose daemon was killed, leaves the cursor where it was."""
    (tmp_path / "a.json").write_text("[1]")
    cursor = look(tmp_path, None).cursor
    lost = look(tmp_path, cursor)
    assert names(lost) == ["a.json"]
    assert look(tmp_path, cursor) == lost


@pytest.mark.parametrize("modified", [0, 1, 4_000_000_000])
def test_times_before_and_after_now_are_times_like_any_other(modified: int, tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_text("[1]")
    os.utime(path, (modified, modified))
    first = looks(tmp_path, 2)
    assert names(first) == ["a.json"]
    path.write_text("[2]")
    os.utime(path, (modified - 1, modified - 1))  # changed, by a clock that went back
    again = looks(tmp_path, 2, first.cursor)
    assert names(again) == ["a.json"]
    assert again.ready[0].content != first.ready[0].content
    assert names(looks(tmp_path, 3, again.cursor)) == []


def test_a_file_that_changes_while_it_is_hashed_starts_over(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(drop_folder, "BLOCK_BYTES", 10)
    path = tmp_path / "a.json"
    path.write_text("x" * 35)
    half = look(tmp_path, look(tmp_path, None).cursor, budget=10)
    path.write_text("y" * 35)
    os.utime(path, (5, 5))
    seen = looks(tmp_path, 2, half.cursor)
    path.rename(tmp_path / "b.json")
    assert looks(tmp_path, 2).ready[0].content == seen.ready[0].content


def test_a_flood_of_entries_is_taken_in_portions_and_watched_up_to_a_bound(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(drop_folder, "ENTRIES_PER_SCAN", 3)
    monkeypatch.setattr(drop_folder, "MOST_ENTRIES", 7)
    for number in range(9):
        (tmp_path / f"{number}.json").write_text(f"[{number}]")
    cursor, taken = look(tmp_path, None).cursor, []
    for _ in range(4):
        seen = look(tmp_path, cursor)
        cursor = seen.cursor
        taken.append(len(seen.ready))
        assert "has 9 entries" in seen.notes[0]
    assert taken == [3, 3, 1, 0]
    assert len(parse_cursor(cursor).entries) == 7


def test_entries_that_are_gone_are_forgotten(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_text("[1]")
    taken = looks(tmp_path, 2)
    path.unlink()
    gone = look(tmp_path, taken.cursor)
    assert parse_cursor(gone.cursor).entries == {}


@pytest.mark.parametrize(
    "cursor", ["", "nonsense", "[]", "{}", '{"version": 99}', '{"version": 1, "entries": {"a": 3}}']
)
def test_a_cursor_that_cannot_be_read_costs_another_look_only(tmp_path: Path, cursor: str) -> None:
    assert parse_cursor(cursor).entries == {}
    (tmp_path / "a.json").write_text("[1]")
    assert names(looks(tmp_path, 2, cursor)) == ["a.json"]


def test_only_equal_signatures_are_the_same() -> None:
    entry = drop_folder.Entry("b", ())
    assert settle({"x": EntryState("b")}, {"x": entry}) == {"x": EntryState("b")}
    assert settle({"x": EntryState("a", is_taken=True)}, {"x": entry}) == {"x": None}
    assert settle({}, {"x": entry}) == {"x": None}
