"""The part of a page that goes into a context where the whole page does not fit.

It is the page's beginning, unless what the search found stands further on: then it begins shortly before that, with the
sign of an omission, so that the context has what the page was found by, and what it is cited for. Two places that are
too far from each other are two parts, with the same sign between.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Final

from archive_pipeline.text.graphemes import grapheme_ends
from archive_pipeline.text.markdown import code_blocks
from archive_pipeline.text.sentences import sentences
from archive_pipeline.text.truncation import cut_to_fit

_CUT: Final = "…"
OMISSION: Final = f"{_CUT}\n\n"
_LEAD: Final = 4  # one part in so many of what fits stands before what was found
_LINE_START: Final = re.compile(r"(?<=\n)(?=[^\n])")
_Place = tuple[int, int]


def excerpt(content: str, snippets: Sequence[str], fits: Callable[[str], bool]) -> str | None:
    """Return a part of a page that fits, with what was found in it if that fits too; None if nothing fits.

    Args:
        content: text of the page.
        snippets: what was found, each on one line with a sign at each end where something was left out: first what the
            page was found by, then what stands below it and is wanted beside it if there is room.
        fits: tells whether a part is small enough.
    """
    beginning = cut_to_fit(content, fits)
    places = _places(content, snippets)
    if beginning is None or not places or places[-1][1] <= len(beginning):
        return beginning
    room = len(beginning)
    part = _around(content, (places[0][0], places[-1][1]), room, fits)
    if part is None and len(places) > 1:
        part = _apart(content, places[0], places[-1], room, fits) or _around(content, places[0], room, fits)
    if part is None:  # what was found is itself too long
        opening, text = _opened(content, _grapheme_start(content, places[0][0]))
        part = cut_to_fit(opening + text, fits, len(opening) + 1)
    return beginning if part is None else part


def _places(content: str, snippets: Sequence[str]) -> list[_Place]:
    """Return where snippets begin and end in a page, whatever its white space, each below the one before it."""
    places: list[_Place] = []
    for snippet in snippets:
        words = snippet.removeprefix(_CUT).removesuffix(_CUT).split()
        pattern = re.compile(r"\s+".join(map(re.escape, words)))
        found = pattern.search(content, places[-1][1] if places else 0) if words else None
        if found is not None:
            places.append(found.span())
    return places


def _around(content: str, found: _Place, room: int, fits: Callable[[str], bool]) -> str | None:
    """Return a part with all of a place and a quarter of its text before that; None if it does not fit."""
    earliest = max(0, min(found[0] - room // _LEAD, len(content) - room))
    for start in (_start(content, earliest, found[0]), _grapheme_start(content, found[0])):
        opening, text = _opened(content, start)
        part = cut_to_fit(opening + text, fits, len(opening) + found[1] - start)
        if part is not None:
            return part
    return None


def _apart(content: str, first: _Place, second: _Place, room: int, fits: Callable[[str], bool]) -> str | None:
    """Return the parts around two places, of half the room each or else of the places alone; None if none fit."""
    return _halves(content, first, second, room // 2, fits) or _halves(content, first, second, 0, fits)


def _halves(content: str, first: _Place, second: _Place, size: int, fits: Callable[[str], bool]) -> str | None:
    """Return the parts around two places; the second is left room for so many characters, if the page has them."""
    start = _start(content, max(0, first[0] - size // _LEAD), first[0])
    second_start = _start(content, max(first[1], second[0] - size // _LEAD), second[0])
    opening, text = _opened(content[:second_start], start)
    second_opening, second_text = _opened(content, second_start)
    least = second[1] - second_start
    kept = second_opening + second_text[: max(size, least)]
    part = cut_to_fit(opening + text, lambda cut: fits(f"{cut}\n\n{kept}"), len(opening) + first[1] - start)
    if part is None:
        return None
    rest = cut_to_fit(second_opening + second_text, lambda cut: fits(f"{part}\n\n{cut}"), len(second_opening) + least)
    return None if rest is None else f"{part}\n\n{rest}"


def _start(content: str, earliest: int, latest: int) -> int:
    """Return where an excerpt may begin: with the page, else at a line, else at a sentence, else at ``latest``."""
    if earliest == 0:
        return 0
    line = _LINE_START.search(content, earliest, latest + 1)
    if line is not None:
        return line.start()
    # The first one is what is left of a sentence that began earlier.
    later = sentences(content[earliest:latest])[1:]
    return earliest + later[0].start if later else _grapheme_start(content, latest)


def _grapheme_start(content: str, position: int) -> int:
    """Return the start of the grapheme that has the character."""
    if position == 0 or content[position - 1].isspace():
        return position
    line = content.rfind("\n", 0, position) + 1
    *_, start, _ = 0, *grapheme_ends(content[line : position + 1])
    return line + start


def _opened(content: str, start: int) -> tuple[str, str]:
    """Return what stands before an excerpt that begins there, and the text from there."""
    return OMISSION + _open_fence(content, start) if start else "", content[start:]


def _open_fence(content: str, start: int) -> str:
    """Return the line that opens the code block in which an excerpt begins; empty if it begins in none."""
    for block in code_blocks(content):
        if block.start < start < block.end:
            return content[block.start : content.index("\n", block.start) + 1]
    return ""
