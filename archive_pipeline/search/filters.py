"""Which pages may be found at all."""

from __future__ import annotations

from dataclasses import dataclass, fields
from datetime import datetime
from typing import Any, Final, Literal

from archive_pipeline.search.query import check_text

Branch = Literal["primary", "abandoned"]

SIDES: Final = {"user": "question", "assistant": "answer", "tool": "answer"}


@dataclass(frozen=True, slots=True)
class SearchFilters:
    """Conditions that all hold for what is found; None is no condition.

    Attributes:
        source: source of the dialogue, such as ``chatgpt``.
        role: who says what is found: user, assistant or tool.
        model: model that wrote the answer.
        since, until: when the answer was written: at or after, before.
        title: part of the dialogue's title, in any case.
        branch: pages of primary paths, or those of abandoned branches.
        pair_type: ``conversation_turn`` or ``trace_pair`` (a tool call and its result).
    """

    source: str | None = None
    role: Literal["user", "assistant", "tool"] | None = None
    model: str | None = None
    since: datetime | None = None
    until: datetime | None = None
    title: str | None = None
    branch: Branch | None = None
    pair_type: Literal["conversation_turn", "trace_pair"] | None = None

    def __post_init__(self) -> None:
        """Check what is text.

        Raises:
            InvalidQueryError: a text is none.
        """
        for name in ("source", "model", "title"):
            check_text(f"the filter {name}", getattr(self, name) or "")

    @property
    def is_empty(self) -> bool:
        """Whether anything may be found."""
        return all(getattr(self, field.name) is None for field in fields(self))

    def parameters(self) -> dict[str, Any]:
        """Return the values for ``sql/queries/search_*.sql``."""
        escaped = (
            None if self.title is None else self.title.replace("\\", "\\\\").replace("%", r"\%").replace("_", r"\_")
        )
        return {
            "source": self.source,
            "role": self.role,
            "model": self.model,
            "since": self.since,
            "until": self.until,
            "title": None if escaped is None else f"%{escaped}%",
            "branch": self.branch,
            "pair_type": self.pair_type,
        }


NO_FILTERS: Final = SearchFilters()
