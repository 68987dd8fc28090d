"""`export`: what is said of an export without a dialogue."""

from __future__ import annotations

from pathlib import Path

import pytest

from archive_pipeline.store.database import Database
from archive_pipeline_tests.cli.command_line import CommandLine
from archive_pipeline_tests.exports import chain, chatgpt, load

pytestmark = pytest.mark.postgres


def test_an_export_of_nothing_says_why(llm_archive: CommandLine, database: Database, tmp_path: Path):
    empty = llm_archive("export", "openai", "--out", tmp_path / "empty")
    assert (empty.code, empty.out) == (0, f"0 bytes in 1 file: {tmp_path / 'empty'}\n")
    assert "the archive is empty: `llm-archive import PATH` fills it\n" in empty.err
    load(database, tmp_path / "chatgpt.json", chatgpt("tea", chain("Is it hot?", "Yes.")))
    later = llm_archive("export", "openai", "--out", tmp_path / "later", "--since", "2030-01-01", "--json")
    assert (later.code, later.json["read"], later.err) == (0, {}, "no dialogue meets the conditions\n")
    some = llm_archive("export", "openai", "--out", tmp_path / "some")
    assert "no dialogue" not in some.err
