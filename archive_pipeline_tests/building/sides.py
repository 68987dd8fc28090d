"""Dialogues and documents as the tests of the engine see them: what is stored, how it is built, what came of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from types import ModuleType
from typing import Any, Final

import pytest

from archive_pipeline.building import batch_cache, dialogue_source, document_source
from archive_pipeline.building.dialogue_source import DIALOGUES
from archive_pipeline.building.dialogues import build_asset
from archive_pipeline.building.document_source import DOCUMENTS
from archive_pipeline.building.documents import build_document_chunks
from archive_pipeline.building.engine import BuildResult
from archive_pipeline.building.source import Source
from archive_pipeline.derive.registry import ASSETS, DOCUMENT_ASSETS, effective_version
from archive_pipeline.settings import Settings
from archive_pipeline.store.database import Database
from archive_pipeline.store.staleness import stale_dialogues
from archive_pipeline_tests.derive.batches import batch_of, linear, store
from archive_pipeline_tests.documents.stored import PAGE, store_document
from archive_pipeline_tests.tables import query

NAMES: Final = [f"talk {number}" for number in range(7)]


@dataclass(frozen=True)
class Side:
    """One kind of items.

    Attributes:
        source: its description.
        assets: its assets, which a test changes.
        asset: the one that is built.
        records: the table that says what was built.
        store: stores seven items of the size two and returns their ids in the order in which they are built.
        build: builds what is stale.
        readers: the functions that read a batch by ids.
        writer: the function that replaces rows.
        unencodable: a column and a value that it cannot have.
    """

    source: Source[Any, Any]
    assets: Mapping[str, Any]
    asset: str
    records: str
    store: Callable[[Database], list[str]]
    build: Callable[[Database, Settings], BuildResult]
    readers: tuple[tuple[ModuleType, str], ...]
    writer: tuple[ModuleType, str]
    unencodable: tuple[str, object]

    def built(self, database: Database) -> list[str]:
        """Return the items that are recorded as built."""
        where = " WHERE asset = 'exchanges'" if self.records == "build_state" else " WHERE error IS NULL"
        statement = f"SELECT {self.source.owner}::text FROM derived.{self.records}{where} ORDER BY 1"  # noqa: S608
        return [item for (item,) in query(database, statement)]

    def with_rows(self, database: Database) -> list[str]:
        """Return the items that have rows."""
        statement = f"SELECT DISTINCT {self.source.owner}::text FROM derived.{self.asset} ORDER BY 1"  # noqa: S608
        return [item for (item,) in query(database, statement)]

    def poison(self, kind: str, database: Database | None, patch: pytest.MonkeyPatch, bad: list[str]) -> None:
        """Let items fail: when they are read, derived, encoded, or when PostgreSQL is to take their rows."""
        if kind == "read":
            self._fail_reading(patch, bad)
        elif kind == "derive":
            self._change(patch, lambda batch, rows: _refuse(self.source.ids(batch), bad) or rows())
        elif kind == "encode":
            self._change(patch, lambda _, rows: self._spoilt(rows(), bad))
        elif database is not None:
            listed = ", ".join(f"'{item}'" for item in bad)
            check = f"CHECK ({self.source.owner} NOT IN ({listed})) NOT VALID"
            with database.session() as connection:
                connection.execute(f"ALTER TABLE derived.{self.asset} ADD CONSTRAINT poison {check}")

    def derive_with(self, patch: pytest.MonkeyPatch, derive: Callable[[Any, Callable[[], Any]], Any]) -> None:
        """Derive rows another way: from the batch, and what gives the rows as they should be."""
        self._change(patch, derive)

    def _change(self, patch: pytest.MonkeyPatch, derive: Callable[[Any, Callable[[], Any]], Any]) -> None:
        asset = self.assets[self.asset]
        changed = replace(asset, derive=lambda batch, settings: derive(batch, lambda: asset.derive(batch, settings)))
        patch.setitem(self.assets, self.asset, changed)  # type: ignore[arg-type]

    def _fail_reading(self, patch: pytest.MonkeyPatch, bad: list[str]) -> None:
        for module, name in self.readers:
            original = getattr(module, name)

            def read(where: Any, ids: list[str], original: Any = original) -> Any:
                if set(bad).intersection(ids):
                    raise IndexError("a message of nowhere")
                return original(where, ids)

            patch.setattr(module, name, read)

    def _spoilt(self, frames: Mapping[str, Any], bad: list[str]) -> dict[str, Any]:
        column, value = self.unencodable
        rows = frames[self.asset].astype({column: object})
        rows.loc[rows[self.source.owner].isin(bad), column] = value
        return {**frames, self.asset: rows}


def _refuse(ids: Any, bad: list[str]) -> None:
    if set(bad).intersection(ids):
        raise ValueError("parents in a\0 circle")


def _store_dialogues(database: Database) -> list[str]:
    talks = [linear(name, ("user", f"What is {name}?"), ("assistant", "That.")) for name in NAMES]
    store(database, batch_of(*talks))
    return sorted(talk.id for talk in talks)


def _store_documents(database: Database) -> list[str]:
    return sorted(store_document(database, name, [f"{PAGE} {name}", PAGE]) for name in NAMES)


def _build_dialogues(database: Database, settings: Settings) -> BuildResult:
    with database.session() as connection:
        stale = stale_dialogues(connection, "exchanges", effective_version("exchanges", settings))
    return build_asset(database, settings, "exchanges", stale)


SIDES: Final = {
    "dialogues": Side(
        source=DIALOGUES,
        assets=ASSETS,
        asset="exchanges",
        records="build_state",
        store=_store_dialogues,
        build=_build_dialogues,
        readers=((batch_cache, "load_batch"), (dialogue_source, "read_batch")),
        writer=(dialogue_source, "replace_rows"),
        unencodable=("is_continuation", "perhaps"),
    ),
    "documents": Side(
        source=DOCUMENTS,
        assets=DOCUMENT_ASSETS,
        asset="document_chunks",
        records="document_builds",
        store=_store_documents,
        build=build_document_chunks,
        readers=((document_source.stored, "read_batch"),),
        writer=(document_source.stored, "replace_chunks"),
        unencodable=("text", 5),
    ),
}
