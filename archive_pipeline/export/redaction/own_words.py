"""Words and names that the user wants replaced, as texts have them."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Final, NamedTuple

from archive_pipeline.export.redaction.scripts import ESCAPED_END, JOINED

_JOINED: Final = re.compile(f"[{JOINED}]")
# Between the words of a name: blanks and line ends, and what stands for them in addresses, file names and JSON.
_BETWEEN: Final = r"(?:\s|[._+-]|%20|\\[nrt]){1,4}"
_BLANKS: Final = re.compile(r"[\s._+-]+")
_APOSTROPHE: Final = "['\u2019\u02bc]"


class _Edges(NamedTuple):
    before: str
    after: str


def words_pattern(words: Sequence[str]) -> re.Pattern[str]:
    """Return the pattern for places of words in any case, composed or decomposed, also as JSON escapes them.

    The word of a place is its group; another one may begin within it, so that no word hides one that overlaps it.
    A word ends where a letter follows no letter, and a digit no digit: "anna" is in ``anna_2``, not in "Annalena".
    Scripts that join words have no such ends.
    """
    longest_first = sorted(set(words), key=lambda word: (-_letters(word), -len(word), word))
    forms = [form for word in longest_first for form in _forms(word)]
    groups = (
        f"{edges.before}(?:{'|'.join(pattern for _, pattern in group)}){edges.after}"
        for edges, group in groupby(((_edges(form), _pattern(form)) for form in forms), key=lambda pair: pair[0])
    )
    return re.compile(f"(?=({'|'.join(groups)}))", re.IGNORECASE)


def _letters(word: str) -> int:
    """Count what is in a word however its parts are joined: of words that begin alike, more of it is the longer one."""
    return len(_BLANKS.sub("", unicodedata.normalize("NFC", word)))


def _forms(word: str) -> Iterator[str]:
    composed = unicodedata.normalize("NFC", word)
    seen: set[str] = set()
    for form in (composed, unicodedata.normalize("NFD", word), composed.casefold()):
        # A pattern in any case knows no case of what is escaped.
        escaped = (json.dumps(each)[1:-1] for each in (form, form.lower(), form.upper(), form.title()))
        for each in (form, *([] if form.isascii() else escaped)):
            if each not in seen:
                seen.add(each)
                yield each


def _pattern(form: str) -> str:
    return _BETWEEN.join(re.escape(part).replace("'", _APOSTROPHE) for part in form.split())


def _edges(form: str) -> _Edges:
    return _Edges(_edge(form[0], "(?<!{})", f"|{ESCAPED_END}"), _edge(form[-1], "(?!{})", ""))


def _edge(character: str, look: str, otherwise: str) -> str:
    if character.isdigit():
        kind = r"\d"
    elif (character.isalpha() or unicodedata.combining(character)) and not _JOINED.match(character):
        kind = rf"[^\W\d_{JOINED}]"
    else:
        return ""
    return f"(?:{look.format(kind)}{otherwise})"
