"""The builders of the seed documents as they are written there, to compare the pipeline with.

ORM objects, a query per dialogue, ``queue.pop(0)``, a simhash in pure Python, a commit per 100 dialogues: nothing is
faster or slower here than in the documents. They leave some methods out; those are written the plain way, and where two
plain ways differ in speed the faster one is taken (content parts are loaded with one query a dialogue, not one a
message). Read from ``raw``, write to ``seed_derived``, which is dropped and created by every run.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Final
from uuid import UUID

from sqlalchemy import Engine, func, select, text
from sqlalchemy.orm import Session
from sqlalchemy.schema import CreateSchema, DropSchema

from benchmarks.seed_builders.exchanges import ExchangeBuilder
from benchmarks.seed_builders.hashes import HashBuilder
from benchmarks.seed_builders.models import SEED, Base, Dialogue, Message
from benchmarks.seed_builders.pairs import PromptResponseBuilder
from benchmarks.seed_builders.trees import TreeBuilder

NORMALIZATIONS: Final = ("none", "full")
SEED_TABLES: Final = [table for table in Base.metadata.sorted_tables if table.schema == SEED]


@dataclass(frozen=True, slots=True)
class SeedRun:
    """What the seed's builders did.

    Attributes:
        dialogues: dialogues they were given.
        messages: live messages of those dialogues.
        rows: rows written, by table.
        seconds: time of the builders alone.
        seconds_by_builder: the same, by builder.
    """

    dialogues: int
    messages: int
    rows: dict[str, int]
    seconds: float
    seconds_by_builder: dict[str, float]

    @property
    def messages_per_second(self) -> float:
        """Return the rate, all tables together."""
        return self.messages / self.seconds


def build_all(engine: Engine, *, dialogue_limit: int | None = None) -> SeedRun:
    """Build every derived table of the seeds for the dialogues in ``raw``.

    Args:
        engine: database that holds the schema ``raw``.
        dialogue_limit: take only that many dialogues, by id, which for ids made by hashing is a random sample.

    Returns:
        Counts and the time the builders took; creating the tables is not part of it.
    """
    _create_tables(engine)
    with Session(engine) as session:
        dialogue_ids = session.scalars(select(Dialogue.id).order_by(Dialogue.id).limit(dialogue_limit)).all()
        seconds = _run_builders(session, dialogue_ids)
        rows = {table.name: session.scalar(select(func.count()).select_from(table)) or 0 for table in SEED_TABLES}
    return SeedRun(
        dialogues=len(dialogue_ids),
        messages=_live_messages(engine, dialogue_limit),
        rows=rows,
        seconds=sum(seconds.values()),
        seconds_by_builder=seconds,
    )


def _run_builders(session: Session, dialogue_ids: Sequence[UUID]) -> dict[str, float]:
    """Run the builders in the seed's order; return the seconds of each."""
    seconds = {}
    for name, build in (
        ("TreeBuilder", TreeBuilder(session).build),
        ("ExchangeBuilder", ExchangeBuilder(session).build),
        ("HashBuilder", partial(_build_hashes, HashBuilder(session))),
        ("PromptResponseBuilder", PromptResponseBuilder(session).build),
    ):
        started = time.perf_counter()
        build(dialogue_ids)
        seconds[name] = time.perf_counter() - started
    return seconds


def _build_hashes(builder: HashBuilder, dialogue_ids: Sequence[UUID]) -> None:
    for entity_type in ("message", "exchange"):
        for normalization in NORMALIZATIONS:
            builder.build(dialogue_ids, entity_type, normalization)


def _create_tables(engine: Engine) -> None:
    with engine.begin() as connection:
        connection.execute(DropSchema(SEED, cascade=True, if_exists=True))
        connection.execute(CreateSchema(SEED))
        # The seeds' tables refer to a message by its id alone.
        connection.execute(text(f"CREATE UNIQUE INDEX IF NOT EXISTS {SEED}_messages ON {Message.__table__} (id)"))
        Base.metadata.create_all(connection, tables=SEED_TABLES)


def _live_messages(engine: Engine, dialogue_limit: int | None) -> int:
    sample = select(Dialogue.id).order_by(Dialogue.id).limit(dialogue_limit)
    counted = select(func.count()).where(Message.deleted_at.is_(None), Message.dialogue_id.in_(sample))
    with engine.connect() as connection:
        return connection.scalar(counted) or 0
