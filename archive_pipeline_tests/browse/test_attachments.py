"""Attached files as a browser gets them: pictures are shown, all else is a download that nothing opens here."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from typing import Any

import pytest
from starlette.testclient import TestClient

from archive_pipeline.browse.app import build_app
from archive_pipeline.retrieval.search.engine import SearchEngine
from archive_pipeline.settings import Settings
from archive_pipeline.store.database import Database
from archive_pipeline_tests.attached import PNG, export, file_id, imported, talk
from archive_pipeline_tests.tables import query

pytestmark = pytest.mark.postgres

HTML = b"<!doctype html><script>alert(document.cookie)</script>"
SVG = b'<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'
NAMES = {1: "cat.png", 2: 'evil "page".html', 3: "drawing.svg", 4: "gone.pdf", 5: "copy of the cat.png"}


@pytest.fixture(scope="module")
def home(settings: Settings, tmp_path_factory: pytest.TempPathFactory) -> Settings:
    return settings.with_values(home=tmp_path_factory.mktemp("home"))


@pytest.fixture(scope="module")
def client(home: Settings, module_archive: Database, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    members = {
        "conversations.json": [talk("c1", *NAMES, names=NAMES)],
        f"{file_id(1)}.dat": PNG,
        f"{file_id(2)}.dat": HTML,
        f"{file_id(3)}.dat": SVG,
        f"{file_id(5)}.dat": PNG,
    }
    imported(module_archive, home, export(tmp_path_factory.mktemp("export") / "export.zip", members))
    with TestClient(build_app(SearchEngine(module_archive, home)), follow_redirects=False) as client:
        yield client


def address(content: bytes) -> str:
    return f"/attachments/{hashlib.sha256(content).hexdigest()}"


def test_a_conversation_shows_its_files_and_what_is_missing(client: Any):
    html = client.get("/dialogues/chatgpt-c1").text
    assert f'<img src="{address(PNG)}" alt="cat.png"' in html
    assert f'<img src="{address(PNG)}" alt="copy of the cat.png"' in html
    assert f'href="{address(HTML)}?download"' in html
    assert f'<img src="{address(SVG)}"' not in html
    assert html.count("cat.png") == 2  # its own name, and that of its copy
    assert html.count("gone.pdf") == html.count("drawing.svg") == 1
    assert "evil &#34;page&#34;.html" in html
    missing = html[html.index("gone.pdf", html.index('aria-label="Files"')) :]
    assert missing.startswith('gone.pdf</bdi> <span class="note">missing')


def test_versions_of_a_message_show_its_files_and_those_of_the_message_before(client: Any, module_archive: Database):
    asked, answered = (
        name for (name,) in query(module_archive, "SELECT id::text FROM raw.messages ORDER BY sequence_number")
    )
    for message in (asked, answered):
        html = client.get(f"/dialogues/chatgpt-c1/versions/{message}").text
        assert f'<img src="{address(PNG)}" alt="cat.png"' in html
        assert html.count('aria-label="Files"') == 1


def test_a_picture_is_shown_as_what_it_is_by_its_bytes(client: Any):
    answer = client.get(address(PNG))
    assert (answer.status_code, answer.content) == (200, PNG)
    assert answer.headers["content-type"] == "image/png"
    assert answer.headers["content-disposition"] == "inline"


@pytest.mark.parametrize("content", [HTML, SVG, PNG])
def test_what_could_run_is_a_download_of_no_type(client: Any, content: bytes):
    answer = client.get(f"{address(content)}?download")
    assert answer.content == content
    assert answer.headers["content-type"] == "application/octet-stream"
    assert answer.headers["content-disposition"].startswith("attachment; filename*=UTF-8''")
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert "sandbox" in answer.headers["content-security-policy"]


@pytest.mark.parametrize("content", [HTML, SVG])
def test_no_address_shows_what_could_run(client: Any, content: bytes):
    answer = client.get(address(content))
    assert answer.headers["content-type"] == "application/octet-stream"
    assert answer.headers["content-disposition"].startswith("attachment")


def test_the_name_of_a_download_cannot_break_its_header(client: Any):
    header = client.get(address(HTML)).headers["content-disposition"]
    assert header == "attachment; filename*=UTF-8''evil%20%22page%22.html"


@pytest.mark.parametrize("name", ["0" * 64, "..%2f..%2fetc%2fpasswd", "x", hashlib.sha256(PNG).hexdigest().upper()])
def test_what_is_no_content_is_not_found(client: Any, name: str):
    assert client.get(f"/attachments/{name}").status_code == 404


@pytest.fixture
def lost(client: Any, home: Settings) -> Iterator[None]:
    """Take the content of the picture away."""
    sha256 = hashlib.sha256(PNG).hexdigest()
    path = home.home / "attachments" / sha256[:2] / sha256
    path.unlink()
    yield
    path.write_bytes(PNG)


@pytest.mark.usefixtures("lost")
def test_a_content_that_is_lost_is_not_found(client: Any):
    answer = client.get(address(PNG))
    assert answer.status_code == 404
    assert "the content of cat.png is gone" in answer.text
