"""Links of a text that a browser can follow; the addresses of others stand beside their words.

Answers of agents name files of the machine that they worked on (``/workspace/main.py``, ``sandbox:/mnt/data/a.csv``).
As links these would lead into the server of the pages. A link holds no link either: browsers end the outer one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from markdown_it import MarkdownIt
from markdown_it.common.normalize_url import normalizeLinkText
from markdown_it.rules_core import StateCore
from markdown_it.token import Token

# Without the slashes a browser takes the rest for a path of its own page.
_FOLLOWED: Final = re.compile(r"https?://|mailto:", re.IGNORECASE)
# An address may be a whole picture (``data:``).
_MOST_CHARACTERS: Final = 200


def show_addresses(parser: MarkdownIt) -> None:
    """Give a parser the rule that leaves links to web and mail addresses alone."""
    parser.core.ruler.after("inline", "shown_addresses", _show_addresses)


def _show_addresses(state: StateCore) -> None:
    for token in state.tokens:
        if token.type == "inline" and token.children:
            token.children = list(_shown(token.children))


def _shown(tokens: Sequence[Token]) -> Iterator[Token]:
    opened: list[tuple[int, bool]] = []  # where each link begins, and whether it stays one
    is_within = False
    for index, token in enumerate(tokens):
        if token.type == "link_open":
            opened.append((index, not is_within and _is_followed(token, "href")))
            if opened[-1][1]:
                is_within = True
                yield token
        elif token.type == "link_close":
            start, is_link = opened.pop()
            if is_link:
                is_within = False
                yield token
            elif not is_within:
                said = "".join(inner.content for inner in tokens[start + 1 : index])
                yield from _address(tokens[start], "href", said)
        else:
            yield from _image(token, is_within=is_within) if token.type == "image" else (token,)


def _is_followed(token: Token, name: str) -> bool:
    return _FOLLOWED.match(str(token.attrs.get(name, ""))) is not None


def _image(token: Token, *, is_within: bool) -> Iterator[Token]:
    """Yield an image that becomes a link, else what it is called: within a link nothing else."""
    if _is_followed(token, "src") and not is_within:
        yield token
        return
    said = token.content or "image"
    yield Token("text", "", 0, content=said)
    if not is_within:
        yield from _address(token, "src", said)


def _address(token: Token, name: str, said: str) -> Iterator[Token]:
    """Yield what shows the address of a link or an image, and its title, unless its words are the address."""
    address = normalizeLinkText(str(token.attrs.get(name, "")))
    title = token.attrs.get("title")
    if address in {"", said} and not title:
        return
    cut = address if len(address) <= _MOST_CHARACTERS else f"{address[:_MOST_CHARACTERS]}…"
    yield Token("text", "", 0, content=" (")
    yield Token("code_inline", "code", 0, content=cut, attrs={"title": title} if title else {})
    yield Token("text", "", 0, content=")")
