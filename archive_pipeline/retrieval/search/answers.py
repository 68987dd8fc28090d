"""Answers to the questions that were found: what somebody looks for is rarely what was asked, but what came of it."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from typing import Any, Final

import psycopg

from archive_pipeline.retrieval.search.results import FoundPage, Page
from archive_pipeline.retrieval.search.rows import AnswerChunk
from archive_pipeline.retrieval.search.snippets import weight_of_words
from archive_pipeline.store.rows import fetch_rows

# Of a longer answer, the first chunks are looked at.
MOST_CHUNKS: Final = 8


def answers_of(
    connection: psycopg.Connection[Any], pages: Sequence[FoundPage], words: re.Pattern[str] | None
) -> dict[Page, str]:
    """Return, of the pages that were found by a user's question, the chunk of its answer with most of the words.

    Args:
        connection: on the archive.
        pages: that are shown.
        words: finds the query's words; the first chunk stands for an answer that has none of them.
    """
    asked = {
        found.chunk.pair_id: found.page
        for found in pages
        if found.chunk.pair_id and found.chunk.side == "question" and found.chunk.pair_type == "conversation_turn"
    }
    if not asked:
        return {}
    parameters = {"pair_ids": list(asked), "most": MOST_CHUNKS}
    texts: defaultdict[str, list[str]] = defaultdict(list)
    for chunk in fetch_rows(connection, "search/answer_chunks", AnswerChunk, parameters):
        texts[chunk.pair_id].append(chunk.text)
    return {asked[pair]: max(found, key=lambda text: weight_of_words(text, words)) for pair, found in texts.items()}
