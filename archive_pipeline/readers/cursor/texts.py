"""The text of a prompt that has it only as the editor of prompts keeps it, which is Lexical."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from archive_pipeline.readers.json.fields import Fields
from archive_pipeline.readers.json.parsing import parse_json
from archive_pipeline.readers.json.shapes import as_list, as_object, as_text

_FORMATTED: Final = ("richText", "initText")
_DELEGATE: Final = "delegate"
_BLOCKS: Final = frozenset({"paragraph", "heading", "listitem", "quote", "code"})


def user_text(fields: Fields) -> str | None:
    """Returns what the user wrote; the formatted text stays, which also says what was mentioned."""
    left = fields.fields_left()
    for name in _FORMATTED:
        if (text := _plain(left.get(name))) is not None:
            return text
    return as_text(as_object(left.get(_DELEGATE)).get("a")) or as_text(left.get(_DELEGATE))


def _plain(value: Any) -> str | None:
    text = as_text(value)
    if text is not None:
        try:
            value, _ = parse_json(text.encode("utf-8", "surrogatepass"))
        except ValueError:
            return text
    root = as_object(as_object(value).get("root"))
    return "".join(_pieces(root)).strip("\n") or None


def _pieces(root: dict[str, Any]) -> Iterator[str]:
    """Yields the texts of a document, with a line break behind each of its blocks."""
    waiting: list[Any] = [root]
    while waiting:
        node = waiting.pop()
        if isinstance(node, str):
            yield node
            continue
        kind = as_object(node).get("type")
        yield "\n" if kind == "linebreak" else as_text(as_object(node).get("text")) or ""
        if kind in _BLOCKS:
            waiting.append("\n")
        waiting += reversed(as_list(as_object(node).get("children")))
