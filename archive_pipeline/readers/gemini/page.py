"""Takeout's page of the Gemini app's activity, ``MyActivity.html``: each record as ``MyActivity.json`` would have it.

Only places of the page tell what is what: a record's first line is the prompt, one line is nothing but a time, and what
follows it is the answer. What is in no field of the JSON stays as HTML by the name of its place.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from html import unescape
from typing import Any, Final

from archive_pipeline.readers.declaration import PageReader
from archive_pipeline.readers.gemini.page_times import is_time

# More than any answer has; each takes about a kilobyte while the answer becomes Markdown.
MAX_TAGS: Final = 200_000
_HEADER: Final = re.compile(rb'class="header-cell[^>]{0,200}>(.{0,1000}?)</div>', re.DOTALL)
_PRODUCT: Final = re.compile(rb"\b(?:gemini|bard)\b", re.IGNORECASE)
_CELL: Final = re.compile(r'<div\b[^<>]{0,100}?\bclass="((?:header|content)-cell\b[^"<>]{0,300})"[^<>]{0,100}>')
_BREAK: Final = re.compile(r"<br\s{0,9}/?>", re.IGNORECASE)
_BLOCK: Final = re.compile(r"<(?:p|h[1-6]|ul|ol|table|pre|div|blockquote|hr|section|figure)\b", re.IGNORECASE)
_LINE_END: Final = re.compile(f"{_BREAK.pattern}|{_BLOCK.pattern}", re.IGNORECASE)
_TAG: Final = re.compile(r"<[^<>]*>")
_LINK: Final = re.compile(r'<a\b[^<>]{0,100}?\bhref="([^"<>]*)"[^<>]*>([^<>]*)</a>', re.IGNORECASE)
_IMAGE: Final = re.compile(r'<img\b[^<>]{0,100}?\bsrc="([^"<>]*)"', re.IGNORECASE)
_ADDRESS: Final = re.compile(r"[a-z][a-z0-9+.-]*:|//|#", re.IGNORECASE)
# The line before the files says how many there are; that of another language is told by its number.
_GENERATED: Final = re.compile(r"\d+ generated images?\.?")
_COUNTED: Final = re.compile(rf"Attached \d+ files?\.?|{_GENERATED.pattern}")
_COUNTED_ANYHOW: Final = re.compile(r"(?=\D*\d+\D*$).{0,60}")
_CLOSING: Final = "</div>"


def is_own(beginning: bytes) -> bool:
    """Tells whether a record is of Gemini, by its header."""
    header = _HEADER.search(beginning)
    return header is not None and _PRODUCT.search(header[1]) is not None


PAGE_READER: Final = PageReader(b'<div class="outer-cell', is_own, "activity of another product than Gemini")


def as_activity(html: str) -> dict[str, Any]:
    """Returns a record of the page as a record of activity; its time is the text of the page."""
    cells = dict(_cells(html))
    head, time, answer = _split(cells.pop("body", ""))
    title, files, is_all_said = _said(head)
    known = {file["url"] for file in files}
    shown = [name for name in map(unescape, _IMAGE.findall(cells.get("preview", ""))) if name not in known]
    fields: dict[str, Any] = {
        "header": _text(cells.pop("header", "")),
        "title": title,
        "time": time,
        "subtitles": files,
        "imageFile": [name for name in shown if not _ADDRESS.match(name)],
        "safeHtmlItem": [{"html": answer}] if answer else [],
        "head": None if is_all_said else head,
        **cells,
    }
    return {name: value for name, value in fields.items() if value}


def _cells(html: str) -> Iterator[tuple[str, str]]:
    """Yields the cells of a record by their places; what is unlike any known cell has a name with its number."""
    found = list(_CELL.finditer(html))
    seen: set[str] = set()
    for number, cell in enumerate(found):
        is_last = number + 1 == len(found)
        name = _place(cell[1])
        if name is None or name in seen:
            name = f"cell_{number}"
        seen.add(name)
        inside = html[cell.end() : len(html) if is_last else found[number + 1].start()]
        yield name, _closed(inside, is_last=is_last)


def _place(classes: str) -> str | None:
    if classes.startswith("header-cell"):
        return "header"
    if "text-right" in classes:
        return "preview"
    if "caption" in classes:
        return "caption"
    return "body" if "body-1" in classes else None


def _closed(inside: str, *, is_last: bool) -> str:
    """Returns what stands in a cell, without the end tags of it and of what is around it."""
    end = _before_space(inside, len(inside))
    if is_last:
        for tag in ("</html>", "</body>"):
            end = _before_space(inside, _before(tag, inside, end))
    closed = _before(_CLOSING, inside, end)
    while is_last and closed != end:
        end = _before_space(inside, closed)
        closed = _before(_CLOSING, inside, end)
    return inside[:closed].strip()


def _before(tag: str, text: str, end: int) -> int:
    """Returns where a tag begins that a part of a text ends with; the end of the part if it does not."""
    return end - len(tag) if text.endswith(tag, 0, end) else end


def _before_space(text: str, end: int) -> int:
    while end and text[end - 1].isspace():
        end -= 1
    return end


def _split(body: str) -> tuple[str, str | None, str]:
    """Returns what stands before the time, the time as it is written, and the answer behind it.

    The time is the last such line before the answer, which begins with a block: a prompt may have one too. Without a
    time the first block tells where the answer begins, as a prompt has none.
    """
    block = _BLOCK.search(body)
    begins = block.start() if block else len(body)
    times = [line for line in _lines(body) if is_time(line[0])]
    before = [line for line in times if line[1] <= begins]
    chosen = before[-1] if before else next(iter(times), None)
    if chosen is None:
        return body[:begins], None, body[begins:].strip()
    text, start, end = chosen
    return body[:start], text, _BREAK.sub("", body[end:].lstrip(), count=1).strip()


def _lines(body: str) -> Iterator[tuple[str, int, int]]:
    """Yields the lines that may be a time, with where they begin and end."""
    start = 0
    while start <= len(body):
        found = _LINE_END.search(body, start)
        end = found.start() if found else len(body)
        if end - start < 200 and not _TAG.search(body, start, end):
            yield _text(body[start:end]), start, end
        start = found.end() if found else len(body) + 1


def _said(head: str) -> tuple[str, list[Mapping[str, str]], bool]:
    """Returns the title, the files that were attached, and whether they are all that stands before the time."""
    lines = _BREAK.split(head)
    texts: list[str] = []
    files: list[Mapping[str, str]] = []
    is_behind_text = False
    for line in lines:
        attached = [] if not texts else [found for found in _LINK.findall(line) if not _ADDRESS.match(found[0])]
        if not attached:
            texts.append(_text(line))
        elif is_behind_text and len(texts) > 1 and (_COUNTED if files else _COUNTED_ANYHOW).fullmatch(texts[-1]):
            texts.pop()
        files += [{"name": unescape(name).strip() or unescape(url), "url": unescape(url)} for url, name in attached]
        is_behind_text = not attached
    _leave_out_generated(texts)
    return "\n".join(texts).strip(), files, not _TAG.search("".join(lines)) and len(texts) == len(lines)


def _leave_out_generated(texts: list[str]) -> None:
    """Removes the last line that says something if it counts generated images, which may have no link."""
    last = next((place for place in range(len(texts) - 1, 0, -1) if texts[place]), None)
    if last is not None and _GENERATED.fullmatch(texts[last]):
        del texts[last]


def _text(html: str) -> str:
    return unescape(_TAG.sub("", html)).strip()
