"""Commands let no password or key out of the environment: into a file, a table of Dagster, or a message.

``test_whole`` checks the same of all that runs under ``up``.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from archive_pipeline.store.database import Database
from archive_pipeline_tests.system.conftest import Start
from archive_pipeline_tests.system.given_secrets import (
    MARK,
    SECRETS,
    assert_in_no_file,
    assert_in_no_table,
    url_with_secrets,
)

pytestmark = [pytest.mark.system, pytest.mark.postgres, pytest.mark.dagster]


def test_commands_keep_them(module_archive: Database, fork: Start, tmp_path: Path, small_corpus: Path):
    variables = {**SECRETS, "ARCHIVE_DATABASE_URL": url_with_secrets(module_archive)}
    home = tmp_path / "home"
    commands = [("import", small_corpus), ("stats",), ("index",), ("search", "words"), ("delete", "nothing")]
    for command in commands:
        ended = fork(home, *command, variables=variables).end()
        assert MARK not in ended.out + ended.err
    assert_in_no_file(home)
    assert_in_no_table(module_archive)
    assert MARK in fork(home, "db", "url", variables=variables).end().out  # which is what it is for
