"""What a search returns: dictionaries as seed 002 has them, and which retrievers failed."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

from archive_pipeline.retrieval.search.rows import FoundChunk
from archive_pipeline.retrieval.search.snippets import snippet
from archive_pipeline.text.dialogue_names import dialogue_name, title_or_prompt

Page = tuple[str, int]
_NOTHING_RESPELT: Final[Mapping[str, str]] = MappingProxyType({})


class SearchResults(list[dict[str, Any]]):
    """Results, best first, and what there is to say about them.

    Attributes:
        retrievers: names of those that answered.
        degraded: those that failed -> why.
        notes: for people: what the search did instead of what the caller asked for.
        reranked: whether the second stage ordered the results; None where there was none, or nothing to order.
        respelt: words of the query that no text has -> what was looked for in their place.
    """

    def __init__(
        self,
        results: Iterable[dict[str, Any]],
        *,
        retrievers: Sequence[str],
        degraded: Mapping[str, str],
        notes: Sequence[str],
        reranked: bool | None = None,
        respelt: Mapping[str, str] = _NOTHING_RESPELT,
    ) -> None:
        super().__init__(results)
        self.retrievers = tuple(retrievers)
        self.degraded = dict(degraded)
        self.notes = tuple(notes)
        self.reranked = reranked
        self.respelt = dict(respelt)

    def with_note(self, note: str) -> SearchResults:
        """Return the same results with another note before the others."""
        return SearchResults(
            self,
            retrievers=self.retrievers,
            degraded=self.degraded,
            notes=(note, *self.notes),
            reranked=self.reranked,
            respelt=self.respelt,
        )


@dataclass(frozen=True, slots=True)
class FoundPage:
    """A page that was found.

    Attributes:
        page: document and page.
        score: fused, at most 1; after a second stage that of the page's place (``second_stage.reranked``).
        chunk: the best chunk of the page, or its image.
        scores: retriever -> its own score of the page's best chunk.
        ranks: retriever -> rank of the page.
        shares: retriever -> share of the highest score there could be; none where scores have no scale. Also that of
            ``near_words``.
        answer: the best chunk of the page that is an answer; None if none was found.
        rerank_score: of the second stage, on the scale of its model; None if it did not read the page.
    """

    page: Page
    score: float
    chunk: FoundChunk
    scores: Mapping[str, float]
    ranks: Mapping[str, int]
    shares: Mapping[str, float]
    answer: FoundChunk | None = None
    rerank_score: float | None = None

    @property
    def is_question(self) -> bool:
        """Whether it was found by what a user asked."""
        return self.chunk.side == "question" and self.chunk.pair_type == "conversation_turn"

    @property
    def text(self) -> str:
        """What a model reads of the page: its best chunk, and what was found of the answer where that is a question."""
        if self.chunk.side == "question" and self.answer is not None:
            return f"{self.chunk.text}\n\n{self.answer.text}"
        return self.chunk.text


@dataclass(frozen=True, slots=True)
class ResultOptions:
    """What results are made with.

    Attributes:
        limit: most results.
        words: finds the words of the query in a text; None if it has none.
        home: images of pages are below it.
        originals: of dialogues that begin with a copy of another one's messages, that one.
        origins: of documents that came with messages, the dialogues.
        first_prompts: of dialogues without a title, how the user's first text begins.
        clusters: of pages that say nearly the same as others, the name of their cluster.
        runs: of dialogues that are runs of one task, the name of their cluster.
        reranked: as in ``SearchResults``.
    """

    limit: int
    words: re.Pattern[str] | None
    home: Path
    originals: Mapping[str, str] = field(default_factory=dict)
    origins: Mapping[str, Sequence[Mapping[str, Any]]] = field(default_factory=dict)
    first_prompts: Mapping[str, str] = field(default_factory=dict)
    clusters: Mapping[Page, str] = field(default_factory=dict)
    runs: Mapping[str, str] = field(default_factory=dict)
    reranked: bool | None = None


def as_result(
    group: Sequence[FoundPage], answers: Mapping[Page, str], independent: Collection[Page], options: ResultOptions
) -> dict[str, Any]:
    """Return the result that a group of pages is.

    Args:
        group: pages, the one that is shown first.
        answers: to the questions that were found; none where the answer itself was, or there is none.
        independent: which of the others have an answer of their own.
        options: of the search.
    """
    found, *others = group
    chunk = found.chunk
    return {
        **_named(found, options),
        **_said(found, answers, options),
        "scores": {retriever: round(score, 6) for retriever, score in found.scores.items()},
        "ranks": dict(found.ranks),
        **_second_stage(found, options),
        "is_abandoned_branch": chunk.is_on_primary_path is False,
        "alternatives": [
            {
                **_named(other, options),
                "partition_key": other.chunk.partition_key,
                "answered_at": _answered_at(other.chunk),
                **_said(other, answers, options),
                "is_abandoned_branch": other.chunk.is_on_primary_path is False,
                "is_independent": other.page in independent,
            }
            for other in others
        ],
        "metadata": _metadata(chunk, options),
    }


def _named(found: FoundPage, options: ResultOptions) -> dict[str, Any]:
    return {
        "doc_id": found.page[0],
        "page": found.page[1],
        "score": round(found.score, 6),
        "filename": found.chunk.filename,
        "first_prompt": options.first_prompts.get(found.page[0]),
    }


def _said(found: FoundPage, answers: Mapping[Page, str], options: ResultOptions) -> dict[str, Any]:
    answer = answers.get(found.page)
    return {
        "snippet": snippet(found.chunk.text, options.words),
        "answer": None if answer is None else snippet(answer, options.words),
    }


def _answered_at(chunk: FoundChunk) -> str | None:
    return None if chunk.partition_key is None else _iso(chunk.happened_at)


def result_name(result: Mapping[str, Any]) -> str:
    """Return what people call what was found, of a result or one of its alternatives."""
    return title_or_prompt(None, result["first_prompt"]) or dialogue_name(str(result["filename"]), None)


def result_date(metadata: Mapping[str, Any]) -> str | None:
    """Return the day of what was found for people; None of a dialogue whose source says none: its import tells nothing.

    Args:
        metadata: of a result.
    """
    said = metadata["answered_at"] or metadata["created_at"]
    if said:
        return str(said)[:10]
    return f"added {metadata['timestamp'][:10]}" if metadata["partition_key"] is None else None


def _second_stage(found: FoundPage, options: ResultOptions) -> dict[str, Any]:
    if options.reranked is None:
        return {}
    score = found.rerank_score
    return {"reranked": options.reranked, "rerank_score": None if score is None else round(score, 6)}


def _metadata(chunk: FoundChunk, options: ResultOptions) -> dict[str, Any]:
    return {
        "extension": chunk.extension,
        "timestamp": _iso(chunk.added_at),
        "created_at": _iso(chunk.created_at),
        "thumb_path": _below(options.home, chunk.thumb_path),
        "image_path": _below(options.home, chunk.image_path),
        "section_path": chunk.section_path,
        "parent_heading": chunk.parent_heading,
        "source": chunk.source,
        "partition_key": chunk.partition_key,
        "pair_id": chunk.pair_id,
        "part_id": chunk.part_id,
        "pair_type": chunk.pair_type,
        "workspace_id": chunk.workspace_id,
        "session_id": chunk.session_id,
        "side": chunk.side,
        "role": chunk.role,
        "model": chunk.model,
        "answered_at": _answered_at(chunk),
        "question_message_id": chunk.question_message_id,
        "answer_message_id": chunk.answer_message_id,
        "message_id": chunk.message_id,
        "came_with": list(options.origins.get(chunk.doc_id, ())),
    }


def _below(home: Path, path: str | None) -> str | None:
    return None if path is None else str(home / path)


def _iso(moment: datetime | None) -> str:
    return "" if moment is None else moment.isoformat()
