"""How the elements of a JSON file are found, whatever the file looks like and however it breaks."""

import io
import json
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from archive_pipeline.domain.records import RejectedRecord
from archive_pipeline.readers.json.kinds import Kinds
from archive_pipeline.readers.json.stream import Element, stream_elements
from archive_pipeline_tests.trials import trials


def read(data, **options):
    return list(stream_elements(io.BytesIO(data), "f.json", **options))


def values(items):
    assert all(isinstance(item, Element) for item in items), items
    return [item.value for item in items]


def is_conversation(value):
    return isinstance(value, dict) and "mapping" in value


leaves = st.none() | st.booleans() | st.integers(-(2**63), 2**63) | st.floats(allow_nan=False, allow_infinity=False)
texts = st.text() | st.text(alphabet='\\"[]{},: \n', max_size=12)
json_values = st.recursive(
    leaves | texts, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(texts, inner, max_size=4), max_leaves=20
)
blanks = st.text(alphabet=" \t\r\n", max_size=3)


@pytest.mark.slow
@trials(80)
@given(st.lists(json_values, max_size=6), st.integers(1, 70), blanks, st.booleans(), st.sampled_from([None, 0, 2]))
def test_any_array_is_split_as_json_reads_it(expected, block, blank, is_ascii, indent):
    pieces = [json.dumps(value, ensure_ascii=is_ascii, indent=indent) for value in expected]
    text = blank + "[" + blank + (blank + "," + blank).join(pieces) + blank + "]" + blank
    data = text.encode("utf-8", "surrogatepass")
    items = read(data, block_bytes=block)
    assert values(items) == json.loads(text)
    assert [item.raw.decode("utf-8", "surrogatepass") for item in items] == pieces


@pytest.mark.parametrize("block", range(1, 20))
@pytest.mark.parametrize("piece", ["[\n{}\n]", "[\n\n[\n]\n]", "[\n[{}]]", "{}"])
def test_line_ends_at_the_end_of_a_block_are_not_lost(piece, block):
    text = f"[\n{piece},\n{piece},\n{piece}\n]"
    items = read(text.encode(), block_bytes=block)
    assert [item.raw.decode() for item in items] == [piece] * 3


@pytest.mark.slow
@trials(50)
@given(st.lists(json_values, max_size=4), st.dictionaries(texts, json_values, max_size=3), st.integers(1, 70))
def test_the_array_under_conversations_is_found_between_other_keys(expected, others, block):
    others.pop("conversations", None)
    items = list(others.items())
    document = dict(items[:1]) | {"conversations": expected} | dict(items[1:])
    beside = {key: value for key, value in others.items() if value != []}
    assert values(read(json.dumps(document).encode(), block_bytes=block)) == expected + [beside] * bool(beside)


@pytest.mark.slow
@trials(50)
@given(st.lists(st.dictionaries(texts, json_values, min_size=1, max_size=3), min_size=2, max_size=5), st.data())
def test_a_cut_anywhere_keeps_every_element_before_it(expected, data):
    whole = json.dumps(expected).encode()
    cut = data.draw(st.integers(1, len(whole) - 1))
    items = read(whole[:cut], block_bytes=data.draw(st.integers(1, 40)))
    assert isinstance(items[-1], RejectedRecord)
    assert items[-1].whole_file
    found = values(items[:-1])
    ends = [len(json.dumps(expected[:count])) - 1 for count in range(1, len(expected) + 1)]
    assert found == expected[: sum(end <= cut for end in ends)]


def test_an_object_without_conversations_is_one_element():
    [item] = read(b' {"title": "a", "conversations": null} ')
    assert (item.locator, item.value) == ("f.json", {"title": "a", "conversations": None})


def test_elements_are_named_by_their_place():
    assert [item.locator for item in read(b"[1, {}]")] == ["f.json[0]", "f.json[1]"]


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-16-le", "utf-16-be"])
def test_a_byte_order_mark_is_understood(encoding):
    mark = "\ufeff" if encoding in ("utf-16-le", "utf-16-be") else ""
    assert values(read((mark + '[{"a": "ä😀"}]').encode(encoding), block_bytes=5)) == [{"a": "ä😀"}]


