"""Files that a process of its own reads ahead: the same rows, bounded, and nothing lost or left when a process ends."""

from __future__ import annotations

import json
import pickle
import signal
import subprocess
import sys
import threading
import zipfile
from collections.abc import Iterator
from multiprocessing import Pipe
from pathlib import Path

import psutil
import pytest

from archive_pipeline.errors import ReaderProcessError
from archive_pipeline.ingest import ahead, importer
from archive_pipeline.ingest.ahead_messages import Answer, Begin, Call, FileRead, GroupRead, ReadFile, Release
from archive_pipeline.ingest.ahead_process import GROUPS_AHEAD, serve
from archive_pipeline.ingest.importer import import_archive
from archive_pipeline.ingest.reading_processes import ReadingProcess
from archive_pipeline.ingest.summary import ImportSummary
from archive_pipeline.readers.reading import read_paths
from archive_pipeline.readers.shares import GROUP_RECORDS
from archive_pipeline.store.database import Database
from archive_pipeline.store.raw_writes import column_kinds
from archive_pipeline_tests.exports import chain, chatgpt, claude, write
from archive_pipeline_tests.processes import command_line
from archive_pipeline_tests.tables import query, raw_rows, records
from archive_pipeline_tests.variants import some_of

pytestmark = pytest.mark.postgres

SUMMARY = ("dialogues", "rows", "anomalies", "rejected", "files_read", "files_failed", "added", "missing", "drift")
IMPORT = "00000000-0000-0000-0000-000000000000"

# The importing process is killed after its first group, and says which processes read for it.
KILLED = """
import os, signal, sys
import psutil
from archive_pipeline.ingest import ahead
from archive_pipeline.ingest.importer import import_archive
from archive_pipeline.readers.reading import read_paths
from archive_pipeline.store.database import Database


def kill(_stage, done, _total):
    if done:
        print(*(child.pid for child in psutil.Process().children()), flush=True)
        os.kill(os.getpid(), signal.SIGKILL)


ahead.AHEAD_FROM_BYTES = 1
import_archive(Database(sys.argv[1]), read_paths(sys.argv[2:]), workers=3, progress=kill)
"""


# What a process is told first is read as it reads it.
BEGUN = """
import pickle, sys
from archive_pipeline.ingest import ahead_process

pickle.load(sys.stdin.buffer)
print(sorted({"pandas", "psycopg", "sqlalchemy"} & set(sys.modules)))
"""


