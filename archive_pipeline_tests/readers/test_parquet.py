"""Files of Parquet: their rows are read as lines of JSON are, up to what is damaged, which is told."""

from __future__ import annotations

import base64
import datetime as dt
import decimal
import hashlib
import json
import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import orjson
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from archive_pipeline.domain.records import DialogueRecord, RejectedRecord
from archive_pipeline.readers.reading import ArchiveReading, ReadDialogue, read_paths
from archive_pipeline.readers.shares import Share
from archive_pipeline_tests.readers.codex.sessions import meta, said, turn

TALK = {
    "conversation_id": "c1",
    "model": "m-1",
    "conversation": [
        {"role": "user", "content": "How do I freeze bread?"},
        {"role": "assistant", "content": "Sliced, in a bag.", "redacted": False},
    ],
}


def table_of(rows: Sequence[dict[str, Any]]) -> pa.Table:
    """Returns a table with every column that a row has."""
    names = dict.fromkeys(name for row in rows for name in row)
    return pa.table({name: [row.get(name) for row in rows] for name in names})


def write(path: Path, rows: Sequence[dict[str, Any]], **options: Any) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    pq.write_table(table_of(rows), path, **options)
    return path


def read(path: Path) -> list[ReadDialogue | RejectedRecord]:
    return [item for file in read_paths([path]) for item in file.records()]


def dialogues(path: Path) -> list[DialogueRecord]:
    return [item.record for item in read(path) if isinstance(item, ReadDialogue)]


def texts(record: DialogueRecord) -> list[tuple[str, str | None]]:
    return [(message.role, part.text) for message in record.messages for part in message.parts]


def numbered(count: int) -> list[dict[str, Any]]:
    return [{**TALK, "conversation_id": f"c{number}"} for number in range(count)]


@pytest.mark.parametrize("place", ["named", "folder", "zip"])
def test_rows_are_conversations_wherever_the_file_stands(tmp_path: Path, place: str):
    path = write(tmp_path / "sets" / "train-00000-of-00001.parquet", [TALK])
    packed = tmp_path / "sets.zip"
    with zipfile.ZipFile(packed, "w") as archive:
        archive.write(path, path.name)
    [record] = dialogues({"named": path, "folder": path.parent, "zip": packed}[place])
    assert record.source == "openai_messages"
    assert (record.source_id or "").startswith("c1-")
    assert texts(record) == [("user", "How do I freeze bread?"), ("assistant", "Sliced, in a bag.")]


def test_what_a_row_does_not_have_is_not_in_its_objects(tmp_path: Path):
    """Arrow gives the user's message a ``redacted`` that is null; a column is part of every row."""
    [item] = read(write(tmp_path / "a.parquet", [TALK, {**TALK, "conversation_id": "c2", "note": "x"}]))[:1]
    assert isinstance(item, ReadDialogue)
    assert json.loads(item.raw) == {**TALK, "note": None}


def test_a_file_of_lines_of_an_agent_is_its_session(tmp_path: Path):
    lines = [meta(), turn(), said("user", "How do I freeze bread?"), said("assistant", "Sliced, in a bag.")]
    plain = tmp_path / "plain" / "rollout.jsonl"
    plain.parent.mkdir()
    plain.write_bytes(b"".join(orjson.dumps(line) + b"\n" for line in lines))
    [expected] = dialogues(plain)
    [record] = dialogues(write(tmp_path / "rollout.parquet", lines))
    assert (record.source, record.source_id) == ("codex", expected.source_id)
    assert texts(record) == texts(expected)


def test_values_that_json_has_none_for_are_text(tmp_path: Path):
    large = bytes(70_000)
    row = {
        **TALK,
        "day": dt.date(2026, 1, 2),
        "price": decimal.Decimal("1.50"),
        "picture": {"bytes": b"\x00\x01", "path": "a.png"},
        "large": large,
    }
    table = table_of([row])
    table = table.append_column("ns", pa.array([1_700_000_000_123_456_789], pa.timestamp("ns", "UTC")))
    headers = pa.map_(pa.string(), pa.struct([("value", pa.string()), ("note", pa.string())]))
    table = table.append_column("headers", pa.array([[("accept", {"value": "x"})]], headers))
    pq.write_table(table, tmp_path / "a.parquet")
    [item] = read(tmp_path / "a.parquet")
    assert isinstance(item, ReadDialogue)
    said_of_row = json.loads(item.raw)
    assert {name: said_of_row[name] for name in ("day", "price", "picture", "large", "ns", "headers")} == {
        "day": "2026-01-02",
        "price": "1.50",
        "picture": {"bytes": {"base64": base64.b64encode(b"\x00\x01").decode()}, "path": "a.png"},
        "large": {"sha256": hashlib.sha256(large).hexdigest(), "bytes": 70_000},
        "ns": "2023-11-14T22:13:20.123456789+00:00",
        "headers": [["accept", {"value": "x"}]],
    }


def test_the_file_on_disk_is_what_is_counted_and_hashed(tmp_path: Path):
    path = write(tmp_path / "a.parquet", [TALK])
    [file] = (reading := read_paths([path]))
    list(file.records())
    assert file.sha256 == hashlib.sha256(path.read_bytes()).hexdigest()
    assert file.bytes_read == reading.total_bytes == path.stat().st_size
    assert file.is_understood


