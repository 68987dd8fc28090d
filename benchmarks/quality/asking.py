"""Asks questions of an archive and compares the results with what is right."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final

from archive_pipeline.retrieval.rerank.scoring import TEXTS_AT_ONCE
from archive_pipeline.retrieval.search.engine import SearchEngine
from archive_pipeline.retrieval.search.results import SearchResults
from archive_pipeline.retrieval.search.second_stage import MOST_RERANKED
from archive_pipeline.store.database import Database
from benchmarks.quality.measures import FIRST, Found, Measured, measure
from benchmarks.quality.questions import ABSTENTION, Kind, Question

_SOURCE_IDS = """
SELECT page.dialogue_id::text, page.page, dialogue.source_id, array_agg(message.source_id)
FROM derived.dialogue_pages AS page
INNER JOIN derived.exchange_messages AS member ON page.exchange_id = member.exchange_id
INNER JOIN raw.messages AS message ON member.message_id = message.id
INNER JOIN raw.dialogues AS dialogue ON page.dialogue_id = dialogue.id
GROUP BY page.dialogue_id, page.page, dialogue.source_id
"""

# A search that runs out of time has scored one batch at least, and remembers it.
_MOST_REPEATS: Final = -(-MOST_RERANKED // TEXTS_AT_ONCE)


class Archive:
    """The dialogues and messages that are on each page, by the ids of their source."""

    def __init__(self, database: Database, questions: Iterable[Question]) -> None:
        with database.session() as connection:
            rows = connection.execute(_SOURCE_IDS).fetchall()
        self._pages = {(row[0], row[1]): (row[2], frozenset(row[3])) for row in rows}
        known = {dialogue for dialogue, _ in self._pages.values()}
        for question in questions:
            if not known.issuperset(question.gold):
                raise RuntimeError(f"the archive lacks a dialogue that answers {question.id!r}")

    def found(self, result: dict[str, Any], without: str | None) -> Found | None:
        """Return what a result shows, its alternatives too; None if that is only the dialogue that does not count."""
        pages = [(each["doc_id"], each["page"]) for each in (result, *result["alternatives"])]
        shown = [self._pages[page] for page in pages if self._pages[page][0] != without]
        if not shown:
            return None
        messages = [messages for _, messages in shown]
        return Found(frozenset(dialogue for dialogue, _ in shown), frozenset().union(*messages))


@dataclass(frozen=True, slots=True)
class Run:
    """What came of all questions.

    Attributes:
        measured: questions that have an answer -> how good the results were.
        wrongly_silent: share of these for which nothing was shown.
        abstained: of the other kinds, the share for which nothing was shown.
        late: share of all questions that the second stage did not order within the time of one search.
    """

    measured: dict[Question, Measured]
    wrongly_silent: float
    abstained: dict[Kind, float]
    late: float


def ask_all(archive: Archive, engine: SearchEngine, questions: Sequence[Question], mode: str) -> Run:
    """Ask questions and measure the results.

    What the second stage has no time for is asked again until it has: its order is measured, however slow the machine.

    Raises:
        RuntimeError: the second stage fails for another reason than time.
    """
    late = 0
    measured: dict[Question, Measured] = {}
    silent: defaultdict[Kind, list[bool]] = defaultdict(list)
    for question in questions:
        results = _ask(engine, question, mode)
        if results.reranked is False:
            late += 1
            results = _ask_until_ordered(engine, question, mode)
        silent[question.kind].append(not results)
        if question.kind not in ABSTENTION:
            found = [archive.found(result, question.itself) for result in results]
            measured[question] = measure(question, [each for each in found if each is not None])
    answerable = [each for kind, all_of in silent.items() if kind not in ABSTENTION for each in all_of]
    abstained = {kind: sum(all_of) / len(all_of) for kind, all_of in silent.items() if kind in ABSTENTION}
    return Run(measured, sum(answerable) / len(answerable), abstained, late / len(questions))


def _ask(engine: SearchEngine, question: Question, mode: str) -> SearchResults:
    return engine.search_now(question.text, 2 * FIRST if question.itself else FIRST, mode)


def _ask_until_ordered(engine: SearchEngine, question: Question, mode: str) -> SearchResults:
    for _ in range(_MOST_REPEATS):
        results = _ask(engine, question, mode)
        if results.reranked is not False:
            return results
    raise RuntimeError(f"the second stage does not order {question.id!r}: {results.notes}")
