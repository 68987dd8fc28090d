r"""The text of one source in a context: a header line and, as quoted data, its content.

``[Document 1: report.pdf, Page 3]`` (seed 002), and below it the content. Inside a content every bracket that would
begin such a header gets a backslash, whatever letters it is written in, and a code block left open is closed. So
``(?<!\\)\[Document [0-9]+: `` finds the headers of a context and nothing else.
"""

from __future__ import annotations

import re
import unicodedata
from typing import Final

import regex

from archive_pipeline.context.code_blocks import close_code
from archive_pipeline.context.documents import SourceDocument

SEPARATOR: Final = "\n\n"
_NO_TEXT: Final = "(no text on this page)"
_LONGEST_FILENAME: Final = 120

_OPENING_BRACKET = re.compile(
    r"(?<!\\)[\[\uff3b\u3010\u3014\u27e6\u2045\u2772](?=[\W_]{0,32}(?:[dD](?:[oO]|[^a-zA-Z])|[^\x00-\x7f]))"
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
    """Return a file name that cannot end or imitate a header: one line, no brackets, at most 120 characters."""
    name = _UNPRINTABLE.sub(" ", _SURROGATE.sub("\ufffd", filename)).strip()
    name = name.translate({ord("["): "(", ord("]"): ")"})
    if len(name) > _LONGEST_FILENAME:
        ends = [match.end() for match in regex.finditer(r"\X", name) if match.end() < _LONGEST_FILENAME]
        name = name[: ends[-1] if ends else 0] + "…"
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
