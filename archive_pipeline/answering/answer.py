"""What an answer is: its text, its sources, and what there is to say about both."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from archive_pipeline.answering.marking import CitationCounts
from archive_pipeline.retrieval.context.archive import ArchiveContext
from archive_pipeline.retrieval.context.documents import ResearchContext, SkipReason


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer from the archive.

    Attributes:
        answer: the text, its citations checked; empty if there are no sources, as no model is asked then.
        built: the context and how the search for it went.
        model: name of the model that answered; None if none was asked.
        citations: which numbers it cites.
        uncited: sentences without a citation.
        sentences: all sentences.
        incomplete: why the answer is not whole; None if it is.
    """

    answer: str
    built: ArchiveContext
    model: str | None
    citations: CitationCounts
    uncited: tuple[str, ...] = ()
    sentences: int = 0
    incomplete: str | None = None

    @property
    def context(self) -> ResearchContext:
        """The sources."""
        return self.built.context

    @property
    def why_unasked(self) -> str | None:
        """Why no model was asked; None if one was."""
        if self.model is not None:
            return None
        is_cut = SkipReason.BUDGET in self.context.left_out
        reason = "the budget (max_tokens) is too small for any page that was found" if is_cut else "nothing was found"
        return f"{reason}, and no model was asked"

    @property
    def warnings(self) -> tuple[str, ...]:
        """What a reader has to know of the answer, a sentence each."""
        said = []
        if self.incomplete is not None:
            said.append(f"the answer is not complete: {self.incomplete}")
        if self.citations.unknown:
            numbers = ", ".join(map(str, self.citations.unknown))
            said.append(f"the answer cites sources that do not exist, and they are marked: {numbers}")
        if self.citations.headers:
            said.append("the answer imitated headers of sources; they were replaced by citations")
        if self.answer and not self.citations.known:
            said.append("the answer cites no source: nothing shows that it is from the archive")
        elif self.uncited:
            said.append(f"{len(self.uncited)} of {self.sentences} sentences cite no source")
        return tuple(said)

    def to_dict(self) -> dict[str, Any]:
        """Return the answer as JSON types: the fields of seed 002 first, the texts of sources among them."""
        context = self.context
        return {
            "answer": self.answer,
            "sources": [source.to_dict() for source in context.sources],
            "truncated": context.truncated,
            "total_tokens": context.total_tokens,
            "model": self.model,
            "complete": self.incomplete is None,
            "citations": {
                "known": list(self.citations.known),
                "unknown": list(self.citations.unknown),
                "headers": self.citations.headers,
                "uncited": list(self.uncited),
            },
            "warnings": list(self.warnings),
            "token_counter": context.token_counter,
            "left_out": context.left_out,
            "retrievers": list(context.retrievers),
            "degraded": self.built.results.degraded,
            "notes": list(self.built.results.notes),
        }
