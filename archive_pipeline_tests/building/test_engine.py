"""The engine, over dialogues and over documents: an item that cannot be built costs only itself, wherever it fails."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import product
from typing import Any

import psycopg
import pytest

from archive_pipeline.building import chunks, engine
from archive_pipeline.building.chunks import BuildTask
from archive_pipeline.building.executors.executor import Results
from archive_pipeline.building.executors.local import LocalExecutor
from archive_pipeline.errors import NothingCanBeBuiltError
from archive_pipeline.settings import Settings
from archive_pipeline.store.database import Database
from archive_pipeline_tests.building.sides import SIDES, Side
from archive_pipeline_tests.tables import query
from archive_pipeline_tests.variants import some_of

pytestmark = pytest.mark.postgres

Poison = Callable[[list[str]], None]

# Each place and each fault that is no item's once; where a disk is full, what is written fails.
LIKELY = {
    ("derive", MemoryError),
    ("encode", KeyboardInterrupt),
    ("write", psycopg.errors.DiskFull),
    ("read", KeyboardInterrupt),
}


@pytest.fixture(params=SIDES)
def side(request: pytest.FixtureRequest) -> Side:
    return SIDES[request.param]


@pytest.fixture
def ids(database: Database, side: Side) -> list[str]:
    """Seven items of the size two, in the order in which they are built."""
    return side.store(database)


@pytest.fixture(params=["read", "derive", "encode", "refuse"])
def poison(
    request: pytest.FixtureRequest, database: Database, side: Side, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Poison]:
    """Makes items fail at some place of the build."""
    yield lambda bad: side.poison(request.param, database, monkeypatch, bad)
    with database.session() as connection:
        connection.execute(f"ALTER TABLE derived.{side.asset} DROP CONSTRAINT IF EXISTS poison")


def change_all(database: Database, side: Side) -> None:
    """Make every item stale."""
    statement = {
        "dialogues": "UPDATE raw.dialogues SET fingerprint = 'changed' RETURNING 1",
        "documents": "UPDATE raw.documents SET read_at = read_at + interval '1 second' RETURNING 1",
    }
    query(database, statement[side.source.noun])


def remove(database: Database, side: Side, ids: list[str]) -> None:
    query(database, f"DELETE FROM raw.{side.source.noun} WHERE id = ANY(%s) RETURNING 1", ids)  # noqa: S608


@pytest.mark.parametrize(
    "places",
    some_of([[0, 3, 6], [0, 1, 2, 3, 4, 5, 6], [0], [6], [3], [0, 1, 5]], 2),
    ids=["several", "all", "first", "last", "middle", "neighbours"],
)
def test_the_others_of_a_chunk_are_built(
    database: Database, settings: Settings, side: Side, ids: list[str], poison: Poison, places: list[int]
):
    bad = [ids[place] for place in places]
    good = [item for item in ids if item not in bad]
    poison(bad)
    result = side.build(database, settings)
    assert (result.built, result.size, sorted(result.failures)) == (len(good), 2 * len(good), bad)
    assert side.built(database) == side.with_rows(database) == good
    assert set(result.rows) == set(side.assets[side.asset].tables)
    assert all(bool(count) == bool(good) for count in result.rows.values())


def test_chunks_of_one_item(
    database: Database,
    settings: Settings,
    side: Side,
    ids: list[str],
    poison: Poison,
    monkeypatch: pytest.MonkeyPatch,
):
    monkeypatch.setattr(side.source, "max_items", 1)
    poison([ids[2], ids[3]])
    result = side.build(database, settings)
    assert (result.built, sorted(result.failures)) == (5, ids[2:4])
    assert side.with_rows(database) == [item for item in ids if item not in ids[2:4]]


@pytest.mark.parametrize(
    ("max_items", "max_size", "texts", "lengths"),
    [(3, 99, 99, [3, 3, 1]), (99, 5, 99, [2, 2, 2, 1]), (99, 99, 4, [4, 3]), (99, 99, 0.5, [1] * 7)],
)
def test_chunks_are_bounded_and_whole(
    database: Database,
    side: Side,
    ids: list[str],
    monkeypatch: pytest.MonkeyPatch,
    max_items: int,
    max_size: int,
    texts: float,
    lengths: list[int],
):
    """``texts``: how many times the longest item's text a chunk may hold."""
    with database.session() as connection:
        items = side.source.everything(connection)
    text_bytes = side.source.text_bytes(database, items)
    monkeypatch.setattr(side.source, "max_items", max_items)
    monkeypatch.setattr(side.source, "max_size", max_size)
    monkeypatch.setattr(side.source, "max_bytes", int(texts * max(text_bytes.values())))
    chunks = list(side.source.chunks(items, text_bytes))
    assert [item.id for chunk in chunks for item in chunk] == ids
    assert [len(chunk) for chunk in chunks] == lengths


def test_a_chunk_that_fails_only_as_a_whole_is_built_in_parts(
    database: Database, settings: Settings, side: Side, ids: list[str], monkeypatch: pytest.MonkeyPatch
):
    def derive(batch: Any, rows: Callable[[], Any]) -> Any:
        if len(side.source.ids(batch)) > 3:
            raise OverflowError("too many")
        return rows()

    side.derive_with(monkeypatch, derive)
    result = side.build(database, settings)
    assert (result.built, dict(result.failures), side.with_rows(database)) == (7, {}, ids)


