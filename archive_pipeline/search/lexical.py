"""The lexical lane: PostgreSQL's full text search, which needs no vectors and finds names, codes and exact phrases."""

from __future__ import annotations

from typing import Any, Final

import psycopg

from archive_pipeline.search.lanes import NOTHING, Allowed, Ranked, rows_of
from archive_pipeline.search.query import Query

# A term in more chunks than these says little about any of them.
COMMON: Final = 5_000
MOST_LANGUAGES: Final = 3
_ANY_LANGUAGE: Final = "simple"


def archive_languages(connection: psycopg.Connection[Any]) -> tuple[str, ...]:
    """Return the text search configurations of the archive's most frequent languages."""
    return tuple(row.language for row in rows_of(connection, "search_languages", {"most": MOST_LANGUAGES}))


def find_lexically(
    connection: psycopg.Connection[Any],
    query: Query,
    *,
    languages: tuple[str, ...],
    allowed: Allowed | None,
    most: int,
) -> Ranked:
    """Return the chunks with the rarest of the query's terms, best first.

    Args:
        connection: on the archive.
        query: what is asked.
        languages: configurations whose word forms count as the same word.
        allowed: chunks that may be found; None for all.
        most: how many to return.
    """
    wanted = query.wanted
    if not wanted:
        return NOTHING
    padded = (*languages, *([_ANY_LANGUAGE] * MOST_LANGUAGES))[:MOST_LANGUAGES]
    total = rows_of(connection, "count_chunks", {})[0].chunks if allowed is None else len(allowed.content_hashes)
    parameters = {
        "kinds": [term.kind for term in wanted],
        "texts": [term.text for term in wanted],
        **{f"language_{number}": language for number, language in enumerate(padded, start=1)},
        "common": max(COMMON, total // 20),
        "total": max(total, 1),
        "allowed": None if allowed is None else list(allowed.content_hashes),
        "most": most,
    }
    rows = rows_of(connection, "search_lexical", parameters)
    return Ranked([row.chunk_id for row in rows], [float(row.score) for row in rows])
