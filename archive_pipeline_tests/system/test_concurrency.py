"""Several commands at once: on one archive they take turns, two archives know nothing of each other."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from archive_pipeline.derive.registry import ASSETS
from archive_pipeline.ingest.importer import import_archive
from archive_pipeline.orchestration.instance.opening import instance_for
from archive_pipeline.orchestration.partitions.keys import NAMES, register_keys
from archive_pipeline.readers.reading import read_paths
from archive_pipeline.settings import Settings
from archive_pipeline.store.database import Database
from archive_pipeline.store.staleness import archive_keys
from archive_pipeline_tests.system import build_range
from archive_pipeline_tests.system.commands import contents, gate, wait_until
from archive_pipeline_tests.system.conftest import Start
from archive_pipeline_tests.tables import counts, query

WAITING_FOR_DIALOGUES = "SELECT count(*) FROM pg_locks WHERE locktype = 'transactionid' AND NOT granted"

pytestmark = [pytest.mark.system, pytest.mark.postgres, pytest.mark.dagster]


@pytest.mark.long
def test_imports_at_the_same_time_take_turns(
    faulty: Database,
    faulty_home: Path,
    corpus: Path,
    small_corpus: Path,
    fork: Start,
    undisturbed: dict[str, list[str]],
):
    with gate(faulty, "derived.exchanges", "true") as held:
        first = fork(faulty_home, "import", corpus, "--json")
        held.wait_for_visitor()
        others = [fork(faulty_home, "import", path, "--json") for path in (corpus, small_corpus)]
        for other in others:
            wait_until(lambda other=other: "waiting for it to finish" in other.said(), "the import waits")
    ended = [command.end() for command in (first, *others)]
    assert [end.code for end in ended] == [0, 0, 0], [end.err for end in ended]
    same, different = (json.loads(end.out) for end in ended[1:])
    assert (same["dialogues"]["new"], same["dialogues"]["unchanged"]) == (0, 24)
    assert set(same["rows"].values()) <= {0}
    assert different["dialogues"]["new"] == 6
    after = contents(faulty)
    assert {table: len(set(rows) - set(after[table])) for table, rows in undisturbed.items()} == dict.fromkeys(
        undisturbed, 0
    )
    with faulty.session() as connection:  # the other dialogues apart, it is the undisturbed archive
        connection.execute(
            "DELETE FROM raw.dialogues WHERE first_import_id IN (SELECT id FROM raw.imports WHERE path = %s)",
            [str(small_corpus)],
        )
    assert contents(faulty) == undisturbed


def test_two_runs_over_the_same_dialogues_at_once_leave_the_tables_of_one(
    faulty: Database, faulty_home: Path, corpus: Path, fork: Start, undisturbed: dict[str, list[str]]
):
    settings = Settings(home=faulty_home)
    import_archive(faulty, read_paths([corpus]))
    with faulty.session() as connection:
        there = archive_keys(connection, settings.partitioning)
    with instance_for(settings) as instance:
        register_keys(instance, settings, there)
        keys = [key for key in instance.get_dynamic_partitions(NAMES[settings.partitioning]) if key in there]
    entry = f"{build_range.__name__}:main"
    with gate(faulty, "derived.exchanges", "true") as held:
        runs = [fork(faulty_home, *ends, entry=entry) for ends in ((keys[0], keys[17]), (keys[6], keys[23]))]
        held.wait_for_visitor()  # one is in the middle of a chunk, and the other one has to wait for it
        wait_until(lambda: query(faulty, WAITING_FOR_DIALOGUES)[0][0] == 1, "both are at the same dialogues")
    assert [run.end().code for run in runs] == [0, 0], [run.said() for run in runs]
    assert contents(faulty) == undisturbed
    statement = "SELECT asset, count(*) FROM derived.build_state GROUP BY asset"
    assert dict(query(faulty, statement)) == dict.fromkeys(ASSETS, 24)


@pytest.mark.long
def test_two_homes_at_the_same_time_do_not_touch_each_other(
    database: Database,
    settings: Settings,
    faulty: Database,
    faulty_home: Path,
    corpus: Path,
    small_corpus: Path,
    fork: Start,
    undisturbed: dict[str, list[str]],
):
    with gate(faulty, "derived.exchanges", "true") as held:
        one = fork(faulty_home, "import", small_corpus, "--json")
        held.wait_for_visitor()
        other = fork(settings.home, "import", corpus, "--json").end()
        assert other.code == 0, other.err
        assert json.loads(other.out)["dialogues"]["new"] == 24
    assert one.end().code == 0
    assert faulty.url != database.url
    assert counts(faulty)["dialogues"] == 6
    assert contents(database) == undisturbed
    assert not query(database, "SELECT 1 FROM raw.imports WHERE path = %s", str(small_corpus))
