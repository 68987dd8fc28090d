"""Servers that tests start, stop and kill: copies of one where its first start is not what they look at."""

from __future__ import annotations

from pathlib import Path

import pytest

from archive_pipeline.settings import Settings
from archive_pipeline.store.database import Database
from archive_pipeline.store.server import files
from archive_pipeline.store.server.embedded import release

MOST_BUFFERS = files.MOST_BUFFERS  # before the suite gives its servers fewer


@pytest.fixture
def buffers_as_for_users(monkeypatch: pytest.MonkeyPatch) -> None:
    """Settings as they are outside the suite, also in programs that tests start."""
    monkeypatch.setattr(files, "MOST_BUFFERS", MOST_BUFFERS)


@pytest.fixture(scope="session")
def started_home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home whose server has been started once and stopped; tests take copies (`homes.copy_home`)."""
    home = tmp_path_factory.mktemp("started") / "home"
    Database.open(Settings(home=home)).engine.dispose()
    release(home / "postgres")
    return home
