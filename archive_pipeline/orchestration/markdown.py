"""Texts in Dagster's descriptions and reports, which its UI takes for Markdown with HTML in it."""

from __future__ import annotations

import re
from typing import Final
from urllib.parse import quote

# Marks of Markdown and HTML anywhere, those that only begin a line, and what programs make links of.
_MARKS: Final = re.compile(r"([\\`*_\[\]<>~|&!]|^[-+#=]|(?<=\w):(?=//)|(?<=www)\.|(?<=\w)@(?=\w))")
_NUMBERED: Final = re.compile(r"^(\d+)([.)])")


def escaped(text: str) -> str:
    """Return Markdown that shows the text as it is, on one line: no markup, no link, no picture."""
    return _NUMBERED.sub(r"\1\\\2", _MARKS.sub(r"\\\1", " ".join(text.split())))


def as_image(svg: str, description: str) -> str:
    """Return Markdown that shows a picture without any file; as text, which PostgreSQL compresses."""
    return f"![{description}](data:image/svg+xml,{quote(svg)})"
