"""`verify`: exit code, tables, JSON."""

from __future__ import annotations

import shlex
import zipfile
from pathlib import Path

import pytest

from archive_pipeline.building.dialogues import build_stale
from archive_pipeline.building.documents import build_document_chunks
from archive_pipeline.ingest.attachment_store import AttachmentStore
from archive_pipeline.ingest.importer import import_archive
from archive_pipeline.readers.reading import read_paths
from archive_pipeline.settings import Settings
from archive_pipeline.store.database import Database
from archive_pipeline_tests.attached import export, file_id, imported, talk
from archive_pipeline_tests.cli.command_line import CommandLine, Loaded
from archive_pipeline_tests.documents.stored import PAGE, store_document
from archive_pipeline_tests.exports import chain, chatgpt, write
from archive_pipeline_tests.tables import counts, query

pytestmark = pytest.mark.postgres


@pytest.fixture
def built(database: Database, settings: Settings, sample: Path) -> Database:
    import_archive(database, read_paths([sample]))
    build_stale(database, settings)
    store_document(database, "manual", [PAGE, PAGE * 15])
    build_document_chunks(database, settings)
    return database


def test_an_archive_as_it_should_be(llm_archive: CommandLine, built: Database):
    result = llm_archive("verify", "--json")
    assert (result.code, result.err) == (0, "")
    found = result.json
    [(postings,)] = query(built, "SELECT sum(chunk_count) FROM derived.search_postings")
    rows = {**counts(built), "document_chunks": 3, "search_postings": postings}
    assert {name: table["rows"] for name, table in found["tables"].items()} == {
        name: rows[name] for name in found["tables"]
    }
    assert found["messages"] == rows["messages"]
    assert (found["documents"], found["pages"]) == (1, 2)
    assert not any(found["stale"].values())
    shown = llm_archive("verify")
    assert shown.code == 0
    assert "missing" in shown.out
    assert " a second" in shown.out
    assert ["document_chunks", "3", "0", "0", "0"] in [line.split() for line in shown.out.splitlines()]
    assert " messages and 2 pages of documents in " in shown.out


@pytest.fixture
def small(loaded: Loaded, database: Database, tmp_path: Path) -> Database:
    """A dialogue and a document, both built."""
    store_document(database, "manual", [PAGE, PAGE * 15])
    loaded(write(tmp_path / "a.json", chatgpt("a", chain("Rye bread", "With starter", "How long?", "A day"))))
    return database


def test_drift_is_told_and_an_exit_code(llm_archive: CommandLine, small: Database):
    with small.session() as connection:
        connection.execute("UPDATE derived.message_contexts SET normalized_hash = 'x'")
        connection.execute("DELETE FROM derived.build_state WHERE asset = 'qa_pairs'")
    result = llm_archive("verify")
    assert result.code == 1
    assert result.error.startswith(f"derived.message_contexts: {counts(small)['message_contexts']} different; ")
    assert "normalized_hash" in result.out
    assert "not compared: qa_pairs of 1 dialogue" in result.out
    as_json = llm_archive("verify", "--json")
    assert as_json.code == 1
    table = as_json.json["tables"]["message_contexts"]
    assert table["different"] == counts(small)["message_contexts"]
    assert table["examples"][0]["kind"] == "different"
    assert table["examples"][0]["columns"] == ["normalized_hash"]
    assert as_json.json["stale"]["qa_pairs"] == counts(small)["dialogues"]


def test_drift_of_documents_is_told_and_mended_as_that_of_dialogues(llm_archive: CommandLine, small: Database):
    with small.session() as connection:
        connection.execute("UPDATE derived.document_chunks SET token_count = 0 WHERE page = 1")
    store_document(small, "new", [PAGE])
    result = llm_archive("verify")
    assert result.code == 1
    assert result.error.startswith("derived.document_chunks: 1 different; `llm-archive build --full` builds it again")
    assert "token_count" in result.out
    assert "not compared: document_chunks of 1 document" in result.out
    as_json = llm_archive("verify", "--json").json
    assert (as_json["stale"]["document_chunks"], as_json["tables"]["document_chunks"]["different"]) == (1, 1)
    mended = llm_archive("build", "--asset", "document_chunks", "--full", "--json")
    assert (mended.code, mended.json["rows"]) == (0, {"document_chunks": 4})
    assert llm_archive("verify").code == 0


@pytest.mark.parametrize("is_folder", [False, True])
def test_a_damaged_attachment_is_made_anew_by_the_command_that_verify_names(
    is_folder: bool, llm_archive: CommandLine, loaded: Loaded, settings: Settings, tmp_path: Path
):
    members = {"conversations.json": [talk("c1", 1)], f"{file_id(1)}.dat": b"text"}
    path = export(tmp_path / "an export.zip", members)
    if is_folder:
        with zipfile.ZipFile(path) as zipped:
            path = tmp_path / "a folder"
            zipped.extractall(path)
    loaded(path)
    [content] = AttachmentStore.of(settings.home).folder.glob("??/*")
    content.write_bytes(b"tex!")
    result = llm_archive("verify")
    command = f"llm-archive import '{path}'"
    assert result.code == 1
    assert result.error == (
        f"raw.attachment_contents: 1 file is damaged, the first is {content.name}; importing an export that has them "
        f"makes them anew: {command} (--json has all)"
    )
    _, *arguments = shlex.split(command)
    assert llm_archive(*arguments, "--json").json["attachments"]["repaired"] == 1
    assert content.read_bytes() == b"text"
    assert llm_archive("verify").code == 0
    assert llm_archive(*arguments, "--json").json["attachments"]["repaired"] == 0


def test_a_lost_attachment_is_told_and_an_exit_code(
    llm_archive: CommandLine, database: Database, settings: Settings, tmp_path: Path
):
    members = {"conversations.json": [talk("c1", 1)], f"{file_id(1)}.dat": b"text"}
    imported(database, settings, export(tmp_path / "e.zip", members))
    [content] = AttachmentStore.of(settings.home).folder.glob("??/*")
    good = llm_archive("verify", "--json").json["attachments"]
    content.unlink()
    result = llm_archive("verify")
    assert good == {"contents": 1, "lost": [], "damaged": [], "found_at": [], "strays": 0}
    assert result.code == 1
    assert result.error.startswith(f"raw.attachment_contents: 1 file is lost, the first is {content.name}; ")
