"""An asset that another one of its run has looked up: what is built of it, and when."""

from __future__ import annotations

from collections.abc import Sequence

import dagster as dg
import pytest

from archive_pipeline.building.dialogue_source import DIALOGUES
from archive_pipeline.derive.registry import ASSETS
from archive_pipeline.orchestration.local_runs import run_derived
from archive_pipeline.orchestration.resources import Planned
from archive_pipeline.settings import Settings
from archive_pipeline.store.database import Database
from archive_pipeline_tests.orchestration.conftest import add_dialogues

CHOSEN = ["dialogue_pages", "exchanges", "message_paths"]


pytestmark = pytest.mark.usefixtures("one_fork_server")


@pytest.fixture
def by_processes(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> Settings:
    """Workers with several chunks to build."""
    monkeypatch.setattr(DIALOGUES, "max_items", 2)
    return settings.with_values(executor="processes", workers=2)


def built(database: Database, keys: Sequence[str]) -> dict[str, int]:
    """Per asset, how many dialogues are recorded as built."""
    statement = (
        "SELECT state.asset, count(*) FROM derived.build_state AS state INNER JOIN raw.dialogues AS dialogue"
        " ON state.dialogue_id = dialogue.id AND dialogue.partition_key = ANY(%s) GROUP BY 1"
    )
    with database.session() as connection:
        return dict(connection.execute(statement, [list(keys)]).fetchall())


def test_one_asset_at_a_time_is_planned_and_none_that_has_begun():
    planned = Planned()
    assert planned.take("message_paths") is None
    assert planned.next_of(["message_paths", "exchanges", "qa_pairs"]) == "exchanges"
    planned.plan("exchanges", [])
    assert planned.next_of(["message_paths", "exchanges", "qa_pairs"]) is None
    assert planned.take("qa_pairs") is None
    assert planned.take("exchanges") == []
    assert planned.take("exchanges") is None
    assert planned.next_of(["message_paths", "exchanges", "qa_pairs"]) is None


@pytest.mark.dagster
@pytest.mark.postgres
def test_only_assets_of_the_run_are_planned_with_the_run_s_configuration(
    instance: dg.DagsterInstance, by_processes: Settings, database: Database
):
    keys = add_dialogues(database, 8)
    first = run_derived(instance, by_processes, keys, assets=CHOSEN)
    assert first.success
    assert built(database, keys) == dict.fromkeys(CHOSEN, 8)
    assert run_derived(instance, by_processes, keys, assets=CHOSEN, full=True).rows == first.rows
    assert set(run_derived(instance, by_processes, keys, assets=CHOSEN).rows.values()) == {0}


@pytest.mark.dagster
@pytest.mark.postgres
def test_what_was_planned_before_a_failed_check_is_no_materialisation_and_the_next_run_is_right(
    instance: dg.DagsterInstance, by_processes: Settings, database: Database
):
    keys = add_dialogues(database, 8)
    assert run_derived(instance, by_processes, keys, assets=["message_paths"]).success
    with database.session() as connection:
        connection.execute(
            "DELETE FROM derived.message_paths USING raw.dialogues AS dialogue"
            " WHERE dialogue.id = dialogue_id AND dialogue.partition_key = ANY(%s) AND depth = 3",
            [keys],
        )
    stopped = run_derived(instance, by_processes, keys)
    assert not stopped.success
    assert set(stopped.rows) == {"message_paths", "prompt_responses", "prompt_response_content"}
    assert instance.get_materialized_partitions(dg.AssetKey("dialogue_trees")).isdisjoint(keys)
    assert run_derived(instance, by_processes, keys, full=True).success
    for name in ASSETS:
        assert instance.get_materialized_partitions(dg.AssetKey(name)) >= set(keys)
    assert built(database, keys) == dict.fromkeys(ASSETS, 8)
