"""Links that a browser follows to where they lead, and the addresses of others as text."""

from __future__ import annotations

import pytest

from archive_pipeline.browse.markdown import to_html

REL = 'rel="noopener noreferrer nofollow"'


def line(markdown: str) -> str:
    return to_html(markdown).removeprefix('<p dir="auto">').removesuffix("</p>\n")


@pytest.mark.parametrize(
    "address", ["https://example.org/a", "HTTP://example.org", "http://127.0.0.1:3100/ask", "mailto:a@example.org"]
)
def test_web_and_mail_addresses_are_links(address: str):
    assert line(f"[here]({address})") == f'<a href="{address}" {REL}>here</a>'
    assert line(f"![here]({address})") == f'<a href="{address}" {REL}>here</a>'


@pytest.mark.parametrize(
    "address",
    [
        "/workspace/src/main.jsx",
        "/workspace/src/main.jsx#L12",
        "src/main.py:3",
        "./a.md",
        "../a.md",
        "//example.org/a",
        "#usage",
        "?q=a",
        "http:a",
        "http:/a",
        "sandbox:/mnt/data/a.csv",
        "C:/Users/a.txt",
        r"C:\Users\a.txt",
        "vscode://file/a",
    ],
)
def test_other_addresses_stand_beside_the_words(address: str):
    assert line(f"[here]({address})") == f"here (<code>{address}</code>)"
    assert line(f"![here]({address})") == f"here (<code>{address}</code>)"


@pytest.mark.parametrize("address", ["file:///etc/passwd", "javascript:a"])
def test_addresses_that_the_parser_refuses_stay_as_they_are_written(address: str):
    assert line(f"[here]({address})") == f"[here]({address})"


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ("[src/my_main_file.py](src/my_main_file.py)", "src/my_main_file.py"),
        ("[`a.py`](a.py)", "<code>a.py</code>"),
        ("<sandbox:/mnt/a>", "sandbox:/mnt/a"),
        ("[here]()", "here"),
        ("[my file](</my file.txt>)", "my file (<code>/my file.txt</code>)"),
        ('[a](b "the title")', 'a (<code title="the title">b</code>)'),
        ("[**a** b](/c) d", "<strong>a</strong> b (<code>/c</code>) d"),
        ("[a](<b&lt;i>)", "a (<code>b&lt;i</code>)"),
        ("![](a.png)", "image (<code>a.png</code>)"),
    ],
)
def test_an_address_is_said_once_and_as_people_write_it(written: str, shown: str):
    assert line(written) == shown


def test_a_long_address_is_cut():
    assert (
        line(f"![dot](data:image/png;base64,{'A' * 5_000})") == f"dot (<code>data:image/png;base64,{'A' * 178}…</code>)"
    )


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ("[![build](https://e.org/a.svg)](https://e.org)", f'<a href="https://e.org" {REL}>build</a>'),
        ("[![build](a.svg)](https://e.org)", f'<a href="https://e.org" {REL}>build</a>'),
        ("[<https://a.org>](https://e.org)", f'<a href="https://e.org" {REL}>https://a.org</a>'),
        ("[![build](https://e.org/a.svg)](/a)", f'<a href="https://e.org/a.svg" {REL}>build</a> (<code>/a</code>)'),
    ],
)
def test_a_link_holds_no_link(written: str, shown: str):
    assert line(written) == shown


def test_citations_beside_a_path_are_links():
    html = to_html("[a](/b) [1], [2](/c)", cited=[1, 2])
    assert html.count("<a ") == html.count('href="#source-1"') == 1
