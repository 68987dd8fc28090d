"""The builders of seeds 000 and 001 over a SQLAlchemy session: their classes and methods, before the same build.

Rows are computed and written as by ``llm-archive build``: a batch of dialogues is a transaction of its own, on further
connections to the session's database, and a dialogue that cannot be built is quarantined. So a builder commits the
session before it begins, as the seeds' do, and the session sees the new rows afterwards. Dagster's UI learns nothing of
it; what was built is up to date for its next run.
"""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import ClassVar, Final
from uuid import UUID

from sqlalchemy.orm import Session

from archive_pipeline.building.batch_cache import BatchCache
from archive_pipeline.building.dialogues import build_asset
from archive_pipeline.building.executors.opening import open_executor
from archive_pipeline.derive.registry import ASSETS, effective_version
from archive_pipeline.domain.choices import ENTITY_TYPES, Normalization
from archive_pipeline.errors import UnknownDialogueError
from archive_pipeline.settings import Settings
from archive_pipeline.store.database import Database
from archive_pipeline.store.import_log import only_writer
from archive_pipeline.store.rows import fetch_value
from archive_pipeline.store.staleness import DialogueRef, find_dialogue, stale_in_batches

# The seeds' own: dialogues of one batch.
BATCH_SIZE: Final = 100

_log = logging.getLogger(__name__)

Batches = Iterator[Sequence[DialogueRef]]


class _Builder:
    """What the builders have in common.

    Attributes:
        session: names the archive.
        settings: how to build; those of the environment by default.
        assets: what is built, upstream before downstream.
        counted: table -> what its rows are called in results.
    """

    assets: ClassVar[tuple[str, ...]] = ()
    counted: ClassVar[dict[str, str]] = {}

    def __init__(self, session: Session, settings: Settings | None = None) -> None:
        self.session = session
        self.settings = Settings.from_environment() if settings is None else settings

    def _build(self, dialogue_id: UUID | str | None, batch_size: int) -> dict[str, int]:
        """Build one dialogue or all, whether they are stale or not."""
        _check_size(batch_size)
        with _archive(self.session, self.settings) as database:
            rows = _build_batches(database, self.settings, self.assets, _chosen(database, dialogue_id, batch_size))
        return self._counts(rows)

    def _build_stale(self, batch_size: int) -> dict[str, int]:
        """Build what is stale of each asset."""
        _check_size(batch_size)
        rows: Counter[str] = Counter()
        with _archive(self.session, self.settings) as database:
            for name in self.assets:
                version = effective_version(name, self.settings)
                stale = stale_in_batches(database, name, version, batch_size)
                rows.update(_build_batches(database, self.settings, [name], stale))
        return self._counts(rows)

    def _counts(self, rows: Counter[str]) -> dict[str, int]:
        return {label: rows[table] for table, label in self.counted.items()}


def _check_size(batch_size: int) -> None:
    if batch_size < 1:
        raise ValueError(f"batch_size is at least 1, not {batch_size}")


class _WholeBuilder(_Builder):
    """A builder of one dialogue, of all, or of what is stale."""

    def build(self, dialogue_id: UUID | str | None = None, batch_size: int = BATCH_SIZE) -> dict[str, int]:
        """Build one dialogue, or all; return how many rows were written.

        Args:
            dialogue_id: of the one dialogue; None for all.
            batch_size: dialogues of a transaction, after each of which a line of the log says how many are done.

        Raises:
            UnknownDialogueError: there is no such dialogue.
            NothingCanBeBuiltError: too many dialogues failed, and none did not.
        """
        return self._build(dialogue_id, batch_size)

    def build_incremental(self, batch_size: int = BATCH_SIZE) -> dict[str, int]:
        """Build what is new, has changed or was built by other code; return how many rows were written."""
        return self._build_stale(batch_size)


class TreeBuilder(_WholeBuilder):
    """Builds trees, paths and sequences (seed 000); results count ``trees``, ``paths`` and ``sequences``."""

    assets = ("message_paths", "dialogue_trees", "linear_sequences")
    counted: ClassVar = {"dialogue_trees": "trees", "message_paths": "paths", "linear_sequences": "sequences"}


class ExchangeBuilder(_WholeBuilder):
    """Builds exchanges and their texts (seed 000); results count ``exchanges`` and ``content``."""

    assets = ("exchanges",)
    counted: ClassVar = {"exchanges": "exchanges", "exchange_content": "content"}


