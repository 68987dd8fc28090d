"""Sessions that are larger than what may be held: which of their lines are handed on, and how the others are told."""

from __future__ import annotations

import io
import json
from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from archive_pipeline.domain.records import RejectedRecord
from archive_pipeline.errors import UnreadableInputError
from archive_pipeline.readers.json_lines import as_one_object
from archive_pipeline.readers.left_out_lines import LEFT_OUT_COPY, LEFT_OUT_LINE, is_left_out, stand_in
from archive_pipeline.readers.line_budget import LineLimits

LIMITS = LineLimits(session_bytes=20_000, large_bytes=10_000, copy_bytes=5_000, large_line_bytes=1_000)
FRAME = len(b'{"file":"a","lines":[\n')
Line = dict[str, Any]


def _is_line(line: Mapping[str, Any]) -> bool:
    return "event" in line


def _is_copy(line: Mapping[str, Any]) -> bool:
    return "copy" in line


def small(number: int) -> Line:
    """A line of 500 bytes."""
    return _of_size(500, {"event": number})


def large(number: int, size: int = 1_500) -> Line:
    return _of_size(size, {"event": number, "kind": "picture"})


def copy(number: int, size: int = 1_500) -> Line:
    return _of_size(size, {"event": number, "copy": True})


def _of_size(size: int, line: Line) -> Line:
    return line | {"text": "x" * (size - len(json.dumps(line | {"text": ""})))}


def read_bytes(
    content: bytes, limits: LineLimits = LIMITS, size: int = 70_000
) -> tuple[list[Any], list[RejectedRecord]]:
    source = as_one_object(io.BytesIO(content), "a", _is_line, _is_copy, limits=limits)
    text = b"".join(iter(lambda: source.read(size), b""))
    assert len(text) <= limits.session_bytes + 200
    return json.loads(text)["lines"], [*source.rejected("a")]


def read(lines: list[Line], limits: LineLimits = LIMITS) -> tuple[list[Any], list[RejectedRecord]]:
    return read_bytes(_file(lines), limits)


def _file(lines: list[Line]) -> bytes:
    return b"".join(json.dumps(line).encode() + b"\n" for line in lines)


def test_a_session_that_fits_is_handed_on_whole():
    lines = [small(1), copy(2, 9_000), large(3, 8_500)]
    size = FRAME + sum(len(json.dumps(line)) + 2 for line in lines)
    assert read(lines, LineLimits(size, 2_000, 1_000, 1_000)) == (lines, [])
    assert read(lines, LineLimits(size - 1, 2_000, 1_000, 1_000)) != (lines, [])


def test_copies_are_left_out_before_large_lines_and_these_before_others():
    lines = [copy(1, 3_000), copy(2), copy(3), large(4, 4_000), copy(5), large(6), *map(small, range(30))]
    handed_on, rejected = read(lines)
    assert handed_on == [
        *lines[:2],
        {"event": 3, "copy": True, LEFT_OUT_COPY: "line 3 at byte 4502, 1,500 bytes"},
        lines[3],
        {"event": 5, "copy": True, LEFT_OUT_COPY: "line 5 at byte 10004, 1,500 bytes"},
        {"event": 6, "kind": "picture", LEFT_OUT_LINE: "line 6 at byte 11505, 1,500 bytes"},
        *lines[6:28],
        {LEFT_OUT_LINE: "line 29 at byte 24028, and all that follows"},
    ]
    whole = "the session is too large to be read whole"
    assert [(record.locator, record.reason) for record in rejected] == [
        ("a @ line 29", f"8 lines from byte 24028 on, to line 36 at byte 27535, are not read: {whole}"),
        *(
            (f"a @ line {line}", f"the line at byte {byte}, of 1,500 bytes, is not read: {whole}, and the line {why}")
            for line, byte, why in [
                (3, 4502, "repeats others"),
                (5, 10004, "repeats others"),
                (6, 11505, "is a large one"),
            ]
        ),
    ]
    assert not any(record.whole_file for record in rejected)


