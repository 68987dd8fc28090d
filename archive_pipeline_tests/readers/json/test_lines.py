"""Damaged lines in files of JSON lines: each costs itself, and what is valid is read as without them."""

from __future__ import annotations

import io
import json
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from archive_pipeline.domain.records import RejectedRecord
from archive_pipeline.readers.json import lines as json_lines
from archive_pipeline.readers.json.kinds import Kinds
from archive_pipeline.readers.json.nesting import Element
from archive_pipeline.readers.json.stream import stream_elements


def is_record(value: object) -> bool:
    if not isinstance(value, dict):
        return False
    said = value.get("messages", value.get("conversations"))
    return isinstance(said, list) and bool(said) and all(isinstance(item, dict) and "value" in item for item in said)


def line(number: int, key: str = "messages", text: str = "x") -> str:
    value = {"id": number, key: [{"value": f"{text} {number}"}, {"value": 'a "quoted" {word}, and ]\\'}]}
    return json.dumps(value)


def read(text: str, block_bytes: int = 7) -> tuple[list[Any], list[RejectedRecord]]:
    source = io.BytesIO(text.encode())
    items = [*stream_elements(source, "f", kinds=Kinds.of(is_record), block_bytes=block_bytes)]
    return (
        [item.value for item in items if isinstance(item, Element)],
        [item for item in items if isinstance(item, RejectedRecord)],
    )


def ids(text: str, block_bytes: int = 7) -> list[int]:
    return [value["id"] for value in read(text, block_bytes)[0]]


@pytest.mark.parametrize("block_bytes", [7, 4096])
@pytest.mark.parametrize("key", ["messages", "conversations"])
@pytest.mark.parametrize("place", range(3))
def test_a_line_that_is_cut_off_anywhere_costs_itself(key: str, place: int, block_bytes: int):
    whole = [line(number, key) for number in range(4)]
    for end in range(1, len(whole[place])):
        damaged = [*whole[:place], whole[place][:end], *whole[place + 1 :]]
        elements, rejected = read("\n".join(damaged) + "\n", block_bytes)
        assert [value["id"] for value in elements] == [number for number in range(4) if number != place], end
        assert [value for value in elements if value["id"] == 3] == [json.loads(whole[3])]
        (record,) = rejected
        offset = sum(len(each) + 1 for each in damaged[:place])
        assert record.reason.startswith(f"the record at byte {offset} is broken; reading goes on at byte ")
        assert record.excerpt == damaged[place].strip()[:200]
        assert not record.whole_file


@pytest.mark.parametrize("place", [1, 2])
def test_a_line_that_lost_its_beginning_costs_itself(place: int):
    whole = [line(number) for number in range(4)]
    for start in range(1, len(whole[place])):
        damaged = [*whole[:place], whole[place][start:], *whole[place + 1 :]]
        elements, rejected = read("\n".join(damaged))
        assert [value["id"] for value in elements if "id" in value] == [n for n in range(4) if n != place], start
        assert len(rejected) + len(elements) >= 4
        assert not any(record.whole_file for record in rejected)


def test_lines_that_are_damaged_one_after_the_other_are_rejected_one_by_one():
    damaged = [line(0), line(1)[:30], line(2)[:9], line(3), line(4)[:20], line(5)]
    elements, rejected = read("\n".join(damaged))
    assert [value["id"] for value in elements] == [0, 3, 5]
    assert [record.excerpt for record in rejected] == [damaged[1].strip(), damaged[2].strip(), damaged[4].strip()]
    assert [record.locator for record in rejected] == ["f[1]", "f[2]", "f[4]"]


def test_a_file_that_ends_in_a_line_says_so_as_before():
    elements, rejected = read("\n".join([line(0), line(1)[:30], line(2), line(3)[:30]]))
    assert [value["id"] for value in elements] == [0, 2]
    assert [record.whole_file for record in rejected] == [False, True]
    assert "cut off" in rejected[1].reason


