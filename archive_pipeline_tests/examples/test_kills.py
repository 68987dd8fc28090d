"""The comparison that `benchmarks.kills` rests on: whole tables, whatever the order of rows."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path

import psycopg
import pytest

from archive_pipeline.building.dialogues import build_stale
from archive_pipeline.ingest.importer import import_archive
from archive_pipeline.readers.reading import read_paths
from benchmarks.kills.exports import write_exports
from benchmarks.kills.service_kills import DAEMON, RESTARTS_A_ROUND, WEB_SERVER, WORKER, rounds
from benchmarks.kills.tables import compare, read_tables


@pytest.mark.postgres
def test_a_changed_a_missing_and_an_extra_row_are_found(database, settings, tmp_path: Path):
    exports = write_exports(tmp_path / "exports", files=2, dialogues=2, seed=1)
    for export in exports:
        import_archive(database, read_paths([export]))
    build_stale(database, settings)
    with psycopg.connect(database.url) as connection:
        expected = read_tables(connection)
        assert expected["raw.dialogues"].total() == 2
        assert expected["raw.imports"].total() == 2
        connection.execute("UPDATE raw.dialogues SET title = 'another', imported_at = now() + interval '1 day'")
        connection.execute("DELETE FROM derived.exchange_content")
        connection.execute("UPDATE raw.imports SET finished_at = now(), counts = '{}'")
        found = {difference.table: difference for difference in compare(expected, read_tables(connection))}
        connection.rollback()
    assert found.keys() == {"raw.dialogues", "derived.exchange_content"}
    changed, deleted = found["raw.dialogues"], found["derived.exchange_content"]
    assert (len(changed.missing), len(changed.extra)) == (2, 2)
    assert (len(deleted.missing), len(deleted.extra)) == (expected["derived.exchange_content"].total(), 0)
    assert compare(expected, expected) == []


def test_exports_have_earlier_states_of_dialogues(tmp_path: Path):
    paths = write_exports(tmp_path / "exports", files=3, dialogues=7, seed=1)
    dialogues = [json.loads(path.read_bytes()) for path in paths]
    assert len({dialogue["id"] for file in dialogues for dialogue in file}) == 7
    for before, after in pairwise(dialogues):
        early, late = before[0], after[-1]
        assert early["id"] == late["id"]
        assert early["update_time"] < late["update_time"]
        assert len(early["mapping"]) == len(late["mapping"]) - 1


def test_a_round_has_no_more_restarts_than_up_survives():
    kinds = [DAEMON, WEB_SERVER, WORKER] * 9
    planned = rounds(kinds)
    assert [kind for kills in planned for kind in kills] == kinds
    assert max(sum(kind != WORKER for kind in kills) for kills in planned) == RESTARTS_A_ROUND
