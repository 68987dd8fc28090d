"""A session on an archive that is empty, and messages in short."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from sqlalchemy.orm import Session

from archive_pipeline.store.database import Database


@pytest.fixture
def session(database: Database) -> Iterator[Session]:
    with database.session() as connection:
        connection.execute("DELETE FROM raw.match_log")
    with Session(database.engine) as session:
        yield session
