"""What a run in this process leaves behind, and what that costs."""

from __future__ import annotations

import gc

import dagster as dg
import pytest

from archive_pipeline.ingest import collection
from archive_pipeline.orchestration.local_runs import run_derived
from archive_pipeline.settings import Settings
from archive_pipeline.store.database import Database
from archive_pipeline_tests.orchestration.conftest import add_dialogues


@pytest.fixture
def looked_through(monkeypatch: pytest.MonkeyPatch, collected_as_by_python: None) -> list[int]:
    """How many objects there are each time when a block asks for a search for garbage, filled as they do."""
    sizes: list[int] = []
    collect = gc.collect

    def noted() -> int:
        sizes.append(len(gc.get_objects()))
        return collect()

    monkeypatch.setattr(gc, "collect", noted)
    return sizes


def test_the_end_of_a_run_looks_through_what_the_run_made_and_not_through_all_that_was_imported(
    instance: dg.DagsterInstance,
    settings: Settings,
    database: Database,
    looked_through: list[int],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    keys = add_dialogues(database, 1)
    monkeypatch.setattr(collection, "OBJECTS_BETWEEN", 1_000)  # a run of one dialogue makes more
    before = len(gc.get_objects())
    assert run_derived(instance, settings, keys).success
    assert len(looked_through) == 1
    assert looked_through[0] < before / 2


def test_the_end_of_a_run_in_which_nobody_had_to_look_for_garbage_leaves_what_there_is(
    instance: dg.DagsterInstance, settings: Settings, database: Database, looked_through: list[int]
) -> None:
    assert run_derived(instance, settings, add_dialogues(database, 1)).success
    assert looked_through == []
