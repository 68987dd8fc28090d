"""Continue's sessions in the database: one that goes on, and one of which the user edited a prompt."""

from __future__ import annotations

from pathlib import Path

import pytest

from archive_pipeline.settings import Settings
from archive_pipeline.store.database import Database
from archive_pipeline_tests.attached import imported, unpacked
from archive_pipeline_tests.conftest import empty
from archive_pipeline_tests.readers.test_continue import START, item, session
from archive_pipeline_tests.tables import query

pytestmark = pytest.mark.postgres

LIVE = (
    "SELECT p.text_content FROM raw.messages m JOIN raw.content_parts p ON p.message_id = m.id"
    " WHERE m.deleted_at IS NULL AND p.part_type = 'text' ORDER BY m.sequence_number, p.sequence"
)


def test_the_last_file_counts_though_what_it_lacks_was_thought_about_later(database: Database, tmp_path: Path):
    empty(database)
    settings = Settings(home=tmp_path / "home")
    thoughts = {"text": "Hm.", "startAt": START, "endAt": START + 1}
    asked, first = item("user", "Why?", {"id": "m1"}), item("assistant", "Lime.", {"id": "m2"}, reasoning=thoughts)
    edited, again = item("user", "How?", {"id": "m3"}), item("assistant", "Slowly.", {"id": "m4"})
    for history, expected in (
        ([asked, first], ["Why?", "Lime."]),
        ([asked, first, item("user", "And?", {"id": "m5"})], ["Why?", "Lime.", "And?"]),
        ([edited, again], ["How?", "Slowly."]),
        ([edited, again], ["How?", "Slowly."]),
    ):
        imported(database, settings, unpacked(tmp_path / "sessions", {"s.json": session(*history)}))
        assert [text for (text,) in query(database, LIVE)] == expected
    assert query(database, "SELECT count(*) FROM raw.dialogues")[0][0] == 1
