"""Citation marks are in no text that people and models are given; `parquet` has the texts of the archive."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from archive_pipeline.building.dialogues import build_stale
from archive_pipeline.export.formats.registry import FORMATS
from archive_pipeline.export.run import Exported
from archive_pipeline.retrieval.pages.reading import Window, read_pages
from archive_pipeline.retrieval.reading.messages import read_messages
from archive_pipeline.settings import Settings
from archive_pipeline.store.database import Database
from archive_pipeline_tests.cli.command_line import CommandLine
from archive_pipeline_tests.exports import chain, chatgpt, load
from archive_pipeline_tests.tables import query

pytestmark = pytest.mark.postgres

ANSWER = "It began in 1881 \ue200cite\ue202turn0search0\ue201."
SHOWN = "It began in 1881."


def test_readers_see_no_citation_marks(
    filled: Database,
    settings: Settings,
    tmp_path: Path,
    exported: Callable[..., Exported],
    llm_archive_of: CommandLine,
):
    load(filled, tmp_path / "marks.json", chatgpt("marks", chain("When?", ANSWER, prefix="of-marks-"), title="Marks"))
    build_stale(filled, settings)
    chosen = {"title": "marks", "redact": False}
    for name in set(FORMATS) - {"parquet", "trl-dpo", "trl-kto"}:
        found = exported(name, **chosen)
        texts = [(found.path / file.path).read_bytes() for file in found.files if not file.path.endswith(".parquet")]
        assert SHOWN.encode() in b"".join(texts), name
    assert pq.read_table(exported("qa", **chosen).path / "qa.parquet")["answer"].to_pylist() == [SHOWN]
    assert ANSWER in pq.read_table(exported("parquet", **chosen).path / "messages.parquet")["text"].to_pylist()
    assert SHOWN in llm_archive_of("show", "Marks").out
    assert SHOWN in llm_archive_of("show", "Marks", "--markdown").out
    ids = query(filled, "SELECT id::text FROM raw.messages WHERE source_id LIKE 'of-marks-%%'")
    with filled.session() as connection:
        pages = read_pages(connection, "chatgpt-marks", first_page=1, max_pages=1, window=Window(1, 1_000))
        texts = [message.text for message in read_messages(connection, [name for (name,) in ids])]
    assert pages.pages[0].markdown.endswith(SHOWN)
    assert SHOWN in texts
