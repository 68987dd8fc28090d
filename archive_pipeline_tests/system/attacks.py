"""What a page of another site can have a browser send to `up`, and such a site."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs, urlencode, urlsplit

from archive_pipeline.orchestration.automation.import_job import IMPORT_JOB, IMPORT_OP
from archive_pipeline_tests.system.live import REPOSITORY

if TYPE_CHECKING:
    from playwright.sync_api import Page

# Names that an attacker owns resolve to this machine, as by DNS rebinding.
REBOUND = "--host-resolver-rules=MAP *.example 127.0.0.1"
LAUNCH = """mutation ($job: String!, $config: RunConfigData, $repository: String!) {
    launchRun(executionParams: {selector: {repositoryLocationName: "archive_pipeline", repositoryName: $repository,
        jobName: $job}, runConfigData: $config}) { __typename ... on LaunchRunSuccess { run { runId } } } }"""


# Whatever a page can have a browser send; each ends when the browser knows how it ended. What came back, if anything.
ATTACKS = {
    "fetch by GET": "fetch(url + '&' + query, {mode: 'no-cors', credentials: 'include'}).then(r => r.text())",
    "fetch by POST": "fetch(url, {method: 'POST', mode: 'no-cors', body: text}).then(r => r.text())",
    "fetch of JSON": (
        "fetch(url, {method: 'POST', headers: {'Content-Type': 'application/json'}, body: text}).then(r => r.text())"
    ),
    "query in a POST": "fetch(url + '&' + query, {method: 'POST', mode: 'no-cors'}).then(r => r.text())",
    "disguised type": (
        "fetch(url, {method: 'POST', mode: 'no-cors', headers: {'Content-Type': 'text/plain; application/json'}, "
        "body: text}).then(r => r.text())"
    ),
    "beacon": "Promise.resolve(navigator.sendBeacon(url, text)).then(() => new Promise(r => setTimeout(r, 1000, '')))",
    "picture": (
        "new Promise(r => { const i = new Image(); i.onload = i.onerror = () => r(''); i.src = url + '&' + query })"
    ),
    "form in a frame": """new Promise(r => {
        const frame = document.createElement('iframe'); frame.name = 'f';
        const form = document.createElement('form'); form.target = 'f'; form.method = 'POST';
        form.enctype = 'text/plain';
        form.action = url + '&' + query; document.body.append(frame, form);
        frame.onload = () => r(''); form.submit(); })""",
    "frame": """new Promise(r => { const f = document.createElement('iframe'); f.onload = () => r('');
        f.src = url + '&' + query; document.body.append(f) })""",
    "WebSocket": """new Promise(r => {
        const s = new WebSocket(url.replace('http', 'ws'), 'graphql-ws');
        s.onopen = () => { s.send(JSON.stringify({type: 'connection_init'}));
            s.send(JSON.stringify({type: 'start', id: '1', payload: JSON.parse(text)})) };
        s.onmessage = e => r(e.data); s.onerror = s.onclose = () => r('') })""",
}
_SCRIPT = "({urls, text, query}) => Promise.all([%s])"


@contextmanager
def empty_site(asked: set[tuple[str, str]]) -> Iterator[int]:
    """Serve pages that are empty; yield the port.

    Args:
        asked: gets the method of each request, and which attack it is of.
    """

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            (kind,) = parse_qs(urlsplit(self.path).query).get("by", [""])
            asked.add((self.command, kind))
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.end_headers()
            self.wfile.write(b"<!doctype html><title>elsewhere</title><body>")

        def do_POST(self) -> None:
            self.do_GET()

        def do_OPTIONS(self) -> None:
            self.do_GET()

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


def attack(page: Page, url: str, body: dict[str, Any]) -> dict[str, str]:
    """Do all of them at once from this page; return by the kind what the page could read of the answer."""
    arguments = {
        "urls": [f"{url}/graphql?{urlencode({'by': kind})}" for kind in ATTACKS],
        "text": json.dumps(body),
        "query": urlencode({"query": body["query"], "variables": json.dumps(body["variables"])}),
    }
    # Each waits for its own end, and none hears of another.
    calls = [f"(url => {script})(urls[{number}]).catch(() => '')" for number, script in enumerate(ATTACKS.values())]
    answers = page.evaluate(_SCRIPT % ", ".join(calls), arguments)
    return {kind: str(answer or "") for kind, answer in zip(ATTACKS, answers, strict=True)}
