"""Texts in attached files are documents: found by search with the dialogue they came with, read once, gone with it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from archive_pipeline.building.documents import build_document_chunks
from archive_pipeline.ingest.attachment_texts import read_texts
from archive_pipeline.ingest.attachments import purge_unreferenced
from archive_pipeline.ingest.document_sources import texts_of_attachments
from archive_pipeline.ingest.documents import Outcome, add_document
from archive_pipeline.ingest.importer import import_archive
from archive_pipeline.readers.reading import read_paths
from archive_pipeline.retrieval.reading.documents import read_document
from archive_pipeline.retrieval.search.engine import SearchEngine
from archive_pipeline.settings import Settings
from archive_pipeline.store.database import Database
from archive_pipeline.store.raw_writes import delete_dialogues
from archive_pipeline_tests.attached import PNG, export, file_id, imported, talk
from archive_pipeline_tests.documents import files
from archive_pipeline_tests.exports import claude, write
from archive_pipeline_tests.tables import query, records

pytestmark = pytest.mark.postgres

NOTES = "# Sourdough\n\nFeed the starter with rye flour.\n"


@pytest.fixture
def home(settings: Settings, tmp_path: Path) -> Settings:
    """The archive of the session with a folder of this test's own for contents."""
    return settings.with_values(home=tmp_path / "home")


@pytest.mark.parametrize(("member", "place"), [(".dat", ".dat/bread.md"), ("-bread.md", "-bread.md")])
def test_a_text_becomes_a_document_by_the_name_that_the_user_gave_it(
    database: Database, home: Settings, tmp_path: Path, member: str, place: str
):
    conversation = talk("c1", 1, names={1: "bread.md"})
    path = export(tmp_path / "export.zip", {"conversations.json": [conversation], f"{file_id(1)}{member}": NOTES})
    [added] = imported(database, home, path).texts
    assert (added.outcome, added.pages) == (Outcome.NEW, 1)
    [row] = records(database, "SELECT file_name, extension, origin, status, source_path FROM raw.documents")
    assert row == {
        "file_name": "bread.md",
        "extension": "md",
        "origin": "attachment",
        "status": "done",
        "source_path": f"{path}/{file_id(1)}{place}",
    }


def test_a_pdf_is_found_and_cited_with_its_name_and_dialogue(database: Database, home: Settings, tmp_path: Path):
    content = files.pdf(tmp_path / "report.pdf").read_bytes()
    conversation = talk("c1", 1, names={1: "report.pdf"})
    imported(
        database, home, export(tmp_path / "e.zip", {"conversations.json": [conversation], f"{file_id(1)}.dat": content})
    )
    build_document_chunks(database, home)
    [(text,)] = query(database, "SELECT text FROM derived.document_chunks ORDER BY page, chunk_index LIMIT 1")
    word = max(text.split(), key=len)
    [result, *_] = SearchEngine(database, home).search_now(word, 5, "lexical")
    [(message,)] = query(database, "SELECT id::text FROM raw.messages WHERE source_id = 'm0'")
    assert result["filename"] == "report.pdf"
    assert result["metadata"]["came_with"] == [
        {"partition_key": "chatgpt-c1", "title": "A chat", "first_prompt": None, "message_id": message}
    ]


def test_a_content_is_read_once_and_linked_to_every_dialogue(database: Database, home: Settings, tmp_path: Path):
    members = {"conversations.json": [talk("c1", 1)], f"{file_id(1)}.dat": NOTES}
    imported(database, home, export(tmp_path / "a.zip", members))
    [(read_at,)] = query(database, "SELECT read_at FROM raw.documents")
    again = imported(database, home, export(tmp_path / "b.zip", {"conversations.json": [talk("c2", 1)]}))
    assert [item.outcome for item in again.texts] == [Outcome.UNCHANGED]
    assert query(database, "SELECT read_at FROM raw.documents") == [(read_at,)]
    assert query(database, "SELECT count(*) FROM raw.document_attachments") == [(2,)]
    assert imported(database, home, export(tmp_path / "c.zip", members)).texts == []


