"""``ask``: one question, one context, one answer whose citations lead to its sources."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import aclosing
from typing import Final

from archive_pipeline.answering.answer import Answer
from archive_pipeline.answering.cleaning import TextCleaner, ThinkingFilter
from archive_pipeline.answering.marking import CitationCounts, CitationMarker
from archive_pipeline.answering.models import AnswerModel, open_model
from archive_pipeline.answering.prompt import Prompt, build_prompt
from archive_pipeline.errors import AnswerError
from archive_pipeline.retrieval.context.archive import DEFAULT_BUDGET, ArchiveContext, Budget, build_context
from archive_pipeline.retrieval.context.citations import check_citations
from archive_pipeline.retrieval.search.engine import SearchEngine
from archive_pipeline.retrieval.search.filters import NO_FILTERS, SearchFilters
from archive_pipeline.retrieval.search.modes import DEFAULT_MODE
from archive_pipeline.text.sentences import sentences

LONGEST_ANSWER: Final = 200_000  # characters


async def ask(
    archive: SearchEngine,
    question: str,
    budget: Budget = DEFAULT_BUDGET,
    filters: SearchFilters = NO_FILTERS,
    *,
    mode: str = DEFAULT_MODE,
    time_words: bool = True,
    model: AnswerModel | None = None,
    on_text: Callable[[str], None] | None = None,
) -> Answer:
    """Answer a question from an archive.

    If nothing is found no model is asked. An answer that ends too early is returned as far as it came, and says why.

    Args:
        archive: that is searched.
        question: searched for and asked as it is.
        budget: of the context.
        filters: what may be found.
        mode: of search.
        time_words: a time in the question is searched for as filters; the model is asked the whole question.
        model: that answers; by default that of the archive's settings.
        on_text: is given each piece of the answer as it arrives, citations checked.

    Raises:
        ConfigurationError, MissingExtraError: no model is named, or it cannot be used.
        AnswerError: it gave no answer.
        InvalidQueryError, QueryTimeoutError, ...: as ``build_context`` does.
    """
    model = open_model(archive.settings) if model is None else model
    built = await build_context(archive, question, budget, filters, mode=mode, time_words=time_words)
    if not built.context.sources:
        return Answer("", built, None, CitationCounts())
    received = _Received(built, on_text or _ignore)
    incomplete = None
    prompt = build_prompt(question, built.context.formatted_text)
    try:
        await _receive(model, prompt, received, archive.settings.answer_seconds)
    except AnswerError as error:
        incomplete = str(error)
    received.finish()
    if not received.text.strip():
        raise AnswerError(incomplete or f"{model.name} answered nothing")
    return _answer(received, built, model.name, incomplete)


async def _receive(model: AnswerModel, prompt: Prompt, received: _Received, seconds: float) -> None:
    """Take the pieces of an answer until its end.

    Raises:
        AnswerError: it is too long, takes too long, or the model failed.
    """
    deadline = asyncio.get_running_loop().time() + seconds
    async with aclosing(model.stream(prompt)) as pieces:
        while True:
            try:
                async with asyncio.timeout_at(deadline):
                    piece = await anext(pieces, None)
            except TimeoutError as error:
                raise AnswerError(f"it took more than {seconds:,} seconds (ARCHIVE_ANSWER_SECONDS)") from error
            if piece is None:
                return
            received.add(piece)
            if received.characters > LONGEST_ANSWER:
                raise AnswerError(f"it has more than {LONGEST_ANSWER:,} characters")


class _Received:
    """What came of an answer, cleaned and marked."""

    def __init__(self, built: ArchiveContext, on_text: Callable[[str], None]) -> None:
        self.marker = CitationMarker(built.context.get_citation_map().keys())
        self.characters = 0
        self._cleaner = TextCleaner()
        self._thinking = ThinkingFilter()
        self._on_text = on_text
        self._shown: list[str] = []

    @property
    def text(self) -> str:
        return "".join(self._shown)

    def add(self, piece: str) -> None:
        piece = piece[: LONGEST_ANSWER + 1 - self.characters]
        self.characters += len(piece)
        self._show(self.marker.feed(self._thinking.feed(self._cleaner.feed(piece))))

    def finish(self) -> None:
        rest = self._thinking.feed(self._cleaner.finish()) + self._thinking.finish()
        self._show(self.marker.feed(rest) + self.marker.finish())

    def _show(self, text: str) -> None:
        if text:
            self._shown.append(text)
            self._on_text(text)


def _answer(received: _Received, built: ArchiveContext, model: str, incomplete: str | None) -> Answer:
    text = received.text
    report = check_citations(text, built.context)
    return Answer(
        answer=text,
        built=built,
        model=model,
        citations=received.marker.counts,
        uncited=tuple(sentence.text for sentence in report.uncited),
        sentences=len(sentences(text)),
        incomplete=incomplete,
    )


def _ignore(_: str) -> None:
    """Show nothing."""
