"""The newest export of a dialogue is what the archive has of it, in whichever order the exports are imported."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from archive_pipeline.building.dialogues import build_stale
from archive_pipeline.ingest.importer import import_archive
from archive_pipeline.readers.reading import read_paths
from archive_pipeline.settings import Settings
from archive_pipeline.store.database import Database
from archive_pipeline.store.tables.raw import attachments, content_parts, dialogues, messages
from archive_pipeline_tests.conftest import empty
from archive_pipeline_tests.exports import Said, chain, chatgpt, load, write
from archive_pipeline_tests.tables import VOLATILE, derived_rows, query
from archive_pipeline_tests.trials import trials

pytestmark = pytest.mark.postgres

# A number is given once, when a message comes first: it tells in which order exports came.
_HISTORY = {*VOLATILE, "sequence_number"}


def live_rows(database: Database) -> dict[str, list[tuple[Any, ...]]]:
    """Every live row of ``raw``, without what tells of the way it came."""
    found = {}
    for table in (dialogues, messages, content_parts, attachments):
        names = ", ".join(f"t.{column.name}" for column in table.columns if column.name not in _HISTORY)
        of_message = "t.id" if table is messages else "t.message_id"
        live = "" if table is dialogues else f"JOIN raw.messages m ON m.id = {of_message} AND m.deleted_at IS NULL"
        found[table.name] = query(database, f"SELECT {names} FROM raw.{table.name} t {live} ORDER BY t.id")  # noqa: S608
    return found


def message(index: int, parent: int | None, text: str, model: str, file_name: str, time: float) -> Said:
    more = {"metadata": {"model_slug": model, "attachments": [{"id": "file-1", "name": file_name}]}}
    role = "assistant" if index % 2 else "user"
    return Said(f"m{index}", None if parent is None else f"m{parent}", role, text, time, more=more)


@st.composite
def states(draw: st.DrawFn, updated: float) -> dict[str, Any]:
    """A state of one dialogue at a time: few texts and titles, so that states with equal content are many."""
    count = draw(st.integers(1, 3))
    said = [
        message(
            index,
            index - 1 if index else None,
            draw(st.sampled_from(["a", "b"])),
            draw(st.sampled_from(["gpt-4", "gpt-5"])),
            draw(st.sampled_from(["one.txt", "two.txt"])),
            1_000.0 + index + draw(st.sampled_from([0.0, 0.0, 500.0])),
        )
        for index in range(count)
    ]
    flags = {name: draw(st.booleans()) for name in ("is_archived", "is_starred")}
    return chatgpt("c1", said, title=draw(st.sampled_from(["T", "U"])), updated=updated, **flags)


histories = st.lists(st.integers(1, 10_000), min_size=2, max_size=3, unique=True).flatmap(
    lambda times: st.tuples(*(states(float(time)) for time in times))
)


@trials(8)
@given(history=histories)
def test_any_order_of_exports_gives_the_same_state(database: Database, tmp_path: Path, history: tuple[Any, ...]):
    path = tmp_path / "conversations.json"
    empty(database)
    load(database, path, max(history, key=lambda state: state["update_time"]))
    newest = live_rows(database)
    for order in itertools.permutations(history):
        empty(database)
        for state in order:
            load(database, path, state)
        assert live_rows(database) == newest
        empty(database)
        files = [write(tmp_path / f"{index}.json", state) for index, state in enumerate(order)]
        import_archive(database, read_paths(files))
        assert live_rows(database) == newest


def test_an_export_between_two_equal_ones_is_older(database: Database, tmp_path: Path):
    path = tmp_path / "conversations.json"
    load(database, path, chatgpt("c1", chain("a"), updated=1000.0))
    assert load(database, path, chatgpt("c1", chain("a"), updated=4000.0)).dialogues == {"unchanged": 1}
    assert load(database, path, chatgpt("c1", chain("b"), updated=2500.0)).dialogues == {"older": 1}
    assert query(database, "SELECT text_content FROM raw.content_parts") == [("a",)]


def archived(database: Database) -> list[tuple[Any, ...]]:
    return query(database, "SELECT source_json -> 'is_archived' FROM raw.dialogues")


@pytest.mark.parametrize("updated", [1000.0, 2000.0, None])
def test_metadata_arrives_and_nothing_is_built_again(
    database: Database, settings: Settings, tmp_path: Path, updated: float | None
):
    path = tmp_path / "conversations.json"
    load(database, path, chatgpt("c1", chain("a", "b"), updated=1000.0, is_archived=False))
    build_stale(database, settings)
    built = query(database, "SELECT * FROM derived.build_state ORDER BY asset")
    assert len(built) > 1
    assert load(database, path, chatgpt("c1", chain("a", "b"), updated=updated, is_archived=True)).dialogues == {
        "unchanged": 1
    }
    assert archived(database) == [(True,)]
    assert query(database, "SELECT * FROM derived.build_state ORDER BY asset") == built


def test_metadata_of_an_older_export_does_not_arrive(database: Database, tmp_path: Path):
    path = tmp_path / "conversations.json"
    load(database, path, chatgpt("c1", chain("a"), updated=2000.0, is_archived=True))
    load(database, path, chatgpt("c1", chain("a"), updated=1000.0, is_archived=False))
    assert archived(database) == [(True,)]


def test_other_times_of_a_newer_export_reach_what_is_ordered_by_them(
    database: Database, settings: Settings, tmp_path: Path
):
    path = tmp_path / "conversations.json"
    branches = [Said("m0", None, "user", "q", 1.0), Said("m1", "m0", "assistant", "x", 2.0)]
    first, second = (
        [*branches, Said("m2", "m0", "assistant", "y", 3.0)],
        [*branches, Said("m2", "m0", "assistant", "y", 1.5)],
    )
    load(database, path, chatgpt("c1", first, updated=1000.0))
    build_stale(database, settings)
    before = derived_rows(database)
    assert load(database, path, chatgpt("c1", second, updated=2000.0)).dialogues == {"unchanged": 1}
    build_stale(database, settings)
    after = derived_rows(database)
    assert after != before
    query(database, "DELETE FROM raw.dialogues RETURNING 1")
    load(database, path, chatgpt("c1", second, updated=2000.0))
    build_stale(database, settings)
    assert derived_rows(database) == after


def test_a_time_of_the_source_never_goes_back(database: Database, tmp_path: Path):
    path = tmp_path / "conversations.json"
    load(database, path, chatgpt("c1", chain("a"), updated=3000.0))
    load(database, path, chatgpt("c1", chain("a", "b"), updated=1000.0), is_partial=True)
    load(database, path, chatgpt("c1", chain("a", "c"), updated=None))
    assert load(database, path, chatgpt("c1", chain("old"), updated=2000.0)).dialogues == {"older": 1}


def test_ties_of_unknown_times_go_by_the_order_in_which_messages_came(
    database: Database, tmp_path: Path, settings: Settings
):
    """What docs/decisions.md says of them: the live messages are the same, the primary path between equals is not."""
    path = tmp_path / "conversations.json"
    asked = Said("A", None, "user", "q")
    answers = [Said("B1", "A", "assistant", "one"), Said("B2", "A", "assistant", "two")]
    early, late = chatgpt("c", [asked, answers[1]], updated=1.0), chatgpt("c", [asked, *answers], updated=2.0)
    leaf = "SELECT m.source_id FROM derived.dialogue_trees AS t JOIN raw.messages AS m ON m.id = t.primary_leaf_id"
    found = []
    for order in ([early, late], [late, early]):
        empty(database)
        for state in order:
            load(database, path, state)
        build_stale(database, settings)
        found.append((live_rows(database), query(database, leaf)))
    assert found[0][0] == found[1][0]
    assert [leaves for _, leaves in found] == [[("B1",)], [("B2",)]]
