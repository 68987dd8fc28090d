"""Both formats of Takeout's activity of the Gemini app: a record is one dialogue in any order, and nothing is lost."""

from __future__ import annotations

import itertools
import json
from pathlib import Path

import pytest

from archive_pipeline.ingest.importer import import_archive
from archive_pipeline.readers.reading import read_paths
from archive_pipeline.store.database import Database
from archive_pipeline_tests.conftest import empty
from archive_pipeline_tests.readers.test_gemini import record
from archive_pipeline_tests.readers.test_gemini_page import TIME, cell, page
from archive_pipeline_tests.tables import query, raw_rows

pytestmark = pytest.mark.postgres

LATER = TIME.replace("57", "58")
# What each has by itself: the JSON an answer to "a", the page one to "b" and the prompt "c".
PAGE = page(
    cell(f"Prompted&nbsp;c<br>{TIME}<br><p>from the page</p>"),
    cell(f"Prompted&nbsp;b<br>{LATER}<br><p>from the page</p>"),
    cell(f"Prompted&nbsp;a<br>second line<br>{TIME}<br>"),
)
JSON = [
    record("Prompted b", time="2026-07-26T06:07:58.001Z"),
    record("Prompted a\nsecond line", safeHtmlItem=[{"html": "<p>from the JSON</p>"}]),
    record("Prompted d", safeHtmlItem=[{"html": "<p>from the JSON</p>"}]),
]


@pytest.fixture
def files(tmp_path: Path) -> dict[str, Path]:
    (tmp_path / "MyActivity.html").write_text(PAGE, "utf-8")
    (tmp_path / "MyActivity.json").write_text(json.dumps(JSON))
    return {"page": tmp_path / "MyActivity.html", "json": tmp_path / "MyActivity.json", "both": tmp_path}


@pytest.mark.parametrize(
    "order", [*itertools.permutations(("page", "json")), ("both",), ("json", "page", "json", "page")]
)
def test_formats_are_one_dialogue_in_any_order(database: Database, files: dict[str, Path], order: tuple[str, ...]):
    for name in order:
        assert import_archive(database, read_paths([files[name]])).rejected == []
    statement = """
        SELECT dialogue.title, message.role, part.text_content,
            extract(milliseconds FROM message.created_at)::int %% 1000
        FROM raw.dialogues AS dialogue JOIN raw.messages AS message ON message.dialogue_id = dialogue.id
        JOIN raw.content_parts AS part ON part.message_id = message.id
        WHERE message.deleted_at IS NULL ORDER BY 1, 2 DESC
    """
    assert query(database, statement) == [
        ("a", "user", "a\nsecond line", 773),
        ("a", "assistant", "from the JSON", 773),
        ("b", "user", "b", 1),
        ("b", "assistant", "from the page", 0),
        ("c", "user", "c", 0),
        ("c", "assistant", "from the page", 0),
        ("d", "user", "d", 773),
        ("d", "assistant", "from the JSON", 773),
    ]


def test_rows_do_not_depend_on_the_order(database: Database, files: dict[str, Path]):
    made = []
    for order in itertools.permutations(("page", "json")):
        empty(database)
        for name in order:
            import_archive(database, read_paths([files[name]]))
        made.append(raw_rows(database))
    assert made[0] == made[1]
