"""What a run in this process leaves behind, and what that costs."""

from __future__ import annotations

import gc

import dagster as dg
import pytest

from archive_pipeline.orchestration.local_runs import run_derived
from archive_pipeline.settings import Settings
from archive_pipeline.store.database import Database
from archive_pipeline_tests.orchestration.conftest import add_dialogues


@pytest.mark.usefixtures("collected_as_by_python")
def test_the_end_of_a_run_looks_through_what_the_run_made_and_not_through_all_that_was_imported(
    instance: dg.DagsterInstance, settings: Settings, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    keys = add_dialogues(database, 1)
    looked_through: list[int] = []
    collect = gc.collect

    def noted() -> int:
        looked_through.append(len(gc.get_objects()))
        return collect()

    monkeypatch.setattr(gc, "collect", noted)
    before = len(gc.get_objects())
    assert run_derived(instance, settings, keys).success
    assert len(looked_through) == 1
    assert looked_through[0] < before / 2
