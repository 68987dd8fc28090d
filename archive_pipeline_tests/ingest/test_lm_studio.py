"""LM Studio's conversations in the database: one that grows, another version that is shown, a picture beside it."""

from __future__ import annotations

from pathlib import Path

import pytest

from archive_pipeline.building.dialogues import build_stale
from archive_pipeline.settings import Settings
from archive_pipeline.store.database import Database
from archive_pipeline_tests.attached import PNG, imported, kept_files, unpacked
from archive_pipeline_tests.conftest import empty
from archive_pipeline_tests.readers.test_lm_studio import IMAGE, answer, block, conversation, message, text, user
from archive_pipeline_tests.tables import query

pytestmark = pytest.mark.postgres

FILE = "conversations/1770000000000.conversation.json"
NAMES = {"fileIdentifier": IMAGE, "originalName": "my beds.png", "type": "image", "preview": {"data": "x"}}
PRIMARY = (
    "SELECT m.source_id FROM derived.message_paths p JOIN raw.messages m ON m.id = p.message_id"
    " WHERE p.is_on_primary_path ORDER BY p.depth"
)


def test_a_conversation_that_grew_is_updated_and_the_version_that_is_shown_is_primary(
    database: Database, tmp_path: Path
):
    empty(database)
    settings = Settings(home=tmp_path / "home")
    asked = message(user(text("Why?"), {"type": "file", "fileIdentifier": IMAGE, "fileType": "image"}))
    first = answer(block(text("Lime."), stepIdentifier="1770000001000-0.1"))
    again = answer(block(text("Chalk."), stepIdentifier="1770000002000-0.2"))
    for messages, expected in (
        ([asked, message(first)], ["0-0", "1-0"]),
        ([asked, message(first, again, selected=1)], ["0-0", "1-1"]),
        ([asked, message(first, again, selected=0)], ["0-0", "1-0"]),
        ([asked, message(first, again, selected=1), message(user(text("And?")))], ["0-0", "1-1", "2-0"]),
    ):
        folder = unpacked(
            tmp_path / "lm",
            {
                FILE: conversation(*messages, assistantLastMessagedAt=1770000003000),
                f"user-files/{IMAGE}": PNG,
                f"user-files/{IMAGE}.metadata.json": NAMES,
            },
        )
        imported(database, settings, folder)
        build_stale(database, settings)
        assert [name for (name,) in query(database, PRIMARY)] == expected
    assert [tuple(row) for row in query(database, "SELECT source_id FROM raw.dialogues")] == [("1770000000000",)]
    assert kept_files(database, settings) == {IMAGE: PNG}
    assert query(database, "SELECT file_name FROM raw.attached_files")[0][0] == "my beds.png"
