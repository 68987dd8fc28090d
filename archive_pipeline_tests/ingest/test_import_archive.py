"""Files into ``raw``: what is new, changed, unchanged, older or rejected, and what stays of it."""

from __future__ import annotations

import hashlib
import json
import random
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from archive_pipeline.domain.batch import Media
from archive_pipeline.domain.identity import dialogue_id, partition_key
from archive_pipeline.ingest.importer import import_archive
from archive_pipeline.ingest.rejections import RECORDS_PER_TRANSACTION
from archive_pipeline.ingest.writer import GroupWriter
from archive_pipeline.readers.reading import read_paths
from archive_pipeline.readers.shares import GROUP_RECORDS
from archive_pipeline.store.batches import load_batch
from archive_pipeline.store.database import Database
from archive_pipeline_tests.conftest import empty
from archive_pipeline_tests.exports import Said, chain, chatgpt, claude, load, write
from archive_pipeline_tests.tables import counts, query, raw_rows, records

pytestmark = pytest.mark.postgres


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "conversations.json"


def messages(database: Database, *, live: bool = True) -> list[tuple[str, int]]:
    """Source ids and sequence numbers of live, or of deleted, messages."""
    statement = "SELECT source_id, sequence_number FROM raw.messages WHERE (deleted_at IS NULL) = %s ORDER BY 2"
    return query(database, statement, live)


def parents(database: Database) -> dict[str, tuple[str | None, str | None]]:
    """Parent and flag of each live message, by source ids."""
    statement = (
        "SELECT m.source_id, p.source_id, m.parent_flag FROM raw.messages m LEFT JOIN raw.messages p "
        "ON m.parent_id = p.id WHERE m.deleted_at IS NULL"
    )
    return {name: (parent, flag) for name, parent, flag in query(database, statement)}


def fingerprints(database: Database) -> dict[str, str]:
    return dict(query(database, "SELECT source_id, fingerprint FROM raw.dialogues"))


def test_new_dialogues_of_both_sources_are_loaded(database: Database, tmp_path: Path):
    first = write(tmp_path / "conversations.json", chatgpt("c1", chain("Hi", "Hello"), current="m1"))
    other = write(tmp_path / "claude.json", claude("t1", "Why?", "Because"), claude("t2", "So?"))
    summary = import_archive(database, read_paths([first, other]))
    assert summary.dialogues == {"new": 3}
    # 2 + 2 + 1 messages of one text each.
    assert summary.rows == {"dialogues": 3, "messages": 5, "content_parts": 5, "attachments": 0}
    assert summary.loaded == 3
    assert (summary.files_read, summary.files_failed) == (2, 0)
    assert {name: counts(database)[name] for name in summary.rows} == summary.rows
    [row] = records(database, "SELECT * FROM raw.dialogues WHERE source = 'chatgpt'")
    assert (row["source_id"], row["partition_key"], row["title"]) == ("c1", "chatgpt-c1", "A chat")
    assert str(row["id"]) == dialogue_id("chatgpt", "c1")
    assert query(database, "SELECT source_id FROM raw.messages WHERE id = %s", row["active_message_id"]) == [("m1",)]


def test_every_import_is_logged(database: Database, path: Path):
    load(database, path, chatgpt("c1", chain("Hi")))
    load(database, path, chatgpt("c1", chain("Hi")), is_partial=True)
    first, second = records(database, "SELECT * FROM raw.imports ORDER BY started_at")
    assert (first["path"], first["source"], first["status"]) == (str(path), "chatgpt", "done")
    assert first["sha256"] == second["sha256"] == hashlib.sha256(path.read_bytes()).hexdigest()
    assert first["started_at"] <= first["finished_at"] <= second["started_at"]
    assert (first["is_partial"], second["is_partial"]) == (False, True)
    assert first["counts"]["dialogues"] == {
        "new": 1,
        "changed": 0,
        "unchanged": 0,
        "reread": 0,
        "older": 0,
        "rejected": 0,
        "deleted_for_good": 0,
    }
    assert second["counts"]["dialogues"]["unchanged"] == 1
    assert first["counts"]["rows"] == {"dialogues": 1, "messages": 1, "content_parts": 1, "attachments": 0}
    [dialogue] = records(database, "SELECT first_import_id, last_import_id FROM raw.dialogues")
    assert dialogue == {"first_import_id": first["id"], "last_import_id": first["id"]}


