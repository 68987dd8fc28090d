"""Which citations of an answer lead to a source of its context, and which sentences have none.

Citations are ``[1]``, ``[1, 3]``, ``[2-4]``, ``[Document 2]``, ``[Document 1, Document 3]``, a whole header, or
``【1†source】`` as some models write them, with ``:0`` behind the number or not, in ASCII or CJK brackets and digits.
Brackets in code, after a backslash and as the text of a Markdown link are not citations.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import asdict, dataclass
from typing import Any, Final

from archive_pipeline.retrieval.context.documents import ResearchContext
from archive_pipeline.text.markdown import code_blocks
from archive_pipeline.text.sentences import Sentence, sentences

OPENING_BRACKETS: Final = r"\[\u3010\uff3b"
# Longer ones are not taken for citations or code: who checks an answer while it arrives holds back so much.
LONGEST_CITATION: Final = 1_000
LONGEST_INLINE_CODE: Final = 2_000
_DIGITS: Final = r"[0-9\uff10-\uff19]"
_NUMBER: Final = rf"{_DIGITS}{{1,9}}"
_DASH: Final = r"\s*[-\u2010-\u2015]\s*"
_ITEM: Final = rf"{_NUMBER}(?:{_DASH}{_NUMBER})?"
_COMMA: Final = r"\s*(?:,|;|&|\u3001|\uff0c|\band\b)\s*"
_WORD: Final = r"(?:documents?|docs?\.?)\s*"
_LIST: Final = rf"{_ITEM}(?:{_COMMA}{_ITEM})*"
_DOCUMENTS: Final = rf"{_ITEM}(?:{_COMMA}(?:{_WORD})?{_ITEM})*"
_CITATION = re.compile(
    rf"(?<![\\!])[{OPENING_BRACKETS}]\s*(?:(?P<numbers>{_LIST})(?:(?::{_DIGITS}+)?\u2020[^\[\]\u3011\uff3d\n]*)?"
    rf"|{_WORD}(?P<documents>{_DOCUMENTS})(?P<title>\s*:[^\[\]\u3011\uff3d\n]*)?)\s*[\]\u3011\uff3d](?!\()",
    re.IGNORECASE,
)
_RANGE = re.compile(rf"({_NUMBER})(?:{_DASH}({_NUMBER}))?")
_INLINE_CODE = re.compile(rf"(?<!`)(`+)(?!`)[^\n]{{0,{LONGEST_INLINE_CODE}}}?(?<!`)\1(?!`)")
_LONGEST_RANGE: Final = 1_000


@dataclass(frozen=True, slots=True)
class Citation:
    """One pair of brackets in an answer.

    Attributes:
        start, end, text: of the brackets.
        numbers: those that have a source.
        unknown: those that have none.
        is_header: it has a title, as headers of a context have.
    """

    start: int
    end: int
    text: str
    numbers: tuple[int, ...]
    unknown: tuple[int, ...]
    is_header: bool = False


@dataclass(frozen=True, slots=True)
class CitationReport:
    """What is cited in an answer.

    Attributes:
        citations: all of them, in order.
        uncited: sentences without a citation. Headings, code and lines without letters are no sentences.
    """

    citations: list[Citation]
    uncited: list[Sentence]

    @property
    def valid(self) -> list[Citation]:
        """Citations of which every number has a source."""
        return [citation for citation in self.citations if not citation.unknown]

    @property
    def invalid(self) -> list[Citation]:
        """Citations with a number that has no source."""
        return [citation for citation in self.citations if citation.unknown]

    def to_dict(self) -> dict[str, Any]:
        """Return the fields as JSON types."""
        return asdict(self)


def check_citations(answer: str, context: ResearchContext) -> CitationReport:
    """Compare the citations of an answer with the sources of its context; positions are characters of the answer."""
    known = context.get_citation_map().keys()
    code = [(block.start, block.end) for block in code_blocks(answer)]
    code += [match.span() for match in _INLINE_CODE.finditer(answer)]
    citations = [
        _citation(match, known)
        for match in _CITATION.finditer(answer)
        if len(match.group()) <= LONGEST_CITATION and not any(start <= match.start() < end for start, end in code)
    ]
    uncited = [
        sentence
        for sentence in sentences(answer)
        if not any(citation.start < sentence.end and sentence.start < citation.end for citation in citations)
    ]
    return CitationReport(citations, uncited)


def citation_at(text: str, at: int, known: Collection[int]) -> Citation | None:
    """Return the citation that begins at a bracket of a text outside code, None if there is none.

    Args:
        text: with the character before the bracket and the one after its end, which decide too.
        at: where the bracket is.
        known: numbers that have a source.
    """
    match = _CITATION.match(text, at)
    return None if match is None or len(match.group()) > LONGEST_CITATION else _citation(match, known)


def _citation(match: re.Match[str], known: Collection[int]) -> Citation:
    numbers: dict[int, bool] = {}  # and whether it has a source
    for item in _RANGE.finditer(match["numbers"] or match["documents"]):
        first, last = int(item[1]), int(item[2] or item[1])
        if first > last:  # turned round: nobody can say what it means
            numbers.update({first: False, last: False})
        elif last - first < _LONGEST_RANGE:
            numbers.update({number: number in known for number in range(first, last + 1)})
        else:
            numbers.update({number: number in known for number in (first, last)})
    return Citation(
        match.start(),
        match.end(),
        match.group(),
        tuple(number for number, has_source in numbers.items() if has_source),
        tuple(number for number, has_source in numbers.items() if not has_source),
        is_header=match["title"] is not None,
    )
