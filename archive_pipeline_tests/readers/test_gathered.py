"""Messages that stand alone in their file: gathered by conversation, in memory that does not grow; others pass."""

from __future__ import annotations

import io
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from archive_pipeline.errors import UnreadableInputError
from archive_pipeline.readers.gathered import MessageTrees, as_conversations
from archive_pipeline_tests.trials import trials


def tree_of(value: Any, before: str | None) -> str | None:
    return value.get("t", before) if "m" in value else None


def gathered(content: bytes, held_bytes: int = 10_000) -> Any:
    return json.loads(as_conversations(io.BytesIO(content), [MessageTrees(tree_of, held_bytes=held_bytes)]).read())


def ids(found: list[Any]) -> list[tuple[str, list[int]]]:
    return [(item["tree"], [message["m"] for message in item["messages"]]) for item in found]


def lines(*messages: tuple[int, str]) -> bytes:
    return b"".join(json.dumps({"m": number, "t": tree}).encode() + b"\n" for number, tree in messages)


def test_messages_come_together_by_their_tree_in_the_order_of_the_file():
    content = lines((1, "a"), (2, "b"), (3, "a"), (4, "b"))
    assert ids(gathered(content)) == [("a", [1, 3]), ("b", [2, 4])]
    assert ids(gathered(b"\xef\xbb\xbf" + content)) == [("a", [1, 3]), ("b", [2, 4])]
    assert ids(gathered(content.decode().encode("utf-16"))) == [("a", [1, 3]), ("b", [2, 4])]


def test_what_was_not_added_to_for_the_longest_time_goes_first_where_no_more_is_held():
    content = lines((1, "a"), (2, "b"), (3, "a"), (4, "c"), (5, "b"))
    line = len(lines((1, "a"))) - 1
    assert ids(gathered(content, 3 * line)) == [("b", [2]), ("a", [1, 3]), ("c", [4]), ("b", [5])]
    assert ids(gathered(content, 0)) == [(tree, [at]) for at, tree in zip(range(1, 6), "abacb", strict=True)]


def test_the_first_item_tells_also_if_it_is_longer_than_a_block():
    long = {"m": 1, "t": "a", "text": "x" * 100_000}
    for content in (json.dumps(long), json.dumps([long, {"m": 2}]), f" \n [{json.dumps(long)}]"):
        [found] = gathered(content.encode(), 1_000_000)
        assert found["messages"][0] == long


def test_an_array_is_closed_only_if_the_file_closes_it():
    content = b'[{"m": 1, "t": "a"}, {"m": 2, "t": "a"}'
    text = as_conversations(io.BytesIO(content), [MessageTrees(tree_of)]).read()
    assert ids(json.loads(text + b"]")) == [("a", [1, 2])]
    text = as_conversations(io.BytesIO(content + b"] x"), [MessageTrees(tree_of)]).read()
    assert ids(json.loads(text + b"]")) == [("a", [1, 2])]


class Damaged(io.BytesIO):
    def read(self, size: int | None = -1, /) -> bytes:
        data = super().read(size)
        if not data:
            raise UnreadableInputError("damaged")
        return data


@pytest.mark.parametrize("content", [lines((1, "a")), b'{"no": "message"}\n', b"x" * 40_000])
def test_what_stands_before_damage_comes_before_the_error(content: bytes):
    source = as_conversations(Damaged(content), [MessageTrees(tree_of)])
    pieces: list[bytes] = []
    with pytest.raises(UnreadableInputError):
        pieces.extend(iter(lambda: source.read(7), None))
    taken = b"".join(pieces)
    assert taken == content or ids(json.loads(taken + b"]")) == [("a", [1])]


OTHERS = [b"", b'{"a": 1}', b'[{"a": 1},{"m": 2}]', b"[" * 20_000]


@given(st.binary(max_size=200) | st.sampled_from(OTHERS), st.integers(1, 9))
@trials(60)
def test_a_file_of_something_else_passes_as_it_is(content: bytes, size: int):
    source = as_conversations(io.BytesIO(content), [MessageTrees(lambda _value, _before: None)])
    taken = b"".join(iter(lambda: source.read(size * 100), b""))
    assert taken == content
