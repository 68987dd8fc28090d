"""Files of what ticks of sensors and schedules have logged, which Dagster leaves behind when it deletes the ticks."""

from __future__ import annotations

from pathlib import Path

from archive_pipeline.orchestration.instance.execution import REPOSITORY
from archive_pipeline.store.database import Database
from archive_pipeline.store.rows import fetch_column, fetch_value


def delete_logs_of_gone_ticks(database: Database, storage: Path) -> int:
    """Delete the files below Dagster's folder whose tick is gone; return how many."""
    files = [file for file in (storage / REPOSITORY).glob("*/*") if file.stem.isdecimal()]
    # Asked for after the files: a tick is there before its file.
    with database.session() as connection:
        if not fetch_value(connection, "dagster/has_events", bool):
            return 0
        left = set(fetch_column(connection, "dagster/tick_ids", int))
    gone = [file for file in files if int(file.stem) not in left]
    for file in gone:
        file.unlink(missing_ok=True)
    return len(gone)
