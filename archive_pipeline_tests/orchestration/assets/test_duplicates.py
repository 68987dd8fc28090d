"""The asset over the whole archive: its job, and what Dagster shows of it."""

from __future__ import annotations

import dagster as dg
import pytest

from archive_pipeline.orchestration.assets.duplicates import DUPLICATES_JOB
from archive_pipeline.orchestration.build import build_defs
from archive_pipeline.settings import Settings
from archive_pipeline.settings.variables import CHECKOUT
from archive_pipeline.store.database import Database
from archive_pipeline.store.duplicates import DUPLICATES
from archive_pipeline_tests.orchestration.automation.test_import_job import run as run_import

pytestmark = [pytest.mark.dagster, pytest.mark.postgres]

SAMPLE = CHECKOUT / "examples" / "sample_archive"


def find(instance: dg.DagsterInstance, settings: Settings) -> dict[str, object]:
    job = build_defs(settings=settings).resolve_job_def(DUPLICATES_JOB)
    result = job.execute_in_process(instance=instance)
    assert result.success
    [event] = result.get_asset_materialization_events()
    assert event.asset_key == dg.AssetKey(DUPLICATES)
    return {name: value.value for name, value in event.step_materialization_data.materialization.metadata.items()}


def test_duplicates_are_found_without_any_other_derived_table(
    instance: dg.DagsterInstance, settings: Settings, empty_archive: Database
) -> None:
    assert run_import(instance, settings, SAMPLE).success
    found = find(instance, settings)
    with empty_archive.session() as connection:
        rows = connection.execute("SELECT count(*) FROM derived.duplicate_clusters").fetchone()
        kept = connection.execute("SELECT count(*) FROM derived.duplicate_clusters WHERE is_kept").fetchone()
        messages = connection.execute("SELECT sum(message_count) FROM raw.dialogues").fetchone()
    assert (found["rows_duplicate_clusters"],) == rows
    assert (sum(count for name, count in found.items() if name.startswith("clusters_")),) == kept
    assert (found["messages"],) == messages
    assert found["rows_duplicate_clusters"] == kept[0] + found["content_copies"] + found["prefix_copies"]
    assert 0 < found["compared_messages"] < found["messages"]


def test_an_empty_archive_has_no_duplicates(
    instance: dg.DagsterInstance, settings: Settings, empty_archive: Database
) -> None:
    found = find(instance, settings)
    assert (found["rows_duplicate_clusters"], found["dialogues"], found["compared_messages"]) == (0, 0, 0)


def test_it_depends_on_what_it_compares() -> None:
    specs = build_defs(settings=Settings(home=CHECKOUT)).resolve_all_asset_specs()
    spec = next(spec for spec in specs if spec.key == dg.AssetKey(DUPLICATES))
    assert spec.partitions_def is None
    assert {dep.asset_key.to_user_string() for dep in spec.deps} == {
        "message_paths",
        "exchanges",
        "content_hashes",
        "raw/messages",
        "raw/content_parts",
    }
