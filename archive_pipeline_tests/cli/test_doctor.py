"""``llm-archive doctor``: a table for people, JSON for programs, exit codes, and no database."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from archive_pipeline_tests.cli.command_line import CommandLine, Result
from archive_pipeline_tests.exports import chain, chatgpt, claude, write


@pytest.fixture
def doctor(tmp_path: Path):
    """The command in a home that stays unwritten, and with a database that is not there."""
    home = tmp_path / "home"
    command = CommandLine(home, {"ARCHIVE_DATABASE_URL": "postgresql://nobody@127.0.0.1:1/nothing"})

    def run(*arguments: object) -> Result:
        result = command("doctor", *arguments)
        assert not home.exists()
        return result

    return run


def test_people_get_tables_and_advice(doctor, tmp_path: Path):
    path = write(tmp_path / "c.json", chatgpt("c", chain("a", "b")) | {"new": 1}, claude("t", "q", "a"))
    result = doctor(path)
    assert result.code == 0
    lines = [" ".join(line.split()) for line in result.out.splitlines()]
    assert "chatgpt full 1 1 1 2 2023-11-14 2023-11-14" in lines
    assert "messages 4" in lines
    assert "format drift, key 1" in lines
    assert "chatgpt key new number 1" in lines
    assert any(line.startswith("2 dialogues: a partition for each is fine") for line in lines)


def test_programs_get_all_of_it(doctor, tmp_path: Path):
    path = write(tmp_path / "c.json", chatgpt("c", chain("a", "b")), 7)
    result = doctor(path, "--json")
    assert result.code == 1
    found = result.json
    [source] = found["sources"]
    assert (source["source"], source["dialogues"], source["messages"]) == ("chatgpt", 1, 2)
    assert source["vintages"] == {"full": 1}
    assert source["reader_version"]
    assert (found["dialogues"], found["messages"], found["orphans"], found["cycles"]) == (1, 2, 0, 0)
    assert found["duplicates"] == {"identical": 0, "different": 0, "states": 0}
    assert found["attachments"] == {"present": 0, "missing": 0, "bytes": 0}
    assert [record["reason"] for record in found["rejected"]] == ["is a number, not a conversation"]
    assert found["estimate"]["partitioning"] == "per_dialogue"
    assert found["containers"] == [{"path": str(tmp_path), "files": 1}]
    assert found["format_drift"] == found["missing"] == []


def test_a_file_that_nobody_recognises_is_told_with_how_many_readers_were_asked(doctor, tmp_path: Path):
    path = tmp_path / "x.json"
    path.write_text('{"a": 1}')
    result = doctor(path)
    assert result.code == 2
    assert re.search(r"no known export format: .* keys? a \(tried \d+ readers\)", result.err)


def test_companions_alone_are_no_error_and_nothing_at_all_is(doctor, tmp_path: Path):
    (tmp_path / "users.json").write_text("[]")
    assert doctor(tmp_path / "users.json").code == 0
    (tmp_path / "empty").mkdir()
    assert doctor(tmp_path / "empty").code == 2
