"""What is read of a file that is cut off."""

from __future__ import annotations

import pytest

from archive_pipeline.readers.json.kinds import Kinds
from archive_pipeline.readers.json.stream import Element
from archive_pipeline_tests.readers.json.test_stream import is_conversation, read, values


@pytest.mark.parametrize("rest", ["", "]", ', {"id": 9, "mapping": {}'])
@pytest.mark.parametrize("opening", ["[[", '[{"conversations": [', '[{"data": {"a": [', '{"conversations": [['])
def test_a_list_in_a_list_that_is_cut_off_costs_what_is_not_whole(opening, rest):
    whole = opening + '{"id": 7, "mapping": {}}, {"id": 8, "mapping": {}}'
    items = read((whole + rest).encode(), kinds=Kinds.of(is_conversation), block_bytes=7)
    assert [item.value["id"] for item in items[:-1]] == [7, 8]
    assert f"cut off after byte {len(whole)}" in items[-1].reason or rest == "]"
    assert items[-1].reason.endswith("; 2 records before it were found")


CUT = '{"id": 9, "mapping": {}'


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ('{"archived": [%s, %s', f", {CUT}"),
        ('{"data": {"conversations": [%s, %s', f", {CUT}"),
        ('{"x": %s, "y": %s, ', f'"z": {CUT}'),
        ('{"archived": [%s, {"id": "8, "mapping": {}}, %s', "]"),
        ('{"archived": [%s], "data": [%s', "]"),
        ('{"conversations": [%s], "archived": [%s', f", {CUT}"),
    ],
)
def test_an_object_around_records_that_is_cut_off_costs_what_is_not_whole(before, after):
    whole = before % ('{"id": 7, "mapping": {}}', '{"id": 8, "mapping": {}}')
    items = read((whole + after).encode(), kinds=Kinds.of(is_conversation), block_bytes=7)
    assert [item.value["id"] for item in items if isinstance(item, Element)] == [7, 8]
    assert f"cut off after byte {len(whole)}, " in items[-1].reason
    assert items[-1].reason.endswith("; 2 records before it were found")


@pytest.mark.parametrize("key", ["conversations", "archived"])
def test_lines_of_an_array_in_an_object_that_lacks_its_end_are_read(key):
    lines = ",\n".join(f'{{"id": {number}, "mapping": {{}}}}' for number in range(4))
    items = read(f'{{"data": {{"{key}": [\n{lines}'.encode(), kinds=Kinds.of(is_conversation), block_bytes=7)
    assert sorted(item.value["id"] for item in items if isinstance(item, Element)) == [0, 1, 2, 3]
    assert len(items) == 5


def test_what_stands_beside_records_in_an_object_that_is_cut_off_is_an_element():
    data = b'{"user": {"id": 1}, "archived": [{"id": 7, "mapping": {}}, {"id'
    assert values(read(data, kinds=Kinds.of(is_conversation))[:-1]) == [{"user": {"id": 1}}, {"id": 7, "mapping": {}}]


@pytest.mark.parametrize(
    "cut", [b'{"id": 7, "mapping": {}, "more": [1', b'{"id": 7, "mapping": {"a": [{"b": 1}, {"c": 2}']
)
def test_a_record_of_which_a_part_is_lost_is_rejected(cut):
    [item] = read(cut, kinds=Kinds.of(is_conversation))
    assert item.reason.startswith("the file is cut off after byte 0, inside a record that begins there; 0 records")
