"""Links of documents: the schemes that may stand in a page, and how the others are made harmless.

Who wrote a document is unknown, and its pages are shown where links can be followed. An address is allowed if it leads
to the web (http, https) or to a mailbox, or if it has no scheme: a place in the document, or beside it.
"""

from __future__ import annotations

import html
import re
from typing import Final
from urllib.parse import unquote

ALLOWED_SCHEMES: Final = frozenset({"http", "https", "mailto"})
# Before an address, it makes its scheme one that nothing follows, and leaves it to be read.
NEUTRAL: Final = "unsafe:"
_HARMLESS: Final = ALLOWED_SCHEMES | {NEUTRAL[:-1]}

# A browser drops white space and control characters at the beginning, some of them anywhere; characters without width
# get lost on other ways.
_DROPPED: Final = re.compile(r"[\x00-\x20\x7f-\xa0\xad\u200b-\u200f\u2028-\u202e\u2060-\u2064\ufeff]+")
_SCHEME: Final = re.compile(r"([a-z][a-z0-9+.-]*):", re.IGNORECASE)
_BACKSLASH: Final = re.compile(r"\\([!-/:-@\[-`{-~])")
# Decoding that is nested deeper is not an address but an attempt.
_MOST_DECODINGS: Final = 5

# Where a destination begins, and as much of it as can belong to a scheme; in angle brackets that may have white space.
_SCHEME_IN_BRACKETS: Final = r"<[^<>\n()\[\]]*+|[^\s()<>\[\]]*+"
_INLINE: Final = re.compile(rf"(\]\([ \t\r\n]*+)({_SCHEME_IN_BRACKETS})")
# `[label]: destination "title"` on a line of its own, in quotes and lists too.
_DEFINITION: Final = re.compile(
    r"^([ \t>*+.)\d-]*+\[(?:[^\]\\]|\\.){0,999}+\]:[ \t]*+(?:\r?\n)?[ \t>]*+)"
    r"(<[^<>\n]*+|[^\s<>]*+)(?=>?[ \t]*+(?:$|[\r\"'(]))",
    re.MULTILINE | re.DOTALL,
)
# In raw HTML and in `<scheme:...>` only schemes that do something: others are names of XML more often than addresses.
_ATTRIBUTE: Final = re.compile(
    r"\b(href|src|srcset|action|formaction|data|poster|background|cite)([ \t\r\n]*=[ \t\r\n]*[\"']?)([^\"'<>()]*)",
    re.IGNORECASE,
)
_AUTOLINK: Final = re.compile(r"(<)((?:javascript|vbscript|livescript|data):)", re.IGNORECASE)
_ACTIVE_SCHEMES: Final = frozenset({"javascript", "vbscript", "livescript", "data"})

# What would end a destination in Markdown, or begin something else.
_NOT_IN_DESTINATION: Final = re.compile(r"[\x00-\x20\x7f-\xa0\"'()<>\[\\\]`{|}]")


def is_allowed(address: str) -> bool:
    """Tell whether an address may be followed, whichever way it is written."""
    return schemes_of(address) <= ALLOWED_SCHEMES


def schemes_of(address: str) -> set[str]:
    """Return the schemes that an address has, as it is and decoded: entities, percent signs, backslashes."""
    found: set[str] = set()
    for _ in range(_MOST_DECODINGS):
        match = _SCHEME.match(_DROPPED.sub("", address))
        if match:
            found.add(match.group(1).lower())
        decoded = unquote(html.unescape(_BACKSLASH.sub(r"\1", address)))
        if decoded == address:
            break
        address = decoded
    return found


def as_destination(address: str) -> str:
    """Return an address as a destination of Markdown that ends where the address does."""
    return _NOT_IN_DESTINATION.sub(lambda found: "".join(f"%{byte:02X}" for byte in found[0].encode()), address.strip())


def with_harmless_links(markdown: str) -> str:
    """Return Markdown in which every link has an allowed scheme; ``unsafe:`` stands before the others.

    It looks for what can become a link, in code too: a page may be cut, quoted or nested in another text.
    """
    if "]" in markdown:
        markdown = _INLINE.sub(_neutral, markdown)
        markdown = _DEFINITION.sub(_neutral, markdown)
    if "=" in markdown:
        markdown = _ATTRIBUTE.sub(_neutral_attribute, markdown)
    return _AUTOLINK.sub(rf"\1{NEUTRAL}\2", markdown) if "<" in markdown else markdown


def _neutral(found: re.Match[str]) -> str:
    before, address = found.groups()
    if schemes_of(address.removeprefix("<")) <= _HARMLESS:
        return found[0]
    return f"{before}<{NEUTRAL}{address[1:]}" if address.startswith("<") else f"{before}{NEUTRAL}{address}"


def _neutral_attribute(found: re.Match[str]) -> str:
    is_active = schemes_of(found[3]) & _ACTIVE_SCHEMES
    return f"{found[1]}{found[2]}{NEUTRAL}{found[3]}" if is_active else found[0]
