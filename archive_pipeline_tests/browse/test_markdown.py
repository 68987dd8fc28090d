"""Markdown in a browser: what a message says is shown, and nothing of it runs or loads."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from time import process_time

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markupsafe import escape

from archive_pipeline.browse.addresses import show_addresses
from archive_pipeline.browse.kept_text import keep_text
from archive_pipeline.browse.markdown import to_html
from archive_pipeline_tests.variants import every_second_of

HARMLESS = {
    *("p", "br", "a", "em", "strong", "s", "code", "pre", "ul", "ol", "li", "blockquote", "hr"),
    *("h3", "h4", "h5", "h6", "table", "thead", "tbody", "tr", "th", "td"),
}


class Seen(HTMLParser):
    """The elements and texts of some HTML."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.names: set[str] = set()
        self.attributes: list[tuple[str, str | None]] = []
        self.text = ""
        self.feed(str(html))  # its own slices stay texts
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.names.add(tag)
        self.attributes += attrs

    def handle_data(self, data: str) -> None:
        self.text += data


def test_html_stays_text():
    html = to_html("<script>alert(1)</script>\n\nx <img src=a onerror=b> y")
    assert Seen(html).names == {"p"}
    assert "<script>alert(1)</script>" in Seen(html).text


def test_an_image_is_a_link_that_nothing_loads():
    assert to_html("![a *cat*](https://example.org/c.png)") == (
        '<p dir="auto"><a href="https://example.org/c.png" rel="noopener noreferrer nofollow">a <em>cat</em></a></p>\n'
    ).replace("<em>cat</em>", "*cat*")


@pytest.mark.parametrize("address", ["javascript:alert(1)", "data:text/html,x", "vbscript:x", "&#106;avascript:x"])
def test_links_run_nothing(address: str):
    assert "a" not in Seen(to_html(f"[here]({address})")).names


def test_headings_stand_below_those_of_the_page():
    assert to_html("# One\n\n##### Five") == '<h3 dir="auto">One</h3>\n<h6 dir="auto">Five</h6>\n'


def test_lines_of_a_message_end_where_it_ends_them():
    assert to_html("Roses are red,\nViolets are blue.\n\nBye", breaks=True) == (
        '<p dir="auto">Roses are red,<br />\nViolets are blue.</p>\n<p dir="auto">Bye</p>\n'
    )
    assert "<br" not in to_html("Roses are red,\nViolets are blue.")


@pytest.mark.parametrize(
    "text", ["- one\n- two\n  - three", "|a|b|\n|-|-|\n|1|2|", "```\na\nb\n```", "# a\n\nb", "\\[\na\n\\]"]
)
def test_blocks_are_the_same_with_lines_that_end(text: str):
    assert to_html(text, breaks=True) == to_html(text)


def test_what_scrolls_sideways_is_reached_by_keyboard():
    opening = '<pre tabindex="0" role="group" aria-label="Code"><code'
    assert to_html("```py\na <b>\n```") == f'{opening} class="language-py">a &lt;b&gt;\n</code></pre>\n'
    assert to_html("    a") == f"{opening}>a\n</code></pre>\n"
    assert '<table dir="auto" tabindex="0">' in to_html("|a|\n|-|\n|b|")


def test_columns_are_aligned_by_classes_since_pages_take_no_styles():
    html = to_html("|a|b|c|d|\n|:-|:-:|-:|-|\n|1|2|3|4|")
    assert re.findall(r"<t[hd]\b[^>]*>", html.replace("td", "th")) == 2 * [
        '<th class="align-left">',
        '<th class="align-center">',
        '<th class="align-right">',
        "<th>",
    ]


def test_each_block_has_the_direction_of_its_own_text():
    html = to_html("One\n\n1. \u05e9\u05dc\u05d5\u05dd\n   - x\n\n> a\n\n```\ncode\n```\n")
    assert re.findall(r"<(\w+) dir=\"auto\">", html) == ["p", "ol", "blockquote"]  # what is within them inherits it


@pytest.mark.parametrize("mark", ["> ", "- "])
def test_what_is_nested_deeply_is_shown(mark: str):
    html = to_html(mark * 60 + "found")
    assert "found" in Seen(html).text
    assert "as it is written" not in html


@pytest.mark.parametrize("text", ["> " * 1_500 + "found", "\n".join("  " * level + "- <b>" for level in range(200))])
def test_what_is_nested_too_deeply_for_a_parser_is_shown_as_it_is_written(text: str):
    note, _, written = to_html(text).partition("</p>\n")
    assert note.startswith('<p class="note">Shown as it is written')
    assert written == f'<div class="plain" dir="auto">{escape(text)}</div>\n'


@given(st.text(st.sampled_from("ab <>\"'`*_[]()#|-~:/\\\n"), max_size=60))
@example("[[a [b](c) *d*](e)\n\n> - [x](<y z> 'title')\n>   [f]\n\n|g|\n|-|\n|`h`|\n\n[f]: https://i.org")
def test_texts_are_html_as_a_parser_without_bounds_makes_it(text: str):
    def bare(html: str) -> str:
        html = re.sub(r'<p class="note".*?</p>\n', "", html)  # above code
        html = re.sub(r' (?:style="text-align:|class="align-)\w+"', "", html)
        return re.sub(r' (?:rel|dir|tabindex|role|aria-label)="[^"]*"|(?<=<h)\d|(?<=</h)\d', "", html)

    options = {"html": False, "maxNesting": 200, "store_labels": True}
    unbounded = MarkdownIt("commonmark", options).enable(["table", "strikethrough"])
    show_addresses(unbounded)
    keep_text(unbounded)
    assert bare(to_html(text)) == bare(unbounded.render(text))


@pytest.mark.parametrize(
    "piece",
    every_second_of(
        [
            "[",
            "![",
            "[a]",
            "[a\n",
            "![a",
            "<![CDATA[",
            "[[a]",
            "> [a\n",
            "[a]: http:b\n'\n",
            "[a]: http:b '\n",
            "b\n[a]: http:b\n('\n",
            '[a](u "',
            "*a_ ",
            "$a ",
            "a $$\n$$ b $$\n",
            "\\[\n",
        ]
    ),
)
def test_a_long_text_is_gone_through_once(piece: str):
    text = (piece * 40_000)[:40_000]
    started = process_time()
    assert len(to_html(text)) < 5 * len(text)
    assert process_time() - started < 2


@pytest.mark.parametrize("use", ["[a] ", "![a] ", "*[a]*\n\n"])
def test_an_address_that_is_used_many_times_makes_no_page_of_hundreds_of_megabytes(use: str):
    text = f"[a]: https://{'u' * 50_000} '{'t' * 10_000}'\n\n{use * 10_000}"
    html = to_html(text)
    assert len(html) < 5_000_000
    assert html.count("/uuu") > 10
    assert Seen(html).text.count("a") == 10_000


@given(st.text(st.sampled_from("ab <>&\"'`*_[]()!#|-\n:/javscript"), max_size=80))
def test_whatever_is_written_gives_harmless_elements(text: str):
    seen = Seen(to_html(text))
    assert seen.names <= HARMLESS
    assert {name for name, _ in seen.attributes} <= {
        *("href", "rel", "title", "class", "start", "style", "dir", "tabindex", "role", "aria-label")
    }
