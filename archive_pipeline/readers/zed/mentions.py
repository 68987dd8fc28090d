"""What a prompt mentions: how it is called and where it stands, as the link in the text that the model gets says it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import PurePosixPath
from typing import Any, Final
from urllib.parse import quote, urlencode

from archive_pipeline.readers.json.shapes import as_identifier, as_object, as_text

_PATHS: Final = ("abs_path", "path", "skill_file_path", "file_path")  # "path" until October 2025
_DRIVE: Final = re.compile(r"[A-Za-z]:[\\/]")
# What stands around the name of a mention, and what one is called that has none.
_FORMS: Final = {"GitDiff": "Branch Diff ({})", "MergeConflict": "Merge Conflict ({})"}
_UNNAMED: Final = {"PastedImage": "Image", "Selection": "Untitled"}
_IN_FILES: Final = frozenset({"File", "Directory", "Symbol", "Selection"})
# Where the address of anything else stands in Zed, and what it says in its query, by the name there.
_IN_ZED: Final[Mapping[str, tuple[str, Mapping[str, str]]]] = {
    "Diagnostics": ("diagnostics", {"include_warnings": "include_warnings", "include_errors": "include_errors"}),
    "GitDiff": ("git-diff", {"base": "base_ref"}),
    "MergeConflict": ("merge-conflict", {"path": "file_path"}),
    "PastedImage": ("pasted-image", {"name": "name"}),
    "Rule": ("rule/", {"name": "name"}),
    "Skill": ("skill", {"name": "name", "source": "source", "path": "skill_file_path"}),
    "TerminalSelection": ("terminal-selection", {"lines": "line_count"}),
    "TextThread": ("text-thread/", {"name": "name"}),
    "Thread": ("thread/", {"name": "name"}),
}

_DIAGNOSTICS: Final = {"include_warnings": False, "include_errors": True}  # what no address says


def named(kind: str, fields: Mapping[str, Any]) -> str:
    """Returns what a mention is called.

    Args:
        kind: of what is mentioned, in Zed's words.
        fields: what it says.
    """
    if kind == "TerminalSelection" and type(count := fields.get("line_count")) is int:
        return f"Terminal ({count} line{'' if count == 1 else 's'})"
    said = (as_text(fields.get(name)) for name in ("name", "url", "base_ref"))
    name = next(filter(None, said), None) or _file_name(fields)
    called = _UNNAMED.get(kind, kind) if name is None else _FORMS.get(kind, "{}").format(name)
    return called + _lines(fields, " ({}:{})") if kind == "Selection" else called


def address(kind: str, fields: Mapping[str, Any]) -> str | None:
    """Returns where a mention points to: a page, a file or folder, or a place in Zed; None if that is unknown."""
    if kind == "Fetch":
        return as_text(fields.get("url"))
    if kind in _IN_ZED:
        return _address_in_zed(kind, fields)
    if kind not in _IN_FILES:
        return None
    lines = _lines(fields, "#L{}:{}")
    path = _path(fields)
    if path is None:
        return f"zed:///agent/untitled-buffer{lines}" if kind == "Selection" else None
    folder = "/" if kind == "Directory" and not path.endswith(("/", "\\")) else ""
    query = _query(fields, {"symbol": "name"} if kind == "Symbol" else {"column": "column"})
    return f"file:///{_quoted(path)}{folder}{query}{lines}"


def _address_in_zed(kind: str, fields: Mapping[str, Any]) -> str | None:
    place, query = _IN_ZED[kind]
    if not place.endswith("/"):
        return f"zed:///agent/{place}{_query(fields, query)}"
    said = fields.get("path" if kind == "TextThread" else "id")
    own = as_identifier(said) or as_text(as_object(as_object(said).get("User")).get("uuid"))
    return None if own is None else f"zed:///agent/{place}{_quoted(own)}{_query(fields, query)}"


def _query(fields: Mapping[str, Any], names: Mapping[str, str]) -> str:
    said = {name: _in_query(name, fields.get(field)) for name, field in names.items()}
    given = {name: value for name, value in said.items() if value is not None}
    return f"?{urlencode(given, errors='replace')}" if given else ""


def _in_query(name: str, value: object) -> str | None:
    if isinstance(value, bool):
        return None if _DIAGNOSTICS.get(name) == value else str(value).lower()
    if isinstance(value, int):
        return str(value + 1 if name == "column" else value)  # Zed counts columns from 0
    return as_text(value)


def _quoted(path: str) -> str:
    place = path.replace("\\", "/") if _DRIVE.match(path) else path
    return quote(place.removeprefix("/"), safe="/:", errors="replace")


def _file_name(fields: Mapping[str, Any]) -> str | None:
    path = _path(fields)
    return None if path is None else PurePosixPath(path.replace("\\", "/")).name or None


def _path(fields: Mapping[str, Any]) -> str | None:
    return next((path for name in _PATHS if (path := as_text(fields.get(name))) is not None), None)


def _lines(fields: Mapping[str, Any], form: str) -> str:
    """Returns the lines of a mention, which Zed counts from 0."""
    lines = as_object(fields.get("line_range"))
    first, last = lines.get("start"), lines.get("end")
    return form.format(first + 1, last + 1) if type(first) is int and type(last) is int else ""
