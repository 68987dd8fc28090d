"""Partial exports of a dialogue that came in several vintages: what they added is kept as what others say is."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from archive_pipeline.ingest.importer import ImportSummary
from archive_pipeline.readers.registry import readers
from archive_pipeline.store.database import Database
from archive_pipeline_tests.conftest import empty
from archive_pipeline_tests.exports import load
from archive_pipeline_tests.ingest.test_vintages import Chat, Turn, full, live, live_rows, slim
from archive_pipeline_tests.tables import query
from archive_pipeline_tests.trials import trials

pytestmark = pytest.mark.postgres

FIRST = Chat(20.0, {0: Turn("q", "a")})
SECOND = Chat(50.0, {0: Turn("q", "a"), 1: Turn("again", "b", calls=1)})
THIRD = Chat(70.0, {0: Turn("q", "a"), 1: Turn("again", "b", calls=1), 2: Turn("thanks", "c")})
EXPORTS = {
    "full1": full(FIRST),
    "slim1": slim(FIRST),
    "full2": full(SECOND),
    "slim3": slim(THIRD),
    "full3 of the first": full(Chat(80.0, FIRST.turns)),
}
ADDED = ["a1", "c1-0", "q1", "r1-0"]


def part(chat: Chat, names: Sequence[str]) -> dict[str, Any]:
    """A full export of some messages of a chat."""
    whole = full(chat)
    return whole | {"mapping": {name: node for name, node in whole["mapping"].items() if name in names}}


def load_in_turn(database: Database, folder: Path, names: Sequence[str]) -> ImportSummary:
    """Import exports by their names, ``part`` the second turn alone."""
    empty(database)
    for name in names:
        export = part(SECOND, ADDED) if name == "part" else EXPORTS[name]
        summary = load(database, folder / "export.json", export, is_partial=name == "part")
        assert not summary.rejected
    return summary


def text_of(database: Database, name: str) -> str:
    statement = (
        "SELECT p.text_content FROM raw.content_parts AS p JOIN raw.messages AS m ON m.id = p.message_id "
        "WHERE m.source_id = %s"
    )
    [(text,)] = query(database, statement, name)
    return str(text)


@pytest.mark.parametrize(
    ("names", "outcome", "added"),
    [
        (["full1", "part", "full1"], "unchanged", ADDED),
        (["full1", "slim1", "part", "full1"], "unchanged", ADDED),
        (["full1", "slim1", "part", "slim1"], "unchanged", ADDED),
        (["slim1", "full1", "part", "slim1", "full1"], "unchanged", ADDED),
        (["full1", "slim1", "part", "slim3"], "changed", [*ADDED, "a2", "q2"]),
        (["full1", "part", "slim3", "full1"], "unchanged", [*ADDED, "a2", "q2"]),
        (["full1", "slim1", "part", "full2"], "unchanged", ADDED),
        (["full1", "slim1", "part", "part"], "unchanged", ADDED),
        (["full1", "slim1", "part", "full3 of the first"], "changed", []),  # it could have had them
    ],
)
def test_what_partial_exports_added_stays(
    database: Database, tmp_path: Path, names: list[str], outcome: str, added: list[str]
):
    summary = load_in_turn(database, tmp_path, names)
    assert dict(summary.dialogues) == {outcome: 1}
    assert live(database) == sorted(["a0", "q0", "s", *added])


@pytest.mark.parametrize("is_before", [False, True])
def test_a_text_that_a_partial_export_changed_is_not_taken_back(database: Database, tmp_path: Path, is_before: bool):
    better = (part(Chat(50.0, {0: Turn("q", "better")}), ["a0"]), True)
    other = (slim(FIRST), False)
    empty(database)
    for export, is_partial in [(full(FIRST), False), *([better, other] if is_before else [other, better])]:
        load(database, tmp_path / "export.json", export, is_partial=is_partial)
    load(database, tmp_path / "export.json", full(FIRST))
    statement = "SELECT text_content FROM raw.content_parts ORDER BY 1"
    assert query(database, statement) == [("be brief",), ("better",), ("q",)]


def test_each_partial_export_is_a_layer_of_its_time(database: Database, tmp_path: Path):
    load_in_turn(database, tmp_path, ["full1", "part"])
    load(database, tmp_path / "more.json", part(THIRD, ["q2", "a2"]), is_partial=True)
    statement = "SELECT vintage, extract(epoch FROM source_updated_at)::int FROM raw.dialogue_vintages ORDER BY 1"
    assert query(database, statement) == [
        ("full", 20),
        ("partial full 1970-01-01T00:00:50+00:00", 50),
        ("partial full 1970-01-01T00:01:10+00:00", 70),
    ]
    load(database, tmp_path / "full1.json", EXPORTS["full1"])
    assert live(database) == sorted(["a0", "q0", "s", *ADDED, "a2", "q2"])


@pytest.mark.parametrize("has_slim", [False, True])
def test_what_a_newer_export_deleted_or_said_stays_so(database: Database, tmp_path: Path, has_slim: bool):
    edited = part(Chat(50.0, {0: Turn("q", "x"), 1: Turn("again", "b")}), ["a0", "q1", "a1"])
    history = [
        (full(FIRST), False),
        *([(slim(FIRST), False)] if has_slim else []),
        (edited, True),
        (full(Chat(70.0, {0: Turn("q", "y")})), False),
        (part(Chat(90.0, {0: Turn("q", "y"), 2: Turn("q", "c")}), ["q2", "a2"]), True),
    ]
    empty(database)
    for export, is_partial in history:
        load(database, tmp_path / "export.json", export, is_partial=is_partial)
    assert live(database) == ["a0", "a2", "q0", "q2", "s"]
    assert text_of(database, "a0") == "y"


def test_a_dialogue_that_began_with_a_part_is_completed_by_an_older_export(database: Database, tmp_path: Path):
    for name in ("full1", "slim1"):
        load_in_turn(database, tmp_path, ["part"])
        assert query(database, "SELECT vintage, layer FROM raw.dialogue_vintages") == [("partial full", None)]
        assert dict(load(database, tmp_path / "older.json", EXPORTS[name]).dialogues) == {"changed": 1}
        assert {*live(database)} == {*ADDED, "a0", "q0", *("s" if name == "full1" else "")}


@pytest.mark.parametrize("time", [20.0, None, 10.0])
def test_a_part_of_any_time_is_not_taken_back(database: Database, tmp_path: Path, time: float | None):
    empty(database)
    load(database, tmp_path / "export.json", EXPORTS["full1"])
    load(database, tmp_path / "export.json", part(SECOND, ["q1", "a1"]) | {"update_time": time}, is_partial=True)
    for name in ("slim1", "full1", "slim1"):
        load(database, tmp_path / "export.json", EXPORTS[name])
    # Of what is older than the full export, that one says that it is deleted.
    assert {"q1", "a1"} <= {*live(database)} or time == 10.0


def test_a_part_that_an_older_reader_read_is_read_again(database: Database, tmp_path: Path):
    load_in_turn(database, tmp_path, ["full1", "slim1", "part", "slim3"])
    with database.session() as connection:
        connection.execute("UPDATE raw.dialogue_vintages SET reader_version = 1 WHERE vintage LIKE 'partial%'")
    load(database, tmp_path / "part.json", part(SECOND, ADDED), is_partial=True)
    versions = query(database, "SELECT DISTINCT reader_version FROM raw.dialogue_vintages")
    assert versions == [(readers()["chatgpt"].version,)]


def test_edits_between_an_export_and_a_part_are_read(database: Database, tmp_path: Path):
    load_in_turn(database, tmp_path, ["full1", "part"])
    load(database, tmp_path / "slim.json", slim(Chat(30.0, {0: Turn("q", "y")})))
    assert text_of(database, "a0") == "y"
    assert {*ADDED} <= {*live(database)}


def test_parts_of_one_dialogue_in_one_import_all_arrive(database: Database, tmp_path: Path):
    parts = [part(SECOND, ["q1", "a1"]), part(Chat(40.0, THIRD.turns), ["q2", "a2"]), part(SECOND, ["c1-0", "r1-0"])]
    empty(database)
    load(database, tmp_path / "full1.json", EXPORTS["full1"])
    summary = load(database, tmp_path / "parts.json", *parts, is_partial=True)
    assert (summary.rejected, {*ADDED, "q2", "a2"} <= {*live(database)}) == ([], True)


def test_what_a_part_keeps_beside_columns_stays(database: Database, tmp_path: Path):
    empty(database)
    for name, more in (("q1", {"first": 1}), ("a1", {"second": 2})):
        load(database, tmp_path / "part.json", part(SECOND, [name]) | more, is_partial=True)
    [(kept,)] = query(database, "SELECT source_json FROM raw.dialogues")
    assert (kept["first"], kept["second"]) == (1, 2)


def test_a_message_keeps_its_parent_where_that_is_in_another_layer(database: Database, tmp_path: Path):
    """A tool's result below a message that its own export lacks: a slim export that steps past it moves nothing."""
    first = full(Chat(20.0, {0: Turn("q", "a", calls=1)}))
    added = part(Chat(50.0, {0: Turn("q", "a", calls=1)}), ["r0-0", "a0"])
    del first["mapping"]["r0-0"], first["mapping"]["a0"]
    first["current_node"] = "c0-0"
    for order in ([0, 1, 2], [0, 2, 1]):
        exports = [(first, False), (added, True), (slim(Chat(60.0, {0: Turn("q", "a", calls=1)})), False)]
        empty(database)
        for index in order:
            export, is_partial = exports[index]
            load(database, tmp_path / "export.json", export, is_partial=is_partial)
        statement = (
            "SELECT m.source_id, above.source_id FROM raw.messages m JOIN raw.messages above ON above.id = m.parent_id "
            "WHERE m.deleted_at IS NULL AND m.source_id IN ('a0', 'r0-0') ORDER BY 1"
        )
        assert query(database, statement) == [("a0", "r0-0"), ("r0-0", "c0-0")]


