"""Counting is the database's work: what is counted equals what is listed, and no row per dialogue is fetched."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from archive_pipeline.building.dialogues import build_asset
from archive_pipeline.derive.registry import ASSETS, effective_version
from archive_pipeline.orchestration.assets.summary import summarize
from archive_pipeline.settings import Settings
from archive_pipeline.store.archive_stats import archive_stats
from archive_pipeline.store.counts import count_all_messages, count_quarantined, count_stale, count_stale_documents
from archive_pipeline.store.database import Database
from archive_pipeline.store.document_chunks import DOCUMENT_CHUNKS, stale_documents
from archive_pipeline.store.staleness import quarantined_dialogues, stale_dialogues
from archive_pipeline_tests.derive.batches import Talk, batch_of, linear, store

pytestmark = pytest.mark.postgres


@pytest.fixture
def versions(settings: Settings) -> dict[str, str]:
    return {name: effective_version(name, settings) for name in ASSETS}


@contextmanager
def protocol_written(database: Database, path: Path) -> Iterator[None]:
    """Write what the pool's connection sends and receives to a file, by libpq's own trace."""
    database.engine.dispose()
    with path.open("w") as file:
        with database.session() as connection:
            connection.pgconn.trace(file.fileno())
            traced = connection
        yield
        with database.session() as connection:
            assert connection is traced
            connection.pgconn.untrace()


def fill(database: Database, number: int) -> None:
    talks: list[Talk] = [linear(f"d{at}", ("user", "Why?"), ("assistant", "So.")) for at in range(number)]
    store(database, batch_of(*talks))


def quarantine(database: Database, assets: dict[str, str], dialogue: str, fingerprint: str) -> None:
    for asset, version in assets.items():
        with database.session() as connection:
            connection.execute(
                "INSERT INTO derived.build_errors (dialogue_id, asset, fingerprint, code_version, error, failed_at) "
                "VALUES (%s, %s, %s, %s, 'ValueError: no', now())",
                [dialogue, asset, fingerprint, version],
            )


def test_counts_are_those_of_the_lists(database: Database, settings: Settings, versions: dict[str, str]):
    fill(database, 7)
    with database.session() as connection:
        first, second, *_ = everything = stale_dialogues(connection, "", "")
    build_asset(database, settings, "message_paths", everything[2:5])
    build_asset(database, settings, "qa_pairs", everything)
    quarantine(database, {name: versions[name] for name in ("exchanges", "qa_chunks")}, first.id, first.fingerprint)
    quarantine(database, {"exchanges": versions["exchanges"]}, second.id, second.fingerprint)
    quarantine(database, {"qa_chunks": "an older version"}, second.id, second.fingerprint)
    with database.session() as connection:
        listed = {name: len(stale_dialogues(connection, name, version)) for name, version in versions.items()}
        failed = quarantined_dialogues(connection, versions)
        assert count_stale(connection, versions) == listed
        assert (listed["message_paths"], listed["qa_pairs"], listed["exchanges"], listed["qa_chunks"]) == (4, 0, 5, 6)
        counted = count_quarantined(connection, versions)
        assert counted.by_asset == Counter(dialogue.asset for dialogue in failed) == {"exchanges": 2, "qa_chunks": 1}
        assert counted.dialogues == len({dialogue.dialogue_id for dialogue in failed}) == 2
        assert count_all_messages(connection) == sum(each.message_count for each in everything) == 14


def test_documents_to_cut_are_counted_as_they_are_listed(database: Database, settings: Settings):
    version = effective_version(DOCUMENT_CHUNKS, settings)
    with database.session() as connection:
        for number, status in enumerate(("done", "done", "done", "failed")):
            connection.execute(
                "INSERT INTO raw.documents (id, sha256, file_name, extension, size_bytes, source_path, origin, status, "
                "page_count, reader_version, read_at) "
                "VALUES (gen_random_uuid(), %s, 'a.md', '.md', 1, '/a.md', 'path', %s, %s, 1, now())",
                [f"{number:064}", status, int(status == "done")],
            )
        read = [document.id for document in stale_documents(connection, version)]
        connection.execute(
            "INSERT INTO derived.document_builds (document_id, read_at, code_version, built_at) "
            "SELECT id, read_at, %s, now() FROM raw.documents WHERE id = ANY(%s::uuid[])",
            [version, read[:1]],
        )
        assert len(read) == 3
        for tokens, left in ((settings.chunk_tokens, 2), (settings.chunk_tokens + 1, 3)):
            version = effective_version(DOCUMENT_CHUNKS, settings.with_values(chunk_tokens=tokens))
            assert count_stale_documents(connection, version) == len(stale_documents(connection, version)) == left


@pytest.mark.parametrize("figures", ["stats", "summary"])
def test_figures_of_an_archive_take_as_many_rows_however_large_it_is(
    database: Database, versions: dict[str, str], tmp_path: Path, figures: str
):
    fetched = []
    for number in (3, 60):
        fill(database, number)
        trace = tmp_path / f"{number}"
        with protocol_written(database, trace):
            if figures == "stats":
                archive_stats(database, versions, "any")
            else:
                summarize(database, versions)
        fetched.append(trace.read_text().count("\tDataRow\t"))
        with database.session() as connection:
            connection.execute("DELETE FROM raw.dialogues")
    assert fetched[0] == fetched[1] > 0
