"""Documents as entries of the vector store, as a context builder reads them."""

from __future__ import annotations

import base64
import gzip
from pathlib import Path

import pytest

from archive_pipeline.context.pages import extract_page
from archive_pipeline.document_index import FULL_MARKDOWN, page_records
from archive_pipeline.importing.documents import Candidate, add_document
from archive_pipeline.settings import Settings
from archive_pipeline.store.database import Database
from archive_pipeline.store.documents import pages_of_documents
from archive_pipeline_tests.documents import files

pytestmark = pytest.mark.postgres


def test_pages_carry_the_metadata_of_the_seed(database: Database, settings: Settings, tmp_path: Path):
    path = files.pdf(tmp_path / "a.pdf")
    added = add_document(database, settings, Candidate(path, str(path), path.name))
    with database.session() as connection:
        rows = pages_of_documents(connection, [added.document_id])
    first, second, third = page_records(rows, settings.home)
    assert [record.id for record in (first, second, third)] == [f"{added.document_id}:{page}" for page in (1, 2, 3)]
    assert Path(second.metadata.pop("image_path")).is_file()
    assert Path(second.metadata.pop("thumb_path")).is_file()
    assert second.metadata.pop("timestamp") == rows[1].added_at.isoformat()
    assert second.metadata == {
        "doc_id": added.document_id,
        "filename": "a.pdf",
        "page": 2,
        "extension": "pdf",
        "source_path": str(path),
        "section_path": "Solar Power > Methods",
        "parent_heading": "Methods",
        "num_headings": 0,
        "num_tables": 0,
        "num_pictures": 0,
    }
    whole = gzip.decompress(base64.b64decode(first.metadata[FULL_MARKDOWN])).decode()
    assert [extract_page(whole, page) for page in (1, 2, 3)] == [first.text, second.text, third.text]
    assert third.text == ""
    assert page_records([], settings.home) == []
