"""A session on an archive that is empty, and messages in short."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy.orm import Session

from archive_pipeline.building.dialogues import build_stale
from archive_pipeline.settings import Settings
from archive_pipeline.store.database import Database
from archive_pipeline_tests.exports import load


@pytest.fixture
def session(database: Database) -> Iterator[Session]:
    with database.session() as connection:
        connection.execute("DELETE FROM raw.match_log")
    with Session(database.engine) as session:
        yield session


@pytest.fixture
def imported(database: Database, tmp_path: Path) -> Callable[..., None]:
    """Imports conversations and builds what there is to build."""

    def run(*conversations: dict[str, Any]) -> None:
        load(database, tmp_path / "conversations.json", *conversations)
        build_stale(database, Settings(home=tmp_path))

    return run