def test_a_line_that_no_session_may_have_is_left_out_without_being_held():
    lines = [small(1), large(2, 50_000), small(3)]
    handed_on, rejected = read(lines)
    assert handed_on == [small(1), {LEFT_OUT_LINE: "line 2 at byte 501, 50,000 bytes"}, small(3)]
    assert [record.reason for record in rejected] == [
        "the line at byte 501, of 50,000 bytes, is not read: it is larger than a session may be"
    ]


def test_what_values_take_in_memory_is_bounded_too():
    lines = [small(1), large(2) | {"values": [1] * 40}, small(3), copy(4) | {"values": [1] * 40}, small(5), small(6)]
    handed_on, rejected = read(lines, LineLimits(large_line_bytes=1_000, memory=4_000))
    assert [is_left_out(line) for line in handed_on] == [False, True, False, True, False, True]
    assert [record.locator for record in rejected] == ["a @ line 6", "a @ line 2", "a @ line 4"]


def test_lines_are_counted_as_the_file_has_them():
    content = b"\n  \n" + _file([small(1)]) + b"\r\n" + _file([large(2, 30_000), small(3)])
    _, rejected = read_bytes(content)
    assert [record.locator for record in rejected] == ["a @ line 5"]
    assert "the line at byte 507," in rejected[0].reason


class _Damaged(io.BytesIO):
    """A file that cannot be read to its end."""

    def read(self, size: int | None = -1, /) -> bytes:
        if not (data := super().read(size)):
            raise UnreadableInputError
        return data


def test_what_stands_before_damage_is_handed_on():
    content = _file([small(1), large(2, 30_000), small(3)])
    source = as_one_object(_Damaged(content), "a", _is_line, _is_copy, limits=LIMITS)
    text = bytearray()

    def read_on() -> None:
        while True:
            text.extend(source.read(100))

    with pytest.raises(UnreadableInputError):
        read_on()
    assert [is_left_out(line) for line in json.loads(text)["lines"]] == [False, True, False]
    assert [record.locator for record in source.rejected("a")] == ["a @ line 2"]


def test_a_stand_in_has_the_short_values_of_the_line_and_of_the_objects_in_it():
    value = {
        "type": "user",
        "n": 1,
        "big": 10**30,
        "odd": float("nan"),
        "none": None,
        "long": "x" * 257,
        "list": [1],
        "message": {"role": "user", "content": [1, {"type": "text", "text": "a"}, {"type": "text"}], "deep": {"a": 1}},
        "content": [{"type": "x" * 257}, {"type": 1}, {}],
    }
    assert json.loads(stand_in(value, LEFT_OUT_LINE, "here")) == {
        "type": "user",
        "n": 1,
        "none": None,
        "message": {"role": "user", "content": [{"type": "text"}]},
        LEFT_OUT_LINE: "here",
    }
    many = {str(number): {str(below): "x" * 200 for below in range(60)} for number in range(60)}
    for other in (many, [1], None):
        assert json.loads(stand_in(other, LEFT_OUT_COPY, "here")) == {LEFT_OUT_COPY: "here"}


_LINES = st.lists(
    st.builds(lambda make, size: (make, size), st.sampled_from([small, large, copy]), st.integers(600, 9_000)),
    max_size=40,
)


@given(_LINES, _LINES, st.integers(500, 50_000))
def test_every_line_is_handed_on_or_told_and_stays_so_when_the_file_grows(
    chosen: list[Any], more: list[Any], size: int
):
    def lines_of(some: list[Any]) -> list[Line]:
        return [small(0), *(make(at) if make is small else make(at, length) for at, (make, length) in enumerate(some))]

    lines, grown = lines_of(chosen), lines_of([*chosen, *more])
    handed_on, rejected = read_bytes(_file(lines), size=size)
    left_out = [line for line in handed_on if is_left_out(line)]
    assert len(left_out) == len(rejected)
    is_ended = bool(left_out) and "all that follows" in left_out[-1].get(LEFT_OUT_LINE, "")
    assert [line for line in handed_on if not is_left_out(line)] == [
        line for line, given in zip(lines, handed_on, strict=False) if given == line
    ]
    assert is_ended or len(handed_on) == len(lines)
    if left_out:  # decided by what stands before
        assert read(grown)[0][: len(handed_on) - is_ended] == handed_on[: len(handed_on) - is_ended]
