"""Links of documents: however an address is written, none has a scheme that is not allowed."""

from __future__ import annotations

import html
import re
from pathlib import Path
from urllib.parse import unquote

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from archive_pipeline.documents.html import html_pieces
from archive_pipeline.documents.reading import read_document
from archive_pipeline.text.links import as_destination, is_allowed, with_harmless_links
from archive_pipeline_tests.documents import files

ALLOWED = {None, "http", "https", "mailto", "unsafe"}

WRITTEN = [
    "javascript:x",
    "JaVaScRiPt:x",
    " \t\njavascript:x",
    "\x01javascript:x",
    "java\tscript:x",
    "java\nscript:x",
    "java&Tab;script:x",
    "java&NewLine;script:x",
    "java&#9;script&colon;x",
    "javascript&#58;x",
    "javascript&#x3A;x",
    "javascript&colon;x",
    "&#106;avascript:x",
    "&amp;#106;avascript:x",
    "%6Aavascript:x",
    "javascript%3Ax",
    "javascript\\:x",
    "java\u200bscript:x",
    "java\u00adscript:x",
    "vbscript:x",
    "data:text/html,x",
    "data&colon;text/html,x",
    "file:///etc/passwd",
    "ms-msdt:/id",
    "blob:https://example.org/x",
]


def scheme(address: str) -> str | None:
    """The scheme that a browser sees, which drops tabs and ends of lines, and control characters at the beginning."""
    seen = re.sub(r"[\t\r\n]", "", address).lstrip("".join(map(chr, range(0x21))))
    found = re.match(r"([a-zA-Z][a-zA-Z0-9+.-]*):", seen)
    return found[1].lower() if found else None


def schemes(markdown: str) -> set[str | None]:
    """All schemes that a viewer of Markdown makes links of, raw HTML included; it follows everything."""
    from bs4 import BeautifulSoup

    parser = MarkdownIt("commonmark")
    parser.validateLink = lambda _: True
    parser.normalizeLink = lambda url: url
    page = BeautifulSoup(parser.render(markdown), "lxml")
    return {
        scheme(value) for link in page.find_all(True) for name, value in link.attrs.items() if name in ("href", "src")
    }


@pytest.mark.parametrize("address", WRITTEN)
def test_an_address_is_judged_however_it_is_written(address: str):
    assert not is_allowed(address)
    for page in html_pieces(f'<p><a href="{address}">this</a> <img src="{address}"></p>'):
        assert schemes(page) <= ALLOWED
    for markdown in (
        f"[a]({address})",
        f"[a](<{address}>)",
        f"[a](\n{address} 'title')",
        f"![a]({address})",
        f"[a]\n\n[a]: {address}\n",
        f"> [a]\n\n> [a]:\n> <{address}> 'title'\n",
        f"- [a][b c]\n\n- [b\nc]: {address}\n",
        f"<{address}>",
        f'<a href="{address}">a</a>',
        f"<a href={address}>a</a>",
        f"<p>\n<img src\n=\n'{address}'>",
    ):
        kept = with_harmless_links(markdown)
        assert schemes(kept) - ALLOWED <= {"ms-msdt", "file", "blob"}, kept
        assert with_harmless_links(kept) == kept


@pytest.mark.parametrize(
    "address",
    [
        "https://example.org/a?b=c&d#e",
        "HTTP://EXAMPLE.ORG",
        "mailto:a@example.org",
        "#top",
        "a/b.html",
        "/a:b",
        "?a=b:c",
        "//example.org",
        "",
        "12:30",
    ],
)
def test_what_leads_to_the_web_a_mailbox_or_a_place_is_allowed(address: str):
    assert is_allowed(address)
    assert with_harmless_links(f"[a]({address})") == f"[a]({address})"


@pytest.mark.parametrize(
    "text",
    [
        "[12:30]: note: the boat is late",
        "def get(names: list[str]): return: str",
        "<xs:element name='a'/>",
        'data = {"a": 1}\nsrc = "x.png"',
        "see [the page](page.html): it says so",
        "std::vector<std::string>",
    ],
)
def test_ordinary_text_stays_as_it_is(text: str):
    assert with_harmless_links(text) == text


def test_an_address_cannot_end_its_link_and_begin_another_one():
    page = html_pieces("<a href='https://e.org/) [x](javascript:y)' title='t\\\" ) [x](javascript:y)'>a</a>")[0]
    assert schemes(page) <= ALLOWED | {"https"}
    assert unquote(as_destination("https://e.org/a (b)")) == "https://e.org/a (b)"


def spelled(scheme: str) -> st.SearchStrategy[str]:
    """The scheme, letter by letter in one of the ways in which it can be written."""
    ways = (
        st.sampled_from([letter, letter.upper(), f"&#{ord(letter)};", f"&#x{ord(letter):x};", f"\\{letter}"])
        for letter in scheme
    )
    between = st.sampled_from(["", "", "", "", "&Tab;", "&NewLine;", "\t", "&#13;"])
    return st.tuples(*(st.tuples(way, between).map("".join) for way in ways)).map("".join)


NOISE = st.lists(
    st.sampled_from(
        ["[", "]", "(", ")", "<", ">", "](", "]:", "\n", " ", "\t", "a", "\\", '"', "'", "`", "> ", "- ", "[a]"]
    ),
    max_size=6,
).map("".join)
AROUND = st.sampled_from(
    [
        "[a]({})",
        "[a](<{}>)",
        "![a]({} 'b')",
        "[a](\n{}\n)",
        "\n\n[a]\n\n[a]: {}\n",
        "\n\n> [a]\n\n> [a]:\n> <{}>\n",
        "<{}>",
        "<a href='{}'>a</a>",
        "<a href={}>a</a>",
    ]
)
TEXTS = st.tuples(NOISE, AROUND, st.sampled_from(["javascript:", "data:"]).flatmap(spelled), NOISE).map(
    lambda parts: f"{parts[0]}{parts[1].format(parts[2] + 'x')}{parts[3]}"
)


@given(TEXTS)
def test_no_text_becomes_a_link_that_does_something(text: str):
    assert not schemes(with_harmless_links(text)) & {"javascript", "data"}
    for page in html_pieces(f"<p>{text}</p><p>{html.escape(text)}</p>"):
        assert not schemes(with_harmless_links(page)) & {"javascript", "data"}


def test_documents_of_every_format_have_harmless_links(tmp_path: Path):
    bad = "[x](java&Tab;script:y)"
    (tmp_path / "a.md").write_text(bad)
    (tmp_path / "a.txt").write_text(bad)
    (tmp_path / "a.html").write_text(f"<p>{html.escape(bad)}</p>")
    files.says(tmp_path / "a.pdf", bad)
    files.says(tmp_path / "a.docx", bad)
    files.says(tmp_path / "a.pptx", bad)
    for path in sorted(tmp_path.iterdir()):
        markdown = read_document(path).pages[0].markdown
        assert "[x](unsafe:java&Tab;script:y)" in markdown, path
        assert schemes(markdown) == {"unsafe"}
