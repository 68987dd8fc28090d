"""Pages of what has none: nothing is lost, and no page is longer than a block has to be."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from archive_pipeline.documents.pagination import BLOCK_CHARACTERS, PAGE_CHARACTERS, markdown_pages, text_pages
from archive_pipeline_tests.variants import some_of

lines = st.lists(
    st.sampled_from(["# Head", "## Below", "", "", "word " * 60, "- item", "```", "| a | b |", "x" * 5_000]),
    max_size=60,
)


@given(lines)
def test_every_word_is_on_one_page_in_order(given_lines: list[str]):
    text = "\n".join(given_lines)
    for pages in (markdown_pages([text]), text_pages([text])):
        assert "".join("".join(pages).split()) == "".join(text.split())
        assert all(len(page) <= BLOCK_CHARACTERS for page in pages)


def test_a_block_without_end_is_cut():
    pages = text_pages(["x" * 50_000])
    assert [len(page) for page in pages] == [PAGE_CHARACTERS] * 12 + [2_000]
    assert len(markdown_pages(["```\n" + "line of code\n" * 5_000 + "```"])) > 10


@pytest.mark.parametrize("separator", ["\v", "\x1c", "\x85", "\u2028", "\u2029"])
def test_a_line_ends_where_markdown_ends_it(separator: str):
    section = "# Head\n\n" + "word " * 500 + separator * 20 + "\n\n"
    assert [page.startswith("# Head") for page in markdown_pages([section * 5])] == [True] * 5


@pytest.mark.parametrize("end", ["\r", "\r\n", "\n"])
def test_a_line_ends_at_each_of_its_three_ends(end: str):
    section = f"# Head{end}{end}" + f"word {end}" * 500 + end
    assert [page.startswith("# Head") for page in markdown_pages([section * 3])] == [True] * 3


@pytest.mark.parametrize("line", some_of(["a\n\n", "\n", " \n", "word\n"], 2))
def test_the_work_of_cutting_pages_grows_with_the_text(line: str):
    text = line * 1_000_000  # minutes, if a block or page is gone through for each of its lines
    assert len(text_pages([text])) <= len(text) // PAGE_CHARACTERS + 1


def test_a_page_break_ends_a_page_however_short():
    assert markdown_pages(["a", "", "b"]) == ["a", "b"]
    assert markdown_pages([""]) == [""]
