"""What a reader says of itself: its source, what it recognises and reads, and what else stands in its files."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Protocol

from archive_pipeline.domain.records import DialogueRecord, RejectedRecord

# From here on a record is taken for a conversation of a source by itself. Below, only in a file of that source.
RECOGNISED: Final = 0.5
CERTAIN: Final = 1.0

Converter = Callable[[Mapping[str, Any], str], DialogueRecord | RejectedRecord]


@dataclass(frozen=True, slots=True)
class Evidence:
    """What speaks for a record being a conversation of one source.

    Attributes:
        confidence: from 0 (nothing) to 1 (its messages are as this vendor writes them); from ``RECOGNISED`` on it is
            enough, below it the record looks like a conversation that lost its messages.
        reason: what was found, or what was missing.
    """

    confidence: float
    reason: str

    @property
    def is_enough(self) -> bool:
        """True if the record is recognised by itself."""
        return self.confidence >= RECOGNISED


@dataclass(frozen=True, slots=True)
class StoredFiles:
    """Where a database holds the content of files that messages came with, as BLOBs.

    Attributes:
        table, content: the table and the column of the content.
        file_id: the column of the id by which messages point to it.
    """

    table: str
    content: str
    file_id: str


@dataclass(frozen=True, slots=True)
class WholeRows:
    """A table of which each row is a conversation, as the product's export has it.

    Attributes:
        table: its name.
        flags: columns whose numbers the export has as true and false.
    """

    table: str
    flags: frozenset[str]


@dataclass(frozen=True, slots=True)
class Entries:
    """A table of keys and values, of which only those under some keys are conversations; no other value is read.

    Attributes:
        key, value: its columns. A value is JSON; both may be texts or the bytes of one.
        pattern: what a key of a conversation is as a whole. Its groups are the columns that the queries use.
        is_own: no other product has a table of the name. Else a database is only the product's if it has such a key.
        said: the conversations in a value that is all of a conversation, or of several; none if nothing is said in it.
    """

    key: str
    value: str
    pattern: re.Pattern[str]
    is_own: bool
    said: Callable[[Any], list[Any]]


@dataclass(frozen=True, slots=True)
class DatabaseReader:
    """How conversations are found in a product's database of SQLite (``readers.databases``).

    Each becomes an object with the name of the source as ``database``, its ``conversation_id``, and ``tables``: the
    rows that belong to it by table, each with all of its columns. ``unreadable_rows`` has those that are damaged.
    Where a row is a conversation by itself, it becomes the object that the product's export has of it.

    Attributes:
        layouts: tables with columns that a layout of the database has; one with all of a layout is the product's.
        keys: the tables that rows are taken from, with the columns that the queries use. They are copied to a database
            of our own, where the queries run: a table has its row's number as ``row_id``, and an index on each column.
            What a database lacks is there without rows.
        conversations: name of the query of all conversations' ids, in their order.
        rows: name of the query of one's rows, by ``:id``: ``source_table`` and ``row_id``, in the order of the tables.
        json: by table, columns whose texts are JSON, which are handed on as values.
        packed: by table, columns whose texts and BLOBs are JSON, compressed with zstd or not, which are handed on as
            values.
        files: where contents of files are; None if there are none.
        whole_rows: the table whose rows are conversations; None if conversations are rows of several.
        entries: the tables that are keys and values, which are among ``keys`` too.
        secrets: fields of values of ``entries`` and ``json`` that are never handed on, wherever in a value they stand.
    """

    layouts: tuple[Mapping[str, frozenset[str]], ...]
    keys: Mapping[str, tuple[str, ...]]
    conversations: str
    rows: str
    json: Mapping[str, frozenset[str]] = field(default_factory=dict)
    packed: Mapping[str, frozenset[str]] = field(default_factory=dict)
    files: StoredFiles | None = None
    whole_rows: WholeRows | None = None
    entries: Mapping[str, Entries] = field(default_factory=dict)
    secrets: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class PageReader:
    """How records are found in a product's page of HTML (``readers.pages``).

    Each becomes an object with the name of the source as ``page`` and its HTML as ``record``.

    Attributes:
        begins: what every record begins with, and nothing else in the page has.
        is_own: tells by the beginning of a record whether it is of the product: pages of others look the same.
        others: what pages of others are, for the reason why they are left out.
    """

    begins: bytes
    is_own: Callable[[bytes], bool]
    others: str


@dataclass(frozen=True, slots=True)
class TableReader:
    """How a product's tables of CSV are told (``readers.csv_rows``).

    A table is handed on line by line: an object with the name of the source as ``csv`` and its ``columns``, then an
    object for each row. The source's gatherer makes conversations of them.

    Attributes:
        layouts: names of columns; a table with all of a layout is the product's.
        is_row: tells a row from what only looks like one, behind damage.
    """

    layouts: tuple[frozenset[str], ...]
    is_row: Callable[[Mapping[str, str]], bool]


class Gatherer(Protocol):
    """Gathers the items of one file by conversation."""

    @property
    def left_out(self) -> str | None:
        """What of the file is no part of any conversation and is not handed on, when all was taken; None if nothing."""
        ...

    def takes(self, value: Mapping[str, Any]) -> bool:
        """Tells by its first item whether a file is gathered."""
        ...

    def add(self, raw: bytes, value: object) -> Iterator[bytes]:
        """Adds an item, as the file has it and as its value; yields what is handed on."""
        ...

    def all(self) -> Iterator[bytes]:
        """Yields all that is held."""
        ...


@dataclass(frozen=True, slots=True)
class Reader:
    """A source format. A module or folder of ``archive_pipeline.readers`` declares it by the name ``READER``.

    Attributes:
        source: the name in ``raw.sources``: lower case, no product version.
        description: what the source is, for ``raw.sources``.
        version: of the rules by which records become rows; the next number wherever the same file gives other rows, so
            that archives know which dialogues an earlier one read. ``make golden`` records the rows of each.
        recognise: judges one object; it must be quick to see that an object is something else.
        read: one conversation object and its place to a dialogue, or why it is none.
        beside: fields that stand beside the array of conversations in the vendor's file and hold none.
        is_line: tells a line of a file that is one conversation as a whole, such as an agent's session. Such a file is
            recognised and read as one object with its ``lines`` (``readers.json_lines``). None if the source has none.
        is_copy: tells a line of such a file that says nothing but what other lines of it say. Of a file that is too
            large, these are left out first (``readers.line_budget``). None if there are none.
        tree_of: tells a message that stands alone in its file, by the object and the tree of the message before: the id
            of the conversation that it belongs to, None of what is no such message. The messages of each are recognised
            and read as one object (``readers.gathered``). None if the source has none.
        message_files: names of files that are an array of one conversation's messages. Such a file is recognised and
            read as one object with its ``messages`` (``readers.message_files``).
        named_files: what objects begin with of which only the names of their files say which conversation they are, by
            the end of that name. Such an object is recognised and read with the name as its ``file``.
        gatherer: makes what gathers the items of one file by conversation, where they have more of it than a message,
            or of several. Each is recognised and read as one object. None if the source has no such files.
        inner: yields the conversations that stand inside of one, of subagents, each with its place below it. They are
            read as dialogues of their own, before the one that they stand in. None if there are none.
        database: how conversations are found in the product's database. None if it has none.
        page: how records are found in the product's page of HTML. None if it has none.
        table: how the product's tables of CSV are told. None if it has none.
        comes_in_exports: a file may be all that an account has, so that what it lacks is gone; not so of datasets, of
            which each has conversations of its own, nor of files that are one conversation.
        is_plain: its records have nothing but fields that anybody may write, such as a question and an answer. They are
            read where they are the elements of a file, not inside of other values, nor in a file of another source.
    """

    source: str
    description: str
    version: int
    recognise: Callable[[Mapping[str, Any]], Evidence]
    read: Converter
    beside: frozenset[str] = frozenset()
    is_line: Callable[[Mapping[str, Any]], bool] | None = None
    is_copy: Callable[[Mapping[str, Any]], bool] | None = None
    tree_of: Callable[[Mapping[str, Any], str | None], str | None] | None = None
    message_files: frozenset[str] = frozenset()
    named_files: Mapping[str, re.Pattern[bytes]] = field(default_factory=dict)
    gatherer: Callable[[], Gatherer] | None = None
    inner: Callable[[Mapping[str, Any]], Iterator[tuple[str, dict[str, Any]]]] | None = None
    database: DatabaseReader | None = None
    page: PageReader | None = None
    table: TableReader | None = None
    comes_in_exports: bool = True
    is_plain: bool = False
