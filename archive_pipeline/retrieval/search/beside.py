"""What results show beside the chunks that were found: what a dialogue copies, what a page repeats, what was answered.

What somebody looks for is rarely what was asked, but what came of it: so a result that was found by its question has
its answer too.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import psycopg

from archive_pipeline.retrieval.search.results import FoundPage, Page
from archive_pipeline.retrieval.search.rows import BesidePage
from archive_pipeline.store.rows import fetch_rows


@dataclass(frozen=True, slots=True)
class Beside:
    """What is known of pages.

    Attributes:
        originals: of dialogues that begin with a copy of another one's messages, that one.
        clusters: of pages that say nearly the same as others, the name of their cluster.
        first_prompts: of dialogues without a title, how the user's first text begins.
        runs: of dialogues that are runs of one task, the name of their cluster.
        answers: of pairs, how the answer begins.
    """

    originals: Mapping[str, str]
    clusters: Mapping[Page, str]
    first_prompts: Mapping[str, str]
    runs: Mapping[str, str]
    answers: Mapping[str, str]

    def answers_to(self, pages: Iterable[FoundPage]) -> dict[Page, str]:
        """Return the answers to users' questions that pages were found by: what was found of them, or beginnings."""
        found = {each.page: self._answer_to(each) for each in pages if each.is_question}
        return {page: answer for page, answer in found.items() if answer is not None}

    def _answer_to(self, found: FoundPage) -> str | None:
        return self.answers.get(found.chunk.pair_id or "") if found.answer is None else found.answer.text


def read_beside(connection: psycopg.Connection[Any], pages: Sequence[FoundPage], *, limit: int) -> Beside:
    """Read what results show beside the pages that were found.

    Args:
        connection: on the archive.
        pages: best first.
        limit: so many of the best are asked for clusters and answers, all for originals and runs.
    """
    best = pages[:limit]
    parameters = {
        "dialogue_ids": list({found.page[0] for found in pages}),
        "doc_ids": [found.page[0] for found in best],
        "pages": [found.page[1] for found in best],
        "pair_ids": [found.chunk.pair_id for found in best if found.is_question and found.answer is None],
    }
    rows = fetch_rows(connection, "search/beside_pages", BesidePage, parameters) if pages else []
    return Beside(
        {row.name: row.value for row in rows if row.kind == "original"},
        {(row.name, row.page): row.value for row in rows if row.kind == "cluster" and row.page is not None},
        {row.name: row.value for row in rows if row.kind == "first_prompt"},
        {row.name: row.value for row in rows if row.kind == "run"},
        {row.name: row.value for row in rows if row.kind == "answer"},
    )