def test_shares_of_it_are_the_whole(tmp_path: Path):
    path = write(tmp_path / "a.parquet", numbered(900))
    shares: list[list[object]] = []
    for number in range(2):
        [file] = read_paths([path])
        shares.append(list(file.shared(Share(number, 2))))
    whole = [one if one is not None else other for one, other in zip(*shares, strict=True)]
    assert whole == read(path)
    assert len(whole) == 900


def test_damage_costs_what_stands_behind_it_and_is_told(tmp_path: Path):
    """The second group of rows is overwritten: the end of the file, which names both, is whole."""
    path = write(tmp_path / "a.parquet", numbered(1_000), row_group_size=500, compression="zstd", use_dictionary=False)
    column = pq.read_metadata(path).row_group(1).column(0)
    data = bytearray(path.read_bytes())
    data[column.data_page_offset : column.data_page_offset + 200] = b"\xff" * 200
    path.write_bytes(data)
    items = read(path)
    [rejected] = [item for item in items if isinstance(item, RejectedRecord)]
    assert len(items) == 501
    assert rejected.reason == f"{path} is read up to row 500 of 1,000"


def test_a_row_that_cannot_be_read_keeps_no_other_from_being_read(tmp_path: Path):
    """A text that is not UTF-8, which Arrow reads without a look at it."""
    rows = numbered(5)
    names = pa.array([b"a", b"b", b"\xff\xfe", b"d", b"e"], pa.binary()).view(pa.string())
    pq.write_table(table_of(rows).append_column("name", names), tmp_path / "a.parquet")
    items = read(tmp_path / "a.parquet")
    [rejected] = [item for item in items if isinstance(item, RejectedRecord)]
    ids = [(item.record.source_id or "").split("-")[0] for item in items if isinstance(item, ReadDialogue)]
    assert ids == ["c0", "c1", "c3", "c4"]
    assert rejected.reason == f"row 2 of {tmp_path / 'a.parquet'} cannot be read"
    assert rejected.error.startswith("UnicodeDecodeError")


def test_a_file_that_is_cut_off_is_rejected(tmp_path: Path):
    path = write(tmp_path / "a.parquet", numbered(20))
    path.write_bytes(path.read_bytes()[:-10])
    [item] = read(path)
    assert isinstance(item, RejectedRecord)
    assert item.reason == f"{path} is no file of Parquet that can be read"
    assert item.whole_file


def test_two_columns_of_one_name_are_not_guessed_at(tmp_path: Path):
    pq.write_table(pa.table([pa.array(["x"]), pa.array(["y"])], names=["a", "a"]), tmp_path / "a.parquet")
    [item] = read(tmp_path / "a.parquet")
    assert isinstance(item, RejectedRecord)
    assert item.error == "UnreadableInputError: two of its columns have the same name"


def reading_of(folder: Path) -> tuple[ArchiveReading, list[ReadDialogue | RejectedRecord]]:
    reading = read_paths([folder])
    return reading, [item for file in reading for item in file.records()]


def test_tables_of_other_things_are_left_out_of_a_folder_after_a_look(tmp_path: Path):
    write(tmp_path / "set" / "prices.parquet", [{"day": number, "price": 2} for number in range(300_000)])
    write(tmp_path / "set" / "talks.parquet", [TALK])
    (tmp_path / "set" / "other.parquet").write_bytes(b"something else")
    reading, [item] = reading_of(tmp_path / "set")
    assert isinstance(item, ReadDialogue)
    reasons = {Path(skipped.locator).name: skipped.reason for skipped in reading.skipped}
    assert reasons["prices.parquet"].startswith(
        "holds nothing like a conversation: a table whose first row is an object with keys day, price"
    )
    assert reasons["other.parquet"] == "not a file of Parquet (.parquet)"
    assert all(skipped.may_hold_conversations for skipped in reading.skipped)


def test_a_table_without_rows_holds_no_conversations(tmp_path: Path):
    path = tmp_path / "a.parquet"
    pq.write_table(table_of([TALK]).slice(0, 0), path)
    reading, items = reading_of(path)
    assert items == []
    [skipped] = reading.skipped
    assert skipped.reason == "an empty array: holds no conversations"


def test_a_bomb_is_not_read_to_its_end(tmp_path: Path):
    """The same text of 100 kB in 2,000 rows is stored once."""
    talks = [{**row, "note": "x" * 100_000} for row in numbered(2_000)]
    path = write(tmp_path / "a.parquet", talks, compression="zstd")
    *before, rejected = read(path)
    assert len(before) <= 100  # a batch, which is looked at before its rows are made
    assert isinstance(rejected, RejectedRecord)
    assert "times its size, as those of no export are" in rejected.error


@given(
    rows=st.lists(
        st.fixed_dictionaries(
            {"id": st.text(st.characters(exclude_categories=["Cs"]), min_size=1), "n": st.integers(-(2**60), 2**60)},
        ),
        min_size=1,
        max_size=4,
    )
)
def test_every_row_comes_back(rows: list[dict[str, Any]], tmp_path_factory: pytest.TempPathFactory):
    folder = tmp_path_factory.mktemp("rows")
    talks = [{**row, "messages": TALK["conversation"]} for row in rows]
    items = read(write(folder / "a.parquet", talks))
    raws = [json.loads(item.raw) for item in items if isinstance(item, ReadDialogue)]
    assert [{"id": raw["id"], "n": raw["n"]} for raw in raws] == rows
