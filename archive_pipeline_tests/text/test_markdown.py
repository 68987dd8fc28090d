"""Blocks of Markdown: which lines open and close code, what is a table, a paragraph, a heading."""

from __future__ import annotations

import re
from time import process_time
from typing import Final

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from archive_pipeline.text.markdown import (
    Structure,
    blocks,
    close_code,
    code_blocks,
    paragraphs,
    structure_of,
)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("```\na\n```\nb", ["```\na\n```"]),
        ("a\n~~~sql\nb\n~~~", ["~~~sql\nb\n~~~"]),
        ("````\n```\nb\n````", ["````\n```\nb\n````"]),  # a shorter fence does not close
        ("```\n~~~\n```", ["```\n~~~\n```"]),
        ("```\n``` x\n```", ["```\n``` x\n```"]),  # nor one with something after it
        ("- a\n    ```\n    b\n    ```\nc", ["    ```\n    b\n    ```"]),
        ("``` a ` b\nc", []),  # code inside a line
        ("``\na", []),
        ("a\n```\nb", ["```\nb"]),
        ("```\r\na\r\n```\r\nb", ["```\r\na\r\n```\r"]),
        ("```\na\n    ```\nb\n```\nc", ["```\na\n    ```\nb\n```"]),  # what is indented further is code
        ("```\na\n\t```\nb\n```\nc", ["```\na\n\t```\nb\n```"]),
        ("```\na\n   ```\nb", ["```\na\n   ```"]),
        ("   ```\na\n    ```\nb\n```\nc", ["   ```\na\n    ```\nb\n```"]),
        ("1.  a\n\n    ```\n    b\n        ```\n    c\n    ```\nd", ["    ```\n    b\n        ```\n    c\n    ```"]),
        ("1. a\n   ```\n   b\n    ```\nc", ["   ```\n   b\n    ```"]),  # three spaces from the item's content
        ("- a\n\n  ```\n  b\n     ```\nc", ["  ```\n  b\n     ```"]),
        ("- a\n\nb\n\n  ```\n  c\n     ```\n  ```\nd", ["  ```\n  c\n     ```\n  ```"]),  # the list is over
        ("- a\n  - b\n\n  ```\n      ```\n  ```\nc", ["  ```\n      ```\n  ```"]),  # and here the inner one is
    ],
)
def test_code_blocks_are_found(text: str, expected: list[str]):
    assert [text[block.start : block.end] for block in code_blocks(text)] == expected


_INNER: Final = ["text", "", "    ```", "     ````", "\t\t```", "\t    ```", "~~~", "``` x"]


@pytest.mark.parametrize("opening", ["```", " ```", "   ````py"])
@given(inner=st.lists(st.sampled_from(_INNER), max_size=6), closing=st.sampled_from(["", "````", "   ````"]))
def test_a_fence_closes_where_commonmark_closes_it(opening: str, inner: list[str], closing: str):
    text = "\n".join([opening, *inner, "last", *filter(None, [closing])])
    closed = close_code(text)
    assert (closed == text) == bool(closing)
    [fence, heading] = (
        token for token in MarkdownIt("commonmark").parse(f"{closed}\n# The end") if token.type in ("fence", "inline")
    )
    assert fence.content.count("\n") == len(inner) + 1
    assert heading.content == "The end"


@pytest.mark.parametrize("marker", ["- ", "10. ", "-   "])
@given(inner=st.lists(st.sampled_from(_INNER), max_size=6), is_closed=st.booleans())
def test_in_a_list_item_a_fence_closes_where_it_stands(marker: str, inner: list[str], is_closed: bool):
    space = " " * len(marker)
    lines = ["```", *inner, "last", *(["```"] if is_closed else [])]
    text = f"{marker}text\n\n" + "\n".join(f"{space}{line}" for line in lines)
    closed = close_code(text)
    assert (closed == text) == is_closed
    fences = [token for token in MarkdownIt("commonmark").parse(f"{closed}\n\n{space}end") if token.type == "fence"]
    assert [fence.content.count("\n") for fence in fences] == [len(inner) + 1]


@pytest.mark.parametrize("marker", ["- ", "10. ", "-   ", "* a\n  - "])
@given(
    indentation=st.integers(0, 3),
    inner=st.lists(st.tuples(st.integers(0, 7), st.sampled_from(["x", "- y", "1. z", "```"])), max_size=5),
)
def test_in_a_list_item_a_fence_closes_where_commonmark_closes_it(
    marker: str, indentation: int, inner: list[tuple[int, str]]
):
    column = len(marker.rpartition("\n")[2])
    lines = [(indentation, "```"), *inner, (0, "last")]
    text = f"{marker}text\n\n" + "\n".join(" " * (column + spaces) + line for spaces, line in lines)
    block = code_blocks(text)[0]
    fence = next(token for token in MarkdownIt("commonmark").parse(text) if token.type == "fence")
    assert [text.count("\n", 0, block.start), text.count("\n", 0, block.end) + 1] == fence.map


