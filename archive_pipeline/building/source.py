"""What the engine and the verifier know of dialogues and of documents: the description that each gives of itself."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any, Generic, Protocol, TypeVar

import psycopg

from archive_pipeline.derive.asset import Batch, DerivedAsset
from archive_pipeline.store.copy import EncodedRows
from archive_pipeline.store.database import Database


class Identified(Protocol):
    """A dialogue or document to build."""

    @property
    def id(self) -> str:
        """Its id."""


Ref = TypeVar("Ref", bound=Identified)
Read = Callable[[Sequence[str]], Batch]


class Source(ABC, Generic[Ref, Batch]):
    """What derived rows are made from.

    Attributes:
        assets: the derived assets of it, upstream before downstream.
        noun, unit: what its items and their parts are called: dialogues of messages, documents of pages.
        owner: the column of derived tables that says whose a row is.
        max_items, max_size, max_bytes: of a chunk, which is one batch in memory and one transaction; a larger item
            comes alone. Bytes are those of texts.
        max_sampled_size: larger items are left out of samples: a check is to take a second.
    """

    noun: str
    unit: str
    owner: str
    max_items: int
    max_size: int
    max_bytes: int
    max_sampled_size: int

    @property
    @abstractmethod
    def assets(self) -> Mapping[str, DerivedAsset[Batch]]:
        """The derived assets."""

    @abstractmethod
    def size(self, item: Ref) -> int:
        """Return how many messages or pages an item has."""

    @abstractmethod
    def label(self, item: Ref) -> str:
        """Return how an item is named to people."""

    @abstractmethod
    def ids(self, batch: Batch) -> Sequence[str]:
        """Return the ids of the items of a batch."""

    @abstractmethod
    def reader(self, database: Database) -> AbstractContextManager[Read[Batch]]:
        """Yield what reads batches by ids, on one connection where that saves time; a batch leaves out what is gone."""

    @abstractmethod
    def present(self, database: Database, items: Sequence[Ref]) -> list[Ref]:
        """Return those of the items that are there, as they are to be recorded."""

    @abstractmethod
    def replace(
        self,
        connection: psycopg.Connection[Any],
        asset: DerivedAsset[Batch],
        rows: Mapping[str, EncodedRows],
        items: Sequence[Ref],
        version: str,
    ) -> Mapping[str, int]:
        """Replace the asset's rows of the items and record what they were built from; return rows per table.

        Raises:
            ItemsChangedError: an item is gone or was read again since; nothing was written.
        """

    @abstractmethod
    def set_aside(
        self,
        connection: psycopg.Connection[Any],
        asset: DerivedAsset[Batch],
        errors: Mapping[str, str],
        items: Sequence[Ref],
        version: str,
    ) -> None:
        """Record that the asset cannot be built for some of the items: id -> error."""

    @abstractmethod
    def everything(self, connection: psycopg.Connection[Any]) -> list[Ref]:
        """Return every item of the archive, by id."""

    @abstractmethod
    def sample(
        self, connection: psycopg.Connection[Any], versions: Mapping[str, str], *, number: int, seed: str
    ) -> list[str]:
        """Return the ids of up to ``number`` items that are up to date; another seed chooses others."""

    @abstractmethod
    def fingerprints(self, connection: psycopg.Connection[Any], ids: Sequence[str]) -> dict[str, Hashable]:
        """Return, of those that are there, what changes whenever their content does."""

    @abstractmethod
    def current(
        self, connection: psycopg.Connection[Any], versions: Mapping[str, str], ids: Sequence[str]
    ) -> Mapping[str, Sequence[str]]:
        """Return, per asset, those whose rows are up to date."""

    @abstractmethod
    def text_bytes(self, database: Database, items: Sequence[Ref]) -> Mapping[str, int]:
        """Return about how many bytes of text items have, by id; those without any are left out."""

    def chunks(self, items: Sequence[Ref], text_bytes: Mapping[str, int]) -> Iterator[list[Ref]]:
        """Split the items into chunks of bounded size; an item is never split.

        Args:
            items: in order.
            text_bytes: what `text_bytes` says of them.
        """
        chunk: list[Ref] = []
        size = bytes_held = 0
        for item in items:
            item_size, item_bytes = self.size(item), text_bytes.get(item.id, 0)
            is_full = size + item_size > self.max_size or bytes_held + item_bytes > self.max_bytes
            if chunk and (is_full or len(chunk) == self.max_items):
                yield chunk
                chunk, size, bytes_held = [], 0, 0
            chunk.append(item)
            size += item_size
            bytes_held += item_bytes
        if chunk:
            yield chunk
