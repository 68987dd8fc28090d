"""Text that a parser of Markdown leaves out: it stands on the page."""

from __future__ import annotations

import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from archive_pipeline.browse.markdown import to_html

LINK = '<a href="https://example.org/" rel="noopener noreferrer nofollow">'


@pytest.mark.parametrize(
    ("text", "html"),
    [
        ("[INFO]: started\n[ERROR]: failed", "[INFO]: started<br />\n[ERROR]: failed"),
        ("[^1]: Smith2020", "[^1]: Smith2020"),
        ("[a]: /b\n[a] ![a]", "[a]: /b<br />\n[a] ![a]"),
        ("[a]: javascript:b\n[a]", "[a]: javascript:b<br />\n[a]"),
    ],
)
def test_what_only_looks_like_a_definition_is_text(text: str, html: str):
    assert to_html(text, breaks=True) == f'<p dir="auto">{html}</p>\n'


@pytest.mark.parametrize("address", ["https://example.org/", "<https://example.org/>"])
def test_an_address_is_defined_for_the_links_that_use_it(address: str):
    html = to_html(f"[Text][1], [1] and ![Picture][ 1 ]\n\n[1]: {address}")
    assert html == f'<p dir="auto">{LINK}Text</a>, {LINK}1</a> and {LINK}Picture</a></p>\n'


def test_an_address_is_defined_below_other_lines():
    html = to_html("See [1].\n[^2]: Smith2020\n[1]: https://example.org/\nThen", breaks=True)
    assert html == f'<p dir="auto">See {LINK}1</a>.<br />\n[^2]: Smith2020</p>\n\n<p dir="auto">Then</p>\n'


def test_a_definition_that_no_link_uses_stands_as_it_is_written():
    written = "[1]: https://example.org/ 'A <title>'"
    shown = '<p dir="auto">[1]: https://example.org/ &#39;A &lt;title&gt;&#39;</p>'
    assert to_html(written) == f"{shown}\n"
    assert f"{shown}\n</blockquote>" in to_html(f"> {written}")
    # The first of a label is the one that links have.
    assert to_html(f"[1]: https://example.org/\n{written}\n\n[1]") == f'{shown}\n<p dir="auto">{LINK}1</a></p>\n'


def test_cells_beyond_the_columns_of_a_table_stand_in_the_last_one():
    html = to_html("|a|b|\n|-|-|\n|1|2|\n|`x || y`|**z**|")
    assert re.findall(r"<td>(.*)</td>", html) == ["1", "2", "`x", " | y` | <strong>z</strong>"]


def test_what_stands_beside_the_language_of_code_stands_above_it():
    assert to_html("```py the <second> try\na\n```").startswith(
        '<p class="note" dir="auto">py the &lt;second&gt; try</p>\n<pre'
    )
    assert to_html("```py\na\n```").startswith("<pre")


PIECES = (
    "[w]",
    "[w]:",
    " https://w",
    " w",
    "|w",
    "|-",
    "|",
    "\n",
    "\n\n",
    "> ",
    "- ",
    "# ",
    "```",
    "`",
    "*",
    "(w)",
    "'w'",
    "<",
    ":",
    "$",
    "$$\n",
    "\\[",
    "\\]",
)


@given(st.lists(st.sampled_from(PIECES), max_size=14).map("".join))
@example("[w]: https://w 'w'\n[w]: https://w\n\n[w] [w][w]\n\n|w|\n|-|\n|w|w|\n\n```w w\nw")
def test_no_word_is_lost(text: str):
    numbered = re.sub("w", lambda found: f"w{found.start()}x", text)
    html = to_html(numbered)
    assert [word for word in re.findall(r"w\d+x", numbered) if word not in html] == []
