"""Packages of extras, imported when they are needed."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

IMPORT = """
from archive_pipeline.domain.optional import import_optional
print(import_optional("onnxruntime", extra="search", purpose="a model in ONNX").__name__)
"""


@pytest.mark.slow
def test_the_runtime_of_models_leaves_nothing_in_the_users_home(tmp_path: Path):
    pytest.importorskip("onnxruntime")
    ours = ("HOME", "XDG_CACHE_HOME", "ORT_DISABLE_TELEMETRY")
    environment = {name: value for name, value in os.environ.items() if name not in ours} | {"HOME": str(tmp_path)}
    command = [sys.executable, "-c", IMPORT]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=60, check=True)
    assert (done.stdout, done.stderr) == ("onnxruntime\n", "")
    assert list(tmp_path.iterdir()) == []
