"""Files of an export: what is written in the background is whole, in order, and grouped by what belongs together."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from archive_pipeline.errors import ExportError
from archive_pipeline.export.output import Output

SCHEMA = pa.schema([("number", pa.int64())])


def test_lines_are_in_order_over_all_batches(tmp_path: Path):
    output = Output(tmp_path)
    output.start_lines("data.jsonl")
    for number in range(10):
        assert output.lines("data.jsonl", [{"n": number}]) == 1
        if number % 3 == 0:
            output.flush()
    [written] = output.close()
    content = (tmp_path / "data.jsonl").read_bytes()
    assert content == b"".join(b'{"n":%d}\n' % number for number in range(10))
    assert (written.size_bytes, written.rows) == (len(content), 10)
    assert written.sha256 == hashlib.sha256(content).hexdigest()


def test_what_one_dialogue_makes_is_written_before_all_of_it_is_made(tmp_path: Path):
    output = Output(tmp_path)
    output.start_lines("data.jsonl")
    text = "x" * 4_000_000
    most = 0

    def rows() -> Iterator[dict[str, str]]:
        nonlocal most
        for _ in range(60):
            most = max(most, sum(len(line) for line in output._lines["data.jsonl"].made))
            yield {"text": text}

    assert output.lines("data.jsonl", rows()) == 60
    assert most < 100_000_000
    [written] = output.close()
    assert (written.rows, written.size_bytes) == (60, 60 * (len(text) + len('{"text":""}\n')))


def test_two_files_of_one_name_are_refused_and_no_thread_is_left(tmp_path: Path):
    before = set(threading.enumerate())
    output = Output(tmp_path)
    output.file("a/b.md", b"one")
    output.flush()
    output.file("a/b.md", b"two")
    with pytest.raises(ExportError, match=r"two files of the export would be a/b\.md"):
        output.close()
    output.abort()
    assert (tmp_path / "a" / "b.md").read_bytes() == b"one"
    assert set(threading.enumerate()) <= before


def test_groups_of_rows_end_where_what_stands_together_ends(tmp_path: Path):
    output = Output(tmp_path)
    output.start_table("t.parquet", SCHEMA)
    # 4,999 rows are too few for a group; the next three of one dialogue are not parted.
    for start, counts in ((0, [2_000, 2_999]), (4_999, [3, 7]), (5_009, [])):
        rows = range(start, start + sum(counts))
        output.rows("t.parquet", pa.table({"number": [*rows]}, schema=SCHEMA), counts)
        output.flush()
    [written] = output.close()
    found = pq.ParquetFile(tmp_path / "t.parquet")
    assert [found.metadata.row_group(number).num_rows for number in range(2)] == [5_002, 7]
    assert found.read()["number"].to_pylist() == [*range(5_009)]
    assert written.rows == 5_009


def test_a_table_without_rows_has_its_columns(tmp_path: Path):
    output = Output(tmp_path)
    output.start_table("t.parquet", SCHEMA)
    [written] = output.close()
    assert (pq.read_schema(tmp_path / "t.parquet").names, written.rows) == (["number"], 0)
