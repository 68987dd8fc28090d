"""What a prompt mentions: how it is called and where it stands, as the link in the text that the model gets says it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import PurePosixPath
from typing import Any, Final
from urllib.parse import quote

from archive_pipeline.readers.json.shapes import as_object, as_text

_PATHS: Final = ("abs_path", "path", "skill_file_path", "file_path")  # "path" until October 2025
_DRIVE: Final = re.compile(r"[A-Za-z]:[\\/]")


def named(kind: str, fields: Mapping[str, Any]) -> str:
    """Returns what a mention is called.

    Args:
        kind: of what is mentioned, in Zed's words.
        fields: what it says.
    """
    path = _path(fields)
    name = as_text(fields.get("name")) or as_text(fields.get("url"))
    if name is None and path is not None:
        name = PurePosixPath(path.replace("\\", "/")).name
    return (name or as_text(fields.get("base_ref")) or kind) + ("" if kind == "Symbol" else _lines(fields, " ({}-{})"))


def address(kind: str, fields: Mapping[str, Any]) -> str | None:
    """Returns where a mention points to: a page, a file or folder with its lines, or another thread; else None."""
    path, thread = _path(fields), as_text(fields.get("id"))
    if kind == "Fetch":
        return as_text(fields.get("url"))
    if kind == "Thread" and thread is not None:
        return f"zed:///agent/thread/{quote(thread)}"
    if path is None:
        return None
    place = f"/{path}".replace("\\", "/") if _DRIVE.match(path) else path
    return f"file://{quote(place, safe='/:', errors='replace')}{_lines(fields, '#L{}:{}')}"


def _path(fields: Mapping[str, Any]) -> str | None:
    return next((path for name in _PATHS if (path := as_text(fields.get(name))) is not None), None)


def _lines(fields: Mapping[str, Any], form: str) -> str:
    """Returns the lines of a mention, which Zed counts from 0."""
    lines = as_object(fields.get("line_range"))
    first, last = lines.get("start"), lines.get("end")
    return form.format(first + 1, last + 1) if type(first) is int and type(last) is int else ""
