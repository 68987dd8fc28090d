"""`llm-archive import`: the contract's JSON, nothing to do the second time, parts of an archive, named sources."""

from __future__ import annotations

import json
import zipfile
from dataclasses import dataclass
from pathlib import Path

import pytest

from archive_pipeline.building.dialogues import build_stale
from archive_pipeline.cli import unindexed
from archive_pipeline.cli.import_summary import dialogue_lines
from archive_pipeline.derive.registry import ASSETS
from archive_pipeline.errors import MissingExtraError
from archive_pipeline.ingest.importer import import_archive
from archive_pipeline.ingest.summary import METADATA_ONLY, ImportSummary
from archive_pipeline.readers.reading import read_paths
from archive_pipeline.settings import Settings
from archive_pipeline.store.database import Database
from archive_pipeline.store.later_indexes import OF_RAW
from archive_pipeline_tests.cli.command_line import CommandLine, Loaded, Result
from archive_pipeline_tests.conftest import empty
from archive_pipeline_tests.exports import chain, chatgpt, claude, write
from archive_pipeline_tests.tables import counts, derived_rows, query, raw_rows

pytestmark = [pytest.mark.postgres, pytest.mark.dagster]

RAW = ("dialogues", "messages", "content_parts", "attachments")
DERIVED = tuple(table for asset in ASSETS.values() for table in asset.tables)


def test_the_sample_archive_is_imported_and_then_there_is_nothing_to_do(
    llm_archive: CommandLine, database: Database, sample: Path
):
    first = llm_archive("import", sample, "--json")
    assert first.code == 0
    assert first.err == ""
    assert first.json["dialogues"] == {
        "new": 15,
        "changed": 0,
        "unchanged": 0,
        "reread": 0,
        "older": 0,
        "rejected": 0,
        "metadata_only": 0,
        "repeated": 0,
        "deleted_for_good": 0,
    }
    assert set(first.json["rows"]) == {*RAW, *DERIVED}
    stored = counts(database)
    assert first.json["rows"] == {table: stored[table] for table in (*RAW, *DERIVED)}
    assert all(first.json["rows"].values())
    assert first.json["seconds"] > 0
    assert first.json["failures"] == []
    assert len(first.json["runs"]) == 1
    before = raw_rows(database), derived_rows(database)

    second = llm_archive("import", sample, "--json")
    assert second.code == 0
    assert second.json["dialogues"] == {
        "new": 0,
        "changed": 0,
        "unchanged": 15,
        "reread": 0,
        "older": 0,
        "rejected": 0,
        "metadata_only": 0,
        "repeated": 0,
        "deleted_for_good": 0,
    }
    assert set(second.json["rows"].values()) == {0}
    assert second.json["runs"] == []
    assert (raw_rows(database), derived_rows(database)) == before
    said = llm_archive("import", sample).err
    assert "skipped   " in said
    assert "beside    3 files of the export: projects, user profile, user profiles\n" in said


@dataclass(frozen=True)
class FirstImport:
    """What the first import into an archive said, what a second one, and the look-up indexes before, between and after.

    Those of messages by id, each with the number that the server gave it when it was made.
    """

    path: Path
    first: Result
    second: Result
    indexes: list[dict[str, int]]


@pytest.fixture(scope="module")
def first_import(
    archive: Database, settings: Settings, environment: dict[str, str], tmp_path_factory: pytest.TempPathFactory
) -> FirstImport:
    path = tmp_path_factory.mktemp("first") / "export.zip"
    with zipfile.ZipFile(path, "w") as export:
        export.writestr("conversations.json", json.dumps([chatgpt("talk", chain("a\0"))]))
        export.writestr("ads.json", "{}")
        export.writestr("conversation_asset_file_names.json", "{}")
        export.writestr("strange.bin", b"")
        export.writestr("file-Abcdefghijklmnopqrstu001.png", b"of no message")
        for number in range(365):
            export.writestr(f"pictures/{number:03}.png", b"")
    empty(archive)
    llm_archive = CommandLine(settings.home, environment)
    indexes = [look_up_indexes(archive)]
    first = llm_archive("import", path)
    indexes.append(look_up_indexes(archive))
    second = llm_archive("import", path, "--json")
    indexes.append(look_up_indexes(archive))
    assert (first.code, second.code) == (0, 0)
    return FirstImport(path, first, second, indexes)


