"""`llm-archive documents`: adding, listing and removing, by path, from exports and from attachments."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import zipfile
from pathlib import Path

import dagster as dg
import psutil
import pytest

from archive_pipeline.errors import VectorStoreError
from archive_pipeline.ingest.importer import import_archive
from archive_pipeline.orchestration.instance.opening import instance_for
from archive_pipeline.readers.reading import read_paths
from archive_pipeline.settings import Settings
from archive_pipeline.store.database import Database
from archive_pipeline_tests.cli.command_line import CommandLine
from archive_pipeline_tests.documents import files, hostile
from archive_pipeline_tests.documents.stored import PAGE, refuse_to_chunk, store_document
from archive_pipeline_tests.processes import command_line, has_ended
from archive_pipeline_tests.retrieval.visual.test_search import ColourEncoder
from archive_pipeline_tests.system.commands import wait_until
from archive_pipeline_tests.tables import query, records

pytestmark = pytest.mark.postgres

# What is read fastest.
TEXT = "# Report\n\nBefore the break and after it.\n"
PICTURE = "file-AbCdEfGhIjKlMnOpQrStUv"


@pytest.fixture
def report(tmp_path: Path) -> Path:
    """A document of one page."""
    path = tmp_path / "a.md"
    path.write_text(TEXT, encoding="utf-8")
    return path


def test_adding_stores_pages_and_images_once(
    llm_archive: CommandLine, database: Database, settings: Settings, tmp_path: Path
):
    path = files.pdf(tmp_path / "a.pdf")
    (tmp_path / "copy.pdf").write_bytes(path.read_bytes())
    first = llm_archive("documents", "add", path, "--json").json
    again = llm_archive("documents", "add", tmp_path, "--json").json
    assert (first["counts"]["new"], again["counts"]["new"], again["counts"]["unchanged"]) == (1, 0, 2)
    assert (first["documents"][0]["pages"], first["documents"][0]["images"]) == (3, 3)
    pages = records(database, "SELECT * FROM raw.document_pages ORDER BY page")
    assert [(page["page"], page["section_path"], page["num_headings"]) for page in pages] == [
        (1, "Solar Power", 2),
        (2, "Solar Power > Methods", 0),
        (3, "Solar Power > Methods", 0),
    ]
    for page in pages:
        assert page["image_path"].endswith(f"page_00{page['page']}.png")
        assert (settings.home / page["image_path"]).is_file()
        assert (settings.home / page["thumb_path"]).stat().st_size < (settings.home / page["image_path"]).stat().st_size
    (row,) = records(database, "SELECT * FROM raw.documents")
    assert (row["file_name"], row["extension"], row["origin"], row["status"]) == ("a.pdf", "pdf", "path", "done")


def test_a_document_that_cannot_be_cut_is_one_line_of_the_command_that_tried(
    llm_archive: CommandLine, database: Database, report: Path, monkeypatch: pytest.MonkeyPatch
):
    pytest.importorskip("wordllama")
    bad = store_document(database, "a", [PAGE])
    with monkeypatch.context() as patch:
        refuse_to_chunk(patch, bad, ValueError("an odd page"))
        again = ["build", "--asset", "document_chunks", "--full"]
        for command in (["documents", "add", report], again):
            result = llm_archive(*command)
            assert (result.code, result.error) == (1, f"document {bad} cannot be cut: ValueError: an odd page")
        assert llm_archive("build").code == 0  # it is quarantined
        found = llm_archive("stats", "--json").json
        assert (found["quarantined"], found["stale"]["document_chunks"]) == ({"document_chunks": 1}, 0)
    assert query(database, "SELECT count(DISTINCT document_id) FROM derived.document_chunks") == [(1,)]
    assert llm_archive(*again).code == 0
    assert query(database, "SELECT count(DISTINCT document_id) FROM derived.document_chunks") == [(2,)]


def test_what_cannot_be_read_is_kept_with_its_reason_and_costs_nothing_else(
    llm_archive: CommandLine, database: Database, tmp_path: Path
):
    good, bad = files.docx(tmp_path / "good.docx"), files.pdf(tmp_path / "bad.pdf", locked_by="x")
    result = llm_archive("documents", "add", bad, good, tmp_path / "gone.pdf")
    assert result.code == 1
    assert f"rejected  {bad} is encrypted: save it without a password" in result.err
    assert "gone.pdf cannot be read: No such file or directory" in result.err
    assert "1 new, 0 read again, 0 unchanged, 2 rejected, 0 skipped" in result.out
    assert query(database, "SELECT file_name, status, page_count FROM raw.documents ORDER BY 1") == [
        ("bad.pdf", "failed", 0),
        ("good.docx", "done", 2),
    ]
    listed = [llm_archive("documents", "list", *options) for options in ([], ["--failed"], ["--limit", 1])]
    assert [("is encrypted" in result.out, "good.docx" in result.out) for result in listed] == [
        (True, True),
        (True, False),
        (False, True),  # the latest
    ]
    assert "the latest 1; --limit shows more" in listed[-1].err
    assert llm_archive("documents", "add", bad).code == 2
    assert "Give PATH" in llm_archive("documents", "add").err
    (tmp_path / "none").mkdir()
    assert "no document was found" in llm_archive("documents", "add", tmp_path / "none").error


def test_removing_takes_pages_and_images_along(
    llm_archive: CommandLine, database: Database, settings: Settings, tmp_path: Path
):
    path = tmp_path / "a.png"
    path.write_bytes(files.png_bytes())
    identifier = llm_archive("documents", "add", path, "--json").json["documents"][0]["id"]
    folder = settings.home / query(database, "SELECT image_path FROM raw.document_pages LIMIT 1")[0][0]
    assert llm_archive("documents", "remove", identifier, "--json").json == {"removed": identifier, "pages": 1}
    assert not folder.parent.exists()
    assert path.exists()
    assert query(database, "SELECT count(*) FROM raw.document_pages") == [(0,)]
    assert llm_archive("documents", "list", "--json").json == []
    assert "no document has the id" in llm_archive("documents", "remove", identifier).error


def test_a_document_of_another_reader_is_read_again(llm_archive: CommandLine, database: Database, report: Path):
    llm_archive("documents", "add", report)
    with database.session() as connection:
        connection.execute("UPDATE raw.documents SET reader_version = 0")
        connection.execute("UPDATE raw.document_pages SET markdown = 'old'")
    assert "1 read again" in llm_archive("documents", "add", report).out
    assert query(database, "SELECT count(*) FROM raw.document_pages WHERE markdown = 'old'") == [(0,)]


def export(folder: Path) -> Path:
    """Write a ChatGPT export: one message with a picture that is in the zip and a PDF that is not."""
    message = {
        "id": "m1",
        "author": {"role": "user"},
        "create_time": 1.0,
        "content": {
            "content_type": "multimodal_text",
            "parts": [
                {"content_type": "image_asset_pointer", "asset_pointer": f"file-service://{PICTURE}"},
                "What is it?",
            ],
        },
        "metadata": {
            "attachments": [{"id": PICTURE, "name": "photo.png"}, {"id": "file-Missing0000", "name": "x.pdf"}]
        },
    }
    conversation = {
        "id": "c1",
        "title": "Picture",
        "create_time": 1.0,
        "mapping": {
            "root": {"id": "root", "parent": None, "message": None},
            "m1": {"id": "m1", "parent": "root", "message": message},
        },
    }
    path = folder / "export.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("conversations.json", json.dumps([conversation]))
        archive.writestr(f"{PICTURE}-photo.png", files.png_bytes())
        archive.writestr("file-NobodyPointsHere-x.png", files.png_bytes("blue"))
    return path


def test_files_of_an_export_are_linked_to_their_messages_and_go_with_them(
    llm_archive: CommandLine, database: Database, settings: Settings, tmp_path: Path
):
    path = export(tmp_path)
    import_archive(database, read_paths([path]))
    added = llm_archive("documents", "add", "--from-export", path, "--json").json
    assert [item["locator"] for item in added["documents"]] == [f"{path}/{PICTURE}-photo.png"]
    assert query(
        database,
        "SELECT document.file_name, document.origin, message.source_id FROM raw.documents AS document "
        "JOIN raw.document_attachments AS link ON link.document_id = document.id "
        "JOIN raw.messages AS message ON link.message_id = message.id",
    ) == [("photo.png", "attachment", "m1")]
    image = settings.home / query(database, "SELECT image_path FROM raw.document_pages")[0][0]
    assert image.is_file()
    assert llm_archive("delete", "chatgpt-c1").code == 0
    assert query(database, "SELECT count(*) FROM raw.documents") == [(0,)]
    assert not image.exists()


def test_a_document_that_was_also_added_by_its_path_stays(llm_archive: CommandLine, database: Database, tmp_path: Path):
    path = export(tmp_path)
    import_archive(database, read_paths([path]))
    llm_archive("documents", "add", "--from-export", path)
    (tmp_path / "mine.png").write_bytes(files.png_bytes())
    assert "1 unchanged" in llm_archive("documents", "add", tmp_path / "mine.png").out
    llm_archive("delete", "chatgpt-c1")
    assert query(database, "SELECT file_name, origin FROM raw.documents") == [("photo.png", "path")]


def test_texts_of_attachments_become_documents(llm_archive: CommandLine, database: Database, tmp_path: Path):
    def message(name: str, file_name: str, text: str) -> dict[str, object]:
        attachment = {"file_name": file_name, "file_size": len(text), "extracted_content": text}
        return {"uuid": name, "sender": "human", "text": "see", "content": [], "attachments": [attachment]}

    messages = [
        message("a", "", "The paper."),
        message("b", "paper.pdf", "The paper."),
        message("c", "", "# Pasted"),
        message("d", "empty.txt", " \u3000\n"),
    ]
    (tmp_path / "conversations.json").write_text(json.dumps([{"uuid": "d1", "name": "D", "chat_messages": messages}]))
    import_archive(database, read_paths([tmp_path / "conversations.json"]))
    assert llm_archive("documents", "add", "--attachments", "--json").json["counts"]["new"] == 2
    rows = query(
        database,
        "SELECT file_name, extension, source_path, "
        "(SELECT count(*) FROM raw.document_attachments AS link WHERE link.document_id = document.id) "
        "FROM raw.documents AS document ORDER BY 1",
    )
    assert rows == [
        ("paper.pdf", "txt", "claude_ai-d1/a/paper.pdf", 2),
        ("pasted text", "txt", "claude_ai-d1/c/pasted text", 1),
    ]
    assert query(database, "SELECT markdown, num_headings FROM raw.document_pages ORDER BY 1") == [
        ("# Pasted", 0),
        ("The paper.", 0),
    ]


def latest(settings: Settings, *asset: str) -> dict[str, object] | None:
    """What Dagster was last told of an asset; None for nothing."""
    with instance_for(settings) as instance:
        event = instance.get_latest_materialization_event(dg.AssetKey(asset))
    if event is None or event.asset_materialization is None:
        return None
    return {name: value.value for name, value in event.asset_materialization.metadata.items()}


@pytest.mark.dagster
def test_dagster_is_told_what_was_added_and_removed(llm_archive: CommandLine, settings: Settings, report: Path):
    with instance_for(settings) as instance:
        instance.wipe_assets([dg.AssetKey("document_chunks"), dg.AssetKey(["raw", "documents"])])
    identifier = llm_archive("documents", "add", report, "--json").json["documents"][0]["id"]
    assert latest(settings, "raw", "documents") == {"rows_written": 1}
    assert latest(settings, "raw", "document_pages") == {"rows_written": 1}
    chunks = latest(settings, "document_chunks")
    assert chunks is not None
    assert (chunks["documents_built"], chunks["rows_document_chunks"]) == (1, 1)
    with instance_for(settings) as instance:
        instance.wipe_assets([dg.AssetKey("document_chunks"), dg.AssetKey(["raw", "documents"])])
    assert llm_archive("documents", "add", report).code == 0  # unchanged
    assert latest(settings, "document_chunks") is None
    assert llm_archive("documents", "remove", identifier).code == 0
    removed = {"rows_written": 0, "documents_removed": 1, "removed": [identifier]}
    assert latest(settings, "raw", "documents") == removed


@pytest.mark.dagster
def test_dagster_is_told_what_was_encoded(
    llm_archive: CommandLine, settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr("archive_pipeline.cli.documents.open_encoder", lambda _settings: ColourEncoder())
    (tmp_path / "red.png").write_bytes(files.png_bytes("red"))
    assert llm_archive("documents", "add", tmp_path / "red.png").code == 0
    assert llm_archive("documents", "encode", "--json").json["pages"] == 1
    assert latest(settings, "page_vectors") == {"rows_page_vectors": 1, "model": "colours", "unreadable_images": 0}


def test_encoding_without_a_model_says_what_to_set(llm_archive: CommandLine):
    assert "ARCHIVE_VISUAL_MODEL" in llm_archive("documents", "encode").error


def test_an_export_that_is_no_zip_is_rejected(llm_archive: CommandLine, tmp_path: Path):
    (tmp_path / "no.zip").write_text("no")
    result = llm_archive("documents", "add", "--from-export", tmp_path / "no.zip")
    assert (result.code, "no.zip is not a readable zip" in result.err) == (2, True)


def test_removing_takes_a_document_out_of_the_vector_store(llm_archive: CommandLine, report: Path):
    pytest.importorskip("chromadb")
    identifier = llm_archive("documents", "add", report, "--json").json["documents"][0]["id"]
    first = llm_archive("index", "--json").json
    assert (first["store"], first["embedded"]) == ("postgres", 1)
    assert llm_archive("documents", "remove", identifier).code == 0
    again = llm_archive("index", "--json").json
    assert (again["embedded"], again["embeddings_deleted"]) == (0, 0)  # they went with the document


def test_a_removed_document_that_the_vector_store_keeps_is_said(
    llm_archive: CommandLine, report: Path, monkeypatch: pytest.MonkeyPatch
):
    identifier = llm_archive("documents", "add", report, "--json").json["documents"][0]["id"]

    def fail(*_: object) -> None:
        raise VectorStoreError("locked")

    monkeypatch.setattr("archive_pipeline.cli.forgetting.purge_deleted", fail)
    result = llm_archive("documents", "remove", identifier)
    assert result.code == 1
    assert "the vector store still has the document (locked); `llm-archive index` removes it" in result.error


ESCAPES = "\x1b]0;owned\x07\x1b[31m\x9b2J\u202etxt.[bold]md"


def test_names_and_reasons_do_nothing_to_a_terminal(llm_archive: CommandLine, tmp_path: Path):
    good, bad = tmp_path / f"a{ESCAPES}", tmp_path / f"b{ESCAPES}"
    good.write_text("text")
    bad.write_text("")
    blank = tmp_path / f"c{ESCAPES}"
    blank.write_text(" ")
    (tmp_path / f"d{ESCAPES}.bin").write_text("skipped")
    results = [llm_archive("documents", "add", tmp_path, good, bad, blank), llm_archive("documents", "list")]
    results.append(llm_archive("documents", "remove", ESCAPES))
    added = llm_archive("documents", "add", good, bad, blank, "--json")
    listed = llm_archive("documents", "list", "--json")
    for result in (*results, added, listed):
        shown = result.out + result.err
        assert shown
        assert not [character for character in shown if not character.isprintable() and character != "\n"], shown
    assert "[bold]md" in results[1].out
    assert [row["file_name"] for row in listed.json] == [blank.name, good.name]
    assert added.json["documents"][0]["locator"] == str(good)


def test_a_list_has_whole_ids_on_terminals_of_any_width(llm_archive: CommandLine, tmp_path: Path):
    for number in range(3):
        (tmp_path / f"{'a long name ' * 15}{number}.md").write_text(f"text {number}")
    added = llm_archive("documents", "add", tmp_path, "--json").json["documents"]
    (tmp_path / "blank.md").write_text(" ")
    llm_archive("documents", "add", tmp_path / "blank.md")
    for columns in ("20", "80", "200"):
        listed = llm_archive("documents", "list", COLUMNS=columns).out
        for item in added:
            assert item["id"] in listed, columns
        assert "…" not in listed, columns


def test_the_beginning_of_an_id_will_do_if_no_other_one_begins_so(
    llm_archive: CommandLine, database: Database, tmp_path: Path
):
    for spaces, name in enumerate("abc", start=1):
        (tmp_path / f"{name}.md").write_text(" " * spaces)  # it has no pages, which would have its id
    llm_archive("documents", "add", tmp_path)
    ids = query(database, "SELECT id FROM raw.documents ORDER BY file_name")
    with database.session() as connection:
        for number, (identifier,) in enumerate(ids):
            new = f"abcd{number // 2}{number}00-0000-4000-8000-000000000000"
            connection.execute("UPDATE raw.documents SET id = %s WHERE id = %s", (new, identifier))
    ambiguous = llm_archive("documents", "remove", "ABCD0")
    assert ambiguous.code == 2
    assert "several documents have an id that begins with 'ABCD0': abcd0000-" in ambiguous.error
    assert "(a.md), abcd0100-0000-4000-8000-000000000000 (b.md)" in ambiguous.error
    for nothing in ("abc", "", "%", "abcd9", "abcd'", "x" * 40, "abcd0000-0000-4000-8000-0000000000000"):
        assert "no document has the id" in llm_archive("documents", "remove", nothing).error
    assert query(database, "SELECT count(*) FROM raw.documents") == [(3,)]
    removed = llm_archive("documents", "remove", "abcd12", "--json").json["removed"]
    assert removed == "abcd1200-0000-4000-8000-000000000000"
    assert llm_archive("documents", "remove", "abcd0100-0").code == 0
    assert query(database, "SELECT file_name FROM raw.documents") == [("a.md",)]


def test_a_file_that_ends_its_reader_costs_the_others_nothing_and_is_read_once(
    llm_archive: CommandLine, database: Database, tmp_path: Path
):
    hostile.pdf_bomb(tmp_path / "a.pdf")
    hostile.cyclic_page_tree(tmp_path / "b.pdf")
    files.docx(tmp_path / "c.docx")
    result = llm_archive("documents", "add", tmp_path)
    assert (result.code, "1 new, 0 read again, 0 unchanged, 2 rejected" in result.out) == (1, True)
    assert "b.pdf is damaged: it says that it has 3 pages, and none can be found" in result.err
    assert result.err.count("a.pdf") == 1
    assert query(database, "SELECT file_name, status FROM raw.documents ORDER BY 1") == [
        ("a.pdf", "failed"),
        ("b.pdf", "failed"),
        ("c.docx", "done"),
    ]


def test_members_of_an_export_are_bounded_together(llm_archive: CommandLine, database: Database, tmp_path: Path):
    path = export(tmp_path)
    import_archive(database, read_paths([path]))
    with zipfile.ZipFile(path, "a", zipfile.ZIP_DEFLATED) as archive:
        for number in range(5):
            archive.writestr(f"{PICTURE}-{number}.png", bytes(9_000_000))
    result = llm_archive("documents", "add", "--from-export", path)
    assert (result.code, "times the zip's size and is not read" in result.err) == (1, True)


def is_reader(child: psutil.Process) -> bool:
    return "archive_pipeline.documents.worker" in command_line(child)


@pytest.mark.system
def test_ctrl_c_while_a_document_is_read_is_one_line_and_ends_its_reader(settings: Settings, tmp_path: Path):
    slow = hostile.nested_forms(tmp_path / "slow.pdf")
    arguments = [sys.executable, "-c", "from archive_pipeline.cli import main; main()", "documents", "add", str(slow)]
    environment = {**os.environ, "ARCHIVE_HOME": str(settings.home)}
    with subprocess.Popen(arguments, stderr=subprocess.PIPE, text=True, env=environment) as command:
        parent = psutil.Process(command.pid)
        wait_until(lambda: command.poll() is not None or any(map(is_reader, parent.children())), "its reader runs")
        [reader] = filter(is_reader, parent.children())
        command.send_signal(signal.SIGINT)
        _, said = command.communicate()
    assert command.returncode == 130
    assert [line for line in said.splitlines() if line] == [  # the first one ends that of ^C
        "llm-archive: interrupted; what was committed stays, run the command again to go on"
    ]
    assert has_ended(reader)


def test_documents_of_projects_and_memories_are_added_from_an_export(
    llm_archive: CommandLine, database: Database, tmp_path: Path
):
    project = {
        "uuid": "p1",
        "name": "Canal",
        "docs": [{"uuid": "d1", "filename": "locks.md", "content": "Lock gates."}],
    }
    path = tmp_path / "data.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("projects/p1.json", json.dumps(project))
        archive.writestr("projects/broken.json", "{")
        archive.writestr("memories.json", json.dumps({"project_memories": {"p1": "The user rows."}}))
    result = llm_archive("documents", "add", "--from-export", path, "--json")
    assert result.code == 1
    documents = query(
        database,
        "SELECT d.file_name, p.markdown FROM raw.documents d JOIN raw.document_pages p ON p.document_id = d.id",
    )
    assert sorted(documents) == [("Memory of Canal", "The user rows."), ("locks.md", "Lock gates.")]
    alone = tmp_path / "memories.json"
    alone.write_text(json.dumps([{"conversations_memory": "Rows on Sundays."}]))
    assert llm_archive("documents", "add", "--from-export", alone, "--json").json["counts"]["new"] == 1
