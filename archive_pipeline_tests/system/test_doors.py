"""Pages of other sites, opened in a real browser, get nothing done by `up`; its own page does."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import psutil
import pytest
from playwright.sync_api import Browser, Page, expect

from archive_pipeline.orchestration.assets.summary import SUMMARY_JOB
from archive_pipeline.orchestration.automation.import_job import IMPORT_JOB, IMPORT_OP
from archive_pipeline.settings import Settings
from archive_pipeline.store.database import Database
from archive_pipeline.store.migrate import migrate
from archive_pipeline.store.server.embedded import release
from archive_pipeline_tests.exports import chain, chatgpt, load, write
from archive_pipeline_tests.system.conftest import Start
from archive_pipeline_tests.system.live import REPOSITORY, Live, free_port
from archive_pipeline_tests.tables import query
from benchmarks.browser import NoBrowserError, open_browser

pytestmark = [pytest.mark.system, pytest.mark.postgres, pytest.mark.dagster]

DIALOGUES = 60
NOBODY = 65_534
PAGE_MILLISECONDS = 60_000
# Names that an attacker owns resolve to this machine, as by DNS rebinding.
REBOUND = "--host-resolver-rules=MAP *.example 127.0.0.1"
LAUNCH = """mutation ($job: String!, $config: RunConfigData, $repository: String!) {
    launchRun(executionParams: {selector: {repositoryLocationName: "archive_pipeline", repositoryName: $repository,
        jobName: $job}, runConfigData: $config}) { __typename ... on LaunchRunSuccess { run { runId } } } }"""
RUNS = "{ runsOrError { ... on Runs { count } } }"


@pytest.fixture(scope="module")
def opened(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Live, Database, Path]]:
    """`up` over an archive of dialogues, and an export on this machine that has two of them."""
    folder = tmp_path_factory.mktemp("doors")
    settings = Settings(home=folder / "home")
    database = Database.open(settings)
    migrate(database)
    dialogues = [chatgpt(f"door{number}", chain("a", "b")) for number in range(DIALOGUES)]
    load(database, folder / "all.json", *dialogues)
    running = Live(settings.home, log=folder / "up")
    try:
        running.wait_until_ready()
        yield running, database, write(folder / "lacking.json", *dialogues[:2])
    finally:
        running.kill_all()
        database.engine.dispose()
        release(settings.postgres_folder)


@pytest.fixture
def up(opened: tuple[Live, Database, Path]) -> Live:
    return opened[0]


@pytest.fixture
def lacking(opened: tuple[Live, Database, Path]) -> Path:
    return opened[2]


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """A browser, whose pages know nothing of one another."""
    try:
        with open_browser(REBOUND) as browser:
            yield browser
    except NoBrowserError as error:
        pytest.skip(str(error))


@pytest.fixture
def elsewhere() -> Iterator[int]:
    """The port of a site whose pages are empty."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.end_headers()
            self.wfile.write(b"<!doctype html><title>elsewhere</title><body>")

        def log_message(self, *_arguments: object) -> None:
            return

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield server.server_address[1]
    server.shutdown()
    server.server_close()


def launch_of(path: Path) -> dict[str, Any]:
    config = {"paths": [str(path)], "mirror": True, "mirror_limit": 100}
    run_config = {"ops": {IMPORT_OP: {"config": config}}}
    return {"query": LAUNCH, "variables": {"job": IMPORT_JOB, "config": run_config, "repository": REPOSITORY}}


# Whatever a page can have a browser send; each ends when the browser knows how it ended. What came back, if anything.
ATTACKS = {
    "fetch by GET": "fetch(url + '?' + query, {mode: 'no-cors', credentials: 'include'}).then(r => r.text())",
    "fetch by POST": "fetch(url, {method: 'POST', mode: 'no-cors', body: text}).then(r => r.text())",
    "fetch of JSON": (
        "fetch(url, {method: 'POST', headers: {'Content-Type': 'application/json'}, body: text}).then(r => r.text())"
    ),
    "query in a POST": "fetch(url + '?' + query, {method: 'POST', mode: 'no-cors'}).then(r => r.text())",
    "disguised type": (
        "fetch(url, {method: 'POST', mode: 'no-cors', headers: {'Content-Type': 'text/plain; application/json'}, "
        "body: text}).then(r => r.text())"
    ),
    "beacon": "Promise.resolve(navigator.sendBeacon(url, text)).then(() => new Promise(r => setTimeout(r, 1000, '')))",
    "picture": (
        "new Promise(r => { const i = new Image(); i.onload = i.onerror = () => r(''); i.src = url + '?' + query })"
    ),
    "form in a frame": """new Promise(r => {
        const frame = document.createElement('iframe'); frame.name = 'f';
        const form = document.createElement('form'); form.target = 'f'; form.method = 'POST';
        form.enctype = 'text/plain';
        form.action = url + '?' + query; document.body.append(frame, form);
        frame.onload = () => r(''); form.submit(); })""",
    "frame": """new Promise(r => { const f = document.createElement('iframe'); f.onload = () => r('');
        f.src = url + '?' + query; document.body.append(f) })""",
    "WebSocket": """new Promise(r => {
        const s = new WebSocket(url.replace('http', 'ws'), 'graphql-ws');
        s.onopen = () => { s.send(JSON.stringify({type: 'connection_init'}));
            s.send(JSON.stringify({type: 'start', id: '1', payload: JSON.parse(text)})) };
        s.onmessage = e => r(e.data); s.onerror = s.onclose = () => r('') })""",
}