def test_what_cannot_be_read_is_said_once_and_is_kept(database: Database, home: Settings, tmp_path: Path):
    locked = files.pdf(tmp_path / "locked.pdf", locked_by="secret").read_bytes()
    members = {
        "conversations.json": [talk("c1", 1, 2, names={1: "locked.pdf"})],
        f"{file_id(1)}.dat": locked,
        f"{file_id(2)}.dat": NOTES,
    }
    path = export(tmp_path / "e.zip", members)
    kept = imported(database, home, path)
    assert sorted(item.outcome for item in kept.texts) == [Outcome.NEW, Outcome.REJECTED]
    assert kept.stored == 2
    assert imported(database, home, path).texts == []


def test_another_version_of_the_readers_reads_texts_again(database: Database, home: Settings, tmp_path: Path):
    members = {"conversations.json": [talk("c1", 1)], f"{file_id(1)}.dat": NOTES}
    imported(database, home, export(tmp_path / "e.zip", members))
    query(database, "UPDATE raw.documents SET reader_version = 0 RETURNING 1")
    assert [item.outcome for item in read_texts(database, home)] == [Outcome.READ_AGAIN]
    assert read_texts(database, home) == []


def test_pictures_are_no_documents(database: Database, home: Settings, tmp_path: Path):
    members = {"conversations.json": [talk("c1", 1)], f"{file_id(1)}.dat": PNG}
    assert imported(database, home, export(tmp_path / "e.zip", members)).texts == []


def test_pages_chunks_and_words_go_with_the_dialogue(database: Database, home: Settings, tmp_path: Path):
    members = {"conversations.json": [talk("c1", 1)], f"{file_id(1)}.dat": NOTES}
    imported(database, home, export(tmp_path / "e.zip", members))
    build_document_chunks(database, home)
    with database.session() as connection:
        [(dialogue,)] = connection.execute("SELECT id::text FROM raw.dialogues").fetchall()
        delete_dialogues(connection, [dialogue])
    purge_unreferenced(database, home)
    for table in ("raw.documents", "raw.document_pages", "derived.document_chunks", "derived.search_postings"):
        assert query(database, f"SELECT count(*) FROM {table}") == [(0,)], table  # noqa: S608 (names of this test)


def test_a_content_that_is_lost_is_said_and_costs_no_other(database: Database, home: Settings, tmp_path: Path):
    members = {"conversations.json": [talk("c1", 1)], f"{file_id(1)}.dat": NOTES}
    imported(database, home, export(tmp_path / "e.zip", members))
    with database.session() as connection:
        connection.execute("DELETE FROM raw.documents")
    for path in (home.home / "attachments").rglob("*"):
        if path.is_file():
            path.unlink()
    [added] = read_texts(database, home)
    assert added.outcome is Outcome.REJECTED


def without_first(conversation: dict[str, Any], updated: float) -> dict[str, Any]:
    """A later export of a conversation whose first message was deleted."""
    later = {**conversation, "mapping": dict(conversation["mapping"]), "update_time": updated}
    del later["mapping"]["m0"]
    return later


def found(database: Database, settings: Settings, word: str) -> list[str]:
    build_document_chunks(database, settings)
    return [result["filename"] for result in SearchEngine(database, settings).search_now(word, 5, "lexical")]


