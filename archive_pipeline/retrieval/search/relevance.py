"""Whether what was found has to do with the question: against what questions of made-up words reach in the archive.

The nearest text is near to something even if it answers nothing. How near that is depends on the model and on how much
there is to be near to, so it is measured when the index is made (``retrieval.index.chance``).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final, Protocol, TypeVar

from archive_pipeline.store.embeddings import Chance

_REASON: Final = "no page has enough of the words, and none is nearer in meaning than by chance"
NOTHING_RELEVANT: Final = f"nothing in the archive is about it: {_REASON}"
NOTHING_FILTERED_RELEVANT: Final = f"nothing that the filters let through is about it: {_REASON}"
# A page with this share of the words needs no meaning; learnt on the tuning half of `make bench-quality`.
ENOUGH_WORDS: Final = 0.2
# What is unlikely alone is shown if it is so near to the best result.
NEAR_TO_BEST: Final = 0.5
# Of so few words, some are near to something by chance.
_FEW_WORDS: Final = 2


class Judged(Protocol):
    """What is judged: ``retrieval.search.results.FoundPage``."""

    @property
    def score(self) -> float:
        """Fused."""

    @property
    def scores(self) -> Mapping[str, float]:
        """Retriever -> its own score."""

    @property
    def shares(self) -> Mapping[str, float]:
        """Retriever -> share of the highest score there could be."""


PageT = TypeVar("PageT", bound=Judged)


@dataclass(frozen=True, slots=True)
class Relevance:
    """What a page has to reach.

    Attributes:
        cosine: the angle to the question's vector.
        words: the share of the question's words, rarer ones counting more.
    """

    cosine: float
    words: float = ENOUGH_WORDS

    def of(self, pages: Iterable[PageT]) -> list[PageT]:
        """Return the relevant pages in their order, and with them those that are nearly as good as the best of them.

        A page that was found by its image is relevant: nothing is known of chance there.
        """
        found = [(page, self._reaches(page)) for page in pages]
        best = max((page.score for page, is_relevant in found if is_relevant), default=None)
        if best is None:
            return []
        return [page for page, is_relevant in found if is_relevant or page.score >= NEAR_TO_BEST * best]

    def _reaches(self, page: Judged) -> bool:
        by_others = page.scores.keys() - {"dense", "lexical"}
        return (
            bool(by_others)
            or page.scores.get("dense", -1.0) >= self.cosine
            or page.shares.get("lexical", 0.0) >= self.words
        )


def relevance(chance: Chance, *, is_any_word_known: bool, term_count: int, is_only_numbers: bool) -> Relevance:
    """Return what pages have to reach for a question.

    Args:
        chance: of the vectors that are searched.
        is_any_word_known: whether the archive has any word of the question that has a meaning; if not, the question may
            be no question at all, and only what is nearer than almost all made-up ones counts.
        term_count: how many such words the question has.
        is_only_numbers: whether it has no others than numbers, whose meaning is that of any number.
    """
    if is_any_word_known:
        return Relevance(chance.usual)
    if is_only_numbers:
        return Relevance(math.inf)
    return Relevance(chance.highest_of_few if term_count <= _FEW_WORDS else chance.high)
