"""Real agent conversations, four trials of each of 50 tasks, where ``ARCHIVE_REAL_DATA`` names a folder of them."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from archive_pipeline.building.duplicates import refresh_duplicates
from archive_pipeline.ingest.importer import import_archive
from archive_pipeline.readers.reading import read_paths
from archive_pipeline.settings import Settings
from archive_pipeline.store.database import Database
from archive_pipeline_tests.tables import query
from benchmarks.duplicates.trials import write_trials

ROOT = Path(os.environ.get("ARCHIVE_REAL_DATA", "/nonexistent"))
pytestmark = [
    pytest.mark.postgres,
    pytest.mark.real_data,
    pytest.mark.skipif("ARCHIVE_REAL_DATA" not in os.environ, reason="ARCHIVE_REAL_DATA is not set"),
]


def test_trials_share_a_prompt_calls_and_little_else(database: Database, settings: Settings, tmp_path: Path) -> None:
    export = tmp_path / "trials.json"
    assert write_trials(ROOT / "openai_messages" / "tau-bench-gpt-4o-airline.json", export) == 200
    import_archive(database, read_paths([export]))
    refresh_duplicates(database, settings)
    largest = query(
        database,
        "SELECT cluster.cluster_size, message.role, cluster.content_copies > cluster.prefix_copies "
        "FROM derived.duplicate_clusters_v AS cluster "
        "INNER JOIN raw.messages AS message ON cluster.kept_entity_id = message.id "
        "WHERE cluster.is_widest ORDER BY 1 DESC LIMIT 2",
    )
    assert largest[0] == (200, "system", True)
    assert largest[1][0] < 20
    # The trials are independent: a way in common means that a simulated user and the model said the same by chance.
    [(content, prefix)] = query(
        database,
        "SELECT sum(content_copies), sum(prefix_copies) FROM derived.duplicate_clusters_v "
        "WHERE is_widest AND entity_type = 'message'",
    )
    assert 0 < prefix < content / 10
    # At most two tasks are in a cluster: variants of what one customer asks for.
    tasks = query(
        database,
        "SELECT count(DISTINCT split_part(dialogue.source_id, '-', 1)) FROM derived.duplicate_clusters AS run "
        "INNER JOIN raw.dialogues AS dialogue ON run.dialogue_id = dialogue.id "
        "WHERE run.method = 'runs' GROUP BY run.cluster_id ORDER BY 1",
    )
    assert [number for (number,) in tasks] == [1] * 16 + [2] * 8
