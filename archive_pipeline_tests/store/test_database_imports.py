"""What every process imports that opens an archive: commands, and each of the services of `up`."""

from __future__ import annotations

import subprocess
import sys

import pytest

pytestmark = pytest.mark.slow

# Half a second of processor time, for those who read tables by Arrow.
SLOW = "{'adbc_driver_postgresql', 'pandas', 'pyarrow'}"


def test_opening_a_database_loads_nothing_that_few_processes_need():
    modules = "archive_pipeline.store.database, archive_pipeline.orchestration.instance.archive_instance"
    code = f"import sys, {modules}; print(sorted({SLOW} & sys.modules.keys()))"
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
