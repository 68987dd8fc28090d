"""Snippets in the browser: plain, escaped, the words that were found marked."""

from __future__ import annotations

from archive_pipeline.browse.marking import marked
from archive_pipeline.retrieval.search.query import parse_query
from archive_pipeline.retrieval.search.snippets import word_pattern


def test_the_words_of_the_query_are_marked_and_all_is_escaped():
    words = word_pattern(parse_query("sunset <b>").wanted)
    assert marked("A **sunset** & <b>two</b> Sunsets", words) == (
        "A <mark>sunset</mark> &amp; &lt;<mark>b</mark>&gt;two&lt;/<mark>b</mark>&gt; <mark>Sunsets</mark>"
    )


def test_without_words_nothing_is_marked():
    assert marked("| <i> | *b* |", None) == "&lt;i&gt; b"