def look_up_indexes(database: Database) -> dict[str, int]:
    names = [str(index.name) for _, index in OF_RAW]
    return dict(query(database, "SELECT relname, oid FROM pg_class WHERE relname = ANY(%s)", names))


def test_people_get_a_table_of_numbers(first_import: FirstImport):
    lines = [line.split() for line in first_import.first.out.splitlines()]
    assert ["new", "1", "dialogues", "1"] in lines
    assert ["changed", "in", "messages", "0", "messages", "1"] in lines
    assert ["unchanged", "0", "content_parts", "1"] in lines
    assert ["sanitized_nul", "1"] in [line[:2] for line in lines]  # of the anomalies
    assert lines[-1][1] == "seconds"


def test_files_of_one_kind_are_one_line(first_import: FirstImport):
    path, said = first_import.path, first_import.first.err
    assert [line for line in said.splitlines() if line.startswith("skipped")] == [
        f"skipped   {path}/strange.bin: not JSON (.bin)",
        f"skipped   365 files: not JSON (.png); the first is {path}/pictures/000.png",
    ]
    beside = "beside    3 files of the export: advertisements, attached files, names of attached files"
    assert beside in said.splitlines()
    assert "left out  1 attached files: no message in the archive points to them" in said
    everything = first_import.second.json
    assert len(everything["skipped"]) == everything["files"]["skipped"] == 369


def test_look_up_indexes_of_messages_are_made_after_a_first_import(first_import: FirstImport):
    before, made, later = first_import.indexes
    assert len(before) == len(OF_RAW)
    assert made.keys() == before.keys()
    assert not set(made.values()) & set(before.values())
    assert later == made


def test_a_dialogue_counts_once_however_many_files_have_it(database: Database, tmp_path: Path):
    def chat(name: str, *texts: str, updated: float, title: str = "A chat") -> dict[str, object]:
        return chatgpt(name, chain(*texts), title=title, updated=updated)

    def imported(*paths: Path) -> ImportSummary:
        return import_archive(database, read_paths(paths))

    early = write(tmp_path / "1.json", chat("same", "a", updated=1.0), chat("grown", "a", updated=1.0))
    late = write(tmp_path / "2.json", chat("same", "a", updated=1.0), chat("grown", "a", "b", updated=2.0))
    assert dialogue_lines(imported(early, late)) == {
        "new": 2,
        "changed in messages": 0,
        "unchanged": 0,
        "rejected": 0,
        "met again in these files": 2,
    }
    path = write(
        tmp_path / "3.json",
        chat("same", "a", updated=3.0, title="Renamed"),
        chat("grown", "a", "b", "c", updated=3.0),
    )
    summary = imported(path, early)
    assert (summary.dialogues["changed"], summary.dialogues[METADATA_ONLY], summary.repeated) == (2, 1, 2)
    for time, messages in ((4.0, ("a", "b", "another text")), (5.0, ("a", "b"))):
        write(path, chat("grown", *messages, updated=time))
        assert dialogue_lines(imported(path))["changed in messages"] == 1
    write(path, chat("grown", "a", "b", updated=9.0, title="Renamed"))
    lines = dialogue_lines(imported(path))
    assert (lines["changed in messages"], lines["changed in title or branch"]) == (0, 1)


def test_texts_that_are_not_indexed_yet_are_told(llm_archive: CommandLine, loaded: Loaded, tmp_path: Path):
    path = write(tmp_path / "conversations.json", chatgpt("c1", chain("Lemon pie", "With zest")))
    loaded(path)
    assert "\n2 texts are not indexed yet: llm-archive index\n" in llm_archive("import", path).out
    assert llm_archive("index").code == 0
    assert "not indexed" not in llm_archive("import", path).out
    write(path, chatgpt("c1", chain("Lemon pie", "With zest", "More", "With sugar")))
    assert llm_archive("import", path, "--json").json["texts_not_indexed"] == 2


