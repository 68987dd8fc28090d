"""What a context is made of (seed 002). The seed's fields come first, in its order; what follows them is ours."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict, dataclass, field
from enum import StrEnum
from typing import Any


class SkipReason(StrEnum):
    """Why a search result is not in the context."""

    INVALID_RESULT = "invalid_result"  # the result has no document id or no page from 1
    DUPLICATE = "duplicate"  # another result is the same page
    ALTERNATIVE = "alternative"  # another page is of the same question, text or task
    NUM_RESULTS = "num_results"  # the search returned more than it was asked for
    NOT_FOUND = "not_found"  # the document or page is gone since it was indexed
    NO_TEXT = "no_text"  # the page has neither text nor picture
    BUDGET = "budget"  # its block does not fit into what is left of max_tokens
    MAX_SOURCES = "max_sources"  # the context has max_sources sources


@dataclass(frozen=True, slots=True)
class SkippedResult:
    """A search result that is not in the context; ``doc_id`` and ``page`` are as the search returned them."""

    doc_id: Any
    page: Any
    reason: SkipReason


@dataclass
class SourceDocument:
    """One page of a document, or one exchange of a dialogue, that can be cited (seed 002).

    Attributes:
        doc_id: the document's id; a dialogue's is the dialogue id.
        filename: the original file name; a dialogue's title.
        page: page from 1; of a dialogue, the exchange from 1.
        extension: ``pdf``, ``docx``, …
        thumbnail_path, image_path: pictures of the page, where there are any.
        timestamp: when the document or dialogue was added to the archive, ISO 8601; empty if unknown.
        section_path: ``Introduction > Methods``.
        parent_heading: the heading right above.
        markdown_content: text of the page. A shortened one ends at a sentence, with its code block closed, and begins
            with the sign of an omission if what was found is not at the beginning of the page.
        relevance_score: the search's score, 0 to 1; 0 if the search gave no number.
        content_truncated: the text was shortened to fit the budget.
        created_at: when the dialogue began, as its source says; empty if unknown, and for documents.
        answered_at: when the answer that was found was written; empty if unknown, and for documents.
        char_start, char_end: where its block, header included, is in ``ResearchContext.formatted_text``.
        pair_id: the tool call that ``markdown_content`` is, with its result; None if it is the page.
        part_id: the artifact or code that ``markdown_content`` is; None if it is the page.
    """

    doc_id: str
    filename: str
    page: int
    extension: str
    thumbnail_path: str | None = None
    image_path: str | None = None
    timestamp: str = ""
    section_path: str | None = None
    parent_heading: str | None = None
    markdown_content: str = ""
    relevance_score: float = 0.0
    content_truncated: bool = False
    created_at: str = ""
    answered_at: str = ""
    char_start: int | None = None
    char_end: int | None = None
    pair_id: str | None = None
    part_id: str | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return the fields as JSON types."""
        return asdict(self)


@dataclass
class ResearchContext:
    """The text for a prompt, and what its citations mean (seed 002).

    Attributes:
        formatted_text: the sources' blocks, numbered from 1.
        sources: source ``i`` is citation ``i + 1``.
        total_tokens: tokens of ``formatted_text`` by ``token_counter``.
        truncated: the budget ``max_tokens`` shortened a source or left one out; no other reason counts.
        token_counter: name of the counter.
        skipped: results that are not in the context, and why.
        alternatives: how many pages the search put aside for a result that answers the same question.
        retrievers: what took part in the search, such as ``dense``; empty if the search does not say.
    """

    formatted_text: str
    sources: list[SourceDocument]
    total_tokens: int
    truncated: bool
    token_counter: str = ""
    skipped: list[SkippedResult] = field(default_factory=list)
    alternatives: int = 0
    retrievers: tuple[str, ...] = ()

    @property
    def left_out(self) -> dict[str, int]:
        """How many pages that were found are not in the context, by ``SkipReason``; reasons without any are missing."""
        counts = Counter(str(item.reason) for item in self.skipped)
        return dict(counts + Counter({str(SkipReason.ALTERNATIVE): self.alternatives}))

    def get_citation_map(self) -> dict[int, SourceDocument]:
        """Return the source of each citation number."""
        return dict(enumerate(self.sources, start=1))

    def to_dict(self) -> dict[str, Any]:
        """Return the fields as JSON types; ids that the search got wrong appear as text."""
        return {
            "formatted_text": self.formatted_text,
            "sources": [source.to_dict() for source in self.sources],
            "total_tokens": self.total_tokens,
            "truncated": self.truncated,
            "token_counter": self.token_counter,
            "left_out": self.left_out,
            "retrievers": list(self.retrievers),
            "skipped": [
                {"doc_id": str(item.doc_id), "page": str(item.page), "reason": str(item.reason)}
                for item in self.skipped
            ],
        }
