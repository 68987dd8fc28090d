"""The check of contents finds what is lost, damaged, or of no content, and changes nothing."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from archive_pipeline.ingest.attachment_check import ContentCheck, check_contents
from archive_pipeline.ingest.attachment_store import AttachmentStore
from archive_pipeline.ingest.attachments import purge_unreferenced
from archive_pipeline.settings import Settings
from archive_pipeline.store.database import Database
from archive_pipeline_tests.attached import export, file_id, imported, stored_names, talk

pytestmark = pytest.mark.postgres


def test_what_is_wrong_with_contents_is_told(database: Database, settings: Settings, tmp_path: Path):
    home = settings.with_values(home=tmp_path / "home")
    assert check_contents(database, home) == ContentCheck()
    members = {f"{file_id(number)}.dat": f"text {number}" for number in (1, 2, 3)}
    imported(database, home, export(tmp_path / "e.zip", members | {"conversations.json": [talk("c1", 1, 2, 3)]}))
    assert check_contents(database, home) == ContentCheck(contents=3)
    first, second, _ = (hashlib.sha256(content.encode()).hexdigest() for content in members.values())
    store = AttachmentStore.of(home.home)
    store.path_of(first).unlink()
    store.path_of(second).write_bytes(b"other!")
    (store.folder / "xyz.partial").write_bytes(b"half of a")
    stray = store.path_of(hashlib.sha256(b"nobody's").hexdigest())
    stray.parent.mkdir(exist_ok=True)
    stray.write_bytes(b"nobody's")
    before = stored_names(home)
    found = check_contents(database, home)
    assert found == ContentCheck(
        contents=3,
        lost=[first],
        damaged=[second],
        found_at=[f"{tmp_path}/e.zip/{file_id(number)}.dat" for number in (1, 2)],
        strays=2,
    )
    assert not found.is_good
    assert stored_names(home) == before
    purge_unreferenced(database, home)
    assert stored_names(home) == before