def damaged(export: dict[str, Any], name: str) -> dict[str, Any]:
    """An export with one message more that cannot be read."""
    return export | {"mapping": {**export["mapping"], name: {"id": name, "message": "?"}}}


def slim_part(chat: Chat, names: Sequence[str]) -> dict[str, Any]:
    whole = slim(chat)
    return whole | {"mapping": {name: node for name, node in whole["mapping"].items() if name in names}}


PARTS: dict[str, tuple[dict[str, Any], bool]] = {
    "full of 20": (full(FIRST), False),
    "full of 50": (full(SECOND), False),
    "part of 70 without news": (part(Chat(70.0, FIRST.turns), ["q0", "a0"]), True),
    "part of 20": (part(Chat(20.0, {0: Turn("q", "old")}, "T1"), ["q0", "a0"]), True),
    "part of 60": (part(Chat(60.0, {0: Turn("q", "new")}, "T2"), ["q0", "a0"]), True),
    "beginning of 30": (part(Chat(30.0, THIRD.turns), ["s", "q0", "a0", "q1", "c1-0", "r1-0", "a1"]), True),
    "end of 70": (part(THIRD, ["q2", "a2"]), True),
    "damaged of 60": (damaged(full(Chat(60.0, {0: Turn("q", "a")})), "q7"), False),
    "damaged of 55": (damaged(full(Chat(55.0, {0: Turn("q", "a"), 1: Turn("again", "b")})), "q8"), False),
    "slim part of 70": (slim_part(Chat(70.0, {0: Turn("q", "a", calls=1)}), ["a0"]), True),
    "part of 60 below a call": (part(Chat(60.0, {0: Turn("q", "a", calls=1)}), ["q0", "a0"]), True),
}