def attack(page: Page, kind: str, url: str, body: dict[str, Any]) -> str:
    """Do it and return what the page could read of the answer."""
    arguments = {
        "url": f"{url}/graphql",
        "text": json.dumps(body),
        "query": urlencode({"query": body["query"], "variables": json.dumps(body["variables"])}),
    }
    script = f"({{url, text, query}}) => ({ATTACKS[kind]}).catch(() => '')"
    return str(page.evaluate(script, arguments) or "")


def imports(up: Live) -> int:
    return len(up.runs(IMPORT_JOB))


def dialogues(database: Database) -> int:
    return int(query(database, "SELECT count(*) FROM raw.dialogues")[0][0])


def test_pages_of_other_sites_get_nothing_done_and_know_nothing(
    up: Live, opened: tuple[Live, Database, Path], browser: Browser, elsewhere: int, lacking: Path
):
    body = launch_of(lacking)
    page = browser.new_page()
    # Another port of this machine is the same site; another name is another one, and reaches this machine all the same.
    for site in (f"http://127.0.0.1:{elsewhere}", f"http://evil.example:{elsewhere}"):
        for target in (f"http://127.0.0.1:{up.port}", f"http://localhost:{up.port}", f"http://evil.example:{up.port}"):
            for kind in ATTACKS:
                page.goto(site)
                answer = attack(page, kind, target, body)
                assert answer == "", (site, target, kind, answer)
    assert imports(up) == 0
    assert dialogues(opened[1]) == DIALOGUES


def test_a_name_that_is_rebound_to_this_machine_is_a_stranger(
    up: Live, opened: tuple[Live, Database, Path], browser: Browser, lacking: Path
):
    page = browser.new_page()
    address = f"http://evil.example:{up.port}"
    answer = page.goto(address)
    assert answer is not None
    assert answer.status == 421
    assert "`llm-archive up --help`" in page.content()
    # To the browser the page is now of the same origin as what it asks for.
    for kind in ATTACKS:
        assert "data" not in attack(page, kind, address, launch_of(lacking))
        assert page.url == f"{address}/"
    assert imports(up) == 0
    assert dialogues(opened[1]) == DIALOGUES


def test_links_of_other_sites_open_pages_which_cannot_be_framed(up: Live, browser: Browser, elsewhere: int):
    page = browser.new_page()
    page.set_default_timeout(PAGE_MILLISECONDS)
    page.goto(f"http://evil.example:{elsewhere}")
    page.evaluate("url => Object.assign(document.createElement('a'), {href: url}).click()", up.address("/runs"))
    expect(page.get_by_role("link", name="Catalog").first).to_be_visible(timeout=PAGE_MILLISECONDS)
    page.goto(f"http://127.0.0.1:{elsewhere}")
    page.evaluate(
        """url => new Promise(r => { const f = document.createElement('iframe'); f.onload = r; f.src = url;
        document.body.append(f) })""",
        up.address("/runs"),
    )
    assert "dagster" not in "".join(frame.content().lower() for frame in page.frames[1:])


def test_the_ui_works_behind_the_guard(up: Live, browser: Browser):
    page = browser.new_page(viewport={"width": 2200, "height": 2800})  # the graph draws only what is in sight
    page.set_default_timeout(PAGE_MILLISECONDS)
    sockets: list[str] = []
    received: list[str] = []

    def listen(socket: Any) -> None:
        sockets.append(socket.url)
        socket.on("framereceived", lambda frame: received.append(str(frame)))

    page.on("websocket", listen)
    page.goto(up.address(f"/locations/{REPOSITORY}@archive_pipeline/asset-groups/derived/lineage"))
    expect(page.get_by_text("dialogue_trees").first).to_be_visible(timeout=PAGE_MILLISECONDS)
    page.goto(up.address(f"/locations/{REPOSITORY}@archive_pipeline/jobs/{SUMMARY_JOB}"))
    before = len(up.runs(SUMMARY_JOB))
    page.get_by_role("button", name="Materialize").first.click()
    confirm = page.get_by_role("button", name="Confirm")  # asked as long as nothing is built
    expect(confirm.or_(page.get_by_text("Launched run")).first).to_be_visible(timeout=PAGE_MILLISECONDS)
    if confirm.is_visible():
        confirm.click()
    up.wait(lambda: len(up.runs(SUMMARY_JOB)) > before, "the run is launched")
    page.goto(up.address(f"/runs/{up.runs(SUMMARY_JOB)[-1]['runId']}"))
    up.wait(lambda: up.runs(SUMMARY_JOB)[-1]["status"] == "SUCCESS", "the run ends")
    expect(page.get_by_text("RUN_SUCCESS").first).to_be_visible(timeout=PAGE_MILLISECONDS)
    assert sockets == [f"ws://127.0.0.1:{up.port}/graphql"] * len(sockets)
    assert any("RunSuccessEvent" in frame for frame in received)


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


def test_a_second_one_over_the_same_home_is_one_line(up: Live, start: Start):
    ended = start(up.home, "up", "--port", free_port()).end()
    assert ended.code == 2
    assert ended.error == f"`llm-archive up` is already running for {up.home}; stop that one first"


def test_all_that_listens_is_the_guard(up: Live):
    """No other part has a port; code servers have socket files that only their user can write to."""
    for process in up.processes():
        ports = [end.laddr.port for end in process.net_connections("inet") if end.status == psutil.CONN_LISTEN]
        assert ports == ([up.port] if process == up.part("web server") else []), process.cmdline()
        files = [Path(end.laddr) for end in process.net_connections("unix") if str(end.laddr).startswith("/")]
        assert all(path.stat().st_mode & 0o077 == 0 for path in files if path.exists()), files
