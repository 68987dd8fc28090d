"""What a run in the caller's own process tells its caller meanwhile."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

import dagster as dg
import pytest

from archive_pipeline.derive.registry import ASSETS
from archive_pipeline.orchestration import local_runs
from archive_pipeline.orchestration.local_runs import run_derived
from archive_pipeline.settings import Settings
from archive_pipeline.store.database import Database
from archive_pipeline_tests.orchestration.conftest import add_dialogues

pytestmark = [pytest.mark.dagster, pytest.mark.postgres]


def test_tables_are_told_of_when_all_keys_are_built(
    instance: dg.DagsterInstance, settings: Settings, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(local_runs.KEYS_PER_OWN_RUN, settings.partitioning, 2)
    names = {asset.tables: name for name, asset in ASSETS.items()}
    begun: Counter[str] = Counter()
    told: list[tuple[str, int]] = []

    def note(asset: str, done: int, _total: int) -> None:
        begun[asset] += done == 0

    def note_tables(tables: Iterable[str]) -> None:
        name = names[tuple(tables)]
        told.append((name, begun[name]))

    keys = add_dialogues(database, 5)
    outcome = run_derived(instance, settings, keys, progress=note, on_written=note_tables)
    assert (outcome.success, len(outcome.run_ids)) == (True, 3)
    assert sorted(told) == [(name, 3) for name in sorted(ASSETS)]