def test_the_same_file_again_writes_nothing(database: Database, path: Path):
    conversations = [chatgpt(f"c{n}", chain("Hi", "Hello")) for n in range(3)]
    load(database, path, *conversations)
    before = query(database, "SELECT d.*, d.xmin::text FROM raw.dialogues d ORDER BY id")
    before += query(database, "SELECT m.id, m.xmin::text FROM raw.messages m ORDER BY id")
    summary = load(database, path, *conversations)
    assert summary.dialogues == {"unchanged": 3}
    assert not any(summary.rows.values())
    after = query(database, "SELECT d.*, d.xmin::text FROM raw.dialogues d ORDER BY id")
    assert after + query(database, "SELECT m.id, m.xmin::text FROM raw.messages m ORDER BY id") == before


def test_a_reordered_export_with_other_times_is_unchanged(database: Database, path: Path):
    load(database, path, chatgpt("c1", chain("a", "b", "c")))
    summary = load(database, path, chatgpt("c1", reversed(chain("a", "b", "c", start=None)), updated=99.0))
    assert summary.dialogues == {"unchanged": 1}


def test_an_edited_text_is_changed_in_place(database: Database, path: Path):
    begun = Said("m1", "m0", "assistant", "b", more={"status": "in_progress"})
    load(database, path, chatgpt("c1", [*chain("a"), begun]), chatgpt("c2", chain("a")))
    before = fingerprints(database)
    summary = load(database, path, chatgpt("c1", chain("a", "B")), chatgpt("c2", chain("a")))
    assert summary.dialogues == {"changed": 1, "unchanged": 1}
    assert fingerprints(database)["c1"] != before["c1"]
    assert fingerprints(database)["c2"] == before["c2"]
    texts = query(
        database,
        "SELECT text_content FROM raw.content_parts WHERE message_id IN (SELECT m.id FROM "
        "raw.messages m JOIN raw.dialogues d ON d.id = m.dialogue_id WHERE d.source_id = 'c1') ORDER BY 1",
    )
    assert sorted(texts) == [("B",), ("a",)]
    assert query(database, "SELECT DISTINCT state FROM raw.messages") == [("complete",)]
    assert counts(database)["messages"] == 3


def test_sequence_numbers_are_given_once(database: Database, path: Path):
    load(database, path, chatgpt("c1", chain("a", "b", "c")))
    assert messages(database) == [("m0", 0), ("m1", 1), ("m2", 2)]
    # A message is gone, another comes before the rest, and the export has another order.
    load(database, path, chatgpt("c1", [Said("new", None, "user", "n"), *reversed(chain("a", "b"))]))
    assert messages(database) == [("m0", 0), ("m1", 1), ("new", 3)]
    assert messages(database, live=False) == [("m2", 2)]
    load(database, path, chatgpt("c1", [*chain("a", "b", "c"), Said("late", "m2", "assistant", "l")]))
    assert messages(database) == [("m0", 0), ("m1", 1), ("m2", 2), ("late", 4)]
    assert messages(database, live=False) == [("new", 3)]


def test_vanished_messages_are_deleted_softly_and_come_back(database: Database, path: Path):
    whole, short = chatgpt("c1", chain("a", "b", "c")), chatgpt("c1", chain("a"))
    load(database, path, whole)
    before = raw_rows(database)
    shrunk = load(database, path, short)
    assert shrunk.dialogues == {"changed": 1}
    assert shrunk.anomalies["messages_deleted"] == 2
    assert messages(database, live=False) == [("m1", 1), ("m2", 2)]
    assert query(database, "SELECT message_count FROM raw.dialogues") == [(1,)]
    restored = load(database, path, whole)
    assert restored.anomalies["messages_restored"] == 2
    assert messages(database, live=False) == []
    assert raw_rows(database) == before


def test_a_message_whose_parent_vanished_is_a_flagged_root(database: Database, path: Path):
    load(database, path, chatgpt("c1", chain("a", "b", "c")))
    load(database, path, chatgpt("c1", [m for m in chain("a", "b", "c") if m.id != "m1"]))
    assert parents(database) == {"m0": (None, None), "m2": (None, "missing_parent")}


