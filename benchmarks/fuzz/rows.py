"""The rows that a file would become, without a database, and what must be true of them."""

from __future__ import annotations

import itertools
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import orjson

from archive_pipeline.domain.records import RejectedRecord
from archive_pipeline.ingest import rows
from archive_pipeline.ingest.dialogue_values import fingerprint_of
from archive_pipeline.ingest.prepare import PreparedDialogue, prepare
from archive_pipeline.readers.json.parsing import DEEP_JSON_AS_TEXT, parse_json
from archive_pipeline.readers.reading import ReadDialogue, read_paths
from archive_pipeline.text.sanitize import clean_text
from benchmarks.fuzz.marks import Values

# What all texts of JSON match: most texts of rows are none, hashes and ids above all, and to try it raises an error.
_MAY_BE_JSON: Final = re.compile(r'[ \t\n\r]*(?:[{\["]|(?:-?\d[\d.eE+-]*|true|false|null)[ \t\n\r]*\Z)')


class BrokenRuleError(Exception):
    """Rows that the database would refuse, or that contradict each other."""


@dataclass(slots=True)
class ReadFile:
    """What came of a file.

    Attributes:
        dialogues: what would be rows.
        rejected: what could not be read.
        is_skipped: the user is told that there is a file without conversations.
        may_hold_more: the user is told that such a file may hold what was not read.
    """

    dialogues: list[PreparedDialogue] = field(default_factory=list)
    rejected: list[RejectedRecord] = field(default_factory=list)
    is_skipped: bool = False
    may_hold_more: bool = False


def read_file(path: Path) -> ReadFile:
    """Read a file as an import does, up to the rows."""
    result = ReadFile()
    for file in read_paths([path]):
        for item in file.records():
            if isinstance(item, ReadDialogue):
                result.dialogues.append(prepare(item.record, item.raw))
            else:
                result.rejected.append(item)
        if file.skipped is not None:
            result.is_skipped = True
            result.may_hold_more = result.may_hold_more or file.skipped.may_hold_conversations
    return result


def table_rows(dialogue: PreparedDialogue) -> Iterator[tuple[Any, ...]]:
    """Yield the dialogue's rows of all tables, JSON columns as the text that they are written as."""
    record = dialogue.record
    numbers = {message.source_id: position for position, message in enumerate(dialogue.messages)}
    yield (dialogue.id, dialogue.source_id, record.parent_source_id, record.title, dialogue.active, record.source_json)
    yield from itertools.chain(
        rows.message_rows(dialogue, numbers),
        rows.part_rows(dialogue, dialogue.messages),
        rows.attachment_rows(dialogue, dialogue.messages),
    )


def values_of(*dialogues: PreparedDialogue) -> Values:
    """Return the values in the dialogues' rows."""
    columns = [column for dialogue in dialogues for row in table_rows(dialogue) for column in row]
    texts = _texts(columns)
    found = Values(strings=texts.copy())
    for column in columns:
        if column is not None and not isinstance(column, str):
            found.add_kept(column)
    for text in texts:
        if _MAY_BE_JSON.match(text):
            found.add_kept(_as_json(text))
    if any(DEEP_JSON_AS_TEXT in dialogue.counts for dialogue in dialogues):
        _add_from_texts(found)
    return found


def _add_from_texts(found: Values) -> None:
    """Add what strings say that hold JSON text: in it, characters are escaped, and what is too deep again is text."""
    waiting = found.strings
    while waiting:
        inside = Values()
        for text in filter(_is_container, waiting):
            inside.add_kept(_as_deep_json(text))
        waiting = {clean_text(text, Counter()) for text in inside.strings} - found.strings
        found.strings |= waiting
        found.numbers |= inside.numbers
        found.keys |= {clean_text(key, Counter()) for key in inside.keys}


def _is_container(text: str) -> bool:
    return text.startswith(("[", "{"))


def _as_deep_json(text: str) -> object:
    try:
        return parse_json(text.encode())[0]
    except ValueError:
        return None


def _texts(columns: Iterable[object]) -> set[str]:
    """Return the different texts: the id of a dialogue is in most rows."""
    return {column for column in columns if isinstance(column, str)}


def _as_json(text: str) -> object:
    try:
        return orjson.loads(text)
    except orjson.JSONDecodeError:
        return None


def check_rows(dialogue: PreparedDialogue) -> None:
    """Check what the database will: texts that it takes, one row per id, parents that are there and no cycle.

    Raises:
        BrokenRuleError: one of these does not hold.
    """
    for text in _texts(itertools.chain.from_iterable(table_rows(dialogue))):
        _check_text(text)
    for name in dialogue.counts:
        _check_text(name)
    if not fingerprint_of(dialogue):
        raise BrokenRuleError("no fingerprint")
    parents = {message.source_id: message.link.parent for message in dialogue.messages}
    if len(parents) < len(dialogue.messages):
        raise BrokenRuleError("two messages with one id")
    if not {*parents.values()} <= {None, *parents}:
        raise BrokenRuleError("a parent that is no message of the dialogue")
    if _has_cycle(parents):
        raise BrokenRuleError("parents form a cycle")


def _check_text(text: str) -> None:
    if "\0" in text or "\\u0000" in text.replace("\\\\", ""):
        raise BrokenRuleError("NUL in a column")
    text.encode()


def _has_cycle(parents: dict[str, str | None]) -> bool:
    safe: set[str] = set()
    for start in parents:
        way: list[str] = []
        current: str | None = start
        while current is not None and current not in safe:
            if current in way:
                return True
            way.append(current)
            current = parents[current]
        safe.update(way)
    return False