def test_lone_surrogates_nul_huge_numbers_and_nan_do_not_cost_a_record():
    items = read(
        b'[{"a": "\\ud800x"}, {"a": "\\u0000"}, {"a": 123456789012345678901234567890}, {"a": NaN}, {"a": "\n"}]'
    )
    assert [v["a"] for v in values(items)] == ["\ud800x", "\0", pytest.approx(1.2345678901234568e29), None, "\n"]
    assert [item.warnings for item in items] == [("lenient_json",), (), (), ("lenient_json",), ("lenient_json",)]


def test_bytes_that_are_not_utf_8_are_replaced_and_counted():
    [item] = read(b'[{"a": "caf\xe9"}]')
    assert (item.value, item.warnings) == ({"a": "caf\ufffd"}, ("lenient_json", "invalid_utf8"))
    assert item.raw == b'{"a": "caf\xe9"}'


def test_surrogates_encoded_as_utf_8_are_read():
    [item] = read(b'["\xed\xa0\xbd\xed\xb8\x80"]')
    assert item.value == "\ud83d\ude00"


@pytest.mark.parametrize(
    "bad",
    [b'{"a": nope}', b'{"a": [}]}', b'{"a": 1}}', b'{"a": 1} {"b": 2}', b"", b'{"a": 1]}', b"{'a': 1}"],
)
def test_a_malformed_element_costs_only_itself(bad):
    items = read(b'[{"x": 1}, ' + bad + b', {"y": 2}]')
    assert [item.value for item in items if isinstance(item, Element)] == [{"x": 1}, {"y": 2}]
    [rejected] = [item for item in items if isinstance(item, RejectedRecord)]
    assert rejected.locator == "f.json[1]"
    assert not rejected.whole_file
    assert "byte 11" in rejected.reason or bad == b""


@pytest.mark.parametrize(
    "broken", [b'{"id": 1, "mapping": {', b'{"id": "x, "mapping": {}}', b'{"mapping": {"a": [1, {"b": {}']
)
def test_reading_goes_on_behind_a_record_that_swallows_the_rest(broken):
    good = [json.dumps({"mapping": {"n": {"parts": [{"a": 1}, {"b": "x, y"}]}}, "id": i}).encode() for i in range(5)]
    data = b"[" + b", ".join([good[0], broken, good[1], good[2], broken, good[3], good[4]]) + b"]"
    items = read(data, kinds=Kinds.of(is_conversation), block_bytes=7)
    assert [item.value["id"] for item in items if isinstance(item, Element)] == [0, 1, 2, 3, 4]
    assert [item.locator for item in items if isinstance(item, RejectedRecord)] == ["f.json[1]", "f.json[4]"]


@pytest.mark.parametrize("between", [b"", b"\n"])
def test_a_missing_comma_costs_no_record(between):
    good = [b'{"mapping": {}, "id": %d}' % number for number in range(6)]
    data = b"[" + good[0] + b"," + between.join(good[1:4]) + b' {"note": 1}, ' + good[4] + b'{"a": 1, ' + good[5] + b"]"
    items = read(data, kinds=Kinds.of(is_conversation), block_bytes=7)
    assert [item.value["id"] for item in items if isinstance(item, Element)] == [0, 1, 2, 3, 4, 5]
    assert [item.excerpt for item in items if isinstance(item, RejectedRecord)] == [' {"note": 1}', '{"a": 1, ']


@pytest.mark.parametrize(
    ("opening", "broken", "rejected"), [('{"data": {"conversations": [', "", 0), ('{"archived": [', '{"id" 9}, ', 1)]
)
def test_damage_within_an_object_around_records_costs_no_record(opening, broken, rejected):
    good = [f'{{"mapping": {{}}, "id": {number}}}' for number in range(4)]
    closing = "]" + "}" * opening.count("{")
    data = f"{opening}{good[0]} {good[1]}, {broken}{good[2]}, {good[3]}{closing}"
    items = read(data.encode(), kinds=Kinds.of(is_conversation), block_bytes=7)
    assert [item.value["id"] for item in items if isinstance(item, Element)] == [0, 1, 2, 3]
    assert len(items) == 4 + rejected


