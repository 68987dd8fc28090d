"""HTML to Markdown, of documents and of answers. Scripts, styles and embedded objects are no text and are left out.

The libraries are imported at the first conversion: most commands convert nothing.
"""

from __future__ import annotations

import re
from collections import Counter
from functools import cache
from importlib import import_module
from typing import Any, Final

from archive_pipeline.text.links import as_destination, is_allowed
from archive_pipeline.text.sanitize import clean_text

_NO_TEXT: Final = ("script", "style", "template", "noscript", "iframe", "object", "embed", "svg", "head")
_LANGUAGE: Final = "language-"
# The converter calls itself for each level: how deep it gets depends on who called it, and what is read must not.
_MAX_DEPTH: Final = 100
# For each tag that never ends the parser reads on to the end of the text: as text, many cost no more than few.
_MOST_UNFINISHED: Final = 100
_UNFINISHED: Final = re.compile(r"<(?![^<>]*>)")
_library = cache(import_module)


def html_as_markdown(html: str) -> str:
    """Return HTML as Markdown, its bare text if it is nested too deep; code blocks keep the language of their class."""
    soup = _parsed(_finished(html))
    clean(soup)
    if _is_too_deep(soup):
        return str(soup.get_text("\n")).strip("\n")
    return markdown_of(soup, code_language_callback=_language_of, escape_underscores=False).strip("\n")


def _parsed(html: str) -> Any:
    parse = _library("bs4").BeautifulSoup
    try:
        return parse(html, "html.parser")
    except UnicodeEncodeError:  # it encodes a short text without tags, to warn of names of files
        return parse(clean_text(html, Counter()), "html.parser")


def _finished(html: str) -> str:
    """Return HTML in which few tags are unfinished."""
    escaped, number = _UNFINISHED.subn("&lt;", html)
    return escaped if number > _MOST_UNFINISHED else html


def markdown_of(soup: Any, **options: Any) -> str:
    """Return the Markdown of what Beautiful Soup has parsed; the options are those of markdownify."""
    converter = _library("markdownify").MarkdownConverter(heading_style="ATX", bullets="-", **options)
    markdown: str = converter.convert_soup(soup)
    return markdown


def clean(soup: Any) -> None:
    """Take out what is no text, and make addresses and cells safe for Markdown."""
    bs4 = _library("bs4")
    for text in soup.find_all(string=True):
        if isinstance(text, (bs4.Comment, bs4.Doctype, bs4.ProcessingInstruction)):
            text.extract()
    for element in soup.find_all(_NO_TEXT):
        element.decompose()
    _clean_addresses(soup)
    _escape_cells(soup)


def _clean_addresses(soup: Any) -> None:
    for link in soup.find_all("a", href=True):
        if is_allowed(link["href"]):
            link["href"] = as_destination(link["href"])
        else:
            del link["href"]
    for image in soup.find_all("img", src=True):
        # What is not allowed is most often the picture itself, as text.
        image["src"] = as_destination(image["src"]) if is_allowed(image["src"]) else ""
    for element in soup.find_all(["a", "img"], title=True):
        element["title"] = " ".join(element["title"].replace("\\", "").split())


def _escape_cells(soup: Any) -> None:
    for cell in soup.find_all(["td", "th"]):
        for text in cell.find_all(string=True):
            if "|" in text and text.find_parent(["td", "th"]) is cell:
                text.replace_with(text.replace("|", "\\|"))


def _is_too_deep(soup: Any) -> bool:
    tag = _library("bs4").Tag
    level = [soup]
    for _ in range(_MAX_DEPTH):
        level = [child for element in level for child in element.children if isinstance(child, tag)]
    return bool(level)


def _language_of(block: Any) -> str:
    code = block.find("code")
    names = [*block.get("class", ()), *(code.get("class", ()) if code is not None else ())]
    return next((name.removeprefix(_LANGUAGE) for name in names if name.startswith(_LANGUAGE)), "")
