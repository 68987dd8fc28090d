"""Files that change or go while several processes read them: nothing is lost without being told."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from archive_pipeline.errors import ReaderProcessError
from archive_pipeline.ingest import ahead
from archive_pipeline.ingest.ahead_messages import Begin, ReadFile
from archive_pipeline.ingest.importer import import_archive
from archive_pipeline.ingest.reading_processes import ReadingProcess
from archive_pipeline.readers.reading import read_paths
from archive_pipeline.readers.shares import GROUP_RECORDS
from archive_pipeline.store.database import Database
from archive_pipeline.store.raw_writes import column_kinds
from archive_pipeline_tests.exports import chain, chatgpt, write
from archive_pipeline_tests.variants import some_of


def many(count: int) -> list[dict]:
    return [chatgpt(f"c{number}", chain("a")) for number in range(count)]


def _cut_off(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:5_000])


def _replace(path: Path) -> None:
    write(path.with_name("other.json"), *many(3 * GROUP_RECORDS)).replace(path)


@pytest.mark.postgres
@pytest.mark.parametrize("change", some_of([Path.unlink, _replace, _cut_off], 2))
def test_a_file_that_is_another_one_when_it_is_read_exactly_is_not_taken_as_read(
    database: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, change: Callable[[Path], None]
):
    monkeypatch.setattr(ahead, "AHEAD_FROM_BYTES", 1)
    path = tmp_path / "conversations.json"
    conversations: list[object] = [*many(4 * GROUP_RECORDS)]
    conversations.insert(2 * GROUP_RECORDS + 7, {"id": "no", "conversation_id": "conversation"})
    path.write_text(json.dumps(conversations))
    ask = ahead.ReadAhead._ask_exactly

    def change_and_ask(self: ahead.ReadAhead, *arguments: object) -> object:
        change(path)
        return ask(self, *arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(ahead.ReadAhead, "_ask_exactly", change_and_ask)
    reading = read_paths([path])
    summary = import_archive(database, reading, workers=3)
    assert "it changed while it was read" in summary.rejected[-1].reason
    assert (summary.files_read, summary.files_failed) == (0, 1)
    assert [line.split(" (")[0] for line in reading.not_understood] == [f"{path}: rejected"]
    assert summary.dialogues["new"] >= 2 * GROUP_RECORDS


def test_processes_that_find_different_ends_of_a_file_are_an_error(tmp_path: Path):
    path = write(tmp_path / "conversations.json", *many(3))
    processes = [ReadingProcess(Begin([path], None, column_kinds())) for _ in range(2)]
    try:
        processes[1].ask_for(ReadFile(str(path), 1, 2))
        assert processes[1].has_found(str(path))  # and has read it to its end
        write(path, *many(2 * GROUP_RECORDS + 3))
        processes[0].ask_for(ReadFile(str(path), 0, 2))
        with pytest.raises(ReaderProcessError, match=r"conversations\.json: it changed.*run the import again"):
            list(ahead._groups(read_paths([path]).files[0], processes))
    finally:
        for process in processes:
            process.close()