@pytest.mark.parametrize(
    ("names", "found"),
    [
        (["full of 20", "part of 70 without news", "full of 50"], {"q0", "a0", "s", *ADDED}),
        (["part of 20", "part of 60", "part of 20"], {"q0", "a0"}),
        (["beginning of 30", "end of 70"], {"s", "q0", "a0", *ADDED, "q2", "a2"}),
        (["part of 20", "end of 70", "full of 50"], {"q0", "a0", "s", *ADDED, "q2", "a2"}),
        (["damaged of 60", "damaged of 55"], {"s", "q0", "a0", "q1", "a1"}),
        (["slim part of 70", "part of 60 below a call"], {"q0", "a0"}),
    ],
)
def test_parts_and_whole_exports_give_the_same_in_any_order(
    database: Database, tmp_path: Path, names: list[str], found: set[str]
):
    rows = []
    for order in itertools.permutations(names):
        empty(database)
        for name in order:
            export, is_partial = PARTS[name]
            load(database, tmp_path / "export.json", export, is_partial=is_partial)
        assert {*live(database)} == found
        rows.append(live_rows(database))
    for each in rows[1:]:
        assert each == rows[0]


def test_damaged_exports_in_one_import_all_arrive(database: Database, tmp_path: Path):
    for names in (["damaged of 60", "damaged of 55"], ["damaged of 55", "damaged of 60"]):
        empty(database)
        summary = load(database, tmp_path / "export.json", *(PARTS[name][0] for name in names))
        assert (summary.rejected, live(database)) == ([], ["a0", "a1", "q0", "q1", "s"])


def test_of_parts_of_one_time_the_last_one_counts_also_beside_others(database: Database, tmp_path: Path):
    parts = [part(Chat(20.0, {0: Turn("q", text)}), ["q0", "a0"]) for text in ("old", "new")]
    empty(database)
    for export in (parts[0], PARTS["end of 70"][0], parts[1]):
        load(database, tmp_path / "export.json", export, is_partial=True)
    assert text_of(database, "a0") == "new"
    before = query(database, "SELECT vintage, layer FROM raw.dialogue_vintages ORDER BY 1")
    assert load(database, tmp_path / "export.json", parts[1], is_partial=True).dialogues == {"unchanged": 1}
    assert query(database, "SELECT vintage, layer FROM raw.dialogue_vintages ORDER BY 1") == before


