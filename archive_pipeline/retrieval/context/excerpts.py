"""The part of a page that goes into a context where the whole page does not fit.

It is the page's beginning, unless what the search found stands further on: then it begins shortly before that, with the
sign of an omission, so that the context has what the page is cited for, if it fits.
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


def excerpt(content: str, snippets: Sequence[str], fits: Callable[[str], bool]) -> str | None:
    """Return a part of a page that fits, with what was found in it if that fits too; None if nothing fits.

    Args:
        content: text of the page.
        snippets: what was found, each on one line with a sign at each end where something was left out. The first one
            that the page has counts.
        fits: tells whether a part is small enough.
    """
    beginning = cut_to_fit(content, fits)
    found = next((place for snippet in snippets if (place := _find(content, snippet))), None)
    if beginning is None or found is None or found[1] <= len(beginning):
        return beginning
    room = len(beginning)
    lead = max(0, min(found[0] - room // _LEAD, len(content) - room))
    for start in (_start(content, lead, found[0]), _grapheme_start(content, found[0])):
        opening = OMISSION + _open_fence(content, start)
        part = cut_to_fit(opening + content[start:], fits, len(opening) + found[1] - start)
        if part is not None:
            return part
    part = cut_to_fit(opening + content[start:], fits, len(opening) + 1)  # what was found is itself too long
    return beginning if part is None else part


def _find(content: str, snippet: str) -> tuple[int, int] | None:
    """Return where a snippet begins and ends in a page, whatever its white space; None if it is not there."""
    words = snippet.removeprefix(_CUT).removesuffix(_CUT).split()
    found = re.search(r"\s+".join(map(re.escape, words)), content) if words else None
    return None if found is None else found.span()


def _start(content: str, earliest: int, latest: int) -> int:
    """Return where an excerpt may begin: at a line, else at a sentence, else at ``latest``."""
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


def _open_fence(content: str, start: int) -> str:
    """Return the line that opens the code block in which an excerpt begins; empty if it begins in none."""
    for block in code_blocks(content):
        if block.start < start < block.end:
            return content[block.start : content.index("\n", block.start) + 1]
    return ""
