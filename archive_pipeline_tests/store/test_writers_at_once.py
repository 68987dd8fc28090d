"""Whoever writes at the same time, the rows are those of one after the other, and nobody waits in a circle."""

from __future__ import annotations

import contextlib
import random
import threading
from collections.abc import Callable, Sequence
from functools import partial

import psycopg
import pytest
from hypothesis import given
from hypothesis import strategies as st

from archive_pipeline.building.dialogue_source import fingerprints_of
from archive_pipeline.building.dialogues import build_asset
from archive_pipeline.building.documents import build_document_chunks
from archive_pipeline.building.verify import verify_archive
from archive_pipeline.derive.registry import ASSETS, effective_version
from archive_pipeline.settings import Settings
from archive_pipeline.store import documents, locks
from archive_pipeline.store.database import Database
from archive_pipeline.store.document_chunks import DocumentRef, replace_chunks
from archive_pipeline.store.raw_writes import delete_dialogues
from archive_pipeline.store.replace import encode_frames, quarantine, replace_rows
from archive_pipeline.store.staleness import DialogueRef, stale_dialogues
from archive_pipeline_tests.conftest import empty
from archive_pipeline_tests.derive.batches import batch_of, linear, store
from archive_pipeline_tests.documents.stored import PAGE, store_document
from archive_pipeline_tests.tables import derived_rows, query
from archive_pipeline_tests.trials import trials

pytestmark = pytest.mark.postgres

TALKS = [
    linear(f"at once {number}", ("user", f"Why {number}?"), ("assistant", "Because."), ("user", "continue"))
    for number in range(12)
]
BUILT = ("exchanges", "content_hashes", "qa_chunks", "message_paths")
PAPERS = [f"paper {number}" for number in range(4)]
LINK = "INSERT INTO raw.dialogue_links (dialogue_id, original_id, shared_messages, kind) VALUES (%s, %s, 1, 'fork')"
WRITERS = 4

Step = Callable[[], object]


def in_threads(*lists: Sequence[Step]) -> list[BaseException]:
    """Take the steps of each list in a thread of its own; return what was raised."""
    errors: list[BaseException] = []
    ready = threading.Barrier(len(lists))

    def work(steps: Sequence[Step]) -> None:
        try:
            ready.wait(300)
            for step in steps:
                step()
        except BaseException as error:  # noqa: BLE001 (shown by an assertion)
            errors.append(error)

    threads = [threading.Thread(target=work, args=(steps,)) for steps in lists]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(300)
    assert not any(thread.is_alive() for thread in threads)
    return errors


def refuse(database: Database, settings: Settings, asset: str, refs: Sequence[DialogueRef]) -> None:
    with database.session() as connection:
        quarantine(
            connection,
            asset,
            ASSETS[asset].tables,
            dict.fromkeys((ref.id for ref in refs), "refused"),
            fingerprints=fingerprints_of(refs),
            code_version=effective_version(asset, settings),
        )


def delete(database: Database, ids: Sequence[str]) -> None:
    with locks.held(database, locks.ARCHIVE_WRITER), database.session() as connection:
        delete_dialogues(connection, ids)


def remove_unlinked(database: Database) -> None:
    with database.session() as connection:
        documents.delete_unlinked(connection)


def fingerprint(database: Database, ids: Sequence[str]) -> None:
    """Change dialogues as an import does: lock them, then write rows of theirs."""
    with locks.held(database, locks.ARCHIVE_WRITER), database.session() as connection:
        connection.execute("SELECT 1 FROM raw.dialogues WHERE id = ANY(%s) ORDER BY id FOR UPDATE", [list(ids)])
        connection.execute("UPDATE raw.dialogues SET title = 'seen' WHERE id = ANY(%s)", [list(ids)])


def steps_of(database: Database, settings: Settings, refs: Sequence[DialogueRef], chance: random.Random) -> list[Step]:
    """Return what one writer does, over some of the dialogues in any order each time."""
    steps: list[Step] = []
    for _ in range(6):
        some = chance.sample(refs, chance.randint(1, len(refs)))
        ids = [ref.id for ref in some]
        build: Step = partial(build_asset, database, settings, chance.choice(BUILT), some)
        steps.append(
            chance.choice(
                [
                    build,
                    build,
                    partial(refuse, database, settings, chance.choice(BUILT), some[:4]),
                    partial(delete, database, ids[:1]),
                    partial(fingerprint, database, ids[:6]),
                    partial(build_document_chunks, database, settings, full=True),
                    partial(store_document, database, chance.choice(PAPERS), [PAGE] * chance.randint(1, 3)),
                    partial(remove_unlinked, database),
                ]
            )
        )
    return steps


def deadlocks(database: Database) -> int:
    database.engine.dispose()  # what a server process has counted is told when it ends
    statement = "SELECT pg_stat_clear_snapshot(), deadlocks FROM pg_stat_database WHERE datname = current_database()"
    return int(query(database, statement)[0][1])


def outcomes(database: Database, table: str) -> list[tuple[str, list[str]]]:
    ids = "array_agg(dialogue_id::text ORDER BY dialogue_id)"
    return query(database, f"SELECT asset, {ids} FROM derived.{table} GROUP BY asset ORDER BY 1")  # noqa: S608


