"""One chunk: what is to be built and what came of it go to other processes and come back, and may be repeated."""

from __future__ import annotations

import pickle
from collections import Counter
from typing import TypeVar

import pytest

from archive_pipeline.building.chunks import BuildTask
from archive_pipeline.building.tasks import run_task
from archive_pipeline.derive.registry import effective_version
from archive_pipeline.settings import Settings
from archive_pipeline.store.database import Database
from archive_pipeline_tests.building.sides import SIDES, Side
from archive_pipeline_tests.tables import query

Sent = TypeVar("Sent")

pytestmark = pytest.mark.postgres


@pytest.fixture(params=SIDES)
def side(request: pytest.FixtureRequest) -> Side:
    return SIDES[request.param]


@pytest.fixture
def task(database: Database, settings: Settings, side: Side) -> BuildTask:
    """Seven items of the size two."""
    side.store(database)
    with database.session() as connection:
        items = side.source.everything(connection)
    return BuildTask(side.source.noun, side.asset, effective_version(side.asset, settings), settings, tuple(items))


def _sent(value: Sent) -> Sent:
    received: Sent = pickle.loads(pickle.dumps(value))  # noqa: S301 (made here)
    return received


def test_a_chunk_and_its_database_can_be_sent(database: Database, task: BuildTask, side: Side):
    assert database.engine.url.database == "archive"  # an engine stays behind
    sent_to, sent = _sent((database, task))
    assert (sent_to, sent) == (database, task)
    result = _sent(run_task(sent_to, sent))
    sent_to.engine.dispose()
    assert (result.built, result.size, result.failures, result.gave_up) == (7, 14, {}, False)
    assert result.rows[side.asset] == query(database, f"SELECT count(*) FROM derived.{side.asset}")[0][0]  # noqa: S608
    assert side.built(database) == [item.id for item in task.items]


def test_a_chunk_that_is_built_again_leaves_the_same(database: Database, task: BuildTask, side: Side):
    first = run_task(database, task)
    assert run_task(database, task) == first
    assert side.with_rows(database) == [item.id for item in task.items]


def test_patience_ends_before_anything_is_set_aside(
    database: Database, task: BuildTask, side: Side, monkeypatch: pytest.MonkeyPatch
):
    side.poison("derive", None, monkeypatch, [item.id for item in task.items[:5]])
    impatient = BuildTask(task.source, task.asset, task.version, task.settings, task.items, patience=3)
    result = run_task(database, impatient)
    assert (result.gave_up, result.built, list(result.failures)) == (True, 0, [item.id for item in task.items[:3]])
    assert query(database, "SELECT 1 FROM derived.build_errors UNION SELECT 1 FROM derived.document_builds") == []
    result = run_task(database, task)
    assert (result.gave_up, result.built, list(result.failures)) == (False, 2, [item.id for item in task.items[:5]])
    assert result.rows == Counter({table: result.rows[table] for table in side.assets[side.asset].tables})
    assert side.with_rows(database) == [item.id for item in task.items[5:]]
