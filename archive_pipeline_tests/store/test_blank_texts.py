"""Which texts views take for blank, on the oldest server that there is too."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from archive_pipeline.store.database import Database
from archive_pipeline_tests.exports import chain, chatgpt, load
from archive_pipeline_tests.tables import query

pytestmark = pytest.mark.postgres

BLANK = " \t\n\r\f\v"


def test_a_text_is_blank_by_its_characters_not_by_the_letters_of_their_escapes(own_database: Database, tmp_path: Path):
    load(own_database, tmp_path / "c.json", chatgpt("c", chain(BLANK, "v", "vv", "tnrfx"), title=None))
    shown = query(
        own_database,
        "SELECT message.source_id FROM derived.messages_with_content AS content "
        "JOIN raw.messages AS message ON message.id = content.message_id ORDER BY message.sequence_number",
    )
    assert shown == [("m1",), ("m2",), ("m3",)]
    # Messages take turns: the third is the user's second.
    assert query(own_database, "SELECT first_prompt FROM derived.first_prompts") == [("vv",)]


def test_a_long_text_is_read_to_its_first_character(own_database: Database, tmp_path: Path):
    letters = hashlib.shake_128().hexdigest(1_000_000)
    texts = (letters, BLANK * 10 + letters, BLANK * 1_000 + "v", BLANK * 1_000)
    load(own_database, tmp_path / "c.json", chatgpt("c", chain(*texts)))
    shown = "SELECT count(*) FROM derived.messages_with_content"
    assert query(own_database, shown) == [(3,)]
    [([plan],)] = query(own_database, f"EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) {shown}")
    # Of two texts of a megabyte in pages of 8 kB the first few are read.
    assert plan["Plan"]["Shared Hit Blocks"] + plan["Plan"]["Shared Read Blocks"] < 100
