"""``make golden``: record the rows of versions that are new. What is recorded is never written again."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import click

from archive_pipeline.settings import Settings
from archive_pipeline.store.database import Database
from archive_pipeline.store.migrate import migrate
from archive_pipeline.store.server.embedded import release
from archive_pipeline_tests.golden import readers
from archive_pipeline_tests.golden.rows import RECORD, inputs, made_rows, update, versions


def main() -> int:
    with tempfile.TemporaryDirectory() as folder:
        settings = Settings(home=Path(folder))
        database = Database.open(settings)
        try:
            migrate(database)
            made = made_rows(database, settings)
        finally:
            database.engine.dispose()
            release(settings.postgres_folder)
    made |= readers.made_rows()
    own = versions() | readers.versions()
    return 0 if update(RECORD, made, inputs() | readers.cases(), own, click.echo) else 1


sys.exit(main())
