"""Partial exports of a dialogue that came in several vintages: what they added is kept as what others say is."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from archive_pipeline.ingest.importer import ImportSummary
from archive_pipeline.store.database import Database
from archive_pipeline_tests.conftest import empty
from archive_pipeline_tests.exports import load
from archive_pipeline_tests.ingest.test_vintages import Chat, Turn, full, live, live_rows, slim
from archive_pipeline_tests.tables import query

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


@pytest.mark.parametrize(
    ("names", "outcome", "added"),
    [
        (["full1", "part", "full1"], "older", ADDED),
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


def test_what_several_partial_exports_added_is_one_layer(database: Database, tmp_path: Path):
    load_in_turn(database, tmp_path, ["full1", "slim1", "part"])
    load(database, tmp_path / "more.json", part(THIRD, ["q2", "a2"]), is_partial=True)
    statement = "SELECT vintage, extract(epoch FROM source_updated_at)::int FROM raw.dialogue_vintages ORDER BY 1"
    assert query(database, statement) == [("full", 20), ("partial full", 70), ("slim", 20)]
    load(database, tmp_path / "full1.json", EXPORTS["full1"])
    assert live(database) == sorted(["a0", "q0", "s", *ADDED, "a2", "q2"])


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


@hypothesis_settings(max_examples=40, deadline=None)
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


def repeats(data: st.DataObject, exports: Sequence[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    if exports:
        yield from data.draw(st.lists(st.sampled_from(exports), min_size=1, max_size=4))
