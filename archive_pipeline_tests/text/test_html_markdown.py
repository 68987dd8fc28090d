"""HTML of answers as Markdown; what is broken costs no more than what is whole."""

from __future__ import annotations

import pytest

from archive_pipeline.text.html_markdown import html_as_markdown


def test_a_tag_that_never_ends_is_text():
    assert html_as_markdown("<p>if a <b and c</p>") == "if a"  # as browsers have it: a tag up to the next `>`
    assert html_as_markdown("<p>1 &lt; 2</p>") == "1 < 2"


@pytest.mark.parametrize("piece", ['<a href="', "<a b=c", "<!--", '<a b="c"', "<a\n"])
def test_many_tags_that_never_end_are_text(piece: str):
    """Without a bound these take minutes: each is read to the end of the text."""
    told = html_as_markdown(f"<p>said</p>{piece * 20_000}")
    assert told.startswith("said\n\n<")
    assert told.count("<") == 20_000


def test_few_of_them_are_left_to_the_parser():
    """An attribute may have the sign itself."""
    assert html_as_markdown('<img alt="a < b" src="https://x.org/p.png">') == "![a < b](https://x.org/p.png)"


def test_half_a_character_in_a_text_without_tags_is_replaced():
    assert html_as_markdown("half a \ud83d character") == "half a \ufffd character"
