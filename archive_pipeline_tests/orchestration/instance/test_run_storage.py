"""What the storage of runs asks PostgreSQL."""

from __future__ import annotations

import dagster as dg
import pytest
from dagster_postgres import PostgresRunStorage

from archive_pipeline.orchestration.instance.run_storage import PooledRunStorage
from archive_pipeline_tests.work import counted_statements

pytestmark = [pytest.mark.postgres, pytest.mark.dagster]


@pytest.fixture
def storage(instance: dg.DagsterInstance) -> PooledRunStorage:
    """A storage that has not asked for anything yet."""
    stored = instance.run_storage
    assert isinstance(stored, PooledRunStorage)
    return PooledRunStorage(stored._engine)


@pytest.mark.parametrize("question", ["has_run_stats_index_cols", "has_backfill_id_column"])
def test_columns_of_runs_are_looked_up_until_they_are_there(
    question: str, storage: PooledRunStorage, monkeypatch: pytest.MonkeyPatch
):
    ask = getattr(storage, question)
    with monkeypatch.context() as patch:
        patch.setattr(PostgresRunStorage, question, lambda _self: False)
        assert not ask()
    assert ask()
    with counted_statements() as statements:
        assert ask()
    assert statements == []