def test_a_document_goes_with_the_last_live_message_and_comes_back_with_one(
    database: Database, home: Settings, tmp_path: Path
):
    first, second = (talk(name, 1, names={1: "bread.md"}) for name in ("c1", "c2"))
    path = tmp_path / "e.zip"
    imported(database, home, export(path, {"conversations.json": [first, second], f"{file_id(1)}.dat": NOTES}))
    assert found(database, home, "sourdough") == ["bread.md"]
    imported(database, home, export(path, {"conversations.json": [without_first(first, 3_000.0)]}))
    [result] = SearchEngine(database, home).search_now("sourdough", 5, "lexical")
    assert [each["partition_key"] for each in result["metadata"]["came_with"]] == ["chatgpt-c2"]
    with database.session() as connection:
        origins = read_document(connection, result["doc_id"], first_page=1, limit=1).origins
    assert [each.partition_key for each in origins] == ["chatgpt-c2"]
    imported(database, home, export(path, {"conversations.json": [without_first(second, 3_000.0)]}))
    assert found(database, home, "sourdough") == []
    assert query(database, "SELECT count(*) FROM raw.documents") == [(0,)]
    # The content stays with the messages, which may come back, with or without it.
    assert query(database, "SELECT count(*) FROM raw.attachment_contents") == [(1,)]
    assert imported(database, home, export(path, {"conversations.json": [without_first(second, 3_000.0)]})).texts == []
    back = imported(database, home, export(path, {"conversations.json": [{**first, "update_time": 4_000.0}]}))
    assert [item.outcome for item in back.texts] == [Outcome.NEW]
    assert found(database, home, "sourdough") == ["bread.md"]
    origins = query(
        database,
        "SELECT dialogue.source_id FROM raw.document_attachments JOIN raw.dialogues AS dialogue "
        "ON dialogue.id = dialogue_id",
    )
    assert origins == [("c1",)]


def pasted(*texts: str, updated: float) -> dict[str, Any]:
    """A conversation of Claude.ai with a long paste in each message, whose text the export has."""
    conversation = claude("t1", *[f"see {number}" for number in range(len(texts))])
    for message, text in zip(conversation["chat_messages"], texts, strict=True):
        message["attachments"] = [{"file_name": "", "file_size": len(text), "extracted_content": text}]
    return {**conversation, "updated_at": f"2024-05-02T00:00:{updated:02.0f}Z"}


def add_texts(database: Database, settings: Settings) -> list[str]:
    """Add the texts of attachments, as ``documents add --attachments`` does; return those of all documents."""
    for candidate in texts_of_attachments(database):
        add_document(database, settings, candidate)
    return [markdown for (markdown,) in query(database, "SELECT markdown FROM raw.document_pages ORDER BY 1")]


def test_a_text_that_changed_takes_the_place_of_the_one_before(database: Database, home: Settings, tmp_path: Path):
    path = tmp_path / "conversations.json"
    imported(database, home, write(path, pasted("First draft", "Another", "Another", updated=1)))
    assert add_texts(database, home) == ["Another", "First draft"]
    # Of a text that two messages have one link goes; what is the same stays, though its message is written anew.
    imported(database, home, write(path, pasted("Second draft", "Another", "Changed", updated=2)))
    assert add_texts(database, home) == ["Another", "Changed", "Second draft"]
    links = "SELECT count(*) FROM raw.document_attachments"
    assert query(database, links) == [(3,)]
    # An older export brings nothing back.
    imported(database, home, write(path, pasted("First draft", "Another", "Another", updated=1)))
    assert add_texts(database, home) == ["Another", "Changed", "Second draft"]


def test_a_text_that_is_also_a_kept_file_of_the_message_stays(database: Database, home: Settings, tmp_path: Path):
    conversation = talk("c1", 1, names={1: "bread.md"})
    imported(
        database, home, export(tmp_path / "e.zip", {"conversations.json": [conversation], f"{file_id(1)}.dat": NOTES})
    )
    with database.session() as connection:
        connection.execute("UPDATE raw.attachments SET extracted_text = %s", [NOTES])
    renamed = {**talk("c1", 1, names={1: "rolls.md"}, updated=3_000.0), "title": "Other"}
    # What reads texts would link it anew.
    import_archive(database, read_paths([write(tmp_path / "later.json", renamed)]))
    assert query(database, "SELECT count(*) FROM raw.document_attachments") == [(1,)]
