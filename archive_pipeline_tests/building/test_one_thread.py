"""Libraries of a worker compute in the thread that calls them."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from archive_pipeline.building.executors.one_thread import keep_to_one_thread, one_thread_environment

_PROGRAM = """
import psutil
from archive_pipeline.building.executors.one_thread import keep_to_one_thread
from archive_pipeline.retrieval.embedders.static import StaticEmbedder
keep_to_one_thread()
embedder = StaticEmbedder()
before = psutil.Process().num_threads()
embedder.embed([f"text number {number}" for number in range(1_000)])
print(psutil.Process().num_threads() - before)
"""


def test_tokenizers_start_no_thread_for_each_processor():
    pytest.importorskip("tokenizers")
    pytest.importorskip("wordllama")
    environment = {name: value for name, value in os.environ.items() if name != "TOKENIZERS_PARALLELISM"}
    said = subprocess.run(
        [sys.executable, "-c", _PROGRAM], check=True, capture_output=True, text=True, env=environment
    ).stdout
    assert said.split() == ["0"]


def test_what_the_environment_says_stays(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("TOKENIZERS_PARALLELISM", "true")
    keep_to_one_thread()
    assert os.environ["TOKENIZERS_PARALLELISM"] == "true"


def test_what_the_environment_says_stays_for_other_processes(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("OPENBLAS_NUM_THREADS", "7")
    monkeypatch.delenv("TOKENIZERS_PARALLELISM", raising=False)
    monkeypatch.delenv("JE_ARROW_MALLOC_CONF", raising=False)
    assert one_thread_environment() == {
        "TOKENIZERS_PARALLELISM": "false",
        "JE_ARROW_MALLOC_CONF": "background_thread:false",
    }
