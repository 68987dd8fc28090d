"""The modes of search, each declared once: the command line, the tools for assistants and the engine follow."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType
from typing import Final

from archive_pipeline.errors import InvalidQueryError


class Retriever(StrEnum):
    """A way of finding pages."""

    DENSE = "dense"
    LEXICAL = "lexical"
    VISUAL = "visual"


@dataclass(frozen=True, slots=True)
class Mode:
    """A way of searching.

    Attributes:
        help: what is compared, for people and assistants.
        retrievers: those that run.
    """

    help: str
    retrievers: tuple[Retriever, ...]


MODES: Final[Mapping[str, Mode]] = MappingProxyType(
    {
        "hybrid": Mode("meaning and words", (Retriever.DENSE, Retriever.LEXICAL)),
        "text": Mode("meaning", (Retriever.DENSE,)),
        "visual": Mode("images of pages, or their whole text without a visual model", (Retriever.VISUAL,)),
        "lexical": Mode("words", (Retriever.LEXICAL,)),
    }
)
DEFAULT_MODE: Final = "hybrid"
MODE_HELP: Final = f"What is compared. {'; '.join(f'{name}: {mode.help}' for name, mode in MODES.items())}."

TIME_WORDS_HELP: Final = "Read a time such as 'last week' or 'in May 2024' as since and until, if neither is given."


def check_mode(name: str) -> str:
    """Return the name of a mode.

    Raises:
        InvalidQueryError: it is none.
    """
    if name not in MODES:
        raise InvalidQueryError(f"no search mode is called {name!r}; there are {', '.join(MODES)}")
    return name
