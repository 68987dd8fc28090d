"""Messages with their contents: the same whether a window or whole dialogues are read, in any zone of the server."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from archive_pipeline.retrieval.reading.dialogues import read_dialogues
from archive_pipeline.retrieval.reading.messages import MOST_CHARACTERS, read_messages
from archive_pipeline.retrieval.reading.outline import read_heading, read_outline
from archive_pipeline.settings import Settings
from archive_pipeline.store.database import Database
from archive_pipeline.store.dialogue_list import ListFilters, list_dialogues
from archive_pipeline.store.snapshot import read_snapshot
from archive_pipeline_tests.export.dialogues import TOOLS, WALK, fill
from archive_pipeline_tests.exports import Said, chain, chatgpt, load

pytestmark = pytest.mark.postgres


@pytest.mark.parametrize("key", [TOOLS, WALK])
def test_a_window_and_whole_dialogues_have_the_same_messages(
    database: Database, settings: Settings, tmp_path: Path, key: str
):
    fill(database, settings, tmp_path / "exports")
    with read_snapshot(database) as snapshot:
        [dialogue] = read_dialogues(snapshot, [read_heading(snapshot.connection, key)]).dialogues()
        outline = read_outline(snapshot.connection, key)
        window = read_messages(snapshot.connection, outline.message_ids)
    assert window == dialogue.messages
    assert any(message.parts for message in window)
    batch = dialogue.batch
    assert (outline.message_ids, outline.parents, outline.roles) == (batch.message_ids, batch.parent, batch.role)


def test_a_window_has_the_beginning_of_long_texts(database: Database, tmp_path: Path):
    text = "ü" * (MOST_CHARACTERS + 5)
    load(database, tmp_path / "a.json", chatgpt("long", chain("a", text)))
    with read_snapshot(database) as snapshot:
        heading = read_heading(snapshot.connection, "chatgpt-long")
        [dialogue] = read_dialogues(snapshot, [heading]).dialogues()
        whole = dialogue.messages[1]
        [cut] = read_messages(snapshot.connection, [whole.id])
    assert (whole.parts[0].text, whole.parts[0].left_out) == (text, 0)
    assert (cut.parts[0].text, cut.parts[0].left_out) == (text[:MOST_CHARACTERS], 5)
    assert replace(cut, parts=[]) == replace(whole, parts=[])


def test_messages_come_in_the_order_of_their_ids_and_unknown_ones_are_left_out(database: Database, tmp_path: Path):
    load(database, tmp_path / "a.json", chatgpt("one", chain("a", "b", "c")))
    with database.session() as connection:
        first, second, third = read_outline(connection, "chatgpt-one").message_ids
        connection.execute("UPDATE raw.messages SET deleted_at = now() WHERE id = %s", [second])
        found = read_messages(connection, [third, second, first])
        assert [message.parts[0].text for message in found] == ["c", "a"]
        assert read_messages(connection, []) == []


def test_times_are_in_utc_whatever_the_zone_of_the_server(database: Database, tmp_path: Path):
    load(
        database, tmp_path / "a.json", chatgpt("one", [*chain("a", start=0.5), Said("b", "m0", "assistant", "b", None)])
    )
    with database.session() as connection:
        connection.execute("SET LOCAL TIME ZONE 'America/New_York'")
        ids = read_outline(connection, "chatgpt-one").message_ids
        times = {message.parts[0].text: message.created_at for message in read_messages(connection, ids)}
    assert times == {"a": datetime(1970, 1, 1, 0, 0, 0, 500_000, tzinfo=UTC), "b": None}
    assert times["a"].tzinfo is UTC


def test_what_has_content_is_the_same_for_one_message_and_for_lists(database: Database, tmp_path: Path):
    hidden = {"metadata": {"is_visually_hidden_from_conversation": True}}
    picture = {"content_type": "multimodal_text", "parts": [{"content_type": "image_asset_pointer"}]}
    attached = {"metadata": {"attachments": [{"id": "file-1", "name": "a.txt"}]}}
    said = [
        Said("m0", None, "system", "", 1.0),
        Said("m1", "m0", "system", "Be brief.", 2.0, more=hidden),
        Said("m2", "m1", "user", " \n\t", 3.0),
        Said("m3", "m2", "user", None, 4.0, content=picture),
        Said("m4", "m3", "user", "", 5.0, more=attached),
        Said("m5", "m4", "assistant", "\u00a0", 6.0),
        Said("m6", "m5", "assistant", "Yes", 7.0),
    ]
    load(database, tmp_path / "a.json", chatgpt("one", said))
    with database.session() as connection:
        outline = read_outline(connection, "chatgpt-one")
        messages = read_messages(connection, outline.message_ids)
        [listed] = list_dialogues(connection, ListFilters(), "date", 1)
    assert outline.with_content == [False, True, False, True, True, True, True]
    assert outline.with_content == [message.has_content for message in messages]
    assert [message.is_shown for message in messages] == [False, False, False, True, True, True, True]
    assert (listed.messages, listed.shown_messages) == (7, 4)
    assert (outline.count_of(hidden=False), outline.count_of(hidden=True)) == (4, 1)
