"""A small archive to ask, and its settings for a server of a test."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from archive_pipeline.retrieval.search.engine import SearchEngine
from archive_pipeline.settings import Settings
from archive_pipeline.store.database import Database
from archive_pipeline_tests.conftest import empty
from archive_pipeline_tests.retrieval.search.archive import import_all


@pytest.fixture(scope="module")
def engine(archive: Database, tmp_path_factory: pytest.TempPathFactory) -> Iterator[SearchEngine]:
    """The small archive of the search tests, without an index; tests only read it."""
    home = Settings(home=tmp_path_factory.mktemp("asked"))
    empty(archive)
    import_all(archive, home, home.home / "exports")
    yield SearchEngine(archive, home)
    empty(archive)
