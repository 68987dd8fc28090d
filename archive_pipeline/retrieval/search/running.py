"""One search: the rankings of its retrievers become one list of pages."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, Final, NamedTuple

from archive_pipeline.errors import MissingExtraError, RerankerError
from archive_pipeline.retrieval.search.beside import read_beside
from archive_pipeline.retrieval.search.filters import NO_FILTERS
from archive_pipeline.retrieval.search.found_pages import fused_pages, read_rows
from archive_pipeline.retrieval.search.groups import independent_pages, one_per_question
from archive_pipeline.retrieval.search.interface import SearchTask
from archive_pipeline.retrieval.search.modes import MODES, Retriever
from archive_pipeline.retrieval.search.near_words import by_words
from archive_pipeline.retrieval.search.newest import NEWEST, newest_pages
from archive_pipeline.retrieval.search.nothing import EMPTY_ARCHIVE, in_other_titles, in_titles, why_nothing
from archive_pipeline.retrieval.search.origins import origins_of
from archive_pipeline.retrieval.search.query import SHORTENED, read_as_excluded
from archive_pipeline.retrieval.search.rankings import CHUNKS_PER_RESULT, FILTERED_FACTOR, Rankings
from archive_pipeline.retrieval.search.relevance import NOTHING_FILTERED_RELEVANT, NOTHING_RELEVANT, relevance
from archive_pipeline.retrieval.search.results import FoundPage, ResultOptions, SearchResults, as_result
from archive_pipeline.retrieval.search.retrievers.base import Ranking
from archive_pipeline.retrieval.search.second_stage import NO_TIME, NOT_RERANKED, reranked
from archive_pipeline.retrieval.search.snippets import word_pattern

# Of the best pages, so many are asked whether they repeat each other.
PAGES_PER_RESULT: Final = 3
RESPELT: Final = 'nobody wrote "{word}"; "{other}" was searched for as well'
NO_PHRASE: Final = "{where} has {phrases}; without the quotes the words are looked for one by one"
ONLY_EXCLUDED: Final = "the query only says what is not wanted, so nothing was looked for"
NO_WORDS: Final = "the query has no words, only signs"
NONE_ALLOWED: Final = "no page meets all of the filters"
DOCUMENTS_ONLY: Final = "dialogues have no page images: only pages of documents were compared"

_log = logging.getLogger(__name__)


class _Found(NamedTuple):
    """What the retrievers of a search found: their rankings, and of the pages in them those that are relevant."""

    ranked: Mapping[str, Ranking]
    failures: Mapping[str, Exception]
    respelt: Mapping[str, str]
    pages: list[FoundPage]
    relevant: list[FoundPage]


class Search:
    """One search: its retrievers, and the pages of their rankings."""

    def __init__(self, task: SearchTask) -> None:
        self._task = task
        # With the words that were looked for in the place of misspelt ones, once that is known.
        self._query = task.query
        self._rankings = Rankings(task)
        self._notes: list[str] = self._rankings.notes
        self._reranked: bool | None = None

    def run(self, mode: str) -> SearchResults:
        """Return the results of a mode."""
        found = self._found(mode)
        shown = found.relevant if mode == "visual" else self._second_stage(found.pages, found.relevant)
        results = self._results(shown, found.pages)
        self._notes += self._in_other_titles(results) if results else self._why_nothing(found.ranked)
        return SearchResults(
            results,
            retrievers=list(found.ranked),
            degraded={retriever: str(error) for retriever, error in found.failures.items()},
            notes=self._notes,
            reranked=self._reranked,
            respelt=found.respelt,
        )

    def finds_any(self, mode: str) -> bool:
        """Tell whether a mode has results, without what is only done to show them."""
        return bool(self._found(mode).relevant)

    def _found(self, mode: str) -> _Found:
        self._notes += read_as_excluded(self._task.query)
        retrievers = MODES[mode].retrievers
        images_missing = self._rankings.images_missing
        if mode == "hybrid" and images_missing is None:
            retrievers += (Retriever.VISUAL,)
        if mode == "visual":
            self._notes.append(images_missing or DOCUMENTS_ONLY)
        if self._task.query.is_shortened and (Retriever.LEXICAL in retrievers or self._task.query.excluded):
            self._notes.append(SHORTENED)
        ranked, failures = self._rankings.run(retrievers)
        if not ranked and EMPTY_ARCHIVE not in why_nothing(self._task.connection, NO_FILTERS):
            raise next(iter(failures.values()))
        rows = read_rows(
            self._task.connection,
            ranked,
            self._task.query,
            self._task.filters,
            vocabulary=self._task.engine.vocabulary(self._task.connection),
            has_images=images_missing is None,
        )
        respelt = self._respelt(ranked)
        fused = fused_pages(ranked, rows, self._task.engine.rules.fuse)
        pages = self._by_words(fused)
        return _Found(ranked, failures, respelt, pages, self._relevant(fused, pages, ranked))

    def newest(self) -> SearchResults:
        """Return the pages that the filters let through and that have nothing that is excluded, the newest first.

        Their scores say the order only.
        """
        most = self._task.num_results * CHUNKS_PER_RESULT * (FILTERED_FACTOR if self._task.query.excluded else 1)
        marked_terms = self._task.engine.vocabulary(self._task.connection).marked_terms
        pages = newest_pages(self._task.connection, self._task.query, self._task.filters, marked_terms, most=most)
        notes = read_as_excluded(self._task.query)
        return SearchResults(self._results(pages, pages), retrievers=[NEWEST], degraded={}, notes=notes)

    def _why_nothing(self, ranked: Mapping[str, Ranking]) -> list[str]:
        """Return what there is to say where nothing was found."""
        connection, query, filters = self._task.connection, self._task.query, self._task.filters
        reasons = [] if query.wanted else [ONLY_EXCLUDED if query.excluded else NO_WORDS]
        if query.phrases and Retriever.LEXICAL in ranked:
            where = "no page" if filters.is_empty else "no page that the filters let through"
            phrases = " and ".join(f'"{term.text}"' for term in query.phrases)
            reasons.append(NO_PHRASE.format(where=where, phrases=phrases))
        known = why_nothing(connection, filters)
        if self._rankings.is_nothing_allowed and not known:
            known = [NONE_ALLOWED]
        return [*reasons, *known, *in_titles(connection, query.wanted_text, filters)]

    def _in_other_titles(self, results: Sequence[Mapping[str, Any]]) -> list[str]:
        """Return what there is to say of dialogues with all of the query's words in their titles."""
        shown = {each["filename"] for result in results for each in (result, *result["alternatives"])}
        return in_other_titles(self._task.connection, self._task.query.wanted_text, self._task.filters, shown)

    def _respelt(self, ranked: Mapping[str, Ranking]) -> Mapping[str, str]:
        """Return the words that were looked for in the place of misspelt ones, and say so."""
        words = ranked[Retriever.LEXICAL].respelt if Retriever.LEXICAL in ranked else {}
        self._query = self._query.also(words.values())
        self._notes += [RESPELT.format(word=word, other=other) for word, other in words.items()]
        return words

    def _by_words(self, pages: list[FoundPage]) -> list[FoundPage]:
        """Return the pages by their words, too, where the model of meaning knows words."""
        words = self._rankings.words
        if words is None or not self._task.engine.rules.are_words_compared:
            return pages
        return by_words(pages, partial(words.nearness, self._query.wanted_text))

    def _relevant(
        self, found: list[FoundPage], pages: list[FoundPage], ranked: Mapping[str, Ranking]
    ) -> list[FoundPage]:
        """Return the pages that have to do with the query; say so if there are none.

        Words alone decide where no meaning was compared, and everything is shown where nobody measured chance. What has
        a phrase that was asked for is never chance.

        Args:
            found: as retrievers rank them.
            pages: the same by their words; what is nearly as good as the best of either is kept.
            ranked: the rankings.
        """
        chance = self._rankings.chance
        words = ranked.get(Retriever.LEXICAL)
        has_phrases = bool(self._task.query.phrases) and words is not None
        if not pages or not self._task.engine.rules.is_relevance_judged or chance is None or has_phrases:
            return pages
        needed = relevance(
            chance,
            is_any_word_known=words is None or words.is_any_word_known,
            term_count=len(self._task.query.wanted) if words is None else words.term_count,
            is_only_numbers=self._task.query.is_only_numbers,
        )
        kept = {page.page for some in (found, pages) for page in needed.of(some)}
        if not kept and self._task.query.wanted:
            self._notes.append(NOTHING_RELEVANT if self._task.filters.is_empty else NOTHING_FILTERED_RELEVANT)
        return [page for page in pages if page.page in kept]

    def _second_stage(self, pages: list[FoundPage], relevant: list[FoundPage]) -> list[FoundPage]:
        """Return what is shown in the order of the second stage; in that of the first one, with a note, if it fails."""
        model, question = self._task.engine.settings.reranker, self._query.wanted_text
        if model is None or not relevant or not question:
            return relevant
        try:
            reranker = self._task.engine.reranker(model)
            ordered = reranked(pages, relevant, question, reranker)
            reason = NO_TIME.format(seconds=reranker.seconds)
        except (RerankerError, MissingExtraError) as error:
            _log.info("the second stage failed: %s", error)
            ordered, reason = None, str(error)
        self._reranked = ordered is not None
        if ordered is None:
            self._notes.append(NOT_RERANKED.format(reason=reason))
            return relevant
        return ordered

    def _results(self, pages: Sequence[FoundPage], found: Sequence[FoundPage]) -> list[dict[str, Any]]:
        """Return what is shown of the pages, the best first and those that belong together as one.

        Args:
            pages: what is relevant.
            found: everything: other runs of a relevant page's task are shown with it.
        """
        relevant = {each.page for each in pages}
        others = [each for each in found if each.page not in relevant]
        beside = read_beside(self._task.connection, [*pages, *others], limit=self._task.num_results * PAGES_PER_RESULT)
        words, home = word_pattern(self._query.wanted), self._task.engine.settings.home
        documents = {each.page[0] for each in pages if each.chunk.partition_key is None}
        options = ResultOptions(
            self._task.num_results,
            words,
            home,
            originals=beside.originals,
            origins=origins_of(self._task.connection, documents),
            first_prompts=beside.first_prompts,
            clusters=beside.clusters,
            runs=beside.runs,
            reranked=self._reranked,
        )
        groups = one_per_question(pages, options, others)
        answers = beside.answers_to(page for group in groups for page in group)
        return [as_result(group, answers, independent_pages(group, answers, options), options) for group in groups]
