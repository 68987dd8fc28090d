"""Dialogues without a title are named by the user's first text wherever people read; programs get no title."""

from __future__ import annotations

import base64
import json
import re
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from archive_pipeline.browse.app import build_app
from archive_pipeline.building.dialogues import build_stale
from archive_pipeline.retrieval.reading.dialogues import read_dialogue
from archive_pipeline.retrieval.reading.outline import read_heading
from archive_pipeline.retrieval.search.engine import SearchEngine
from archive_pipeline.settings import Settings
from archive_pipeline.store.database import Database
from archive_pipeline_tests.cli.command_line import CommandLine
from archive_pipeline_tests.exports import Said, chatgpt, load

pytestmark = pytest.mark.postgres

KEY = f"-----BEGIN PRIVATE KEY-----\n{base64.b64encode(bytes(range(256)) * 5).decode()}\n-----END PRIVATE KEY-----"
ASKED = "Which *teas* grow in the shade,\nand which of them are to be had in small shops everywhere?"
KEY_NAME = "-----BEGIN PRIVATE KEY----- AAECAwQFBgcICQoLDA0ODxAREhMUFRY"
BLANK = " \n\u00a0"
NAME = "Which teas grow in the shade, and which of them are to be…"


@pytest.fixture(scope="module")
def untitled(
    module_archive: Database, settings: Settings, environment: dict[str, str], tmp_path_factory: pytest.TempPathFactory
) -> CommandLine:
    folder = tmp_path_factory.mktemp("exports")
    first = [
        Said("s", None, "system", "Be brief."),
        Said("a", "s", "assistant", "Hello."),
        Said("b", "a", "user", " \n"),
        Said("u", "b", "user", ASKED, 1.0),
        Said("v", "u", "assistant", "Gyokuro grows in the dark.", 2.0),
        Said("w", "v", "user", "another", 0.5),
    ]
    secret = [Said("u", None, "user", KEY, 1.0)]
    load(
        module_archive,
        folder / "chatgpt.json",
        chatgpt("asked", first, title=None),
        chatgpt("empty", [], title=None),
        chatgpt(
            "unseen",
            [Said("u", None, "user", "Lapsang?", 1.0), Said("v", "u", "assistant", "Souchong.", 2.0)],
            title="\u200b",
        ),
        chatgpt(
            "blank",
            [Said("u", None, "user", "What is oolong?", 1.0), Said("v", "u", "assistant", "Half-oxidised.", 2.0)],
            title=BLANK,
        ),
        chatgpt("secret", secret, title=""),
        chatgpt("titled", [Said("u", None, "user", "black or green?", 1.0)], title="Teas"),
    )
    command = CommandLine(settings.home, {**environment, "ARCHIVE_DATABASE_URL": module_archive.url})
    build_stale(module_archive, settings)
    assert command("index").code == 0
    return command


def test_lists_and_dialogues_are_headed_by_the_first_prompt(untitled: CommandLine):
    lines = [line.strip() for line in untitled("list", "--sort", "source").out.splitlines()]
    assert lines[::2] == [NAME, "What is oolong?", "(untitled)", f"{KEY_NAME}…", "Teas", "(untitled)"]
    assert untitled("list", "--sort", "title").out.splitlines()[0].endswith("Teas")
    assert untitled("show", "chatgpt-asked").out.splitlines()[0] == NAME
    assert untitled("show", "chatgpt-empty").out.splitlines()[0] == "(untitled)"
    assert f"# {NAME}" in untitled("show", "chatgpt-asked", "--markdown").out
    assert f"chatgpt-asked ({NAME}" in untitled("show", "chatgpt-").err


def test_programs_get_no_title_and_the_first_prompt_beside_it(untitled: CommandLine):
    listed = {each["partition_key"]: each for each in untitled("list", "--json").json}
    shown = untitled("show", "chatgpt-asked", "--json").json
    for each in (listed["chatgpt-asked"], shown):
        assert (each["title"], each["first_prompt"]) == (None, " ".join(ASKED.split()))
    assert (listed["chatgpt-titled"]["title"], listed["chatgpt-titled"]["first_prompt"]) == ("Teas", None)
    assert listed["chatgpt-empty"]["first_prompt"] is None
    assert (listed["chatgpt-blank"]["title"], listed["chatgpt-blank"]["first_prompt"]) == (BLANK, "What is oolong?")


def test_the_database_and_messages_that_were_read_give_the_same_first_prompt(
    untitled: CommandLine, module_archive: Database
):
    for key in ("asked", "blank", "empty", "secret", "titled", "unseen"):
        with module_archive.session() as connection:
            heading = read_heading(connection, f"chatgpt-{key}")
        assert heading.first_prompt == read_dialogue(module_archive, f"chatgpt-{key}").heading.first_prompt


def test_pages_and_search_results_name_it(untitled: CommandLine, module_archive: Database, settings: Settings):
    with TestClient(build_app(SearchEngine(module_archive, settings))) as client:
        assert f">{NAME}</a>" in client.get("/").text
        assert f'<h1 dir="auto">{NAME}</h1>' in client.get("/dialogues/chatgpt-asked").text
        assert f">{NAME}, page " in client.get("/?q=shade").text
        assert '<h1 dir="auto">What is oolong?</h1>' in client.get("/dialogues/chatgpt-blank").text
        assert ">What is oolong?, page " in client.get("/?q=oolong").text
        assert ">(untitled), page " in client.get("/?q=souchong").text
    [result] = untitled("search", "shade", "--mode", "lexical", "--json").json
    assert (result["filename"], result["first_prompt"]) == ("chatgpt-asked", " ".join(ASKED.split()))
    assert NAME in untitled("search", "shade", "--mode", "lexical").out
    for mode in ("lexical", "hybrid"):
        found = untitled("search", "oolong", "--mode", mode, "--json").json[0]
        assert (found["filename"], found["first_prompt"]) == ("chatgpt-blank", "What is oolong?")


def test_notes_are_named_by_it_and_a_redacted_one_by_what_was_redacted(untitled: CommandLine, tmp_path: Path):
    def names(*options: str) -> list[str]:
        out = tmp_path / f"notes{len(options)}"
        untitled("export", "markdown", "--out", out, *options)
        notes = out.rglob("*.md")
        return sorted(" ".join(path.name.split(" ")[1:-1]) for path in notes if path.parent.name == "chatgpt")

    assert names() == [f"{KEY_NAME}…", "Teas", "What is oolong", NAME, "untitled", "untitled"]
    secret, *others = names("--redact")
    assert re.fullmatch(r"SECRET-[0-9a-f]+", secret)
    assert others == ["Teas", "What is oolong", NAME, "untitled", "untitled"]


def test_traces_have_no_name_that_nobody_sees(untitled: CommandLine, tmp_path: Path):
    assert untitled("export", "traces", "--out", tmp_path / "traces").code == 0
    headers = [json.loads(path.read_text().splitlines()[0]) for path in (tmp_path / "traces").rglob("*.jsonl")]
    assert [header["name"] for header in headers if "name" in header] == ["Teas"]
    assert len(headers) > 1
