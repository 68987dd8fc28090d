"""The readers that there are, found in this folder, and which of them a record is for.

A module or folder of ``archive_pipeline.readers`` that has the name ``READER`` is a reader. They are asked in the order
of their sources' names; the one with the highest confidence wins, of equal ones the first.
"""

from __future__ import annotations

import pkgutil
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from types import MappingProxyType
from typing import Any, Final

import archive_pipeline.readers
from archive_pipeline.errors import ConfigurationError
from archive_pipeline.readers.chat_lines.arrays import OWN_FIELDS
from archive_pipeline.readers.chat_lines.bare import is_bare, names_a_speaker
from archive_pipeline.readers.declaration import (
    CERTAIN,
    RECOGNISED,
    DatabaseReader,
    Evidence,
    Gatherer,
    PageReader,
    Reader,
    TableReader,
)
from archive_pipeline.readers.json.documents import MESSAGES
from archive_pipeline.readers.json.kinds import Kinds
from archive_pipeline.readers.json.nesting import holds_record
from archive_pipeline.readers.json.shapes import as_object

_NO_OBJECT = Evidence(0.0, "not an object")
# Of so many readers a rejected file says what they missed.
_TOLD: Final = 3
_WORD: Final = re.compile(r"\w{3,}")


@dataclass(frozen=True, slots=True)
class Verdict:
    """Which source a record is of.

    Attributes:
        source: the most likely one; None if nothing speaks for any.
        evidence: what speaks for it.
    """

    source: str | None
    evidence: Evidence

    @property
    def is_recognised(self) -> bool:
        """True if the record is a conversation by itself."""
        return self.evidence.is_enough


@cache
def readers() -> Mapping[str, Reader]:
    """Returns the readers by source, in the order of the names.

    Raises:
        ConfigurationError: if two declare the same source.
    """
    found: dict[str, Reader] = {}
    for module in pkgutil.iter_modules(archive_pipeline.readers.__path__, f"{archive_pipeline.readers.__name__}."):
        reader = getattr(import_module(module.name), "READER", None)
        if not isinstance(reader, Reader):
            continue
        if reader.source in found:
            msg = f"two readers declare the source {reader.source!r}; one of them is {module.name}"
            raise ConfigurationError(msg)
        found[reader.source] = reader
    return MappingProxyType(dict(sorted(found.items())))


@cache
def database_readers() -> Mapping[str, DatabaseReader]:
    """Returns what the sources that have databases declare of them, in the order of the names."""
    return MappingProxyType(
        {source: reader.database for source, reader in readers().items() if reader.database is not None}
    )


@cache
def page_readers() -> Mapping[str, PageReader]:
    """Returns what the sources that have pages of HTML declare of them, in the order of the names."""
    return MappingProxyType({source: reader.page for source, reader in readers().items() if reader.page is not None})


@cache
def table_readers() -> Mapping[str, TableReader]:
    """Returns what the sources that have tables of CSV declare of them, in the order of the names."""
    return MappingProxyType({source: reader.table for source, reader in readers().items() if reader.table is not None})


def reader_versions() -> dict[str, int]:
    """Returns the version of each reader by its source."""
    return {source: reader.version for source, reader in readers().items()}


def recognise(value: object) -> Verdict:
    """Returns the source a record speaks for, and how clearly."""
    best = Verdict(None, _NO_OBJECT)
    if not isinstance(value, dict):
        return best
    for source, reader in readers().items():
        evidence = reader.recognise(value)
        if evidence.confidence > best.evidence.confidence:
            best = Verdict(source, evidence)
        if evidence.confidence >= CERTAIN:
            break  # nothing can be higher, and of equal ones the first wins
    return best


def is_conversation(value: object) -> bool:
    """Tells whether a record is a conversation of some source by itself.

    What has nothing but an array that anybody may write yields to conversations of products that stand beside that.
    """
    verdict = recognise(value)
    if verdict.source is None or not verdict.is_recognised or not isinstance(value, dict):
        return False
    if verdict.evidence.confidence > RECOGNISED or readers()[verdict.source].comes_in_exports:
        return True
    beside = {name: item for name, item in value.items() if name not in OWN_FIELDS and isinstance(item, dict | list)}
    return not (beside and holds_record(beside, _is_of_product))


