"""`import`, `doctor` and `documents add` of objects in a storage do what they do with the same files in a folder."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path
from typing import Any

import pytest

from archive_pipeline.ingest.importer import import_archive
from archive_pipeline.readers.reading import read_paths
from archive_pipeline.remote import spool
from archive_pipeline.settings import Settings
from archive_pipeline.store.database import Database
from archive_pipeline_tests.attached import imported
from archive_pipeline_tests.cli.command_line import CommandLine, Loaded, Result
from archive_pipeline_tests.conftest import empty
from archive_pipeline_tests.exports import chain, chatgpt, claude, write
from archive_pipeline_tests.object_storage import Bucket, hardly_waiting
from archive_pipeline_tests.tables import query, raw_rows

pytestmark = pytest.mark.postgres

FILE_ID = "file-AbCdEfGhIjKlMnOpQrSt"


def with_file(name: str) -> dict[str, Any]:
    said = chain("look", "I see")
    said[0].more = {"metadata": {"attachments": [{"id": FILE_ID, "name": "note.txt"}]}}
    return chatgpt(name, said)


@pytest.fixture
def export(tmp_path: Path) -> Path:
    """An export in a folder: shards, a zip, companions, an attached file, a private part, and what cannot be read."""
    folder = tmp_path / "export"
    (folder / "Financial").mkdir(parents=True)
    files = {
        "conversations-000.json": [with_file("c0"), chatgpt("c1", chain("x"))],
        "conversations-001.json": [chatgpt("c2", chain("y")), 17],
        "user.json": {"id": "u"},
        "Financial/card.json": {"number": 1},
    }
    for name, value in files.items():
        (folder / name).write_text(json.dumps(value))
    (folder / f"{FILE_ID}-note.txt").write_text("what the file says")
    with zipfile.ZipFile(folder / "claude.zip", "w") as archive:
        archive.writestr("conversations.json", json.dumps([claude("l1", "a", "b")]))
    return folder


def relative(result: Result, root: str) -> Any:
    """What a command says, without where the export is and how long it took."""
    said = result.json
    for name in ("seconds", "runs"):
        said.pop(name, None)
    return json.loads(json.dumps(said).replace(root, "ROOT"))


def log(database: Database, root: str) -> list[tuple[Any, ...]]:
    statement = "SELECT replace(path, %s, 'ROOT'), sha256, source, status, counts FROM raw.imports ORDER BY 1"
    return query(database, statement, root)


def test_a_prefix_is_imported_as_the_folder_of_the_same_files(
    llm_archive: CommandLine, database: Database, settings: Settings, bucket: Bucket, export: Path
):
    imported(database, settings, export)
    rows, files = raw_rows(database), query(database, "SELECT file_id, sha256 FROM raw.attached_files ORDER BY 1")
    imports = log(database, str(export))
    empty(database)
    address = bucket.put_folder("2026/my export", export)
    of_prefix = llm_archive("import", address, "--json")
    assert of_prefix.code == 1
    assert (of_prefix.json["dialogues"]["new"], of_prefix.json["dialogues"]["rejected"]) == (4, 1)
    assert raw_rows(database) == rows
    assert query(database, "SELECT file_id, sha256 FROM raw.attached_files ORDER BY 1") == files
    assert files[0][1] is not None
    assert log(database, address) == imports
    assert ("ROOT/claude.zip/conversations.json",) in [row[:1] for row in imports]
    assert list((settings.home / spool.FOLDER).iterdir()) == []
    # Nothing that is kept or said names a copy.
    assert spool.FOLDER not in of_prefix.out + of_prefix.err
    again = llm_archive("import", f"{address}/", "--json")
    assert again.json["dialogues"]["unchanged"] == 4
    assert relative(again, address) == relative(llm_archive("import", export, "--json"), str(export))
    doctors = [relative(llm_archive("doctor", place, "--json"), str(place)) for place in (export, address)]
    assert doctors[0] == doctors[1]


def test_a_zip_is_one_object_and_its_secrets_are_nowhere(
    llm_archive: CommandLine, loaded: Loaded, database: Database, bucket: Bucket, export: Path
):
    loaded(export / "claude.zip")
    address = bucket.put("export.zip", export / "claude.zip")
    result = llm_archive("import", address, "--json")
    assert result.code == 0
    assert query(database, "SELECT path, status FROM raw.imports WHERE path LIKE 's3:%%'") == [
        (f"{address}/conversations.json", "done")
    ]
    secret = bucket.environment["AWS_SECRET_ACCESS_KEY"]
    for table in ("imports", "rejected_records", "dialogues"):
        assert query(database, f"SELECT 1 FROM raw.{table} t WHERE t::text LIKE %s", f"%{secret}%") == []  # noqa: S608
    assert secret not in result.out + result.err


def test_a_storage_that_fails_deletes_nothing_by_mirroring(
    llm_archive: CommandLine,
    loaded: Loaded,
    database: Database,
    bucket: Bucket,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
):
    for number in range(3):
        shard = write(tmp_path / f"conversations-{number:03}.json", chatgpt(f"c{number}", chain("x")))
        bucket.put(f"e/{shard.name}", shard)
    loaded(tmp_path)
    assert llm_archive("import", "s3://exports/e", "--mirror").code == 0
    before = raw_rows(database)
    imports = query(database, "SELECT count(*) FROM raw.imports")
    for fault in ("cut", "refuse"):
        for part in ("/exports", "-001.json"):  # the listing, and one object
            bucket.server.fault = lambda method, path, fault=fault, part=part: (
                fault if method == "GET" and path.rstrip("/").endswith(part) else None
            )
            with hardly_waiting(monkeypatch):
                result = llm_archive("import", "s3://exports/e", "--mirror", "--mirror-limit", "100")
            assert result.code == 2
            assert "nothing was imported, try again" in result.error
            assert raw_rows(database) == before
    assert query(database, "SELECT count(*) FROM raw.imports") == imports
    # One object that may not be read is told, and stops mirroring; the others are imported.
    bucket.server.fault = lambda method, path: "forbid" if method == "GET" and path.endswith("-001.json") else None
    result = llm_archive("import", "s3://exports/e", "--mirror", "--mirror-limit", "100", "--json")
    assert result.code == 1
    assert result.json["mirror"]["refused"].startswith("nothing was removed: the import rejected 1 record or file")
    assert result.json["rejected"][0]["locator"] == "s3://exports/e/conversations-001.json"
    assert raw_rows(database) == before
    # An emptied prefix is no export.
    bucket.server.reset()
    bucket.empty()
    result = llm_archive("import", "s3://exports/e", "--mirror", "--mirror-limit", "100")
    assert (result.code, result.error) == (2, "s3://exports/e does not exist: check the address")
    assert raw_rows(database) == before


def test_documents_are_added_from_a_storage(llm_archive: CommandLine, database: Database, bucket: Bucket, export: Path):
    bucket.put("docs/report.txt", b"The canal opens in spring.")
    bucket.put("docs/data.bin", b"?")
    added = llm_archive("documents", "add", "s3://exports/docs", "--json")
    assert added.code == 0
    assert [(item["locator"], item["outcome"]) for item in added.json["documents"]] == [
        ("s3://exports/docs/data.bin", "skipped"),
        ("s3://exports/docs/report.txt", "new"),
    ]
    address = bucket.put_folder("export", export)
    import_archive(database, read_paths([export]))
    result = llm_archive("documents", "add", "--from-export", address, "--json")
    assert f"{address}/{FILE_ID}-note.txt" in [item["locator"] for item in result.json["documents"]]


@pytest.mark.parametrize(
    ("address", "said"),
    [
        ("https://host/export.zip?X-Amz-Signature=hidden", "https:// cannot be read"),
        ("s3://id:hidden@bucket/key", "credentials do not belong into an address"),
    ],
)
def test_addresses_with_secrets_are_refused_without_repeating_them(llm_archive: CommandLine, address: str, said: str):
    for command in (("import",), ("doctor",), ("documents", "add")):
        result = llm_archive(*command, address)
        assert result.code == 2
        assert said in result.err
        assert "hidden" not in result.err