def test_an_older_export_undoes_nothing(database: Database, path: Path):
    load(database, path, chatgpt("c1", chain("a", "b"), updated=2000.0))
    before = raw_rows(database)
    assert load(database, path, chatgpt("c1", chain("a"), updated=1000.0)).dialogues == {"older": 1}
    assert raw_rows(database) == before
    assert load(database, path, chatgpt("c1", chain("a"), updated=2000.0)).dialogues == {"changed": 1}


def test_a_partial_export_keeps_what_it_does_not_have_and_links_to_it(database: Database, path: Path):
    load(database, path, chatgpt("c1", chain("a", "b", "c")))
    partial = chatgpt("c1", [Said("m3", "m2", "assistant", "d"), Said("m1", "m0", "assistant", "B")])
    assert load(database, path, partial, is_partial=True).dialogues == {"changed": 1}
    assert messages(database) == [("m0", 0), ("m1", 1), ("m2", 2), ("m3", 3)]
    assert parents(database) == {"m0": (None, None), "m1": ("m0", None), "m2": ("m1", None), "m3": ("m2", None)}
    assert query(database, "SELECT message_count FROM raw.dialogues") == [(4,)]
    assert load(database, path, partial, is_partial=True).dialogues == {"unchanged": 1}
    whole = [*chain("a", "B", "c"), Said("m3", "m2", "assistant", "d")]
    assert load(database, path, chatgpt("c1", whole)).dialogues == {"unchanged": 1}


def test_a_partial_export_of_a_linear_source_goes_on_where_it_belongs(database: Database, path: Path):
    whole = claude("t", "a", "b", "c", "d")
    load(database, path, claude("t", "a", "b", "c"))
    partial = {**whole, "chat_messages": whole["chat_messages"][2:]}
    load(database, path, partial, is_partial=True)
    assert parents(database) == {"t-0": (None, None), "t-1": ("t-0", None), "t-2": ("t-1", None), "t-3": ("t-2", None)}


def test_a_partial_export_makes_no_cycle_with_what_is_stored(database: Database, path: Path):
    found = []
    part = chatgpt("c1", [Said("m0", "m1", "user", "A")], updated=2000.0)
    exports = [(chatgpt("c1", chain("a", "b"), updated=1000.0), False), (part, True)]
    for order in (exports, exports[::-1]):
        empty(database)
        for export, is_partial in order:
            summary = load(database, path, export, is_partial=is_partial)
        assert summary.anomalies["cycle"] == 1
        found.append(parents(database))
    assert found == [{"m0": ("m1", None), "m1": (None, "cycle")}] * 2


def test_the_same_dialogue_twice_in_a_file_counts_once(database: Database, path: Path):
    conversation = chatgpt("c1", chain("a"))
    assert load(database, path, conversation, conversation).dialogues == {"new": 1, "unchanged": 1}


def test_of_two_different_ones_with_one_id_the_first_is_kept_and_the_other_reported(database: Database, path: Path):
    summary = load(database, path, chatgpt("c1", chain("first")), chatgpt("c1", chain("second")))
    assert summary.dialogues == {"new": 1, "rejected": 1}
    assert query(database, "SELECT text_content FROM raw.content_parts") == [("first",)]
    [rejected] = records(database, "SELECT * FROM raw.rejected_records")
    assert rejected["locator"].endswith("[1]")
    assert "c1" in rejected["reason"]
    assert "[0]" in rejected["reason"]
    assert load(database, path, chatgpt("c1", chain("first")), chatgpt("c1", chain("second"))).dialogues == {
        "unchanged": 1,
        "rejected": 1,
    }


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
def test_of_two_states_in_different_files_the_newer_wins(database: Database, tmp_path: Path, order: tuple[int, int]):
    states = [chatgpt("c1", chain("a"), updated=1000.0), chatgpt("c1", chain("a", "b"), updated=2000.0)]
    files = [write(tmp_path / f"conversations-{at}.json", states[index]) for at, index in enumerate(order)]
    summary = import_archive(database, read_paths(files))
    assert summary.dialogues == ({"new": 1, "changed": 1} if order == (0, 1) else {"new": 1, "older": 1})
    assert messages(database) == [("m0", 0), ("m1", 1)]


