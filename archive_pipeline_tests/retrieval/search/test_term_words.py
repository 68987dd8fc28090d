"""Words of a term in a row: camel-case words and their parts, words with marks and without."""

from __future__ import annotations

import pytest

from archive_pipeline.retrieval.search.query import Term
from archive_pipeline.retrieval.search.retrievers.term_words import Row, words_of_term


@pytest.mark.parametrize(
    ("phrase", "text", "stands"),
    [
        ("fetch with retry", "so fetchWithRetry fails", True),
        ("with retry", "so fetchWithRetry fails", True),
        ("so fetch with", "so fetchWithRetry fails", True),
        ("with retry fails", "so fetchWithRetry fails", True),
        ("so fetchWithRetry fails", "so fetchWithRetry fails", True),
        ("so fetchWithRetry fails", "so fetch_with_retry fails", True),
        ("so fetchWithRetry fails", "so fetchwithretry fails", True),
        ("fetch retry", "so fetchWithRetry fails", False),
        ("with retry", "fetchWith a retry", False),
        ("retry with", "fetchWithRetry", False),
        ("fetch with", "fetch fetchWith", True),
        ("retry error code", "the maxRetryError errorCode", False),
        ("max retry error code", "the maxRetry errorCode", True),
        ("learn java", "learn JavaScript", False),
        ("script fails", "JavaScript fails", False),
        ("java", "JavaScript", True),
        ("HttpClient", "http_client.py", True),
        ("HttpClient", "an http and a client", False),
        ("wait fetchWithRetry", "wait fetchWith a retry", False),
        ("creme vegetale", "une crème végétale", True),
        ("fuer zuerich", "für Zürich", True),
        ("für zürich", "fuer zuerich", False),
    ],
)
def test_words_stand_in_a_row(phrase: str, text: str, *, stands: bool):
    assert Row(words_of_term(Term("phrase", phrase), ["simple"])).is_in(text, "simple") is stands


@pytest.mark.parametrize(("text", "stands"), [("HttpClient", True), ("http client", True), ("httpServer", False)])
def test_a_beginning_is_looked_for_in_parts_of_words(text: str, *, stands: bool):
    assert Row(words_of_term(Term("prefix", "http-cli"), ["simple"])).is_in(text, "simple") is stands


def test_a_beginning_without_marks_begins_a_word_with_them():
    assert Row(words_of_term(Term("prefix", "zur"), ["simple"])).is_in("Zürich", "simple")
