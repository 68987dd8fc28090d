"""What is asked: words, phrases, prefixes and exclusions of a query, as PostgreSQL's full text search takes them.

| written | means |
|---|---|
| ``word`` | the word, its other forms, or a part of an identifier |
| ``"some words"`` | these words next to each other |
| ``word*`` | words that begin so |
| ``-word``, ``-"some words"`` | pages without it |
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal

from archive_pipeline.errors import InvalidQueryError

LONGEST_QUERY: Final = 32_768
# A text that was pasted in says what it is about in its first words.
MOST_TERMS: Final = 48

Kind = Literal["word", "phrase", "prefix"]

_TERM = re.compile(r'(?P<not>(?<!\S)-)?(?:"(?P<phrase>[^"]*)"|(?P<word>[^\s"]+))')
_WORD = re.compile(r"\w", re.UNICODE)
_NO_TEXT = re.compile(r"[\x00\ud800-\udfff]")
_PREFIX = re.compile(r"(?P<start>\w[\w-]*)\*+\W*", re.UNICODE)


@dataclass(frozen=True, slots=True)
class Term:
    """One thing to look for.

    Attributes:
        kind: how.
        text: what.
        is_excluded: pages with it are not wanted.
    """

    kind: Kind
    text: str
    is_excluded: bool = False


@dataclass(frozen=True, slots=True)
class Query:
    """A query.

    Attributes:
        text: as it was written, without surrounding space.
        wanted_text: without what is excluded; what is embedded.
        terms: for full text search, each once.
    """

    text: str
    wanted_text: str
    terms: Sequence[Term]

    @property
    def wanted(self) -> list[Term]:
        """What a page should have."""
        return [term for term in self.terms if not term.is_excluded]

    @property
    def excluded(self) -> list[Term]:
        """What a page must not have."""
        return [term for term in self.terms if term.is_excluded]


def parse_query(text: str) -> Query:
    """Return a query.

    Raises:
        InvalidQueryError: it is empty, longer than ``LONGEST_QUERY`` characters, or no Unicode text.
    """
    stripped = text.replace("\0", "").strip()
    if not stripped:
        raise InvalidQueryError("the query is empty")
    if len(stripped) > LONGEST_QUERY:
        raise InvalidQueryError(
            f"the query has {len(stripped):,} characters; at most {LONGEST_QUERY:,} can be searched for"
        )
    check_text("the query", stripped)
    terms = dict.fromkeys(term for match in _TERM.finditer(stripped) if (term := _term(match)) is not None)
    wanted_text = " ".join(_TERM.sub(lambda match: "" if match["not"] else match[0], stripped).split())
    return Query(stripped, wanted_text, list(terms)[:MOST_TERMS])


def check_text(what: str, text: str) -> None:
    """Raise ``InvalidQueryError`` for a text that no database can be asked for: one with a lone surrogate or NUL."""
    if _NO_TEXT.search(text):
        raise InvalidQueryError(f"{what} has a lone surrogate or NUL, which are in no text")


def _term(match: re.Match[str]) -> Term | None:
    is_excluded = match["not"] is not None
    text = match["word"] if match["phrase"] is None else match["phrase"]
    if not _WORD.search(text):
        return None
    if match["phrase"] is not None:
        return Term("phrase", text.strip(), is_excluded)
    prefix = _PREFIX.fullmatch(text)
    if prefix is not None:
        return Term("prefix", prefix["start"], is_excluded)
    return Term("word", text, is_excluded)