def test_without_the_extra_nothing_is_said_of_an_index(
    llm_archive: CommandLine, loaded: Loaded, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    def lacks(name: str) -> str:
        raise MissingExtraError(name)

    monkeypatch.setattr(unindexed, "version_in_workers", lacks)
    path = write(tmp_path / "conversations.json", chatgpt("c1", chain("Lemon pie", "With zest")))
    loaded(path)
    assert "not indexed" not in llm_archive("import", path).out


def test_sharded_partitions_give_the_same_derived_rows(
    llm_archive: CommandLine, loaded: Loaded, database: Database, sample: Path
):
    loaded(sample)
    per_dialogue = derived_rows(database)
    with database.session() as connection:
        connection.execute("DELETE FROM raw.dialogues")
    result = llm_archive("import", sample, "--json", ARCHIVE_PARTITIONING="sharded")
    assert result.code == 0
    assert result.json["dialogues"]["new"] == 15
    assert derived_rows(database) == per_dialogue
    assert query(database, "SELECT count(DISTINCT shard_key) > 5 FROM raw.dialogues") == [(True,)]


@pytest.mark.parametrize("is_partial", [False, True])
def test_a_partial_export_deletes_no_messages(
    is_partial: bool, llm_archive: CommandLine, loaded: Loaded, database: Database, tmp_path: Path
):
    path = tmp_path / "conversations.json"
    path.write_text(json.dumps([chatgpt("talk", chain("a", "b", "c", "d"), updated=1.0)]))
    loaded(path)
    path.write_text(json.dumps([chatgpt("talk", chain("a", "b"), updated=2.0)]))
    result = llm_archive("import", path, *(["--partial"] if is_partial else []), "--json")
    assert result.code == 0
    live = query(database, "SELECT count(*) FROM raw.messages WHERE deleted_at IS NULL")
    assert live == [(4 if is_partial else 2,)]
    assert counts(database)["message_paths"] == live[0][0]


def test_a_named_source_is_believed(llm_archive: CommandLine, database: Database, settings: Settings, tmp_path: Path):
    path = tmp_path / "conversations.json"
    talk = claude("talk", "Which bus?", "Number nine.")
    path.write_text(json.dumps([{"uuid": talk["uuid"], "chat_messages": talk["chat_messages"]}]))
    import_archive(database, read_paths([path], source="claude_ai"))
    build_stale(database, settings)
    assert query(database, "SELECT source FROM raw.dialogues") == [("claude_ai",)]
    told = llm_archive("import", path, "--source", "claude_ai", "--json")
    assert (told.code, told.json["dialogues"]["unchanged"]) == (0, 1)
    told = llm_archive("import", path, "--source", "chatgpt", "--json")
    assert (told.code, told.json["dialogues"]["rejected"]) == (2, 1)


def test_several_paths_are_one_import_and_a_file_named_twice_is_read_once(
    llm_archive: CommandLine, loaded: Loaded, database: Database, tmp_path: Path
):
    one = write(tmp_path / "one.json", chatgpt("one", chain("a", "b")))
    two = write(tmp_path / "two.json", chatgpt("two", chain("c", "d")))
    loaded(one, two)
    result = llm_archive("import", one, two, one, tmp_path, "--json")
    assert result.code == 0
    assert (result.json["dialogues"]["unchanged"], result.json["dialogues"]["repeated"]) == (2, 0)
    assert result.json["files"] == {"read": 2, "failed": 0, "skipped": 0}
    assert counts(database)["imports"] == 4


def test_an_export_without_a_conversation_is_read(llm_archive: CommandLine, tmp_path: Path):
    path = tmp_path / "conversations.json"
    path.write_text("[]")
    result = llm_archive("import", path)
    assert result.code == 0
    assert f"skipped   {path}: an empty array: holds no conversations" in result.err


def test_an_import_builds_what_an_interrupted_one_left(
    llm_archive: CommandLine, loaded: Loaded, database: Database, tmp_path: Path
):
    path = write(tmp_path / "conversations.json", chatgpt("talk", chain("a", "b", "c", "d")))
    loaded(path)
    complete = derived_rows(database)
    with database.session() as connection:
        connection.execute("DELETE FROM derived.exchanges")
        connection.execute("DELETE FROM derived.build_state WHERE asset = 'exchanges'")
    result = llm_archive("import", path, "--json")
    assert result.code == 0
    assert complete["exchanges"]
    assert result.json["rows"]["exchanges"] == len(complete["exchanges"])
    assert result.json["rows"]["qa_pairs"] == 0
    assert derived_rows(database) == complete
