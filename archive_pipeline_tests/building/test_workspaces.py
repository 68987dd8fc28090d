"""Pairs know the workspace and the session of their dialogue, and follow them when a later export says otherwise."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from archive_pipeline.building.dialogues import build_stale
from archive_pipeline.retrieval.search.engine import SearchEngine
from archive_pipeline.retrieval.search.filters import SearchFilters
from archive_pipeline.settings import Settings
from archive_pipeline.store.database import Database
from archive_pipeline_tests.exports import chain, chatgpt, load
from archive_pipeline_tests.tables import query

pytestmark = pytest.mark.postgres

PAIRS = "SELECT question, workspace_id, session_id FROM derived.qa_pairs ORDER BY question"


def talk(name: str, **more: Any) -> dict[str, Any]:
    return chatgpt(
        name, chain(f"Why {name}?", f"Because of {name}, the canal is frozen."), updated=1_700_000_100.0, **more
    )


@pytest.fixture
def built(database: Database, settings: Settings, tmp_path: Path) -> Any:
    def build(*talks: dict[str, Any]) -> dict[str, int]:
        load(database, tmp_path / "conversations.json", *talks)
        return {name: result.built for name, result in build_stale(database, settings).items()}

    return build


def test_a_pair_has_the_project_else_the_custom_gpt_and_the_source_s_id(database: Database, built: Any):
    built(
        talk("a", gizmo_id="g-gpt", conversation_template_id="g-p-project"),
        talk("b", gizmo_id="g-gpt"),
        talk("c"),
    )
    assert query(database, PAIRS) == [
        ("Why a?", "g-p-project", "a"),
        ("Why b?", "g-gpt", "b"),
        ("Why c?", None, "c"),
    ]


def test_a_dialogue_that_moved_to_a_project_is_built_again_though_its_content_is_the_same(
    database: Database, built: Any
):
    built(talk("a"), talk("b", gizmo_id="g-gpt"))
    moved = built(talk("a", gizmo_id="g-p-1"), talk("b", gizmo_id="g-gpt", note="other metadata"))
    assert set(moved.values()) == {1}
    assert query(database, PAIRS) == [("Why a?", "g-p-1", "a"), ("Why b?", "g-gpt", "b")]


def test_the_same_with_a_later_time_and_other_times_of_messages(database: Database, built: Any):
    built(talk("a"))
    later = talk("a", gizmo_id="g-p-1") | {"update_time": 1_700_000_200.0}
    assert set(built(later).values()) == {1}
    assert query(database, PAIRS) == [("Why a?", "g-p-1", "a")]


def test_search_finds_by_workspace_and_session_and_says_them(database: Database, settings: Settings, built: Any):
    built(talk("a", gizmo_id="g-p-1"), talk("b", gizmo_id="g-p-1"), talk("c"))

    def found(**filters: str) -> set[tuple[str | None, str]]:
        engine = SearchEngine(database, settings)
        results = engine.search_now("frozen canal", 10, "lexical", filters=SearchFilters(**filters))
        return {(result["metadata"]["workspace_id"], result["metadata"]["session_id"]) for result in results}

    assert found() == {("g-p-1", "a"), ("g-p-1", "b"), (None, "c")}
    assert found(workspace="g-p-1") == {("g-p-1", "a"), ("g-p-1", "b")}
    assert found(session="c") == {(None, "c")}
    assert found(workspace="g-p-1", session="c") == set()
