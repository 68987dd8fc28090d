"""Tables of CSV: told by their columns, read row by row whatever stands in them, and what is no row is told by line."""

from __future__ import annotations

import csv
import io
import json
import tracemalloc
import zipfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from archive_pipeline.domain.records import DialogueRecord, RejectedRecord
from archive_pipeline.readers import csv_rows
from archive_pipeline.readers.csv_rows import CsvRows, table_of
from archive_pipeline.readers.reading import ReadDialogue, read_paths
from archive_pipeline.readers.registry import table_readers
from archive_pipeline_tests.readers.copilot_tables import ACTIVITY, exchange, table
from archive_pipeline_tests.readers.work import growth

NAME = "copilot-activity-history.csv"
TIME = "2026-07-26T23:20:56"
HEADER = "Conversation,Time,Author,Message\r\n"


def rows_of(data: bytes) -> tuple[list[dict[str, Any]], list[RejectedRecord]]:
    """The rows that are handed on, without the line that has the columns, and what is no row."""
    found = table_of(io.BytesIO(data), bytearray(), table_readers())
    assert isinstance(found, CsvRows)
    first, *rows = [json.loads(line.decode("utf-8", "replace")) for line in found.pieces()]
    assert first["csv"] == "microsoft_copilot"
    return rows, [*found.rejected("t.csv")]


def messages(text: str) -> list[str]:
    return [row["Message"] for row in rows_of((HEADER + text).encode())[0]]


def read(path: Path) -> list[ReadDialogue | RejectedRecord]:
    return [item for file in read_paths([path]) for item in file.records()]


def dialogues(path: Path) -> list[DialogueRecord]:
    return [item.record for item in read(path) if isinstance(item, ReadDialogue)]


@pytest.mark.parametrize("place", ["named", "folder", "zip", "another name"])
def test_a_table_is_read_wherever_it_stands(tmp_path: Path, place: str):
    path = tmp_path / "export" / NAME
    path.parent.mkdir()
    path.write_bytes(table(exchange("Bread", TIME, "How?", "Sliced.")))
    packed = tmp_path / "export.zip"
    with zipfile.ZipFile(packed, "w") as archive:
        archive.write(path, NAME)
    renamed = tmp_path / "notes.txt"
    renamed.write_bytes(path.read_bytes())
    given_path = {"named": path, "folder": path.parent, "zip": packed, "another name": renamed}[place]
    [record] = dialogues(given_path)
    assert (record.source, record.title, len(record.messages)) == ("microsoft_copilot", "Bread", 2)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
def test_encodings_and_delimiters_of_spreadsheets_are_told(encoding: str, delimiter: str):
    text = table([("Käse", TIME, "AI", "a,b;c\td 🧀")], delimiter=delimiter).decode("utf-8-sig")
    rows, rejected = rows_of(text.encode(encoding))
    assert rows == [{"Conversation": "Käse", "Time": TIME, "Author": "AI", "Message": "a,b;c\td 🧀"}]
    assert not rejected


def test_columns_stand_in_any_order_and_further_ones_are_handed_on():
    rows, rejected = rows_of(f"Message,Rating,Author,Time,Conversation\r\na,5,AI,{TIME},T\r\n".encode())
    assert rows == [{"Message": "a", "Rating": "5", "Author": "AI", "Time": TIME, "Conversation": "T"}]
    assert not rejected


def test_what_a_message_says_stays_to_the_letter():
    said = 'a "b",\n\n| c | d |\r\nline\u2028separator\x00 and\rreturn'
    assert rows_of(table([("T", TIME, "AI", said)]))[0][0]["Message"] == said


def test_bytes_that_are_no_utf8_are_replaced_and_counted(tmp_path: Path):
    path = tmp_path / NAME
    path.write_bytes(table([("T", TIME, "AI", "a@b")]).replace(b"@", b"\xff"))
    [record] = dialogues(path)
    assert record.messages[0].parts[0].text == "a\ufffdb"
    assert record.warnings["invalid_utf8"] == 1


def test_a_row_with_another_number_of_values_is_told_by_its_line_and_the_others_are_read():
    text = f'T,{TIME},AI,"one\ntwo"\r\n\r\nT,{TIME},AI\r\nT,{TIME},AI,three\r\nT,{TIME},AI,four,4\r\n'
    rows, rejected = rows_of((HEADER + text).encode())
    assert [row["Message"] for row in rows] == ["one\ntwo", "three"]
    assert [(record.locator, record.reason, record.error) for record in rejected] == [
        ("t.csv @ line 5", "line 5 is no row of the table t.csv", "has 3 values, and the table 4 columns"),
        ("t.csv @ line 7", "line 7 is no row of the table t.csv", "has 5 values, and the table 4 columns"),
    ]
    assert rejected[0].excerpt == f"T,{TIME},AI\r\n"