def test_of_parts_the_latest_alone_is_kept_where_it_says_all(database: Database, tmp_path: Path):
    empty(database)
    for at in range(4):
        chat = Chat(100.0 + at, {number: Turn("q", f"{at}") for number in range(at + 1)})
        load(database, tmp_path / "export.json", full(chat), is_partial=True)
    statement = "SELECT vintage, layer, extract(epoch FROM source_updated_at)::int FROM raw.dialogue_vintages"
    assert query(database, statement) == [("partial full", None, 103)]
    load(database, tmp_path / "export.json", full(Chat(50.0, {5: Turn()})), is_partial=True)
    assert query(database, "SELECT count(*) FROM raw.dialogue_vintages") == [(2,)]
    load(database, tmp_path / "export.json", full(Chat(200.0, {5: Turn()})))
    assert query(database, statement) == [("full", None, 200)]


@st.composite
def histories(draw: st.DrawFn) -> list[tuple[dict[str, Any], bool]]:
    """Exports as time passes, each with whether it is partial: a chat that grows and is edited."""
    turns: dict[int, Turn] = {}
    found = []
    for number in range(draw(st.integers(2, 5))):
        turns = dict(turns)
        if turns and draw(st.booleans()):
            turns[draw(st.sampled_from(sorted(turns)))] = Turn(
                "q", draw(st.sampled_from("xyz")), calls=draw(st.integers(0, 1))
            )
        turns[number] = Turn("q", "a", calls=draw(st.integers(0, 1)))
        chat = Chat(float(100 + number), turns)
        kind = draw(st.sampled_from(["full", "slim", "part"]))
        if kind == "part":
            names = [name for name, *_ in chat.rows() if name[1:].partition("-")[0] == str(number)]
            found.append((part(chat, names), True))
        else:
            found.append((full(chat) if kind == "full" else slim(chat), False))
    return found


@trials(10)
@given(histories(), st.data())
def test_an_export_that_came_before_changes_nothing(
    database: Database,
    tmp_path_factory: pytest.TempPathFactory,
    history: list[tuple[dict[str, Any], bool]],
    data: st.DataObject,
):
    folder = tmp_path_factory.mktemp("history")
    empty(database)
    for export, is_partial in history:
        load(database, folder / "export.json", export, is_partial=is_partial)
    before = live_rows(database)
    whole = [export for export, is_partial in history if not is_partial]
    for export in repeats(data, whole):
        load(database, folder / "export.json", export)
        assert live_rows(database) == before


@st.composite
def timed_exports(draw: st.DrawFn) -> list[tuple[dict[str, Any], bool]]:
    """Exports of different times, each with whether it is partial: of any turns, and if it is, of some messages."""
    found = []
    for at in range(draw(st.integers(2, 4))):
        numbers = draw(st.sets(st.integers(0, 2), min_size=1))
        turns = {number: Turn("q", draw(st.sampled_from("xy")), calls=number % 2) for number in sorted(numbers)}
        chat = Chat(float(100 + at), turns, draw(st.sampled_from("TU")))
        kind = draw(st.sampled_from(["full", "slim", "part", "part"]))
        names = draw(st.sets(st.sampled_from([name for name, *_ in chat.rows()]), min_size=1))
        export = {"full": full(chat), "slim": slim(chat), "part": part(chat, [*names])}[kind]
        found.append((export, kind == "part"))
    return found


@trials(8)
@given(timed_exports(), st.data())
def test_any_order_of_partial_and_whole_exports_gives_the_same(
    database: Database,
    tmp_path_factory: pytest.TempPathFactory,
    exports: list[tuple[dict[str, Any], bool]],
    data: st.DataObject,
):
    folder = tmp_path_factory.mktemp("exports")
    found = []
    orders = [exports, exports[::-1], data.draw(st.permutations(exports)), data.draw(st.permutations(exports))]
    for order in orders:
        empty(database)
        for export, is_partial in order:
            load(database, folder / "export.json", export, is_partial=is_partial)
        found.append(live_rows(database))
    for rows in found[1:]:
        assert rows == found[0]


def repeats(data: st.DataObject, exports: Sequence[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    if exports:
        yield from data.draw(st.lists(st.sampled_from(exports), min_size=1, max_size=4))
