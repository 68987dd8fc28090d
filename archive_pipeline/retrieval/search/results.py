"""What a search returns: dictionaries as seed 002 has them, and which retrievers failed."""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

from archive_pipeline.retrieval.search.rows import FoundChunk
from archive_pipeline.retrieval.search.snippets import snippet
from archive_pipeline.text.dialogue_names import title_or_prompt

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


def one_per_question(
    pages: Iterable[FoundPage], options: ResultOptions, beside: Iterable[FoundPage] = ()
) -> list[list[FoundPage]]:
    """Return the pages in groups: those that answer one question, or say the same, are one, the best of them first.

    The same is said in copies: forks of a dialogue, a task that several dialogues were given, a file added twice. Which
    pages say nearly the same, and which dialogues are runs of one task, is known of ``derived.duplicate_clusters``. Of
    the other runs, the best page of each is beside the best page of all of them.

    Args:
        pages: best first.
        options: of the search.
        beside: pages that are shown only as those of other runs, best first.
    """
    groups = _Groups(options)
    for found in pages:
        groups.add(found)
    for found in beside:
        groups.put_beside(found)
    return [_originals_first(group, options.originals) for group in groups.all]


class _Groups:
    """Pages in groups, of which each becomes a result."""

    def __init__(self, options: ResultOptions) -> None:
        self.all: list[list[FoundPage]] = []
        self._options = options
        self._of_keys: dict[Hashable, list[FoundPage]] = {}
        self._of_runs: dict[str, list[FoundPage]] = {}

    def add(self, found: FoundPage) -> None:
        """Put a page into the group that it belongs to, or into one of its own if there are not enough yet."""
        keys = _keys(found, self._options.clusters)
        group = next((self._of_keys[key] for key in keys if key in self._of_keys), None)
        if group is not None:
            group.append(found)
        elif self.put_beside(found) or len(self.all) == self._options.limit:
            return
        else:
            group = [found]
            self.all.append(group)
            if found.page[0] in self._options.runs:
                self._of_runs.setdefault(self._options.runs[found.page[0]], group)
        for key in keys:
            self._of_keys.setdefault(key, group)

    def put_beside(self, found: FoundPage) -> bool:
        """Put a page beside the one that was found first of another run of its task, if any, and tell whether one was.

        Each run has one page there.
        """
        group = self._of_runs.get(self._options.runs.get(found.page[0], ""))
        if group is None or group[0].page[0] == found.page[0]:
            return False
        if all(other.page[0] != found.page[0] for other in group):
            group.append(found)
        return True


def _originals_first(group: Sequence[FoundPage], originals: Mapping[str, str]) -> list[FoundPage]:
    """Return the pages in their order, but copies below what they are copied from, where that was found too."""
    there = {found.page[0] for found in group}
    return sorted(group, key=lambda found: originals.get(found.page[0]) in there)


def _keys(found: FoundPage, clusters: Mapping[Page, str]) -> tuple[Hashable, ...]:
    chunk = found.chunk
    known = (chunk.question_message_id, chunk.content_hash, clusters.get(found.page))
    return tuple(key for key in known if key) or (found.page,)


def as_result(group: Sequence[FoundPage], answer: str | None, options: ResultOptions) -> dict[str, Any]:
    """Return the result that a group of pages is.

    Args:
        group: pages, the one that is shown first.
        answer: to the question that was found; None where the answer itself was, or there is none.
        options: of the search.
    """
    found, *others = group
    chunk = found.chunk
    return {
        "doc_id": found.page[0],
        "page": found.page[1],
        "score": round(found.score, 6),
        "filename": chunk.filename,
        "first_prompt": options.first_prompts.get(found.page[0]),
        "snippet": snippet(chunk.text, options.words),
        "answer": None if answer is None else snippet(answer, options.words),
        "scores": {retriever: round(score, 6) for retriever, score in found.scores.items()},
        "ranks": dict(found.ranks),
        **_second_stage(found, options),
        "is_abandoned_branch": chunk.is_on_primary_path is False,
        "alternatives": [
            {
                "doc_id": other.page[0],
                "page": other.page[1],
                "score": round(other.score, 6),
                "filename": other.chunk.filename,
                "first_prompt": options.first_prompts.get(other.page[0]),
                "snippet": snippet(other.chunk.text, options.words),
                "is_abandoned_branch": other.chunk.is_on_primary_path is False,
            }
            for other in others
        ],
        "metadata": _metadata(chunk, options),
    }


def result_name(result: Mapping[str, Any]) -> str:
    """Return what people call what was found, of a result or one of its alternatives."""
    return title_or_prompt(None, result["first_prompt"]) or str(result["filename"])


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
        "pair_type": chunk.pair_type,
        "workspace_id": chunk.workspace_id,
        "session_id": chunk.session_id,
        "side": chunk.side,
        "role": chunk.role,
        "model": chunk.model,
        "answered_at": None if chunk.pair_id is None else _iso(chunk.happened_at),
        "question_message_id": chunk.question_message_id,
        "answer_message_id": chunk.answer_message_id,
        "came_with": list(options.origins.get(chunk.doc_id, ())),
    }


def _below(home: Path, path: str | None) -> str | None:
    return None if path is None else str(home / path)


def _iso(moment: datetime | None) -> str:
    return "" if moment is None else moment.isoformat()