def is_inner_conversation(value: object) -> bool:
    """Tells whether a record is a conversation of some source also where it stands inside of another value."""
    source = recognise(value).source
    return source is not None and not readers()[source].is_plain and is_conversation(value)


def is_message(value: object) -> bool:
    """Tells an entry of an array that is one conversation, by itself."""
    return isinstance(value, dict) and not is_conversation(value) and _may_be_messages([value])


def is_conversation_array(value: Sequence[object]) -> bool:
    """Tells whether an array is one conversation: its first entry is a message, and the user or the model speaks.

    Entries that name the conversation that they are of are another product's, and one that is a conversation by itself
    makes the array a list of them.
    """
    is_whole = bool(value) and is_message(value[0]) and all(isinstance(item, dict) for item in value)
    if not is_whole or not is_bare(map(as_object, value)) or not _may_be_messages(value):
        return False
    return not any(is_conversation(item) for item in value if not names_a_speaker(as_object(item)))


def _may_be_messages(value: Sequence[object]) -> bool:
    return recognise({MESSAGES: value}).evidence.confidence > 0


def _is_of_product(value: object) -> bool:
    return recognise(value).evidence.confidence > RECOGNISED


KINDS: Final = Kinds(is_conversation, is_inner_conversation, is_message, is_conversation_array)


def is_session_line(value: Mapping[str, Any]) -> bool:
    """Tells whether an object is a line of a file that is one conversation as a whole."""
    return any(reader.is_line is not None and reader.is_line(value) for reader in readers().values())


def is_session_copy(value: Mapping[str, Any]) -> bool:
    """Tells whether a line of such a file says nothing but what other lines of it say."""
    return any(reader.is_copy is not None and reader.is_copy(value) for reader in readers().values())


def tree_of(value: Mapping[str, Any], before: str | None) -> str | None:
    """Returns the id of the conversation of a message that stands alone in its file; None if it is no such message.

    Args:
        value: an object of the file.
        before: the conversation of the message before it; None at the first.
    """
    asked = (reader.tree_of for reader in readers().values() if reader.tree_of is not None)
    return next((tree for ask in asked if (tree := ask(value, before)) is not None), None)


@cache
def message_files() -> frozenset[str]:
    """Returns the names of files that are an array of one conversation's messages."""
    return frozenset[str]().union(*(reader.message_files for reader in readers().values()))


@cache
def named_files() -> Mapping[str, re.Pattern[bytes]]:
    """Returns what objects begin with that are read with the names of their files, by the ends of those names."""
    return {end: begins for reader in readers().values() for end, begins in reader.named_files.items()}


def gatherers() -> list[Gatherer]:
    """Returns what gathers the items of a file: new ones, of each source that declares one."""
    return [reader.gatherer() for reader in readers().values() if reader.gatherer is not None]


def tried(value: object) -> str:
    """Returns what the likeliest readers found missing in a record that none recognises, and how many others asked."""
    if not isinstance(value, dict):
        return ""
    told = [f"{source}: {reason}" for likeness, source, reason in sorted(_missed(value))[:_TOLD] if any(likeness)]
    return "; ".join((*told, f"{len(readers()) - len(told)} {'others' if told else 'readers'}"))


def _missed(value: dict[str, Any]) -> Iterator[tuple[tuple[float, int, int], str, str]]:
    """Yields what each reader found missing, with how likely it is; the likeliest is the least.

    First are those to which the record looks most like a conversation, then those that say of it what they do not say
    of an empty one, then those whose reasons name fields that it has.
    """
    for source, reader in readers().items():
        evidence = reader.recognise(value)
        is_own = evidence.reason != _missed_in_empty()[source]
        fields = value.keys() & set(_WORD.findall(evidence.reason))
        yield (-evidence.confidence, -is_own, -len(fields)), source, evidence.reason


@cache
def _missed_in_empty() -> Mapping[str, str]:
    """Returns what each reader finds missing in an object without fields."""
    return MappingProxyType({source: reader.recognise({}).reason for source, reader in readers().items()})


def shape_of(value: object) -> str:
    """Describes a value that is no conversation, for the reason of its rejection."""
    if isinstance(value, dict):
        keys = ", ".join(str(key)[:40] for key in list(value)[:5])
        return f"an object with keys {keys}" if keys else "an object without keys"
    names = {list: "an array", str: "a string", bool: "true or false", type(None): "null"}
    return names.get(type(value), "a number")