@pytest.mark.parametrize(
    ("place", "fault"),
    some_of(
        sorted(
            product(
                ("derive", "encode", "write", "read"),
                (psycopg.errors.DiskFull("no space"), MemoryError(), KeyboardInterrupt()),
            ),
            key=lambda each: (each[0], type(each[1])) not in LIKELY,
        ),
        len(LIKELY),
    ),
)
def test_what_is_no_item_s_fault_fails_the_build_and_sets_nobody_aside(
    database: Database,
    settings: Settings,
    side: Side,
    ids: list[str],
    monkeypatch: pytest.MonkeyPatch,
    place: str,
    fault: BaseException,
):
    def fail(*_arguments: object, **_options: object) -> None:
        raise fault

    if place == "derive":
        side.derive_with(monkeypatch, fail)
    else:
        places = {"encode": (chunks, "encode_frames"), "write": side.writer, "read": side.readers[0]}
        monkeypatch.setattr(*places[place], fail)
    with pytest.raises(type(fault)):
        side.build(database, settings)
    assert query(database, "SELECT 1 FROM derived.build_errors") == []
    monkeypatch.undo()
    assert side.build(database, settings).built == len(ids)


def test_if_nothing_at_all_can_be_built_the_build_stops_and_old_rows_stay(
    database: Database,
    settings: Settings,
    side: Side,
    ids: list[str],
    poison: Poison,
    monkeypatch: pytest.MonkeyPatch,
):
    side.build(database, settings)
    monkeypatch.setattr(engine, "MOST_FAILURES_WITHOUT_SUCCESS", 3)
    change_all(database, side)
    poison(ids)
    with pytest.raises(NothingCanBeBuiltError, match=rf"^3 {side.source.noun} were tried one by one and none could"):
        side.build(database, settings)
    assert query(database, "SELECT 1 FROM derived.build_errors") == []
    assert side.with_rows(database) == ids


def test_one_that_can_be_built_is_enough_to_go_on(
    database: Database,
    settings: Settings,
    side: Side,
    ids: list[str],
    poison: Poison,
    monkeypatch: pytest.MonkeyPatch,
):
    monkeypatch.setattr(engine, "MOST_FAILURES_WITHOUT_SUCCESS", 3)
    poison(ids[2:])
    result = side.build(database, settings)
    assert (result.built, len(result.failures)) == (2, 5)


def test_what_is_removed_while_its_chunk_is_computed_is_no_failure(
    database: Database, settings: Settings, side: Side, ids: list[str], monkeypatch: pytest.MonkeyPatch
):
    def derive(_batch: Any, rows: Callable[[], Any]) -> Any:
        remove(database, side, ids[4:6])
        return rows()

    side.derive_with(monkeypatch, derive)
    result = side.build(database, settings)
    assert (result.built, dict(result.failures)) == (5, {})
    assert side.built(database) == side.with_rows(database) == [*ids[:4], ids[6]]


def test_a_document_that_is_read_again_meanwhile_has_chunks_of_the_new_reading(
    database: Database, settings: Settings, monkeypatch: pytest.MonkeyPatch
):
    documents = SIDES["documents"]
    ids = documents.store(database)
    done: list[bool] = []

    def derive(_batch: Any, rows: Callable[[], Any]) -> Any:
        if not done:
            done.append(True)
            query(
                database,
                "UPDATE raw.document_pages SET markdown = 'Other words.' WHERE document_id = %s RETURNING 1",
                ids[0],
            )
            query(
                database,
                "UPDATE raw.documents SET read_at = now() + interval '1 hour' WHERE id = %s RETURNING 1",
                ids[0],
            )
        return rows()

    documents.derive_with(monkeypatch, derive)
    assert documents.build(database, settings).built == len(ids)
    texts = query(database, "SELECT DISTINCT text FROM derived.document_chunks WHERE document_id = %s", ids[0])
    assert texts == [("Other words.",)]
    assert documents.build(database, settings).built == 0


class _Backwards:
    """Builds the last chunk first."""

    seconds_ahead = 0.0

    def __init__(self, database: Database) -> None:
        self._local = LocalExecutor(database)

    def map_batches(self, tasks: Sequence[BuildTask], /) -> Results[BuildTask]:
        yield from self._local.map_batches(tasks[::-1])


def test_a_chunk_of_which_nothing_can_be_built_is_tried_whole_once_others_are_built(
    database: Database, settings: Settings, side: Side, ids: list[str], monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(engine, "MOST_FAILURES_WITHOUT_SUCCESS", 3)
    side.poison("derive", None, monkeypatch, ids[:5])
    with database.session() as connection:
        items = side.source.everything(connection)
    told: list[tuple[str, int, int]] = []

    def progress(stage: str, done: int, total: int, /) -> None:
        told.append((stage, done, total))

    result = engine.build(
        _Backwards(database), settings, side.source, side.asset, [items[:5], items[5:]], progress=progress
    )
    assert (result.built, result.size, sorted(result.failures)) == (2, 4, ids[:5])
    assert told == [(side.asset, 0, 14), (side.asset, 4, 14), (side.asset, 14, 14)]
    assert side.with_rows(database) == ids[5:]
