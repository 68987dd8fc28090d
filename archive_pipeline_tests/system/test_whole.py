"""`up` in use: an export that is dropped into a folder becomes tables, is backfilled, and is seen in the browser.

All the while the environment has passwords and keys, which stay there: they are in no list of processes, file, table or
message. Pages of other sites, opened in the same browser, get nothing done; its own page does.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import psutil
import pytest

from archive_pipeline.derive.registry import ASSETS
from archive_pipeline.orchestration.assets.summary import SUMMARY_JOB
from archive_pipeline.orchestration.automation.import_job import IMPORT_JOB
from archive_pipeline.orchestration.jobs import JOB
from archive_pipeline.store.database import Database
from archive_pipeline_tests.browsers import expect, new_page, patient_browser
from archive_pipeline_tests.exports import write
from archive_pipeline_tests.system.attacks import ATTACKS, REBOUND, attack, empty_site, launch_of
from archive_pipeline_tests.system.commands import contents
from archive_pipeline_tests.system.conftest import CORPUS_DIALOGUES, Start
from archive_pipeline_tests.system.given_secrets import (
    MARK,
    SECRETS,
    assert_in_no_file,
    assert_in_no_table,
    url_with_secrets,
)
from archive_pipeline_tests.system.live import PARTS, REPOSITORY, UNDER_WAY, Live, eager_backfills, free_port
from archive_pipeline_tests.tables import query

if TYPE_CHECKING:
    from playwright.sync_api import Browser, ViewportSize

pytestmark = [pytest.mark.system, pytest.mark.postgres, pytest.mark.dagster]

BACKFILLED = ["message_paths", "linear_sequences", "exchanges"]
START, END = "dagster/asset_partition_range_start", "dagster/asset_partition_range_end"
NOBODY = 65_534
# The graph draws only what is in sight.
VIEWPORT: ViewportSize = {"width": 2400, "height": 3600}
# What moves on a page is drawn sixty times a second, as long as a backfill takes.
STILL = "*, *::before, *::after { animation: none !important; transition: none !important }"
# What is asked again and again is asked of the database: each answer of the web server is work.
STATUS_OF_BACKFILL = "SELECT status FROM dagster.bulk_actions WHERE key = %s"
STATUS_OF_RUN = "SELECT status FROM dagster.runs WHERE run_id = %s"
RUNS = "{ runsOrError { ... on Runs { count } } }"


@pytest.fixture(scope="module")
def up(module_archive: Database, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Live]:
    """`up` over an empty archive, in a home that it makes; what a failed test leaves of it is killed."""
    folder = tmp_path_factory.mktemp("whole")
    variables = {**SECRETS, "ARCHIVE_DATABASE_URL": url_with_secrets(module_archive)}
    variables |= eager_backfills(folder / "imported")
    running = Live(folder / "home", log=folder / "up", variables=variables)
    try:
        running.wait_until_ready()
        yield running
    finally:
        running.kill_all()


@pytest.fixture
def database(module_archive: Database) -> Database:
    """The database of `up`."""
    return module_archive


@pytest.fixture
def lacking(corpus: Path, tmp_path: Path) -> Path:
    """An export on this machine that has two of the dialogues."""
    return write(tmp_path / "lacking.json", *json.loads((corpus / "first.json").read_bytes())[:2])


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """A browser, whose pages know nothing of one another."""
    with patient_browser(REBOUND) as browser:
        yield browser


@pytest.fixture
def pictures(tmp_path: Path) -> Path:
    """Where pictures of the UI are kept."""
    folder = Path(os.environ.get("ARCHIVE_TEST_PICTURES") or tmp_path)
    folder.mkdir(parents=True, exist_ok=True)
    return folder


@pytest.fixture
def elsewhere() -> Iterator[int]:
    """The port of a site whose pages are empty."""
    with empty_site(set()) as port:
        yield port


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
    return query(database, "SELECT count(*) FROM derived.build_state") == [(CORPUS_DIALOGUES * len(ASSETS),)]


def has_ended(up: Live, job: str) -> bool:
    statuses = {run["status"] for run in up.runs(job)}
    return bool(statuses) and not statuses & set(UNDER_WAY)


def scattered_keys(database: Database) -> list[str]:
    """Three keys and one, with others between them, in the order of the partitions."""
    keys = [key for (key,) in query(database, "SELECT partition_key FROM raw.dialogues ORDER BY id")]
    return [*keys[1:4], keys[20]]


def test_an_export_is_imported_built_backfilled_and_seen(
    up: Live,
    database: Database,
    corpus: Path,
    undisturbed: dict[str, list[str]],
    browser: Browser,
    pictures: Path,
):
    drop_slowly(up, corpus)
    up.wait(lambda: bool(up.processes()) and is_built(database), "the sensors import and build")
    up.wait(lambda: has_ended(up, JOB), "the build ends")
    assert contents(database) == undisturbed
    assert [run["status"] for run in up.runs(IMPORT_JOB)] == ["SUCCESS"]

    page = new_page(browser, viewport=VIEWPORT)
    page.goto(up.address(f"/locations/{REPOSITORY}@archive_pipeline/asset-groups/derived/lineage"))
    page.add_style_tag(content=STILL)
    for name in ASSETS:
        page.get_by_text(name, exact=True).first.wait_for()
    chosen = scattered_keys(database)
    backfill = up.launch_backfill(BACKFILLED, chosen)
    up.wait(lambda: query(database, STATUS_OF_BACKFILL, backfill) != [("REQUESTED",)], "the backfill ends")
    assert up.backfill_status(backfill) == "COMPLETED_SUCCESS"
    # The graph follows without being loaded again.
    expect(page.get_by_text("100% filled")).to_have_count(len(ASSETS))
    page.screenshot(path=pictures / "asset-graph.png")
    runs = [run for run in up.runs("__ASSET_JOB") if run["tags"].get("dagster/backfill") == backfill]
    assert sorted((run["tags"][START], run["tags"][END]) for run in runs) == [
        (chosen[0], chosen[2]),
        (chosen[3], chosen[3]),
    ]
    assert contents(database) == undisturbed
    page.goto(up.address("/assets/exchanges?view=partitions"))
    page.get_by_text(f"{CORPUS_DIALOGUES} Partitions Selected").wait_for()
    for text in (f"Materialized ({CORPUS_DIALOGUES})", "Missing (0)", "Failed (0)"):
        page.get_by_text(text).wait_for()
    page.screenshot(path=pictures / "partitions.png")
    page.close()


def imported(up: Live, database: Database) -> tuple[int, object]:
    """How many imports there were, and what they left."""
    return len(up.runs(IMPORT_JOB)), query(database, "SELECT count(*) FROM raw.dialogues")


def test_pages_of_other_sites_get_nothing_done_and_know_nothing(
    up: Live, database: Database, browser: Browser, elsewhere: int, lacking: Path
):
    before = imported(up, database)
    page = new_page(browser)
    # Another port of this machine is the same site; another name is another one, and reaches this machine all the same.
    for site in (f"http://127.0.0.1:{elsewhere}", f"http://evil.example:{elsewhere}"):
        for target in (f"http://127.0.0.1:{up.port}", f"http://localhost:{up.port}", f"http://evil.example:{up.port}"):
            page.goto(site)
            assert attack(page, target, launch_of(lacking)) == dict.fromkeys(ATTACKS, ""), (site, target)
    assert imported(up, database) == before
    page.close()


def test_a_name_that_is_rebound_to_this_machine_is_a_stranger(
    up: Live, database: Database, browser: Browser, lacking: Path
):
    before = imported(up, database)
    page = new_page(browser)
    address = f"http://evil.example:{up.port}"
    answer = page.goto(address)
    assert answer is not None
    assert answer.status == 421
    assert "`llm-archive up --help`" in page.content()
    # To the browser the page is now of the same origin as what it asks for.
    assert not [answer for answer in attack(page, address, launch_of(lacking)).values() if "data" in answer]
    assert page.url == f"{address}/"
    assert imported(up, database) == before
    page.close()


def test_links_of_other_sites_open_pages_which_cannot_be_framed(up: Live, browser: Browser, elsewhere: int):
    page = new_page(browser)
    page.goto(f"http://evil.example:{elsewhere}")
    page.evaluate("url => Object.assign(document.createElement('a'), {href: url}).click()", up.address("/runs"))
    expect(page.get_by_role("link", name="Catalog").first).to_be_visible()
    page.goto(f"http://127.0.0.1:{elsewhere}")
    page.evaluate(
        """url => new Promise(r => { const f = document.createElement('iframe'); f.onload = r; f.src = url;
        document.body.append(f) })""",
        up.address("/runs"),
    )
    assert "dagster" not in "".join(frame.content().lower() for frame in page.frames[1:])
    page.close()


def test_the_ui_works_behind_the_guard(up: Live, database: Database, browser: Browser):
    page = new_page(browser)
    sockets: list[str] = []
    received: list[str] = []

    def listen(socket: Any) -> None:
        sockets.append(socket.url)
        socket.on("framereceived", lambda frame: received.append(str(frame)))

    page.on("websocket", listen)
    page.goto(up.address(f"/locations/{REPOSITORY}@archive_pipeline/jobs/{SUMMARY_JOB}"))
    before = len(up.runs(SUMMARY_JOB))
    page.get_by_role("button", name="Materialize").first.click()
    confirm = page.get_by_role("button", name="Confirm")  # asked as long as nothing is built
    expect(confirm.or_(page.get_by_text("Launched run")).first).to_be_visible()
    if confirm.is_visible():
        confirm.click()
    up.wait(lambda: len(up.runs(SUMMARY_JOB)) > before, "the run is launched")
    run = up.runs(SUMMARY_JOB)[-1]["runId"]
    page.goto("about:blank")  # the page of a run under way draws all the while, which takes ten times the run's work
    up.wait(lambda: query(database, STATUS_OF_RUN, run) == [("SUCCESS",)], "the run ends")
    page.goto(up.address(f"/runs/{run}"))
    expect(page.get_by_text("RUN_SUCCESS").first).to_be_visible()
    assert sockets == [f"ws://127.0.0.1:{up.port}/graphql"] * len(sockets)
    assert any("RunSuccessEvent" in frame for frame in received)
    page.close()


@pytest.mark.skipif(os.geteuid() != 0 or shutil.which("setpriv") is None, reason="only root can be somebody else")
def test_another_user_of_the_machine_is_refused(up: Live):
    program = (
        "import sys, urllib.request\n"
        "request = urllib.request.Request(sys.argv[1], sys.argv[2].encode(), {'Content-Type': 'application/json'})\n"
        "print(urllib.request.urlopen(request).status)\n"
    )
    ask = ["/usr/bin/env", "python3", "-c", program, up.address("/graphql"), json.dumps({"query": RUNS})]
    own = subprocess.run(ask, capture_output=True, text=True, check=False)
    assert own.stdout.strip() == "200", own.stderr
    other = subprocess.run(
        ["setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups", *ask],
        capture_output=True,
        text=True,
        check=False,
    )
    assert "HTTP Error 403" in other.stderr


def test_a_second_one_over_the_same_home_is_one_line(up: Live, fork: Start):
    ended = fork(up.home, "up", "--port", free_port()).end()
    assert ended.code == 2
    assert ended.error == f"`llm-archive up` is already running for {up.home}; stop that one first"


def test_all_that_listens_is_the_guard(up: Live):
    """No other part has a port; code servers have socket files that only their user can write to."""
    server = up.part("web server")
    for process in up.processes():
        with suppress(psutil.NoSuchProcess):  # a run may end meanwhile
            ports = [end.laddr.port for end in process.net_connections("inet") if end.status == psutil.CONN_LISTEN]
            assert ports == ([up.port] if process == server else []), process.cmdline()
            files = [Path(end.laddr) for end in process.net_connections("unix") if str(end.laddr).startswith("/")]
            assert all(path.stat().st_mode & 0o077 == 0 for path in files if path.exists()), files
    assert server is not None
    assert server.is_running()


def test_it_ends_with_all_that_it_started_and_has_let_no_secret_out(up: Live, database: Database):
    """The last one: of all that ran meanwhile."""
    up.stop()
    assert all(any(part in line for line in up.command_lines) for part in PARTS.values())
    assert not [line for line in up.command_lines if MARK in line]
    assert MARK not in up.command.said()
    assert_in_no_file(up.home)
    assert_in_no_table(database)
