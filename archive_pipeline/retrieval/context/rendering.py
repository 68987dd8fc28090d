r"""The text of one source in a context: a header line and, as quoted data, its content.

``[Document 1: report.pdf, Page 3]`` (seed 002), and below it the content. Inside a content every bracket that would
begin such a header gets a backslash, whatever letters it is written in, and a code block left open is closed. So
``(?<!\\)\[Document [0-9]+: `` finds the headers of a context and nothing else.
"""

from __future__ import annotations

import re
import unicodedata
from itertools import takewhile
from typing import Final

from archive_pipeline.retrieval.context.documents import SourceDocument
from archive_pipeline.text.graphemes import grapheme_ends
from archive_pipeline.text.markdown import close_code

SEPARATOR: Final = "\n\n"
_NO_TEXT: Final = "(no text on this page)"
_LONGEST_FILENAME: Final = 120

# Brackets that are square, or look like it: full-width, small and vertical ones, CJK and mathematical ones, halves.
_OPENING: Final = (
    "[\uff3b\ufe47\u3010\ufe3b\u3016\ufe17\u3014\ufe39\ufe5d\u3018\u301a\u27e6\u2045\u2772\u27ec\u298b\u298d\u298f\u2997"
    "\u2e55\u2e57\u2e22\u2e24\u2308\u230a\u23a1\u23a2\u23a3\u29d8\u29da\u300c\ufe41\uff62\u300e\ufe43\u0f3a"
)
_CLOSING: Final = (
    "]\uff3d\ufe48\u3011\ufe3c\u3017\ufe18\u3015\ufe3a\ufe5e\u3019\u301b\u27e7\u2046\u2773\u27ed\u298c\u298e\u2990\u2998"
    "\u2e56\u2e58\u2e23\u2e25\u2309\u230b\u23a4\u23a5\u23a6\u29d9\u29db\u300d\ufe42\uff63\u300f\ufe44\u0f3b"
)
_AS_PARENTHESES: Final = str.maketrans(_OPENING + _CLOSING, "(" * len(_OPENING) + ")" * len(_CLOSING))
_OPENING_BRACKET = re.compile(
    rf"(?<!\\)[{re.escape(_OPENING)}]"
    r"(?=[\W_]{0,32}(?:[dD](?:[oO]|[^a-zA-Z])|[^\x00-\x7f]))"
)
_LOOK_AHEAD: Final = 96
_DOCUMENT_NUMBER = re.compile(r"[\W_]{0,32}".join(["", *"document", r"s?", r"\d"]), re.IGNORECASE)
# Letters of other alphabets that look like those of "documents".
_LOOKALIKES: Final = str.maketrans(
    "\u0501\u043e\u03bf\u0441\u03c5\u057d\u043c\u0435\u043f\u0578\u0442\u03c4\u0455", "doocuumenntts"
)
# Long enough to hide a header from the check, and no use in writing.
_INVISIBLE_RUN = re.compile(r"[\u00ad\u034f\u061c\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff]{8,}")
_SURROGATE = re.compile(r"[\ud800-\udfff]")
_UNPRINTABLE = re.compile(r"[\s\x00-\x1f\x7f-\x9f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]+")


def render_source(source: SourceDocument, number: int) -> str:
    """Return the block of a source: header, line break, quoted content."""
    return (
        f"[Document {number}: {safe_filename(source.filename)}, Page {source.page}]\n{quote(source.markdown_content)}"
    )


def safe_filename(filename: str) -> str:
    """Return a file name that cannot end or imitate a header: one line of at most 120 characters, no brackets."""
    name = _UNPRINTABLE.sub(" ", _SURROGATE.sub("\ufffd", filename)).strip()
    name = name.translate(_AS_PARENTHESES)
    if len(name) > _LONGEST_FILENAME:
        *_, end = 0, *takewhile(lambda end: end < _LONGEST_FILENAME, grapheme_ends(name))
        name = name[:end] + "…"
    return name or "untitled"


def quote(content: str) -> str:
    """Return a content as data: no header in it, no code block left open, no lone surrogate."""
    if not content.strip():
        return _NO_TEXT
    text = _INVISIBLE_RUN.sub("", _SURROGATE.sub("\ufffd", content))
    return close_code(_OPENING_BRACKET.sub(_escaped, text))


def _escaped(bracket: re.Match[str]) -> str:
    following = bracket.string[bracket.end() : bracket.end() + _LOOK_AHEAD]
    if not following.isascii():
        following = unicodedata.normalize("NFKD", following).casefold().translate(_LOOKALIKES)
    return f"\\{bracket.group()}" if _DOCUMENT_NUMBER.match(following) else bracket.group()