class HashBuilder(_Builder):
    """Builds content hashes (seed 000).

    Rows of one archive follow one set of normalisations. That of a builder is what its settings name and what it was
    asked for so far; rows of others go with the next build by ``ARCHIVE_HASH_NORMALIZATIONS``.
    """

    assets = ("content_hashes",)

    def build(self, entity_type: str = "exchange", normalization: str = "none", batch_size: int = BATCH_SIZE) -> int:
        """Build the hashes of all dialogues; return how many there are of the kind that was asked for.

        Args:
            entity_type: ``message`` or ``exchange``.
            normalization: ``none``, ``lowercase``, ``whitespace`` or ``full``.
            batch_size: dialogues of a transaction.

        Raises:
            ValueError: there is no such type of entity or normalisation.
        """
        if entity_type not in ENTITY_TYPES:
            raise ValueError(f"entity_type is one of {', '.join(ENTITY_TYPES)}, not {entity_type!r}")
        asked = Normalization(normalization)
        known = self.settings.hash_normalizations
        if asked not in known:
            self.settings = self.settings.with_values(hash_normalizations=(*known, asked))
        self._build(None, batch_size)
        with _archive(self.session, self.settings) as database, database.session() as connection:
            parameters = {"entity_type": entity_type, "normalization": asked.value}
            return fetch_value(connection, "staleness/count_hashes", int, parameters) or 0


class PromptResponseBuilder(_Builder):
    """Builds prompt-response pairs and their texts (seed 001); results count ``prompt_responses`` and ``content``."""

    assets = ("prompt_responses",)
    counted: ClassVar = {"prompt_responses": "prompt_responses", "prompt_response_content": "content"}

    def build_for_dialogue(self, dialogue_id: UUID | str) -> dict[str, int]:
        """Build one dialogue; return how many rows were written.

        Raises:
            UnknownDialogueError: there is no such dialogue.
        """
        return self._build(dialogue_id, BATCH_SIZE)

    def build_all(self, batch_size: int = BATCH_SIZE) -> dict[str, int]:
        """Build all dialogues anew, ``batch_size`` in a transaction; return how many rows were written."""
        return self._build(None, batch_size)

    def build_incremental(self, batch_size: int = BATCH_SIZE) -> dict[str, int]:
        """Build what is new, has changed or was built by other code; return how many rows were written."""
        return self._build_stale(batch_size)


def rebuild_derived(
    session: Session,
    dialogue_id: UUID | str | None = None,
    *,
    batch_size: int = BATCH_SIZE,
    settings: Settings | None = None,
) -> dict[str, int]:
    """Build every derived table of one dialogue, or of all, anew (seed 000); return how many rows were written.

    The seed's names stand beside those of the tables that it does not have: ``trees``, ``paths``, ``sequences``,
    ``exchanges``, ``content``, ``hashes``, ``prompt_responses`` and so on. A dialogue's rows are replaced in one
    transaction, so nobody finds it without any.

    Raises:
        UnknownDialogueError: there is no such dialogue.
    """
    return _EveryBuilder(session, settings).build(dialogue_id, batch_size)


def build_incremental(
    session: Session, *, batch_size: int = BATCH_SIZE, settings: Settings | None = None
) -> dict[str, int]:
    """Build whatever is stale of every derived table (seed 000); return how many rows were written."""
    return _EveryBuilder(session, settings).build_incremental(batch_size)


class _EveryBuilder(_WholeBuilder):
    """Builds every derived table; rows are counted by the seeds' names where they have one."""

    assets = tuple(ASSETS)
    counted: ClassVar = {
        table: {**TreeBuilder.counted, **ExchangeBuilder.counted, "content_hashes": "hashes"}.get(table, table)
        for asset in ASSETS.values()
        for table in asset.tables
    }


@contextmanager
def _archive(session: Session, settings: Settings) -> Iterator[Database]:
    """Yield the session's database, of which this process is the only writer meanwhile."""
    session.commit()
    database = Database.of_engine(session.get_bind().engine, settings)
    try:
        with only_writer(database, _log.info):
            yield database
    finally:
        database.engine.dispose()
        session.expire_all()


def _chosen(database: Database, dialogue_id: UUID | str | None, batch_size: int) -> Batches:
    """Return one dialogue or all; of all, the references to ``batch_size`` are in memory."""
    if dialogue_id is None:
        return stale_in_batches(database, "", "", batch_size)
    with database.session() as connection:
        found = find_dialogue(connection, str(dialogue_id))
    if found is None:
        raise UnknownDialogueError(f"no dialogue has the id {dialogue_id}")
    return iter([[found]])


def _build_batches(database: Database, settings: Settings, assets: Sequence[str], batches: Batches) -> Counter[str]:
    rows: Counter[str] = Counter()
    done = 0
    cache = BatchCache()
    with open_executor(database, settings, cache) as executor:
        for batch in batches:
            for name in assets:
                result = build_asset(database, settings, name, batch, cache=cache, executor=executor)
                rows.update(result.rows)
                for dialogue, error in result.failures.items():
                    _log.warning("%s cannot be built of dialogue %s: %s", name, dialogue, error.splitlines()[0])
            cache.clear()
            done += len(batch)
            _log.info("Processed %d dialogues", done)
    return rows
