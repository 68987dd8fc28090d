"""`report`: the file, and what is said of it."""

from __future__ import annotations

from pathlib import Path

import pytest

from archive_pipeline.ingest.importer import import_archive
from archive_pipeline.readers.reading import read_paths
from archive_pipeline.store.database import Database
from archive_pipeline_tests.cli.command_line import CommandLine

pytestmark = pytest.mark.postgres


def test_the_page_is_written_and_named(llm_archive: CommandLine, database: Database, sample: Path, tmp_path: Path):
    import_archive(database, read_paths([sample]))
    path = tmp_path / "report.html"
    result = llm_archive("report", "--out", path)
    assert (result.code, result.err) == (0, "")
    assert result.out.rstrip().endswith(f"bytes: {path}")
    assert "gpt-5-thinking" in path.read_text(encoding="utf-8")


def test_what_was_counted_is_printed_as_json(
    llm_archive: CommandLine, database: Database, sample: Path, tmp_path: Path
):
    import_archive(database, read_paths([sample]))
    path = tmp_path / "report.html"
    told = llm_archive("report", "--out", path, "--json").json
    assert (told["path"], told["bytes"]) == (str(path), path.stat().st_size)
    assert told["totals"]["dialogues"] == 15
    assert {"series": "chatgpt", "label": "gpt-5-thinking", "value": 4} in told["charts"]["models"]


def test_an_empty_archive_has_a_report_and_a_note(llm_archive: CommandLine, database: Database, tmp_path: Path):
    result = llm_archive("report", "--out", tmp_path / "report.html")
    assert result.code == 0
    assert "the archive is empty" in result.err


def test_another_file_is_left_alone(llm_archive: CommandLine, database: Database, tmp_path: Path):
    path = tmp_path / "notes.html"
    path.write_text("mine", encoding="utf-8")
    result = llm_archive("report", "--out", path)
    assert result.code != 0
    assert "no report; name another file" in result.err
    assert path.read_text(encoding="utf-8") == "mine"
