"""Files of JSON lines that are one conversation, and all others as they are."""

from __future__ import annotations

import io
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from archive_pipeline.readers.json_lines import as_one_object


def is_line(value: Any) -> bool:
    return "event" in value


def is_copy(value: Any) -> bool:
    return "copy" in value


def read(content: bytes, size: int = -1) -> bytes:
    source = as_one_object(io.BytesIO(content), "one.jsonl", is_line, is_copy)
    if size < 0:
        return source.read()
    return b"".join(iter(lambda: source.read(size), b""))


def test_lines_of_a_session_become_one_object():
    content = b'{"event": 1, "text": "a\\nb"}\n\n  {"event": 2}\r\n{"other": 3}'
    assert json.loads(read(content)) == {
        "file": "one.jsonl",
        "lines": [{"event": 1, "text": "a\nb"}, {"event": 2}, {"other": 3}],
    }


def test_one_of_the_first_lines_tells():
    lines = [*[{"kind": "snapshot"}] * 3_000, {"kind": "prompt", "text": "x" * 100_000}, {"event": 1}]
    assert json.loads(read("\n".join(map(json.dumps, lines)).encode()))["lines"] == lines
    beyond = "\n".join(map(json.dumps, [{"text": "x" * 100_000}] * 40 + [{"event": 1}])).encode()
    assert read(beyond) == beyond


@pytest.mark.parametrize(
    ("first", "kept"),
    [
        (b'{"event": 1, "text": "half \\ud83d"}', {"event": 1, "text": "half \ud83d"}),
        (b'{"event": 1, "te', {"unreadable_line": '{"event": 1, "te'}),
        (b"\0\0\0\0", {"unreadable_line": "\0\0\0\0"}),
    ],
)
def test_a_damaged_first_line_does_not_cost_the_others(first: bytes, kept: dict[str, Any]):
    assert json.loads(read(first + b'\n{"event": 2}'))["lines"] == [kept, {"event": 2}]


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16"])
def test_a_session_may_have_a_byte_order_mark(encoding: str):
    content = '{"event": 1, "text": "ü"}\n{"event": 2}\n'.encode(encoding)
    assert json.loads(read(content, 16))["lines"] == [{"event": 1, "text": "ü"}, {"event": 2}]


def test_a_line_that_is_no_json_is_kept_as_its_text():
    content = b'{"event": 1}\n{"event": 2, "te\n[1]\n\xff\n'
    assert json.loads(read(content))["lines"] == [
        {"event": 1},
        {"unreadable_line": '{"event": 2, "te'},
        [1],
        {"unreadable_line": "\ufffd"},
    ]


def test_lines_that_only_the_lenient_parser_reads_stay_as_they_are():
    content = b'{"event": 1}\n{"number": NaN, "half": "\\ud800"}'
    assert b'{"number": NaN, "half": "\\ud800"}' in read(content)


def test_a_line_of_an_agent_may_be_as_large_as_a_picture():
    first = {"event": "start", "picture": "A" * 3_000_000}
    content = json.dumps(first).encode() + b'\n{"event": 2}\n'
    assert json.loads(read(content, 16_384))["lines"] == [first, {"event": 2}]


def test_a_line_that_is_null_stays_one():
    assert json.loads(read(b'{"event": 1}\nnull\n'))["lines"] == [{"event": 1}, None]


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"[]",
        b'[{"event": 1}]',
        b'{"title": "x"}\n{"title": "y"}',
        b'{\n  "event": 1\n}',
        b'{"title": "x"',
        b"SQLite format 3\x00",
        b'\xff\xfe{\x00"\x00',
        b'{"conversations": [' + b" " * 1_000_000 + b"]}",
    ],
)
def test_other_files_pass_as_they_are(content: bytes):
    assert read(content) == content
    assert read(content, 7) == content


@given(
    st.lists(st.dictionaries(st.text(max_size=5), st.text(max_size=9) | st.integers() | st.none()), max_size=8),
    st.integers(1, 50),
)
def test_every_line_is_there_whatever_is_read_at_a_time(lines: list[dict[str, Any]], size: int):
    lines = [{"event": "first"}, *lines]
    content = "\n".join(map(json.dumps, lines)).encode()
    assert json.loads(read(content, size))["lines"] == lines
