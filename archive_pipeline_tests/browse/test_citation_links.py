"""Citations of an answer lead to its sources."""

from __future__ import annotations

from archive_pipeline.browse.markdown import to_html


def link(number: int, text: str) -> str:
    return f'<a href="#source-{number}" rel="noopener noreferrer nofollow">{text}</a>'


def test_citations_of_sources_are_links():
    html = to_html("**So [1]**, [1, 3] and \u30103\u2020source\u3011.", cited=(1, 3))
    assert f"<strong>So {link(1, '[1]')}</strong>, [{link(1, '1')}, {link(3, '3')}] and " in html
    assert html.endswith(f"{link(3, chr(0x3010) + '3' + chr(0x2020) + 'source' + chr(0x3011))}.</p>\n")


def test_what_is_no_citation_of_a_source_is_no_link():
    text = "`a[1]` \\[1] [1, 9] [9: no such source] ![1] [see [1]](https://a.example) $[1]$"
    assert to_html(text, cited=(1,)) == to_html(text)
    assert "#source" not in to_html("[1]")