def test_what_is_no_json_behind_json_ends_a_file_of_which_no_line_is_a_record():
    elements, rejected = read(line(0) + '\n# notes\n{"a": 1}\n{"b": 2}\n')
    assert [value["id"] for value in elements] == [0]
    assert rejected[-1].whole_file
    assert "unexpected data after the end" in rejected[-1].reason


@pytest.mark.parametrize("end", ["", ",\n", "]"])
@pytest.mark.parametrize("between", [",", ",\n", "\n,"])
def test_records_with_commas_between_and_no_array_around_them_are_read_and_the_first_comma_is_named(
    between: str, end: str
):
    elements, rejected = read(between.join(map(line, range(4))) + end)
    assert [value["id"] for value in elements] == [0, 1, 2, 3]
    place = f"byte {len(line(0)) + between.index(',')}"
    assert rejected[0].locator == f"f @ {place}"
    assert rejected[0].reason.startswith(f"a comma at {place} stands behind a value that is in no array")
    assert [record.whole_file for record in rejected] == [False, True][: 1 + (end == "]")]


def test_a_cut_off_line_with_a_comma_among_others_costs_itself():
    damaged = [line(0), line(1), line(2)[:30], line(3), line(4)]
    elements, rejected = read(",\n".join(damaged))
    assert [value["id"] for value in elements] == [0, 1, 3, 4]
    assert rejected[0].excerpt == damaged[2] + ","


def test_a_line_is_not_looked_for_without_end(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(json_lines, "_MAX_STRAY_BYTES", 100)
    assert ids(line(0) + "\nnotes " + "x" * 50 + "\n" + line(1) + "\n" + line(2)) == [0, 1, 2]
    assert ids(line(0) + "\nnotes " + "x" * 200 + "\n" + line(1) + "\n" + line(2)) == [0]


def test_a_line_that_is_too_large_to_be_held_goes_on_with_what_stands_before(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(json_lines, "_MAX_HELD_BYTES", 200)
    large = line(1, text="y" * 500)
    assert ids("\n".join([line(0), large, line(2)])) == [0, 1, 2]
    assert 3 in ids("\n".join([line(0)[:30], large, line(2), line(3)]))


VALUES = st.lists(st.integers(0, 3).map(lambda size: {"messages": [{"value": "}\n{"}] * (size + 1)}), max_size=4)


@given(VALUES, st.sampled_from([None, 0, 1]), st.sampled_from(["", "\n", "\n\n"]), st.integers(1, 40))
def test_documents_of_any_form_one_after_the_other_are_read_as_written(
    values: list[Any], indent: int | None, between: str, block_bytes: int
):
    text = between.join(json.dumps(value, indent=indent) for value in values)
    found, rejected = read(text, block_bytes)
    assert (found, [record.reason for record in rejected]) == (values, [] if values else [rejected[0].reason])


@given(VALUES.filter(bool), st.sampled_from(["", "\n"]), st.booleans(), st.integers(1, 40))
def test_records_inside_of_others_are_no_lines_of_their_own(
    values: list[Any], after: str, is_twice: bool, block_bytes: int
):
    """A line that is a record stands in an array if what follows says so."""
    inside = ",\n".join(map(json.dumps, values))
    text = "\n".join([f'{{"data": [\n{inside}\n{after}]}}'] * (1 + is_twice))
    assert read(text, block_bytes) == (values * (1 + is_twice), [])


@given(st.lists(st.tuples(st.booleans(), st.integers(1, 80)), min_size=1, max_size=8), st.integers(1, 60))
def test_all_lines_that_are_whole_are_read(steps: list[tuple[bool, int]], block_bytes: int):
    written = [line(number)[: None if is_whole else end] for number, (is_whole, end) in enumerate(steps)]
    written.append(line(len(steps)))
    expected = [number for number, (is_whole, _) in enumerate(steps) if is_whole or _ >= len(line(number))]
    found = ids("\n".join(written), block_bytes)
    assert [number for number in found if number < len(steps)] == expected
    assert found[-1] == len(steps)
    assert all(one < other for one, other in pairwise(found))