def test_dialogues_without_ids_and_with_equal_beginnings_are_two(database: Database, path: Path):
    conversations = [chatgpt(None, chain("Hi", "one")), chatgpt(None, chain("Hi", "two"))]
    assert load(database, path, *conversations).dialogues == {"new": 2}
    assert load(database, path, *conversations).dialogues == {"unchanged": 2}


def test_a_dialogue_without_id_that_begins_with_half_a_character_is_loaded(database: Database, path: Path):
    assert load(database, path, chatgpt(None, chain("\ud83d half"))).dialogues == {"new": 1}
    assert query(database, "SELECT text_content FROM raw.content_parts") == [("\ufffd half",)]


@contextmanager
def refused(database: Database, table: str, condition: str) -> Iterator[None]:
    """Have PostgreSQL refuse rows of a table for a while."""
    with database.session() as connection:
        connection.execute(f"ALTER TABLE {table} ADD CONSTRAINT no_bomb CHECK ({condition})")
    try:
        yield
    finally:
        with database.session() as connection:
            connection.execute(f"ALTER TABLE {table} DROP CONSTRAINT no_bomb")


def test_a_dialogue_that_postgresql_refuses_costs_no_other(database: Database, path: Path):
    bad = [chatgpt("bad", chain("bad"), title="bomb"), chatgpt("worse", chain("worse"), title="bomb")]
    good = [chatgpt(f"c{n}", chain("good")) for n in range(4)]
    with refused(database, "raw.dialogues", "title <> 'bomb'"):
        summary = load(database, path, good[0], bad[0], good[1], good[2], bad[1], good[3])
    assert summary.dialogues == {"new": 4, "rejected": 2}
    assert (summary.files_read, summary.files_failed) == (1, 0)
    assert sorted(fingerprints(database)) == ["c0", "c1", "c2", "c3"]
    assert counts(database)["messages"] == 4
    rejected = records(database, "SELECT * FROM raw.rejected_records ORDER BY id")
    assert [row["locator"][-3:] for row in rejected] == ["[1]", "[4]"]
    assert all(row["reason"] == "PostgreSQL does not take the dialogue" for row in rejected)
    assert all("CheckViolation" in row["error"] for row in rejected)
    assert [record.locator for record in summary.rejected] == [row["locator"] for row in rejected]
    [imported] = records(database, "SELECT * FROM raw.imports")
    assert imported["status"] == "done"
    assert imported["counts"]["dialogues"] == {
        "new": 4,
        "changed": 0,
        "unchanged": 0,
        "reread": 0,
        "older": 0,
        "rejected": 2,
        "deleted_for_good": 0,
    }
    assert {row["import_id"] for row in rejected} == {imported["id"]}


def test_a_dialogue_is_rejected_also_by_an_error_that_says_nothing(
    database: Database, path: Path, monkeypatch: pytest.MonkeyPatch
):
    def fail(_writer: GroupWriter, _incoming: object) -> None:
        raise ValueError

    monkeypatch.setattr(GroupWriter, "write", fail)
    summary = load(database, path, chatgpt("bad", chain("bad")), chatgpt("worse", chain("worse")))
    assert summary.dialogues == {"rejected": 2}
    assert query(database, "SELECT error FROM raw.rejected_records") == [("ValueError: ValueError",)] * 2


def test_an_id_that_no_index_takes_is_shortened_to_a_stable_one(database: Database, path: Path):
    long_id = f"{random.Random(1).getrandbits(24_000):06000x}"  # noqa: S311 - it does not compress
    summary = load(database, path, chatgpt(long_id, chain("a")))
    assert (summary.dialogues, summary.anomalies["shortened_id"]) == ({"new": 1}, 1)
    [(source_id, whole)] = query(database, "SELECT source_id, source_json ->> 'conversation_id' FROM raw.dialogues")
    assert (source_id[:5], len(source_id), whole) == ("long-", 29, long_id)
    assert load(database, path, chatgpt(long_id, chain("a"))).dialogues == {"unchanged": 1}