@pytest.mark.parametrize(
    ("text", "closed"),
    [
        ("```py\nx = 1", "```py\nx = 1\n```"),
        ("  ~~~~\nx\n", "  ~~~~\nx\n  ~~~~"),
        ("```", "```\n```"),
        ("```\nx\n```", "```\nx\n```"),
        ("no code", "no code"),
    ],
)
def test_an_open_code_block_is_closed(text: str, closed: str):
    assert close_code(text) == closed


_LINES: Final = ["```", "~~~~", "<!--", "-->", "<pre>", "text", "", "  ```", "- ```", "> ```"]


@given(st.lists(st.sampled_from(_LINES), max_size=10).map("\n".join))
def test_what_follows_a_closed_text_is_markdown(text: str):
    closed = close_code(text)
    assert closed.startswith(text)
    assert close_code(closed) == closed
    tokens = MarkdownIt("commonmark", {"html": False}).parse(f"{closed}\n\n# The end")
    assert [token.content for token in tokens if token.type == "inline"][-1:] == ["The end"]


@given(
    st.lists(st.sampled_from(["```", "````", "~~~", "``` py", "  ```", "text", "", "```\r"]), max_size=8).map("\n".join)
)
def test_what_was_closed_is_closed(text: str):
    closed = close_code(text)
    assert closed.startswith(text)
    assert all(block.closing is None for block in code_blocks(closed))
    assert close_code(closed) == closed


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a\nb\n\nc", [("a\nb\n\n", "prose"), ("c", "prose")]),
        ("\n\na", [("\n\na", "prose")]),
        ("a\n| b |\n| - |\nc", [("a\n", "prose"), ("| b |\n| - |\n", "table"), ("c", "prose")]),
        ("a\n```\nb\n\nc\n```\nd", [("a\n", "prose"), ("```\nb\n\nc\n```\n", "code"), ("d", "prose")]),
        ("```\na\n```\n```\nb\n```", [("```\na\n```\n", "code"), ("```\nb\n```", "code")]),
        ("- a\n    ```\n    b\n    ```", [("- a\n    ```\n    b\n    ```", "prose")]),  # it stays with its item
        ("~~~\na", [("~~~\na", "code")]),
        (" \n", []),
    ],
)
def test_outer_blocks_are_the_text(text: str, expected: list[tuple[str, str]]):
    assert [(text[start:end], kind) for start, end, kind in blocks(text)] == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a\nb\n\nc", ["a\nb", "c"]),
        ("# a\nb", ["b"]),
        ("- a\n  b\n2. c\n> - [x] d", ["a\n  b", "c", "d"]),
        ("a\n| b |\n| c |", ["a", "| b |", "| c |"]),
        ("a\n  ```\nb\n  ```\nc", ["a", "c"]),
    ],
)
def test_paragraphs_are_prose_without_its_marks(text: str, expected: list[str]):
    assert [text[start:end] for start, end in paragraphs(text)] == expected


def test_elements_are_counted_outside_of_code():
    text = "# a\n\n| b | c |\n|---|:-:|\n| d | e |\n\n![f](g)\n\n```\n# h\n|---|\n![i](j)\n```x\n## k\n```\n## l\n"
    assert structure_of(text) == Structure(headings=2, tables=1, pictures=1)


@given(st.text("![]()a\n", max_size=20))
@example("![a](a)![](a](])![a\n](a)![a](\na)")
def test_a_picture_is_in_one_line_and_its_parts_end_at_the_first_bracket(text: str):
    assert structure_of(text).pictures == len(re.findall(r"!\[[^\]\n]*\]\([^)\n]*\)", text))


@given(st.text("|-: \r\n", max_size=20))
def test_a_table_has_a_line_of_dashes_between_bars(text: str):
    rows = [re.fullmatch(r" {0,3}\|?(\s*:?-+:?\s*\|)+(\s*:?-+:?\s*)?", line) for line in text.split("\n")]
    assert structure_of(text).tables == sum(row is not None for row in rows)


@pytest.mark.parametrize("piece", ["\n", "\t\n", "![", "![](", "```\n"])
def test_a_long_text_is_gone_through_once(piece: str):
    text = f"x{piece * 100_000}x"
    started = process_time()
    assert structure_of(text) == Structure(headings=0, tables=0, pictures=0)
    assert process_time() - started < 5


def test_blank_lines_at_the_end_are_gone_through_once():
    text = "x" + "\n" * 500_000
    started = process_time()
    assert [*blocks(text)] == [(0, len(text), "prose")]
    assert process_time() - started < 5


_LINES = ["```", "``` a", "~~~~", "   ```", "    ```", "| a | b |", "text", "# a", "- a", "", " ", "\t| a |"]


@given(st.lists(st.sampled_from(_LINES), max_size=12).map("\n".join))
def test_blocks_follow_each_other_and_leave_nothing_out(text: str):
    found = list(blocks(text))
    assert "".join(text[start:end] for start, end, _ in found) == (text if text.strip() else "")
    assert [start for start, _, _ in found][1:] == [end for _, end, _ in found][:-1]
