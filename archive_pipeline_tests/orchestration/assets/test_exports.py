"""The assets of exports: files in the home, replaced when made again, with counts and their path."""

from __future__ import annotations

import json
from pathlib import Path

import dagster as dg
import pytest

from archive_pipeline.building.batch_cache import BatchCache
from archive_pipeline.building.executors.local import LocalExecutor
from archive_pipeline.domain.progress import no_progress
from archive_pipeline.export.formats.registry import FORMATS
from archive_pipeline.orchestration.assets.exports import EXPORT_ASSETS, EXPORTS_FOLDER, asset_name
from archive_pipeline.orchestration.resources import Archive
from archive_pipeline.settings import Settings
from archive_pipeline.store.database import Database
from archive_pipeline_tests.export.dialogues import fill

pytestmark = [pytest.mark.postgres, pytest.mark.dagster]


def materialize(database: Database, settings: Settings, name: str, **config: object) -> dict[str, object]:
    archive = Archive(database, settings, BatchCache(), LocalExecutor(database), no_progress)
    [asset] = [each for each in EXPORT_ASSETS if each.key == dg.AssetKey(asset_name(name))]
    run_config = {"ops": {asset_name(name): {"config": config}}}
    result = dg.materialize([asset], resources={"archive": archive}, run_config=run_config)
    [event] = result.asset_materializations_for_node(asset_name(name))
    return {key: value.value for key, value in event.metadata.items()}


def test_every_format_is_an_asset():
    assert [each.key.to_user_string() for each in EXPORT_ASSETS] == [asset_name(name) for name in FORMATS]
    assert all(each.partitions_def is None for each in EXPORT_ASSETS)


def test_an_asset_writes_files_and_says_what_they_are(empty_archive: Database, settings: Settings, tmp_path: Path):
    database = empty_archive
    fill(database, settings, tmp_path / "exports")
    told = materialize(database, settings, "openai", paths="all", sources=["chatgpt"])
    folder = settings.home / EXPORTS_FOLDER / "openai"
    lines = (folder / "data.jsonl").read_text(encoding="utf-8").splitlines()
    assert told["path"] == str(folder)
    assert (told["written_examples"], told["read_dialogues"]) == (5, 2)
    assert len(lines) == 5
    assert json.loads(lines[0])["messages"][-1]["content"] not in str(told)
    again = materialize(database, settings, "openai")
    assert again["written_examples"] == 3
    assert len((folder / "data.jsonl").read_text(encoding="utf-8").splitlines()) == 3
    assert not list(folder.parent.glob(".*"))


def test_dagster_is_not_told_titles(empty_archive: Database, settings: Settings, tmp_path: Path):
    fill(empty_archive, settings, tmp_path / "exports")
    told = materialize(empty_archive, settings, "markdown")
    [path] = (settings.home / EXPORTS_FOLDER / "markdown").rglob("*Hot drinks*.md")
    assert path.stem not in str(told)


def test_traces_are_redacted_in_dagster_too(empty_archive: Database, settings: Settings, tmp_path: Path):
    database = empty_archive
    fill(database, settings, tmp_path / "exports")
    materialize(database, settings, "traces", own_words=["river"])
    folder = settings.home / EXPORTS_FOLDER / "traces"
    assert json.loads((folder / "manifest.json").read_bytes())["redacted"] == {"NAME": 1}
