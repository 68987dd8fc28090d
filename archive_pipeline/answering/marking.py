"""Citations of an answer are checked while it arrives, so that no reader sees one that leads nowhere.

A number without a source is marked: ``[2, 7]`` of three sources becomes ``[2][7: no such source]``. A header that
imitates one of the context, ``[Document 2: a title, Page 3]``, becomes ``[2]``, since its title may be anything. What
is a citation is what ``retrieval.context.citations`` takes for one: neither code nor links nor escaped brackets. Text
is held back only as long as it may become part of one.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass
from typing import Final

from archive_pipeline.retrieval.context.citations import (
    LONGEST_CITATION,
    LONGEST_INLINE_CODE,
    OPENING_BRACKETS,
    Citation,
    citation_at,
)

_FENCE: Final = re.compile(r"(?P<indentation>[^\S\n]*)(?P<mark>`{3,}|~{3,})(?P<rest>[^\n]*)")
# What may still become a fence when more of the line comes.
_MAYBE_FENCE: Final = re.compile(r"[^\S\n]*(?:`{0,2}|~{0,2}|(?:`{3,}|~{3,})[^\n]*)")
_SPECIAL: Final = re.compile(rf"[\n`{OPENING_BRACKETS}]")
_BACKTICKS: Final = re.compile(r"`+")
# Longer ones are text: what may become more would be looked at again with each piece.
_LONGEST_FENCE: Final = 1_000
_LONGEST_RUN: Final = 100
_CLOSING: Final = re.compile(r"[\]\u3011\uff3d]")


@dataclass(frozen=True, slots=True)
class CitationCounts:
    """The numbers that an answer cites.

    Attributes:
        known: those that have a source, in order.
        unknown: those that have none.
        headers: how many imitated a header of the context.
    """

    known: tuple[int, ...] = ()
    unknown: tuple[int, ...] = ()
    headers: int = 0


class CitationMarker:
    """Marks the citations of one answer. The result does not depend on the pieces in which the text is fed."""

    def __init__(self, numbers: Collection[int]) -> None:
        """Take the numbers that have a source."""
        self._numbers = numbers
        self._held = ""
        self._previous = "\n"  # the character before what is held
        self._fence = ""  # the mark that opened the code block; empty outside
        self._known: dict[int, None] = {}
        self._unknown: dict[int, None] = {}
        self._headers = 0

    @property
    def counts(self) -> CitationCounts:
        """What was cited so far."""
        return CitationCounts(tuple(sorted(self._known)), tuple(sorted(self._unknown)), self._headers)

    def feed(self, text: str) -> str:
        """Take the next piece of the answer; return what can be shown by now."""
        self._held += text
        return self._advance(is_end=False)

    def finish(self) -> str:
        """Return the rest."""
        return self._advance(is_end=True)

    def _advance(self, *, is_end: bool) -> str:
        shown: list[str] = []
        at = 0
        while at < len(self._held):
            step = self._step(at, is_end=is_end)
            if step is None:
                break
            end, text = step
            shown.append(text)
            self._previous = self._held[end - 1]
            at = end
        self._held = self._held[at:]
        return "".join(shown)

    def _step(self, at: int, *, is_end: bool) -> tuple[int, str] | None:
        """Return the end of the next part and what is shown of it; None if it may become something else."""
        if self._previous == "\n" and (line := self._line_of_fence(at, is_end=is_end)) != at:
            return None if line is None else (line, self._held[at:line])
        if self._fence:
            end = self._held.find("\n", at) + 1 or len(self._held)
            return end, self._held[at:end]
        special = _SPECIAL.search(self._held, at)
        if special is None or special.start() > at:
            end = len(self._held) if special is None else special.start()
            # The last character may be a backslash or an exclamation mark before a bracket: it is in _previous then.
            return end, self._held[at:end]
        if special.group() == "\n":
            return at + 1, "\n"
        if self._previous == special.group() == "`":  # the rest of a run that is too long to be code
            end = _end_of_run(self._held, at)
            return end, self._held[at:end]
        return self._code(at, is_end=is_end) if special.group() == "`" else self._bracket(at, is_end=is_end)

    def _line_of_fence(self, at: int, *, is_end: bool) -> int | None:
        """Return the end of the line if it is a fence, ``at`` if it is none, None if that cannot be said yet."""
        end = self._held.find("\n", at)
        length = (len(self._held) if end < 0 else end) - at
        if length > _LONGEST_FENCE:
            return at
        if end < 0 and not is_end:
            return None if _MAYBE_FENCE.fullmatch(self._held, at) else at
        end = at + length
        fence = _FENCE.fullmatch(self._held, at, end)
        if fence is None:
            return at
        mark, rest = fence["mark"], fence["rest"]
        if not self._fence:
            # With backticks after the mark it is code inside a line.
            if fence["indentation"].strip(" \t") or (mark[0] == "`" and "`" in rest):
                return at
            self._fence = mark
        elif mark.startswith(self._fence) and not rest.strip():
            self._fence = ""
        return end

    def _code(self, at: int, *, is_end: bool) -> tuple[int, str] | None:
        """Return code inside a line as it is, or the backticks alone if nothing closes them."""
        opened = _end_of_run(self._held, at)
        if opened - at > _LONGEST_RUN:
            return opened, self._held[at:opened]
        most = opened + LONGEST_INLINE_CODE + opened - at + 1
        line_end = self._held.find("\n", opened, most)
        limit = min(len(self._held), most) if line_end < 0 else line_end
        runs = _BACKTICKS.finditer(self._held, opened, limit)
        closing = next((each for each in runs if len(each.group()) == opened - at), None)
        if not is_end and limit == len(self._held) < most and (closing is None or closing.end() == limit):
            return None
        if closing is not None and closing.start() > opened + LONGEST_INLINE_CODE:
            closing = None
        end = opened if closing is None else closing.end()
        return end, self._held[at:end]

    def _bracket(self, at: int, *, is_end: bool) -> tuple[int, str] | None:
        most = at + LONGEST_CITATION
        closing = _CLOSING.search(self._held, at, most)
        if not is_end and len(self._held) <= most and (closing is None or closing.end() == len(self._held)):
            return None
        citation = citation_at(self._previous + self._held[at : most + 1], 1, self._numbers)
        if citation is None:
            return at + 1, self._held[at]
        return at + citation.end - citation.start, self._marked(citation)

    def _marked(self, citation: Citation) -> str:
        self._known.update(dict.fromkeys(citation.numbers))
        self._unknown.update(dict.fromkeys(citation.unknown))
        self._headers += citation.is_header
        if not citation.unknown:
            return f"[{_listed(citation.numbers)}]" if citation.is_header else citation.text
        known = f"[{_listed(citation.numbers)}]" if citation.numbers else ""
        return f"{known}[{_listed(citation.unknown)}: no such source]"


def _end_of_run(text: str, at: int) -> int:
    """Return the end of the backticks that stand at a place."""
    run = _BACKTICKS.match(text, at)
    return at if run is None else run.end()


def _listed(numbers: Collection[int]) -> str:
    """Return numbers as text, those that follow each other as a range."""
    ranges: list[list[int]] = []
    for number in sorted(numbers):
        if ranges and number == ranges[-1][1] + 1:
            ranges[-1][1] = number
        else:
            ranges.append([number, number])
    return ", ".join(str(first) if first == last else f"{first}-{last}" for first, last in ranges)
