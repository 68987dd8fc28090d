"""A document whose pages cannot be cut is told, and is no reason to leave others uncut."""

from __future__ import annotations

import pytest

from archive_pipeline.building.document_source import DOCUMENTS
from archive_pipeline.building.documents import build_document_chunks, failed_documents
from archive_pipeline.building.verify import verify_archive
from archive_pipeline.derive.registry import effective_version
from archive_pipeline.settings import Settings
from archive_pipeline.store.database import Database
from archive_pipeline.store.document_chunks import DOCUMENT_CHUNKS, quarantined_documents, stale_documents
from archive_pipeline_tests.documents.stored import PAGE, refuse_to_chunk, store_document
from archive_pipeline_tests.tables import query

pytestmark = pytest.mark.postgres

CUT = "SELECT DISTINCT document_id::text FROM derived.document_chunks"


def test_one_that_fails_is_told_and_not_tried_again(
    database: Database, settings: Settings, monkeypatch: pytest.MonkeyPatch
):
    identifiers = [store_document(database, name, [PAGE]) for name in "abc"]
    bad = sorted(identifiers)[1]
    with monkeypatch.context() as patch:
        refuse_to_chunk(patch, bad, ValueError("an odd page\nof two lines"))
        built = build_document_chunks(database, settings)
    assert (built.built, built.rows) == (2, {DOCUMENT_CHUNKS: 2})
    assert failed_documents(built) == [f"document {bad} cannot be cut: ValueError: an odd page"]
    assert {row[0] for row in query(database, CUT)} == {*identifiers} - {bad}
    again = build_document_chunks(database, settings)
    assert (again.built, again.failures) == (0, {})
    with database.session() as connection:
        version = effective_version(DOCUMENT_CHUNKS, settings)
        assert quarantined_documents(connection, version) == {bad: "ValueError: an odd page"}
        assert stale_documents(connection, version) == []


@pytest.mark.parametrize("reason", ["another reading", "another version", "full"])
def test_it_is_tried_again_for_a_reason(
    database: Database, settings: Settings, monkeypatch: pytest.MonkeyPatch, reason: str
):
    bad = store_document(database, "a", [PAGE])
    with monkeypatch.context() as patch:
        refuse_to_chunk(patch, bad, ValueError("an odd page"))
        build_document_chunks(database, settings)
    if reason == "another reading":
        store_document(database, "a", [PAGE])
    changed = settings.with_values(chunk_tokens=64) if reason == "another version" else settings
    again = build_document_chunks(database, changed, full=reason == "full")
    assert (again.built, again.failures, query(database, CUT)) == (1, {}, [(bad,)])
    with database.session() as connection:
        assert quarantined_documents(connection, effective_version(DOCUMENT_CHUNKS, changed)) == {}


def test_one_that_fails_has_no_chunks_that_are_not_its_own(
    database: Database, settings: Settings, monkeypatch: pytest.MonkeyPatch
):
    bad = store_document(database, "a", [PAGE])
    build_document_chunks(database, settings)
    refuse_to_chunk(monkeypatch, bad, ValueError("an odd page"))
    assert len(build_document_chunks(database, settings, full=True).failures) == 1
    assert query(database, CUT) == []
    assert verify_archive(database, settings).drift == {}


def test_documents_are_written_in_chunks_not_one_by_one(
    database: Database, settings: Settings, monkeypatch: pytest.MonkeyPatch
):
    for number in range(30):
        store_document(database, f"d{number}", [PAGE] * 2)
    transactions = "SELECT count(DISTINCT built_at) FROM derived.document_builds"
    assert build_document_chunks(database, settings).built == 30
    assert query(database, transactions) == [(1,)]
    monkeypatch.setattr(DOCUMENTS, "max_size", 20)
    build_document_chunks(database, settings, full=True)
    assert query(database, transactions) == [(3,)]