def test_a_quote_that_is_not_closed_costs_its_row_alone():
    """Its message is two lines; the second one has as many values as a row, and no time."""
    text = f'"T",{TIME},AI,"broken\na, b, c, d\r\n"T",{TIME},Human,"asked"\r\n"U",{TIME},AI,said\r\n'
    rows, [rejected] = rows_of((HEADER + text).encode())
    assert [row["Message"] for row in rows] == ["asked", "said"]
    assert rejected.reason == "lines 2 to 3 are no row of the table t.csv"
    assert rejected.error == "',' expected after '\"'"


def test_a_quote_that_is_never_closed_takes_in_no_other_row():
    text = f'T,{TIME},AI,"broken\r\nT,{TIME},AI,one\r\nT,{TIME},Human,two\r\n'
    rows, [rejected] = rows_of((HEADER + text).encode())
    assert [row["Message"] for row in rows] == ["one", "two"]
    assert (rejected.locator, rejected.error) == ("t.csv @ line 2", "unexpected end of data")


def test_the_last_row_of_a_table_that_is_cut_off_is_rejected_with_its_lines(tmp_path: Path):
    path = tmp_path / NAME
    path.write_bytes(table([("T", TIME, "Human", "asked"), ("T", TIME, "AI", "one\ntwo\nthree")])[:-5])
    record, rejected = read(path)
    assert isinstance(record, ReadDialogue)
    assert [message.role for message in record.record.messages] == ["user"]
    assert isinstance(rejected, RejectedRecord)
    assert rejected.locator == f"{path} @ line 3"
    assert rejected.reason == f"lines 3 to 5 are no row of the table {path}"


