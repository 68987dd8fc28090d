"""Queries: words, phrases, prefixes and exclusions of a query, as PostgreSQL's full text search takes them.

| written | means |
|---|---|
| ``word`` | the word, its other forms, or a part of an identifier |
| ``"some words"`` | pages with these words next to each other |
| ``word*`` | words that begin so |
| ``-word``, ``-"some words"`` | pages without it |

A letter or digit behind a dash, and a word behind two, are options of a command that was pasted: words like others.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal

from archive_pipeline.errors import InvalidQueryError
from archive_pipeline.text.search_terms import split_words
from archive_pipeline.text.user_input import LONGEST_QUERY, check_text

# A text that was pasted in says what it is about in its first words. Each word is looked up, in several languages.
MOST_TERMS: Final = 48
MOST_WORDS_OF_TERM: Final = 64
MOST_WORDS: Final = 256
SHORTENED: Final = (
    f"the query is long: words were looked for only in its first {MOST_TERMS} terms, in the first {MOST_WORDS_OF_TERM} "
    f"words of each, and {MOST_WORDS} in all, and so were those that are excluded"
)
EXCLUDED: Final = "{words}: pages with this are left out; in quotes it is looked for"

Kind = Literal["word", "phrase", "prefix"]

# What is excluded in quotes that are never closed goes on to the end.
_TERM = re.compile(
    r'(?P<not>(?<!\S)-(?!-|[A-Za-z0-9](?!\S)))?(?:"(?P<phrase>[^"]*)(?(not)(?:"|\Z)|")|(?P<word>[^\s"]+))'
)
# Quotation marks as phones and word processors write them.
_STRAIGHT = str.maketrans(dict.fromkeys("\u201c\u201d\u201e", '"'))
_WORD = re.compile(r"\w", re.UNICODE)
# What is looked up by itself: full text search takes words apart, and Chinese, Japanese and Korean by character.
_LOOKED_UP = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]|[^\W_\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]+")
# Possessive: else each of many asterisks is tried as the last one.
_PREFIX = re.compile(r"(?P<start>\w[\w-]*+)\*++\W*+", re.UNICODE)


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
        text: as it was written, without surrounding space and with straight quotation marks.
        wanted_text: without what is excluded; what is embedded.
        terms: for full text search, each once, those that are excluded last.
        is_shortened: terms, or words of them, were left out.
    """

    text: str
    wanted_text: str
    terms: Sequence[Term]
    is_shortened: bool = False

    @property
    def wanted(self) -> list[Term]:
        """What a page should have."""
        return [term for term in self.terms if not term.is_excluded]

    @property
    def excluded(self) -> list[Term]:
        """What a page must not have."""
        return [term for term in self.terms if term.is_excluded]

    @property
    def phrases(self) -> list[Term]:
        """What is quoted, which a page must have."""
        return [term for term in self.wanted if term.kind == "phrase"]

    @property
    def is_only_numbers(self) -> bool:
        """Whether each of its words has more digits than other characters, as numbers and codes have."""
        words = [word for term in self.wanted for word in split_words(term.text)]
        return bool(words) and all(2 * sum(map(str.isdigit, word)) > len(word) for word in words)

    def also(self, words: Collection[str]) -> Query:
        """Return the query with more words to look for."""
        if not words:
            return self
        terms = [*self.terms, *(Term("word", word) for word in words)]
        return replace(self, wanted_text=" ".join([self.wanted_text, *words]), terms=terms)


def parse_query(text: str) -> Query:
    """Return a query.

    Raises:
        InvalidQueryError: it is empty, longer than ``LONGEST_QUERY`` characters, or no Unicode text.
    """
    stripped = text.strip().translate(_STRAIGHT)
    if not stripped:
        raise InvalidQueryError("the query is empty")
    check_text("the query", stripped, LONGEST_QUERY)
    found = dict.fromkeys(term for match in _TERM.finditer(stripped) if (term := _term(match)) is not None)
    # However much is asked for, what is excluded stays so.
    terms = [
        *_bounded([term for term in found if not term.is_excluded]),
        *_bounded([term for term in found if term.is_excluded]),
    ]
    wanted_text = " ".join(_TERM.sub(lambda match: "" if match["not"] else match[0], stripped).split())
    return Query(stripped, wanted_text, terms, is_shortened=set(terms) != set(found))


def read_as_excluded(query: Query) -> list[str]:
    """Return a sentence that names what may have been an option of a command; none if nothing was excluded bare."""
    words = ", ".join(f'"-{term.text}"' for term in query.excluded if term.kind == "word")
    return [EXCLUDED.format(words=words)] if words else []


def _bounded(terms: Sequence[Term]) -> list[Term]:
    """Return the first terms, each as far as the number of words to look up allows."""
    kept: list[Term] = []
    left = MOST_WORDS
    for term in terms[:MOST_TERMS]:
        words = list(itertools.islice(_LOOKED_UP.finditer(term.text), MOST_WORDS_OF_TERM + 1))
        most = min(MOST_WORDS_OF_TERM, left)
        if most == 0:
            break
        kept.append(term if len(words) <= most else replace(term, text=term.text[: words[most - 1].end()]))
        left -= min(len(words), most)
    return list(dict.fromkeys(kept))


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