def test_a_file_cut_off_inside_a_record_says_where():
    items = read(b'[{"a": 1}, {"b": [1, 2')
    assert items[0].value == {"a": 1}
    assert items[1].locator == "f.json @ byte 11"
    assert items[1].whole_file
    assert "cut off" in items[1].reason


@pytest.mark.parametrize(
    ("data", "word"),
    [
        (b"", "empty"),
        (b" \n", "white space"),
        (b"hello", "not a JSON"),
        (b'"text"', "not a JSON"),
        (b"\x89PNG\r\n", "not a JSON"),
        (b'{"a": 1', "cut off"),
        (b"[", "cut off"),
        (b"[1] 2", "unexpected data"),
        (b"{} x [1]", "unexpected data"),
        (b"[1]\\", "unexpected data"),
    ],
)
def test_what_is_no_json_file_is_one_rejected_record(data, word):
    [rejected] = [item for item in read(data) if isinstance(item, RejectedRecord)]
    assert rejected.whole_file
    assert word in rejected.reason


@pytest.mark.parametrize("depth", [201, 253, 255, 260, 999, 1000, 1024, 1025, 100_000])
@pytest.mark.parametrize("opening", [b"[", b'{"a":'])
def test_what_stands_deep_is_kept_as_text(opening, depth):
    closing = b"]" if opening == b"[" else b"}"
    deep = opening * depth + b'"x\\"[{"' + closing * depth
    item, after = read(b"[" + deep + b', {"ok": 1}]')
    assert "deep_json_as_text" in item.warnings
    value = item.value
    for _ in range(200):
        value = value["a"] if isinstance(value, dict) else value[0]
    assert value.encode() == deep[200 * len(opening) : len(deep) - 200]
    assert after.value == {"ok": 1}


def test_brackets_that_are_deep_and_never_closed_are_rejected():
    [rejected] = read(b"[" * 100_000)
    assert isinstance(rejected, RejectedRecord)


def test_a_record_too_large_to_hold_is_rejected_and_the_next_one_read():
    items = read(b'[{"a": "' + b"x" * 5000 + b'"}, {"ok": 1}]', max_element_bytes=1000, block_bytes=100)
    assert "too large" in items[0].reason
    assert items[0].excerpt.startswith('{"a": "xxx')
    assert items[1].value == {"ok": 1}


class BreaksOff:
    def __init__(self, data):
        self.stream = io.BytesIO(data)

    def read(self, size=-1, /):
        data = self.stream.read(size)
        if not data:
            msg = "Input/output error"
            raise OSError(msg)
        return data


def test_a_medium_that_fails_keeps_what_was_read():
    items = list(stream_elements(BreaksOff(b'[{"a": 1}, {"b": 2}, '), "f.json"))
    assert [item.value for item in items[:2]] == [{"a": 1}, {"b": 2}]
    assert "Input/output error" in items[2].error


PEAK = r"""
import re, sys
from pathlib import Path
from archive_pipeline.readers.reading import read_paths
count = sum(1 for file in read_paths([sys.argv[1]]) for _ in file.records())
# Not getrusage, whose maximum goes back to before the process became this one.
peak = re.search(r"VmHWM:\s+(\d+)", Path("/proc/self/status").read_text())
print(count, int(peak[1]) // 1024)
"""


@pytest.mark.slow
def test_memory_does_not_grow_with_the_file(tmp_path):
    text = "x" * 2000
    node = {"id": "n", "parent": None, "message": {"author": {"role": "user"}, "content": {"parts": [text]}}}
    record = json.dumps({"id": "c", "mapping": {f"n{i}": node for i in range(50)}}).encode()
    path = tmp_path / "big.json"
    count = 150_000_000 // len(record)
    with path.open("wb") as file:
        file.write(b"[" + record)
        for _ in range(count - 1):
            file.write(b"," + record)
        file.write(b"]")
    done = subprocess.run([sys.executable, "-c", PEAK, str(path)], capture_output=True, text=True, check=True)
    read_count, peak = map(int, done.stdout.split())
    assert read_count == count
    assert peak < 250
