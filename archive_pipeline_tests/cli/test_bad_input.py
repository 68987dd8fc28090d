"""Bad input: the exit code says how bad, one line says where, everything good is loaded, nothing is half-written."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from archive_pipeline.building.dialogues import build_stale
from archive_pipeline.domain.records import RejectedRecord
from archive_pipeline.ingest.importer import import_archive
from archive_pipeline.readers.reading import read_paths
from archive_pipeline.readers.registry import readers
from archive_pipeline.settings import Settings
from archive_pipeline.store.database import Database
from archive_pipeline_tests.cli import bad_input
from archive_pipeline_tests.cli.bad_input import dialogue, encoded
from archive_pipeline_tests.cli.command_line import CommandLine, Loaded
from archive_pipeline_tests.tables import counts, query

pytestmark = pytest.mark.postgres


def titles(database: Database) -> list[str]:
    return [row[0] for row in query(database, "SELECT title FROM raw.dialogues ORDER BY title")]


@pytest.mark.parametrize("command", [("import",), ("doctor",), ("documents", "add")])
def test_an_empty_path_is_not_the_present_folder(
    command: tuple[str, ...], llm_archive: CommandLine, database: Database
):
    result = llm_archive(*command, "")
    assert (result.code, result.out) == (2, "")
    assert "a path is empty" in result.err
    bad_input.assert_nothing_loaded(counts(database))


def test_a_path_that_does_not_exist_is_no_import(llm_archive: CommandLine, database: Database, tmp_path: Path):
    (tmp_path / "good.json").write_bytes(encoded("good"))
    for paths in (["nowhere.json"], ["good.json", "nowhere.json"]):
        result = llm_archive("import", *(tmp_path / path for path in paths))
        assert (result.code, result.out) == (2, "")
        assert result.error == f"{tmp_path}/nowhere.json does not exist: check the path"
        assert len(result.err.splitlines()) == 1
    assert counts(database)["imports"] == counts(database)["rejected_records"] == counts(database)["dialogues"] == 0


def test_json_says_what_could_not_be_read_too(llm_archive: CommandLine, tmp_path: Path):
    path = bad_input.torn(tmp_path / "torn.zip")
    result = llm_archive("import", path, "--json")
    assert result.code == 2
    assert result.json["dialogues"]["rejected"] == 1
    assert result.json["rejected"][0]["locator"] == str(path)
    assert result.error == "nothing could be read; what was rejected says why"


def test_an_empty_folder_has_nothing_to_import(llm_archive: CommandLine, database: Database, tmp_path: Path):
    result = llm_archive("import", tmp_path)
    assert result.code == 2
    assert result.out == ""
    assert result.error == "no file to import was found; give files, zips or folders of exports"
    assert counts(database)["imports"] == 0


def test_a_file_that_breaks_off_gives_every_dialogue_before_the_break(
    llm_archive: CommandLine, loaded: Loaded, database: Database, tmp_path: Path
):
    whole = encoded("first", "second", "third")
    third = whole.index(b'{"id": "third"')
    path = tmp_path / "conversations.json"
    path.write_bytes(whole[: third + 40])
    loaded(path)
    assert titles(database) == ["first", "second"]
    [(locator, reason)] = query(database, "SELECT locator, reason FROM raw.rejected_records")
    assert locator == f"{path} @ byte {third}"
    assert reason.startswith(f"the file is cut off after byte {third}, inside a record that begins there; 2 records")
    assert counts(database)["prompt_responses"] == 2
    assert query(database, "SELECT status FROM raw.imports") == [("failed",)]
    result = llm_archive("import", path)
    assert result.code == 1
    assert f"rejected  {path} @ byte {third}: " in result.err


def test_one_bad_dialogue_does_not_cost_the_others(
    llm_archive: CommandLine, loaded: Loaded, database: Database, tmp_path: Path
):
    path = tmp_path / "conversations.json"
    bad = {**dialogue("bad"), "mapping": "not a mapping"}
    path.write_text(json.dumps([dialogue("before"), bad, dialogue("after")]))
    loaded(path)
    assert titles(database) == ["after", "before"]
    result = llm_archive("import", path)
    assert result.code == 1
    assert f"rejected  {path}[1]: " in result.err
    assert query(database, "SELECT status FROM raw.imports") == [("done",)] * 2


def test_a_file_of_nothing_but_bad_dialogues_could_not_be_read(
    llm_archive: CommandLine, database: Database, tmp_path: Path
):
    path = tmp_path / "conversations.json"
    path.write_text(json.dumps([{**dialogue(name), "mapping": "not a mapping"} for name in ("one", "two")]))
    result = llm_archive("import", path)
    assert result.code == 2
    assert result.error == "nothing could be read; what was rejected says why"
    bad_input.assert_nothing_loaded(counts(database))


def test_hundreds_of_bad_dialogues_are_counted_not_listed(llm_archive: CommandLine, loaded: Loaded, tmp_path: Path):
    path = tmp_path / "conversations.json"
    bad = [{**dialogue(f"bad-{number}"), "mapping": number} for number in range(50)]
    path.write_text(json.dumps([dialogue("good"), *bad]))
    loaded(path)
    result = llm_archive("import", path)
    assert result.code == 1
    lines = [line for line in result.err.splitlines() if line.startswith("rejected")]
    assert len(lines) == 21
    assert lines[-1] == "rejected  30 more, see raw.rejected_records"


def test_what_postgresql_cannot_store_is_folded_or_taken_out_and_counted(
    database: Database, settings: Settings, tmp_path: Path
):
    path = tmp_path / "conversations.json"
    deep = json.dumps(dialogue("deep")).encode()[:-1] + b', "safe_urls": ' + b"[" * 100_000 + b"]" * 100_000 + b"}"
    odd = json.dumps(dialogue("odd", "a\0b \ud800 c")).encode()
    path.write_bytes(b"[" + deep + b"," + odd + b"]")
    summary = import_archive(database, read_paths([path]))
    assert summary.dialogues["rejected"] == 0
    for anomaly in ("deep_json_as_text", "sanitized_nul", "sanitized_surrogate"):
        assert summary.anomalies[anomaly] >= 1
    build_stale(database, settings)
    assert titles(database) == ["deep", "odd"]
    assert counts(database)["prompt_responses"] == 2
    texts = query(
        database,
        "SELECT p.text_content FROM raw.content_parts p JOIN raw.messages m ON m.id = p.message_id"
        " JOIN raw.dialogues d ON d.id = m.dialogue_id WHERE m.role = 'user' AND d.title = 'odd'",
    )
    assert texts == [("ab � c",)]


def test_a_zip_bomb_is_left_alone_and_the_member_beside_it_read(
    llm_archive: CommandLine, loaded: Loaded, database: Database, tmp_path: Path
):
    path = bad_input.bomb(tmp_path / "bomb.zip")
    loaded(path)
    result = llm_archive("import", path)
    assert result.code == 1
    assert f"rejected  {path}/conversations.json unpacks to" in result.err
    assert titles(database) == ["beside-the-bomb"]


def test_a_zip_with_a_path_out_of_it_writes_nothing_there(llm_archive: CommandLine, tmp_path: Path):
    inner = tmp_path / "a" / "b"
    inner.mkdir(parents=True)
    llm_archive("import", bad_input.escaping(inner / "evil.zip"))
    assert not (tmp_path / "conversations.json").exists()


def test_a_folder_of_good_and_bad_loads_the_good(llm_archive: CommandLine, database: Database, tmp_path: Path):
    (tmp_path / "broken.json").write_bytes(bad_input.NOT_JSON)
    (tmp_path / "good.json").write_bytes(encoded("good"))
    bad_input.torn(tmp_path / "torn.zip")
    bad_input.zipped(tmp_path / "whole.zip", chats__conversations=encoded("zipped"))
    (tmp_path / "notes.txt").write_text("call the harbour")
    (tmp_path / "places.json").write_text('[{"place": "harbour"}]')
    (tmp_path / "unknown.json").write_text('[{"chatId": "c", "role": "user", "content": "hi"}]')
    result = llm_archive("import", tmp_path, "--json")
    assert result.code == 1
    assert titles(database) == ["good", "zipped"]
    assert result.json["dialogues"] == {
        "new": 2,
        "changed": 0,
        "unchanged": 0,
        "reread": 0,
        "older": 0,
        "rejected": 3,
        "metadata_only": 0,
        "repeated": 0,
        "deleted_for_good": 0,
    }
    assert {Path(record["locator"].split(" @ ")[0]).name for record in result.json["rejected"]} == {
        "broken.json",
        "torn.zip",
        "unknown.json",
    }
    assert [Path(file["locator"]).name for file in result.json["skipped"]] == ["notes.txt", "places.json"]


@pytest.mark.parametrize("content", [encoded("named"), bad_input.NOT_JSON], ids=["good", "bad"])
def test_a_name_that_is_not_utf8_is_read_and_shown(
    content: bytes, llm_archive: CommandLine, loaded: Loaded, tmp_path: Path
):
    path = Path(os.fsdecode(os.fsencode(tmp_path) + b"/caf\xe9.json"))
    path.write_bytes(content)
    loaded(path)
    for mode in ((), ("--json",)):
        result = llm_archive("import", path, *mode)
        assert result.code == (2 if content is bad_input.NOT_JSON else 0)
        assert "Traceback" not in result.err
        if content is bad_input.NOT_JSON:
            assert "caf�.json" in (result.out if mode else result.err)


@pytest.mark.parametrize(
    "arguments",
    [
        ["search"],
        ["context"],
        ["search", "x", "--title"],
        ["search", "x", "--model"],
        ["search", "x", "--source"],
        ["delete"],
        ["documents", "remove"],
        ["build", "--dialogue"],
        ["build", "--asset"],
        ["build_prompt_responses", "--dialogue_id"],
        ["import", "x", "--source"],
        ["match", "--model"],
    ],
    ids=" ".join,
)
def test_an_argument_that_is_not_utf8_is_refused(arguments: list[str], llm_archive: CommandLine):
    result = llm_archive(*arguments, os.fsdecode(b"caf\xe9"))
    assert (result.code, result.out) == (2, "")
    assert "'caf?' is not valid UTF-8" in result.err.splitlines()[-1]


def test_a_name_of_several_lines_is_shown_on_one(llm_archive: CommandLine, tmp_path: Path):
    path = tmp_path / "two\nlines.json"
    path.write_bytes(bad_input.NOT_JSON)
    result = llm_archive("import", path)
    assert result.code == 2
    assert [line.split()[0] for line in result.err.splitlines()] == ["reading", "rejected", "llm-archive:"]


def test_a_source_nobody_knows_is_named_before_anything_is_opened(llm_archive: CommandLine, sample: Path):
    result = llm_archive("import", sample, "--source", "myspace")
    assert result.code == 2
    assert result.error == f"unknown source 'myspace': choose one of {', '.join(readers())}"


@pytest.fixture
def as_nobody() -> Iterator[None]:
    """Read files as a user with no rights."""
    if os.geteuid() != 0:
        yield  # whoever is not root may not read what has no permissions
        return
    os.seteuid(65534)
    yield
    os.seteuid(0)


@pytest.fixture
def forbidden() -> Iterator[Path]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "conversations.json"
        path.write_bytes(encoded("hidden"))
        path.chmod(0o000)
        Path(folder).chmod(0o755)
        yield path


def test_a_file_that_may_not_be_read_says_so(forbidden: Path, as_nobody: None):
    [record] = [record for file in read_paths([forbidden]) for record in file.records()]
    assert isinstance(record, RejectedRecord)
    assert record.reason == f"{forbidden} may not be read: check its permissions"