def test_a_constraint_that_refuses_a_dialogue_costs_no_other_and_no_stored_one(database: Database, path: Path):
    # An id that does not fit is replaced by a hash in the key; another dialogue that is called like this hash collides.
    load(database, path, chatgpt("a/b", chain("first")))
    [(key,)] = query(database, "SELECT partition_key FROM raw.dialogues")
    summary = load(database, path, chatgpt("new", chain("x")), chatgpt(key.removeprefix("chatgpt-"), chain("second")))
    assert summary.dialogues == {"new": 1, "rejected": 1}
    assert sorted(fingerprints(database)) == ["a/b", "new"]
    [rejected] = records(database, "SELECT * FROM raw.rejected_records")
    assert rejected["error"] == f"PartitionKeyTakenError: another dialogue has the partition key {key}"


def test_two_dialogues_of_one_group_that_claim_one_key_are_not_both_stored(database: Database, path: Path):
    name = partition_key("chatgpt", "a/b").removeprefix("chatgpt-")
    summary = load(database, path, chatgpt("a/b", chain("first")), chatgpt(name, chain("second")))
    assert summary.dialogues == {"new": 1, "rejected": 1}
    assert sorted(fingerprints(database)) == ["a/b"]


def test_a_changed_dialogue_that_postgresql_refuses_keeps_its_old_state(database: Database, path: Path):
    load(database, path, chatgpt("c1", chain("a", "b")), chatgpt("c2", chain("a")))
    before = raw_rows(database)
    with refused(database, "raw.content_parts", "text_content <> 'bomb'"):
        summary = load(database, path, chatgpt("c1", chain("a", "bomb")), chatgpt("c2", chain("a", "c")))
    assert summary.dialogues == {"changed": 1, "rejected": 1}
    after = raw_rows(database)
    assert set(before["messages"]) <= set(after["messages"])
    assert counts(database)["messages"] == 4


def test_records_that_are_no_dialogues_are_kept_with_where_they_stand(database: Database, path: Path):
    path.write_text(json.dumps([chatgpt("c1", chain("a")), {"title": "no mapping"}, 7]))
    summary = import_archive(database, read_paths([path]))
    assert summary.dialogues == {"new": 1, "rejected": 2}
    rejected = records(database, "SELECT * FROM raw.rejected_records ORDER BY id")
    assert [row["locator"].rsplit("/", 1)[-1] for row in rejected] == ["conversations.json[1]", "conversations.json[2]"]
    assert "mapping" in rejected[0]["reason"]
    assert "no mapping" in rejected[0]["excerpt"]


def test_a_file_that_breaks_off_is_failed_and_keeps_what_it_had(database: Database, path: Path):
    text = json.dumps([chatgpt("c1", chain("a")), chatgpt("c2", chain("b"))])
    path.write_text(text[:-40])
    summary = import_archive(database, read_paths([path]))
    assert summary.dialogues["new"] == 1
    assert summary.dialogues["rejected"] >= 1
    assert (summary.files_read, summary.files_failed) == (0, 1)
    assert query(database, "SELECT status FROM raw.imports") == [("failed",)]


def test_text_that_postgresql_refuses_is_repaired_and_the_source_kept(database: Database, path: Path):
    summary = load(database, path, chatgpt("c1", chain("a\0b", "\ud800"), title="t\0"))
    assert summary.dialogues == {"new": 1}
    assert summary.anomalies["sanitized_nul"] >= 2
    assert summary.anomalies["sanitized_surrogate"] >= 1
    texts = query(database, "SELECT text_content FROM raw.content_parts ORDER BY message_id, sequence")
    assert sorted(texts) == [("ab",), ("\ufffd",)]
    [(source, title)] = query(database, "SELECT source_bytes, title FROM raw.dialogues")
    assert title == "t"
    assert json.loads(zlib.decompress(source))["title"] == "t\0"


