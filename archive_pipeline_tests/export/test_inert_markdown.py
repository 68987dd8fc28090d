"""Markdown of anybody's texts: read by a parser that knows HTML, it has none, and no image that is loaded."""

from __future__ import annotations

from time import process_time

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markdown_it.token import Token

from archive_pipeline.export.inert_markdown import inert
from archive_pipeline_tests.trials import trials
from archive_pipeline_tests.variants import every_second_of


class AnyAddress(MarkdownIt):
    def validateLink(self, url: str) -> bool:  # noqa: ARG002, N802 (the parser's)
        return True


def tokens(text: str, *, html: bool = True) -> list[Token]:
    found = AnyAddress("commonmark", {"html": html, "maxNesting": 200}).enable("table").parse(text)
    return [each for token in found for each in (token, *(token.children or ()))]


def code(text: str, *, html: bool) -> list[str]:
    return [token.content for token in tokens(text, html=html) if token.type in ("fence", "code_block", "code_inline")]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("![a *b*](https://e.org/p.png)", "[a *b*](https://e.org/p.png)"),
        ("![a](//e.org/p.png)", "[a](//e.org/p.png)"),
        ("![a](file:///c/p.png)", "[a](file:///c/p.png)"),
        ("![a](\\\\host\\p.png)", "[a](\\\\host\\p.png)"),
        ("![a](<ht&#9;tps&colon;//e.org>)", "[a](<ht&#9;tps&colon;//e.org>)"),
        ("![a][r]\n\n[r]: https://e.org", "[a][r]\n\n[r]: https://e.org"),
        ("![r]", "&#33;[r]"),  # another message may say what it is
        ("![r]: x\n\n[r]: https://e.org", "&#33;[r]: x\n\n[r]: https://e.org"),
        ("!![a](https://e.org)", "!&#33;[a](https://e.org)"),
        ("[![a](https://e.org/i)](https://e.org)", "[[a](https://e.org/i)](https://e.org)"),
        ("![a](../files/0a/cat.png)", "![a](../files/0a/cat.png)"),
        ("![a](data:image/png;base64,AA)", "![a](data:image/png;base64,AA)"),
        ("![[note]]", "&#33;[[note]]"),
        ("a <b>c</b> 1 < 2 <3", "a &lt;b>c&lt;/b> 1 < 2 <3"),
        ("<img src=x onerror=y>", "&lt;img src=x onerror=y>"),
        ("> - <div\n>   ![a](b:c)", "> - &lt;div\n>   [a](b:c)"),
        ("<!-- a", "&lt;!-- a"),
        ("`a\n<div>`", "`a\n&lt;div>`"),  # HTML ends the paragraph that the code would be in
        ("[r]:\n<div>", "[r]:\n&lt;div>"),
        ("<https://e.org> <a@e.org> [a](<b>)", "<https://e.org> <a@e.org> [a](<b>)"),
        (r"\<b> \![a](u:v) \\<b>", r"\<b> \![a](u:v) \\&lt;b>"),
        ("|a|`<b>`|\n|-|-|\n|<i>|`<b> \\| !`|<u>|", "|a|`<b>`|\n|-|-|\n|&lt;i>|`<b> \\| !`|&lt;u>|"),
        ("a\r\n<b>\rc", "a\r\n&lt;b>\rc"),
    ],
)
def test_what_would_run_or_load_does_not(text: str, expected: str):
    assert inert(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "```html\n<b> ![a](https://e.org)\n```",
        "    <b> ![a](https://e.org)",
        "- a\n\n  ~~~\n  <b>\n  ~~~",
        "> ```\n> <script>\n",
        "``<b> ` ![a](https://e.org)``",
        "1 < 2, a! [b] and c<d",
    ],
)
def test_code_and_plain_text_stay_as_they_are(text: str):
    assert inert(text) == text


PIECES = ["<div>", "<b", ">", "<!--", "-->", "<script>", "![", "[", "]", "](u:v)", "](u)", "[a]: ", "`", "```", "~~~"]


@trials(200)
@given(
    st.lists(st.sampled_from([*PIECES, "\n", "\n\n", "    ", "> ", "- ", "|", "|-|", "\\", "!", "a", " ", '"', "</p>"]))
)
@example(["`", "a", "\n", "<div>", "`"])
@example(["[a]: ", "\n", "<div>"])
def test_no_parser_finds_what_would_run_or_load(pieces: list[str]):
    text = "".join(pieces)
    found = inert(text)
    for token in tokens(found):
        assert not token.type.startswith("html")
        assert token.type != "image" or ":" not in str(token.attrs["src"])
    assert inert(found) == found
    assert [line.count("`") for line in found.split("\n")] == [line.count("`") for line in text.split("\n")]


@given(st.lists(st.sampled_from(["<b>", "![a](u:v)", "`", "```", "\n", "\n\n", "> ", "- ", "    ", "a", " "])))
def test_code_is_the_same_as_where_nothing_is_html(pieces: list[str]):
    text = "".join(pieces)
    assert code(inert(text), html=True) == code(text, html=False)


@pytest.mark.parametrize(
    "piece",
    every_second_of(
        ["[", "![", "<!--", "<a b='", "<a ", "![a](", "![a]", "<?", "> <b>\n", "`<b>", "*![a](u:v)_ ", "|<b>"]
    ),
)
def test_a_long_text_is_gone_through_once(piece: str):
    text = (piece * 40_000)[:40_000]
    started = process_time()
    inert(text)
    assert process_time() - started < 2
