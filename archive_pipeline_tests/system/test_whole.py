"""An export that is dropped into a folder becomes tables, is backfilled, and is seen in the browser.

All the while the environment has passwords and keys, which stay there: they are in no list of processes, file, table or
message.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, ViewportSize, expect

from archive_pipeline.derive.registry import ASSETS
from archive_pipeline.orchestration.automation.import_job import IMPORT_JOB
from archive_pipeline.orchestration.jobs import JOB
from archive_pipeline.store.database import Database
from archive_pipeline_tests.system.commands import contents
from archive_pipeline_tests.system.conftest import CORPUS_DIALOGUES
from archive_pipeline_tests.system.given_secrets import (
    MARK,
    SECRETS,
    assert_in_no_file,
    assert_in_no_table,
    url_with_secrets,
)
from archive_pipeline_tests.system.live import PARTS, REPOSITORY, UNDER_WAY, Live
from archive_pipeline_tests.tables import query
from benchmarks.browser import NoBrowserError, open_browser

pytestmark = [pytest.mark.system, pytest.mark.postgres, pytest.mark.dagster]

BACKFILLED = ["message_paths", "linear_sequences", "exchanges"]
START, END = "dagster/asset_partition_range_start", "dagster/asset_partition_range_end"
PAGE_MILLISECONDS = 60_000
# The graph draws only what is in sight.
VIEWPORT: ViewportSize = {"width": 2200, "height": 2800}


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    try:
        with open_browser() as browser:
            yield browser
    except NoBrowserError as error:
        pytest.skip(str(error))


@pytest.fixture
def pictures(tmp_path: Path) -> Path:
    """Where pictures of the UI are kept."""
    folder = Path(os.environ.get("ARCHIVE_TEST_PICTURES") or tmp_path)
    folder.mkdir(parents=True, exist_ok=True)
    return folder


@pytest.fixture
def up_variables(new_archive: tuple[Path, Database]) -> dict[str, str]:
    return {**SECRETS, "ARCHIVE_DATABASE_URL": url_with_secrets(new_archive[1])}


def drop_slowly(up: Live, corpus: Path) -> None:
    """Copy the corpus into the drop folder; in the middle of it, let the sensor have a look."""
    target = up.home / "imports" / "export"
    target.mkdir(parents=True)
    (target / "first.json").write_bytes((corpus / "first.json").read_bytes())
    whole = (corpus / "second.json").read_bytes()
    half = len(whole) // 2
    (target / "second.json").write_bytes(whole[:half])
    up.wait(lambda: "may still be changing" in up.ticks("new_imports")[0]["said"], "the sensor sees half of the file")
    with (target / "second.json").open("ab") as file:
        file.write(whole[half:])


def is_built(database: Database) -> bool:
    wanted = CORPUS_DIALOGUES * len(ASSETS)
    return query(database, "SELECT count(*) FROM derived.build_state") == [(wanted,)]


def has_ended(up: Live, job: str) -> bool:
    statuses = {run["status"] for run in up.runs(job)}
    return bool(statuses) and not statuses & set(UNDER_WAY)


def scattered_keys(database: Database) -> list[str]:
    """Three, two and one keys with others between them, in the order of the partitions."""
    keys = [key for (key,) in query(database, "SELECT partition_key FROM raw.dialogues ORDER BY partition_key")]
    return [*keys[1:4], *keys[9:11], keys[20]]


def test_an_export_is_imported_built_backfilled_and_seen(
    up: Live,
    new_archive: tuple[Path, Database],
    corpus: Path,
    undisturbed: dict[str, list[str]],
    browser: Browser,
    pictures: Path,
):
    home, database = new_archive
    drop_slowly(up, corpus)
    up.wait(lambda: bool(up.processes()) and is_built(database), "the sensors import and build")
    up.wait(lambda: has_ended(up, JOB), "the build ends")
    assert contents(database) == undisturbed
    assert [run["status"] for run in up.runs(IMPORT_JOB)] == ["SUCCESS"]

    chosen = scattered_keys(database)
    backfill = up.launch_backfill(BACKFILLED, chosen)
    page = browser.new_page(viewport=VIEWPORT)
    page.set_default_timeout(PAGE_MILLISECONDS)
    page.goto(up.address(f"/locations/{REPOSITORY}@archive_pipeline/asset-groups/derived/lineage"))
    for name in ASSETS:
        page.get_by_text(name, exact=True).first.wait_for()
    up.wait(lambda: up.backfill_status(backfill) == "COMPLETED_SUCCESS", "the backfill completes")
    # The graph follows without being loaded again.
    expect(page.get_by_text("100% filled")).to_have_count(len(ASSETS), timeout=PAGE_MILLISECONDS)
    page.screenshot(path=pictures / "asset-graph.png")
    runs = [run for run in up.runs("__ASSET_JOB") if run["tags"].get("dagster/backfill") == backfill]
    assert sorted((run["tags"][START], run["tags"][END]) for run in runs) == [
        (chosen[0], chosen[2]),
        (chosen[3], chosen[4]),
        (chosen[5], chosen[5]),
    ]
    assert contents(database) == undisturbed
    page.goto(up.address("/assets/exchanges?view=partitions"))
    page.get_by_text(f"{CORPUS_DIALOGUES} Partitions Selected").wait_for()
    for text in (f"Materialized ({CORPUS_DIALOGUES})", "Missing (0)", "Failed (0)"):
        page.get_by_text(text).wait_for()
    page.screenshot(path=pictures / "partitions.png")
    up.stop()

    assert all(any(part in line for line in up.command_lines) for part in PARTS.values())
    assert not [line for line in up.command_lines if MARK in line]
    assert MARK not in up.command.said()
    assert_in_no_file(home)
    assert_in_no_table(database)