def test_nodes_without_messages_are_passed_over_in_the_database(database: Database, path: Path):
    root, skipped = Said("root", None, "system", None), Said("gap", "m0", "system", None)
    tree = [root, Said("m0", "root", "user", "a"), skipped, Said("m1", "gap", "assistant", "b")]
    load(database, path, chatgpt("c1", tree, current="gap"))
    assert parents(database) == {"m0": (None, None), "m1": ("m0", None)}
    statement = "SELECT m.source_id FROM raw.dialogues d JOIN raw.messages m ON m.id = d.active_message_id"
    assert query(database, statement) == [("m0",)]
    assert query(database, "SELECT source_parent_id FROM raw.messages WHERE source_id = 'm1'") == [("gap",)]


def test_several_groups_are_loaded_as_one_would_be(database: Database, path: Path):
    count = GROUP_RECORDS + 7
    seen: list[int] = []
    write(path, *(chatgpt(f"c{n}", chain("a", "b")) for n in range(count)))
    reading = read_paths([path])
    summary = import_archive(
        database,
        reading,
        progress=lambda *_: seen.append(query(database, "SELECT count(*) FROM raw.dialogues")[0][0]),
    )
    assert summary.dialogues == {"new": count}
    assert seen[:2] == [0, GROUP_RECORDS]  # what was committed is seen while the rest is read
    assert seen[-1] == count


def test_the_users_own_server_takes_the_same_rows(database: Database, own_database: Database, path: Path):
    same_key = partition_key("chatgpt", "a/b").removeprefix("chatgpt-")
    for each in (database, own_database):
        odd = [chatgpt("a/b", chain("good")), chatgpt(same_key, chain("bad"))]
        assert load(each, path, chatgpt("c1", chain("a", "b", "c")), *odd, claude("t", "x")).dialogues["rejected"] == 1
        load(each, path, chatgpt("c1", chain("a", "B")), claude("t", "x", "y"))
    assert raw_rows(own_database) == raw_rows(database)
    assert query(own_database, "SHOW server_version_num")[0][0] != query(database, "SHOW server_version_num")[0][0]


def test_media_are_known_by_their_content_and_reach_the_hashes(database: Database, path: Path):
    talk = claude("t1", "Look", "I see")
    asked = talk["chat_messages"][0]
    asked["content"] += [
        {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "aGk="}},
        {"type": "image", "source": {"type": "url", "url": "http://i"}},
    ]
    asked["attachments"] = [{"file_name": "", "extracted_content": "pasted"}]
    asked["files"] = [{"file_uuid": "f1", "file_name": "a.pdf"}]
    load(database, path, talk)
    image, pasted = (hashlib.sha256(content).hexdigest() for content in (b"hi", b"pasted"))
    parts = "SELECT content_sha256 FROM raw.content_parts WHERE part_type = 'image' ORDER BY sequence"
    assert query(database, parts) == [(image,), (None,)]
    assert query(database, "SELECT content_sha256 FROM raw.attachments ORDER BY sequence") == [(pasted,), (None,)]
    with database.session() as connection:
        connection.execute(
            "UPDATE raw.messages SET request_options = '{\"temperature\": 0.0}' WHERE role = 'assistant'"
        )
    batch = load_batch(database, [dialogue_id("claude_ai", "t1")])
    assert batch.media == Media(
        message=[0] * 4,
        content_sha256=[image, None, pasted, None],
        uri=[None, "http://i", None, None],
        file_name=[None, None, None, "a.pdf"],
        tool_use_id=[None] * 4,
    )
    assert batch.options == [None, '{"temperature": 0.0}']
    # Other bytes behind the same words are a change.
    asked["content"][1]["source"]["data"] = "aG8="
    assert load(database, path, talk).dialogues == {"changed": 1}


def test_thousands_of_rejected_records_take_few_transactions(database: Database, path: Path):
    number = 5 * RECORDS_PER_TRANSACTION
    path.write_text(json.dumps([chatgpt("c1", chain("a")), *range(number)]))
    assert import_archive(database, read_paths([path])).dialogues == {"new": 1, "rejected": number}
    # Each transaction leaves its own number in the rows it writes.
    found = query(database, "SELECT count(*), count(DISTINCT xmin::text) FROM raw.rejected_records")
    assert found == [(number, 5)]
    located = query(database, "SELECT locator FROM raw.rejected_records ORDER BY id")
    assert located == [(f"{path}[{index}]",) for index in range(1, number + 1)]