@pytest.fixture
def reads_ahead(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every file is read by all of the other processes, however small it is."""
    monkeypatch.setattr(ahead, "AHEAD_FROM_BYTES", 1)


def test_a_process_that_reads_imports_nothing_of_databases():
    begin = pickle.dumps(Begin((), None, column_kinds()))
    done = subprocess.run([sys.executable, "-c", BEGUN], input=begin, capture_output=True, check=True)
    assert done.stdout.decode().strip() == "[]"


def readers() -> list[psutil.Process]:
    """The processes that read for this one."""
    children = psutil.Process().children()
    return [child for child in children if "archive_pipeline.ingest.ahead_process" in command_line(child)]


def many(count: int) -> list[dict]:
    return [chatgpt(f"c{n}", chain("a", "b\\\t\n\r", "\u00e9\ud83d\ude00")) for n in range(count)]


def states(folder: Path) -> Iterator[Path]:
    """Exports one after another: all outcomes, several vintages and sources, broken records, zips in zips."""
    first = many(GROUP_RECORDS + 5)
    yield write(folder / "first.json", *first, 7, chatgpt(None, chain("x")), chatgpt(None, chain("x")), {"mapping": 1})  # type: ignore[arg-type]
    changed = [chatgpt(f"c{n}", chain("a", "B", "c\0", "d"), updated=2_000.0, surplus=n) for n in range(20)]
    yield write(folder / "second.json", *changed, *first[20:40], chatgpt("c1", chain("older"), updated=1_000.0))
    slim = [chatgpt(f"c{n}", chain("a", "B", "new")[1:], updated=3_000.0) for n in range(10)]
    for conversation in slim:
        for node in conversation["mapping"].values():
            node["message"].pop("status")
    inner, outer = folder / "Conversations__1-chatgpt-0001.zip", folder / "third.zip"
    with zipfile.ZipFile(inner, "w") as archive:
        archive.writestr("conversations-000.json", json.dumps(slim))
        archive.writestr("conversations-001.json", json.dumps([claude("t1", "Why?", "Because")]))
        archive.writestr("user.json", json.dumps([chatgpt("in-a-companion", chain("there"))]))
    with zipfile.ZipFile(outer, "w") as archive:
        archive.write(inner, inner.name)
    inner.unlink()
    yield outer
    (folder / "broken.json").write_bytes(json.dumps(many(3)).encode()[:-40])
    yield folder / "broken.json"


def imported(database: Database, paths: list[Path], workers: int) -> list[object]:
    """What importing the files one after another gives: rows, the imports as they were logged, and what was said."""
    query(database, "DELETE FROM raw.dialogues RETURNING 1")
    query(database, "DELETE FROM raw.imports RETURNING 1")
    said = []
    for path in paths:
        reading = read_paths([path])
        told: list[int] = []
        tell = lambda _stage, done, _total, told=told: told.append(done)  # noqa: E731
        summary = import_archive(database, reading, workers=workers, progress=tell)  # type: ignore[arg-type]
        said.append([getattr(summary, name) for name in SUMMARY])
        said.append([reading.skipped, reading.not_understood, [(file.locator, file.sha256) for file in reading.files]])
        said.append(told)
    return [
        raw_rows(database),
        records(database, "SELECT path, sha256, source, status, counts FROM raw.imports ORDER BY started_at, path"),
        records(database, "SELECT locator, reason, error, excerpt FROM raw.rejected_records ORDER BY id"),
        *said,
    ]


@pytest.mark.parametrize("workers", some_of([3, 2, 4]))
def test_what_is_read_ahead_gives_the_rows_and_reports_that_it_gives_here(
    database: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, reads_ahead: None, workers: int
):
    paths = list(states(tmp_path))
    here = imported(database, paths, workers=1)
    started: list[int] = []
    begin = subprocess.Popen
    monkeypatch.setattr(subprocess, "Popen", lambda *a, **k: started.append(1) or begin(*a, **k))
    elsewhere = imported(database, paths, workers=workers)
    assert len(started) == (workers - 1) * len(paths)
    for one, other in zip(here, elsewhere, strict=True):
        assert one == other
    # What was compared has all that can become of a dialogue.
    outcomes = {name for summary in (said[0] for said in here[3::3]) for name, count in summary.items() if count}  # type: ignore[index]
    assert outcomes == {"new", "changed", "unchanged", "older", "rejected"}


@pytest.mark.parametrize("strange", some_of([{"id": "no", "conversation_id": "conversation"}, 7]))
def test_a_file_whose_records_are_not_all_where_they_seem_to_be_is_read_exactly_from_there_on(
    database: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, reads_ahead: None, strange: object
):
    folder = tmp_path / "export"
    folder.mkdir()
    conversations: list[object] = [*many(5 * GROUP_RECORDS)]
    conversations.insert(2 * GROUP_RECORDS + 7, strange)
    (folder / "a.json").write_text(json.dumps(conversations))
    write(folder / "b.json", *many(3), chatgpt("another", chain("x")))
    here = imported(database, [folder], workers=1)
    asked: list[tuple[str, int, int | None]] = []
    ask = ReadingProcess.ask_for
    monkeypatch.setattr(
        ReadingProcess,
        "ask_for",
        lambda process, request: (
            asked.append((Path(request.locator).name, request.number, request.exact_from)) or ask(process, request)  # type: ignore[func-returns-value]
        ),
    )
    assert imported(database, [folder], workers=3) == here
    guessed = [(name, number, None) for name in ("a.json", "b.json") for number in range(2)]
    assert asked == [*guessed, ("a.json", 0, 2), ("a.json", 1, 2), *guessed[2:]]


@pytest.mark.parametrize(("processors", "reading"), some_of([(1, 0), (2, 2), (3, 3)], 2))
def test_as_many_processes_read_as_there_are_processors(
    database: Database,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    reads_ahead: None,
    processors: int,
    reading: int,
):
    path = write(tmp_path / "conversations.json", *many(3))
    monkeypatch.setattr(importer, "available_processors", lambda: processors)
    seen: set[int] = set()
    import_archive(database, read_paths([path]), progress=lambda *_: seen.update(child.pid for child in readers()))
    assert len(seen) == reading


def test_small_files_are_read_ahead_one_process_each(
    database: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    folder = tmp_path / "export"
    folder.mkdir()
    list(states(folder))
    for number in range(7):
        write(folder / f"small-{number}.json", *many(10 + number), chatgpt(None, chain("x")))
    here = imported(database, [folder], workers=1)
    monkeypatch.setattr(ahead, "AHEAD_FROM_BYTES", 40_000)
    asked: list[tuple[str, int]] = []
    ask = ReadingProcess.ask_for
    monkeypatch.setattr(
        ReadingProcess,
        "ask_for",
        lambda process, request: asked.append((Path(request.locator).name, request.of)) or ask(process, request),  # type: ignore[func-returns-value]
    )
    elsewhere = imported(database, [folder], workers=4)
    for one, other in zip(here, elsewhere, strict=True):
        assert one == other
    assert asked.count(("first.json", 3)) == 3
    assert [asked.count((f"small-{number}.json", 1)) for number in range(7)] == [1] * 7


def test_an_import_that_is_small_or_partial_starts_no_process(
    database: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    path = write(tmp_path / "conversations.json", *many(3))
    monkeypatch.setattr(subprocess, "Popen", lambda *_, **__: pytest.fail("a process was started"))
    assert import_archive(database, read_paths([path]), workers=9).dialogues == {"new": 3}
    monkeypatch.setattr(ahead, "AHEAD_FROM_BYTES", 1)
    assert import_archive(database, read_paths([path]), workers=1).dialogues == {"unchanged": 3}
    assert import_archive(database, read_paths([path]), workers=9, is_partial=True).dialogues == {"unchanged": 3}


def test_a_file_that_goes_before_it_is_read_ahead_is_read_here(
    database: Database, tmp_path: Path, reads_ahead: None, monkeypatch: pytest.MonkeyPatch
):
    path = write(tmp_path / "conversations.json", *many(3))
    reading = read_paths([path])
    gone = write(tmp_path / "elsewhere.json", *many(3))
    begin = ahead.Begin
    seen: list[int] = []

    def other_paths(paths: list[Path], source: str | None, kinds: object) -> Begin:
        """The second process finds nothing at the paths."""
        seen.append(1)
        return begin(paths if len(seen) == 1 else [gone], source, kinds)  # type: ignore[arg-type]

    monkeypatch.setattr(ahead, "Begin", other_paths)
    assert import_archive(database, reading, workers=3).dialogues == {"new": 3}
    assert len(seen) == 2
    assert reading.not_understood == []


def test_a_reading_process_that_is_killed_is_an_error_and_costs_nothing(
    database: Database, tmp_path: Path, reads_ahead: None
):
    path = write(tmp_path / "conversations.json", *many(4 * GROUP_RECORDS))

    def kill(_stage: str, done: int, _total: int) -> None:
        if done:
            for reader in readers():
                reader.kill()

    with pytest.raises(ReaderProcessError, match=r"conversations\.json.*signal 9.*run the import again"):
        import_archive(database, read_paths([path]), workers=3, progress=kill)
    [(dialogues,)] = query(database, "SELECT count(*) FROM raw.dialogues")
    assert dialogues % GROUP_RECORDS == 0
    assert GROUP_RECORDS <= dialogues < 4 * GROUP_RECORDS
    assert query(database, "SELECT count(*) FROM raw.messages") == [(3 * dialogues,)]
    summary: ImportSummary = import_archive(database, read_paths([path]))
    assert summary.dialogues == {"unchanged": dialogues, "new": 4 * GROUP_RECORDS - dialogues}


def test_no_reading_process_is_left_when_an_import_is_interrupted(
    database: Database, tmp_path: Path, reads_ahead: None
):
    path = write(tmp_path / "conversations.json", *many(3 * GROUP_RECORDS))
    met: list[psutil.Process] = []

    def interrupt(_stage: str, done: int, _total: int) -> None:
        if done:
            met.extend(readers())
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        import_archive(database, read_paths([path]), workers=3, progress=interrupt)
    assert len(met) == 2
    assert readers() == []
    assert query(database, "SELECT count(*) FROM raw.dialogues") == [(GROUP_RECORDS,)]


def is_gone(process: int) -> bool:
    return not psutil.pid_exists(process) or psutil.Process(process).status() == psutil.STATUS_ZOMBIE


def test_a_reading_process_ends_with_the_import_that_is_killed(database: Database, tmp_path: Path):
    path = write(tmp_path / "conversations.json", *many(3 * GROUP_RECORDS))
    command = [sys.executable, "-c", KILLED, database.url, str(path)]
    killed = subprocess.run(command, check=False, timeout=300, stdout=subprocess.PIPE, text=True)
    assert killed.returncode == -signal.SIGKILL
    started = [int(reader) for reader in killed.stdout.split()]
    assert len(started) == 2
    pause = threading.Event()
    assert any(all(map(is_gone, started)) or pause.wait(0.1) for _ in range(600))
    assert query(database, "SELECT count(*) FROM raw.dialogues") == [(GROUP_RECORDS,)]


def test_an_error_of_the_reading_process_is_told_with_the_file(
    tmp_path: Path,
):
    path = write(tmp_path / "conversations.json", *many(2))
    process = ReadingProcess(Begin([path], None, {}))  # without columns nothing can be encoded
    try:
        process.ask_for(ReadFile(str(path)))
        told = r"conversations\.json: cannot be read on \(KeyError: 'messages'\)"
        with pytest.raises(ReaderProcessError, match=told):
            process.has_found(str(path))
    finally:
        process.close()


def test_no_more_groups_are_held_ahead_than_said(tmp_path: Path):
    path = write(tmp_path / "conversations.json", *many(4 * GROUP_RECORDS))
    own, other = Pipe()
    server = threading.Thread(target=serve, args=[other])
    server.start()
    own.send(Begin([path], None, column_kinds()))
    own.send(ReadFile(str(path)))
    groups = [own.recv() for _ in range(GROUPS_AHEAD)]
    assert [type(group) for group in groups] == [GroupRead] * GROUPS_AHEAD
    own.send(Call(0, "rows", ([0], IMPORT)))
    answer = own.recv()  # and not one more group
    assert isinstance(answer, Answer)
    assert answer.value["messages"].count == 3
    released = 0
    replies = []
    while not replies or not isinstance(replies[-1], FileRead):
        own.send(Release(released))
        released += 1
        replies.append(own.recv())
    # The dialogues fill four groups, and the file ends in an empty one.
    assert [len(group.contents.items) for group in [*groups, *replies[:-1]]] == [*[GROUP_RECORDS] * 4, 0]
    own.close()
    server.join(60)
    assert not server.is_alive()
