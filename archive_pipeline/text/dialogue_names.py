"""What people call a dialogue: its title, or else how the user's first text begins.

Most sessions of agents have no title, and one of white space alone is none to people. The archive keeps it so; what is
here is for lists, pages and names of files.
"""

from __future__ import annotations

import re
from itertools import takewhile
from typing import Final, TypeGuard

from archive_pipeline.text.graphemes import grapheme_ends
from archive_pipeline.text.plain_markdown import plain_line
from archive_pipeline.text.shown_names import is_visible

UNTITLED: Final = "(untitled)"
MOST_CHARACTERS: Final = 60
# As ``derived.first_prompts`` has them: looked at in a text, and kept of its line.
_LOOKED_AT: Final = 1000
_KEPT: Final = 240
# Without any of these a line is no Markdown.
_MARKS: Final = re.compile(r"[*_`\[\]#~|<>&\\-]")


def first_line(text: str) -> str:
    """Return how a text begins, on one line, as ``derived.first_prompts`` has it."""
    return " ".join(text[:_LOOKED_AT].split())[:_KEPT]


def has_title(title: str | None) -> TypeGuard[str]:
    """Tell whether a title is one that people see."""
    return title is not None and is_visible(title)


def title_or_prompt(title: str | None, first_prompt: str | None) -> str | None:
    """Return the title, else at most ``MOST_CHARACTERS`` of how the first prompt begins, as plain text; else None."""
    if has_title(title):
        return title
    if first_prompt is None or not is_visible(first_prompt):
        return None
    line = " ".join(first_prompt.split())
    line = (plain_line(line) if _MARKS.search(line) else line) or line
    if len(line) <= MOST_CHARACTERS:
        return line
    *_, end = 0, *takewhile(lambda end: end < MOST_CHARACTERS, grapheme_ends(line))
    cut = line[:end]
    # Within a word only if that is most of the line; of scripts without spaces everywhere.
    word_end = cut.rfind(" ")
    is_within_word = line[end : end + 1] != " " and word_end > MOST_CHARACTERS // 2
    return f"{cut[:word_end] if is_within_word else cut.rstrip()}…"


def dialogue_name(title: str | None, first_prompt: str | None) -> str:
    """Return what a dialogue is called."""
    return title_or_prompt(title, first_prompt) or UNTITLED