def test_a_row_larger_than_any_is_rejected_and_the_next_is_read(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(csv_rows, "MAX_ROW_BYTES", 1_000)
    rows, [rejected] = rows_of(table([("T", TIME, "AI", "x" * 200_000), ("T", TIME, "AI", "next")]))
    assert [row["Message"] for row in rows] == ["next"]
    assert (rejected.locator, rejected.error) == ("t.csv @ line 2", "is larger than 1,000 bytes")


def test_so_many_broken_places_are_told_one_by_one(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(csv_rows, "_MOST_NAMED", 2)
    _, rejected = rows_of((HEADER + f"x\r\nT,{TIME},AI,a\r\n" * 5).encode())
    assert [record.locator for record in rejected] == ["t.csv @ line 2", "t.csv @ line 4", "t.csv"]
    assert rejected[-1].reason == "3 more places of t.csv have no row of the table"


@pytest.mark.parametrize("columns", ["a,b", "Conversation,Time,Author", "Conversation,Time,Author,Message,Message"])
def test_a_table_of_others_is_left_out_and_rejected_only_if_it_is_named(tmp_path: Path, columns: str):
    path = tmp_path / NAME
    path.write_text(f"{columns}\r\n1,2,3,4\r\n")
    [rejected] = read(path)
    assert isinstance(rejected, RejectedRecord)
    assert rejected.reason == f"{path} is a table of CSV whose columns no reader knows"
    reading = read_paths([tmp_path])
    assert [item for file in reading for item in file.records()] == []
    assert [(file.reason, file.may_hold_conversations) for file in reading.skipped] == [
        ("a table of CSV whose columns no reader knows", True)
    ]


def test_tables_of_other_names_in_folders_are_not_opened(tmp_path: Path):
    (tmp_path / "budget.csv").write_bytes(table(exchange("Bread", TIME, "How?", "Sliced.")))
    reading = read_paths([tmp_path])
    assert not reading.files
    assert [file.reason for file in reading.skipped] == ["not JSON (.csv)"]


def test_json_that_is_named_as_a_table_is_read_as_json(tmp_path: Path):
    path = tmp_path / NAME
    path.write_text(
        json.dumps([{"messages": [{"role": "user", "content": "q"}, {"role": "assistant", "content": "a"}]}])
    )
    [record] = dialogues(path)
    assert record.source == "openai_messages"


def test_a_table_without_rows_holds_nothing(tmp_path: Path):
    (tmp_path / NAME).write_bytes(table([]))
    reading = read_paths([tmp_path])
    assert [item for file in reading for item in file.records()] == []
    assert [(file.reason, file.may_hold_conversations) for file in reading.skipped] == [
        ("a table without a whole row", False)
    ]


def test_an_empty_file_is_no_table(tmp_path: Path):
    path = tmp_path / NAME
    path.write_text("")
    [rejected] = read(path)
    assert isinstance(rejected, RejectedRecord)
    assert rejected.reason == "the file is empty"


def test_of_what_is_no_row_only_the_beginning_is_held():
    broken = b"T," + b"x" * 1_000_000 + b"\r\n"
    head = HEADER.encode()
    pieces = iter([head, *[broken] * 30, b""])
    found = CsvRows(pieces, "microsoft_copilot", table_readers()["microsoft_copilot"], ",")
    tracemalloc.start()
    try:
        assert len([*found.pieces()]) == 1
        held, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    [rejected] = found.rejected("t.csv")
    assert rejected.excerpt == "T," + "x" * 198
    assert held < 500_000


def test_a_file_that_cannot_be_read_on_is_told_behind_its_rows():
    class Failing(io.BytesIO):
        def read(self, size: int | None = -1, /) -> bytes:
            data = super().read(size)
            if not data:
                raise OSError(5, "Input/output error")
            return data

    found = table_of(Failing(table(exchange("T", TIME, "q", "a"))), bytearray(), table_readers())
    assert found is not None
    rows: list[bytes] = []
    with pytest.raises(OSError, match="Input/output"):
        rows.extend(found.pieces())
    pieces = table_of(Failing(table(exchange("T", TIME, "q", "a"))), bytearray(), table_readers())
    assert pieces is not None
    given_rows = pieces.pieces()
    assert [json.loads(next(given_rows)).get("Message") for _ in range(3)] == [None, "a", "q"]


def test_memory_does_not_grow_with_the_table(tmp_path: Path):
    def peak(number: int) -> int:
        path = tmp_path / f"{number}-copilot.csv"
        path.write_bytes(table(("T", TIME, "AI", "word " * 4_000) for _ in range(number)))
        with path.open("rb") as file:
            found = table_of(file, bytearray(), table_readers())
            assert found is not None
            tracemalloc.start()
            for _ in found.pieces():
                pass
            most = tracemalloc.get_traced_memory()[1]
            tracemalloc.stop()
        return most

    peak(1)
    assert peak(200) < peak(50) * 1.2


@pytest.mark.parametrize("piece", ['"', '"\n', ',"""\n', 'a"",""\n', '"a","b\n', "\n", ",", ',,,"x\n', '""\n'])
def test_the_work_grows_with_what_is_no_row(piece: str):
    def load(size: int) -> None:
        rows_of((HEADER + f'T,{TIME},AI,"' + piece * size).encode())

    assert growth(load, 200) < 6


cells = st.text(st.characters(codec="utf-8", exclude_characters="\r"), max_size=12)


@given(st.lists(st.tuples(cells, cells, cells, cells), max_size=6), st.sampled_from([csv.QUOTE_ALL, csv.QUOTE_MINIMAL]))
def test_every_value_comes_back(given_rows: list[tuple[str, ...]], quoting: Any):
    written = io.StringIO()
    writer = csv.writer(written, quoting=quoting)
    writer.writerow(ACTIVITY)
    writer.writerows(given_rows)
    rows, rejected = rows_of(written.getvalue().encode())
    assert [tuple(row[name] for name in ACTIVITY) for row in rows] == given_rows
    assert not rejected


@given(st.lists(st.tuples(cells, cells), max_size=4), st.text('",\nab', min_size=1, max_size=4), st.data())
def test_every_line_of_a_damaged_table_is_in_a_row_or_told(
    said: list[tuple[str, str]], noise: str, data: st.DataObject
):
    """Each message names itself; one that is in no row stands in the lines that a rejected record names."""
    marked = [(f"m{at}q {asked}", f"n{at}q {answered}") for at, (asked, answered) in enumerate(said)]
    text = table(row for asked, answered in marked for row in exchange("T", TIME, asked, answered)).decode()
    place = data.draw(st.integers(len(HEADER) + 1, len(text)))
    rows, rejected = rows_of((text[:place] + noise + text[place:]).encode())
    kept = json.dumps([list(row.values()) for row in rows])
    lost = [mark for at in range(len(said)) for mark in (f"m{at}q", f"n{at}q") if mark not in kept]
    assert len(lost) <= 3
    assert rejected or not lost
