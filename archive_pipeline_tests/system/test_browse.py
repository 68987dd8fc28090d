"""`llm-archive browse` as a reader has it: a real server, a real browser, and strangers at the door."""

from __future__ import annotations

import re
import signal
import socket
from collections.abc import Iterator
from http.client import HTTPConnection
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import pytest
from pypdfium2 import PdfDocument

from archive_pipeline.store.database import Database
from archive_pipeline.text.user_input import LONGEST_QUERY
from archive_pipeline_tests.browsers import expect, new_page, patient_browser
from archive_pipeline_tests.exports import Said, chain, chatgpt, load
from archive_pipeline_tests.system.commands import Command, wait_until
from archive_pipeline_tests.system.conftest import Start

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytestmark = [pytest.mark.system, pytest.mark.postgres]

ANSWER = "# Tide {0}\n\nAnswer number {0}.\n\n|Hour|\n|--:|\n|{0}|"
ADDRESS = re.compile(r"http://127\.0\.0\.1:(\d+)/\?token=(\S+)")


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("browse") / "made by the command"  # the database is elsewhere


@pytest.fixture(scope="module")
def variables(module_archive: Database, tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The environment of a command over an archive of a conversation with two answers, and of one with a tool."""
    folder = tmp_path_factory.mktemp("export")
    answers = [Said(f"b{number}", "m0", "assistant", ANSWER.format(number), 2.0 + number) for number in range(2)]
    tree = chatgpt("tree", [*chain("Why are there tides?", start=1.0), *answers], title="Tides", current="b1")
    result = {"content_type": "execution_output", "text": "12 o'clock"}
    tool = {"author": {"role": "tool", "name": "clock"}}
    hours = [*chain("When?", start=1.0), Said("c", "m0", "tool", None, 2.0, content=result, more=tool)]
    load(module_archive, folder / "a.json", tree, chatgpt("hours", hours, title="Hours", updated=2.0))
    return {"ARCHIVE_DATABASE_URL": module_archive.url}


@pytest.fixture(scope="module")
def browsing(
    home: Path, variables: dict[str, str], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[int, str]]:
    """The port and the token of the command, which reads only, so that tests can share it."""
    log = tmp_path_factory.mktemp("log") / "browse"
    command = Command(home, "browse", "--port", free_port(), log=log, variables=variables)
    try:
        wait_until(lambda: ADDRESS.search(command.said()) is not None, "the server answers")
        found = ADDRESS.search(command.said())
        assert found is not None
        yield int(found[1]), found[2]
    finally:
        command.send(signal.SIGINT)
        assert command.end().code == 0


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """A browser; each of its contexts is a new visitor."""
    with patient_browser() as browser:
        yield browser


def status(port: int, method: str = "GET", path: str = "/", **headers: str) -> int:
    connection = HTTPConnection("127.0.0.1", port, timeout=300)
    try:
        connection.request(method, path, headers={name.replace("_", "-"): value for name, value in headers.items()})
        return connection.getresponse().status
    finally:
        connection.close()


def test_only_who_has_the_token_gets_an_answer(browsing: tuple[int, str]):
    port, token = browsing
    bearer = {"Authorization": f"Bearer {token}"}
    assert status(port, **bearer) == 200
    assert status(port, path=f"/static/style.css?q={quote(LONGEST_QUERY * 'é')}", **bearer) == 200
    assert status(port) == 401
    assert status(port, path="/static/style.css") == 401
    assert status(port, path=f"/?token={'x' * len(token)}") == 401
    assert status(port, Host="attacker.example", **bearer) == 421
    assert status(port, Origin="http://attacker.example", **bearer) == 403
    assert status(port, Sec_Fetch_Site="cross-site", Sec_Fetch_Mode="no-cors", **bearer) == 403
    assert status(port, "POST", Content_Type="application/json", **bearer) == 405
    assert status(port, "DELETE", **bearer) == 405


def read_a_conversation(page: Page, address: str) -> None:
    page.goto(address)
    expect(page).to_have_url(re.compile(r"/$"))  # the token is in the cookie by now
    page.get_by_role("navigation", name="Archive").get_by_role("link", name="Conversations").wait_for()
    page.get_by_role("link", name="Tides").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Tides")
    expect(page.get_by_role("article")).to_have_count(2)
    versions = page.get_by_role("navigation", name="Versions of message 2")
    expect(versions).to_contain_text("Regeneration 2 of 2")
    versions.get_by_role("link", name="Version 1").click()
    expect(page.get_by_role("article").get_by_text("Answer number 0.")).to_be_visible()
    expect(page.get_by_role("heading", name="Tide 0")).to_have_css("font-size", "18.72px")  # text has 16
    expect(page.get_by_role("cell", name="0")).to_have_css("text-align", "right")
    page.get_by_role("link", name="side by side").first.click()
    expect(page.get_by_role("region", name="Version 1")).to_contain_text("Answer number 0.")
    expect(page.get_by_role("region", name="Version 2")).to_contain_text("Answer number 1.")
    page.get_by_role("region", name="Version 2").get_by_role("link", name="Version 2").click()
    expect(page.locator(":target")).to_contain_text("Answer number 1.")


@pytest.mark.parametrize("view", [{}, {"java_script_enabled": False, "viewport": {"width": 390, "height": 844}}])
def test_a_conversation_is_read_in_a_browser(browsing: tuple[int, str], browser: Browser, view: dict[str, Any]):
    port, token = browsing
    with new_page(browser, **view) as page:
        complaints: list[str] = []
        page.on("console", lambda message: complaints.append(message.text))
        read_a_conversation(page, f"http://127.0.0.1:{port}/?token={token}")
        assert complaints == []


def test_keys_alone_lead_to_a_conversation(browsing: tuple[int, str], browser: Browser):
    port, token = browsing
    with new_page(browser) as page:
        page.goto(f"http://127.0.0.1:{port}/?token={token}")
        page.keyboard.press("Tab")
        expect(page.get_by_role("link", name="Skip to content")).to_be_focused()
        page.keyboard.press("Enter")
        page.keyboard.press("Tab")
        expect(page.get_by_role("link", name="Tides")).to_be_focused()
        page.keyboard.press("Enter")
        expect(page.get_by_role("heading", level=1)).to_have_text("Tides")


def test_what_is_folded_is_on_paper(browsing: tuple[int, str], browser: Browser, tmp_path: Path):
    port, token = browsing
    with new_page(browser) as page:
        page.goto(f"http://127.0.0.1:{port}/?token={token}")
        page.get_by_role("link", name="Hours").click()
        expect(page.get_by_text("Result of clock")).to_be_visible()
        expect(page.get_by_text("12 o'clock")).not_to_be_visible()
        page.pdf(path=tmp_path / "hours.pdf")
    with PdfDocument(tmp_path / "hours.pdf") as printed:
        assert "12 o'clock" in printed[0].get_textpage().get_text_range()


def test_a_taken_port_is_one_line(browsing: tuple[int, str], home: Path, variables: dict[str, str], fork: Start):
    port, _ = browsing
    ended = fork(home, "browse", "--port", port, variables=variables).end()
    assert (ended.code, ended.error) == (2, f"port {port} is taken; choose another one with --port")
