"""What the user typed, and what Gemini CLI puts beside it: files that ``@`` names, its own words, whole commands."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any, Final, Protocol

from archive_pipeline.domain.records import PartRecord, PartType
from archive_pipeline.readers.gemini_cli.wording import split_prompt
from archive_pipeline.readers.gemini_parts import content_parts
from archive_pipeline.readers.json.fields import Fields
from archive_pipeline.readers.json.shapes import as_object, as_text

_SHOWN: Final = "displayContent"


class Split(Protocol):
    """Splits a text of a prompt into pieces, each with whether it is put in; tells whether the next part is a file."""

    def __call__(self, text: str, *, is_file: bool) -> tuple[list[tuple[bool, str]], bool]:
        """Returns the pieces, and what the next part is."""
        ...


def said_by_user(fields: Fields, content: Any, warnings: Counter[str]) -> Iterator[PartRecord]:
    """Yields the parts of a message of the user: the text is what the user typed, all else that is put in context.

    Args:
        fields: of the message; what it shows instead of its content is taken.
        content: what the model is told.
        warnings: where parts of no known kind are counted.
    """
    parts = list(content_parts(content, "content", warnings))
    shown = _shown(fields)
    typed = "".join(shown)
    if not typed.strip() or typed == "".join(part.text or "" for part in parts if part.part_type is PartType.TEXT):
        yield from split_texts(parts, split_prompt)
        return
    unread = [item for item in fields.take_items(_SHOWN) if not _is_text(item)]
    fields.put_back(_SHOWN, unread)
    yield from (PartRecord(PartType.TEXT, text, _SHOWN) for text in shown)
    yield from beside_shown(parts, shown)


def beside_shown(parts: Sequence[PartRecord], shown: Sequence[str]) -> Iterator[PartRecord]:
    """Yields what the model is told beside what the user typed: of texts, those that say something else."""
    for part in parts:
        if part.part_type is not PartType.TEXT:
            yield part
        elif part.text not in shown or part.source is not None:
            yield replace(part, part_type=PartType.CONTEXT)


def _shown(fields: Fields) -> list[str]:
    """Returns the texts of what the user sees."""
    value = fields.fields_left().get(_SHOWN)
    items = value if isinstance(value, list) else [value]
    return [text for item in items if (text := as_text(item) or as_text(as_object(item).get("text"))) is not None]


def _is_text(item: object) -> bool:
    return isinstance(item, str) or (as_object(item).keys() == {"text"} and isinstance(as_object(item)["text"], str))


def split_texts(parts: Sequence[PartRecord], split: Split) -> Iterator[PartRecord]:
    """Yields the parts of a prompt, what is put into its texts as context."""
    is_file = False
    for part in parts:
        if part.part_type is not PartType.TEXT or part.text is None:
            yield part
            continue
        pieces, is_file = split(part.text, is_file=is_file)
        source = part.source if len(pieces) < 2 else {**as_object(part.source), "text": part.text}
        for is_context, text in pieces:
            part_type = PartType.CONTEXT if is_context else PartType.TEXT
            yield replace(part, part_type=part_type, text=text, source=source)
            source = None