@trials(4)
@given(chance=st.randoms(use_true_random=False))
def test_the_rows_are_those_of_writers_one_after_the_other(
    archive: Database, settings: Settings, chance: random.Random
):
    empty(archive)
    store(archive, batch_of(*TALKS))
    for name in PAPERS:
        store_document(archive, name, [PAGE])
    query(archive, "UPDATE raw.documents SET origin = 'attachment' WHERE file_name = 'paper 3.md' RETURNING 1")
    with archive.session() as connection:
        refs = stale_dialogues(connection, "", "")
    before = deadlocks(archive)
    lists = [steps_of(archive, settings, refs, chance) for _ in range(WRITERS)]
    assert in_threads(*lists) == []
    assert deadlocks(archive) == before
    build_document_chunks(archive, settings)
    assert verify_archive(archive, settings).drift == {}
    built, refused = outcomes(archive, "build_state"), outcomes(archive, "build_errors")
    rows = derived_rows(archive)
    left = {ref.id: ref for ref in refs}
    query(archive, "DELETE FROM derived.build_state RETURNING 1")
    query(archive, "DELETE FROM derived.build_errors RETURNING 1")
    for asset, ids in built:
        build_asset(archive, settings, asset, [left[name] for name in ids])
    for asset, ids in refused:
        refuse(archive, settings, asset, [left[name] for name in ids])
    assert derived_rows(archive) == rows
    assert (outcomes(archive, "build_state"), outcomes(archive, "build_errors")) == (built, refused)


def test_different_dialogues_are_written_to_one_table_at_the_same_time(database: Database, settings: Settings):
    store(database, batch_of(*TALKS))
    version = effective_version("exchanges", settings)
    with contextlib.ExitStack() as open_transactions:
        for talk in TALKS[:3]:
            frames = ASSETS["exchanges"].derive(batch_of(talk), settings)
            connection = open_transactions.enter_context(psycopg.connect(database.url))
            connection.execute("SET lock_timeout = '20s'")
            replace_rows(
                connection, "exchanges", encode_frames(frames), fingerprints={talk.id: "f"}, code_version=version
            )
    found = query(database, "SELECT DISTINCT dialogue_id::text FROM derived.exchanges ORDER BY 1")
    assert [name for (name,) in found] == sorted(talk.id for talk in TALKS[:3])


def test_one_dialogue_is_written_by_one_at_a_time(database: Database, settings: Settings):
    store(database, batch_of(*TALKS))
    encoded = encode_frames(ASSETS["exchanges"].derive(batch_of(TALKS[0]), settings))
    with psycopg.connect(database.url) as first, psycopg.connect(database.url) as second:
        replace_rows(first, "exchanges", encoded, fingerprints={TALKS[0].id: "f"}, code_version="v")
        second.execute("SET lock_timeout = '50ms'")
        with pytest.raises(psycopg.errors.LockNotAvailable):
            replace_rows(second, "exchanges", encoded, fingerprints={TALKS[0].id: "f"}, code_version="v")


def test_what_shares_with_a_dialogue_that_is_deleted_is_not_written_meanwhile(database: Database, settings: Settings):
    store(database, batch_of(*TALKS[:4]))
    deleted, linked, alike, other = (talk.id for talk in TALKS[:4])
    lock = "SELECT 1 FROM raw.dialogues WHERE id = %s FOR NO KEY UPDATE NOWAIT"
    with psycopg.connect(database.url) as first, psycopg.connect(database.url, autocommit=True) as second:
        second.execute(LINK, [linked, deleted])
        second.execute(
            "INSERT INTO derived.duplicate_clusters (cluster_id, entity_type, entity_id, dialogue_id, method, "
            "similarity, is_kept, copy_kind, cluster_size, text_length) "
            "SELECT %s, 'dialogue', id, id, 'runs', 1, false, 'content', 2, 9 FROM raw.dialogues WHERE id = ANY(%s)",
            [deleted, [deleted, alike]],
        )
        delete_dialogues(first, [deleted])
        for identifier in (deleted, linked, alike):
            with pytest.raises(psycopg.errors.LockNotAvailable):
                second.execute(lock, [identifier])
        second.execute(lock, [other])
        with locks.held_if_free(database, locks.LEXICAL_INDEX) as is_free:
            assert not is_free


def test_one_document_is_written_by_one_at_a_time(database: Database, settings: Settings):
    paper = store_document(database, "paper", [PAGE])
    [(read_at,)] = query(database, "SELECT read_at FROM raw.documents")
    refs = [DocumentRef(paper, 1, read_at, is_current=False, is_quarantined=False)]
    with psycopg.connect(database.url) as first, psycopg.connect(database.url) as second:
        replace_chunks(first, {}, refs, code_version="v")
        with pytest.raises(psycopg.errors.LockNotAvailable):
            second.execute("SELECT 1 FROM raw.documents FOR NO KEY UPDATE NOWAIT")


def test_what_refers_to_a_dialogue_is_written_while_it_is_built(database: Database, settings: Settings):
    store(database, batch_of(*TALKS))
    encoded = encode_frames(ASSETS["exchanges"].derive(batch_of(TALKS[0]), settings))
    with psycopg.connect(database.url) as first, psycopg.connect(database.url) as second:
        replace_rows(first, "exchanges", encoded, fingerprints={TALKS[0].id: "f"}, code_version="v")
        second.execute("SET lock_timeout = '20s'")
        second.execute(LINK, [TALKS[1].id, TALKS[0].id])
