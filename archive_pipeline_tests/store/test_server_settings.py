"""Settings of the embedded server, as far as they depend on the machine."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import psutil
import pytest

from archive_pipeline.store.server.files import server_settings

GIBIBYTE = 1024**3

pytestmark = pytest.mark.usefixtures("buffers_as_for_users")


@pytest.mark.parametrize(
    ("gibibytes", "buffers"),
    [
        (0.5, "256MB"),
        (1.9, "256MB"),
        (4, "512MB"),
        (7.7, "960MB"),
        (8, "1GB"),
        (23, "2944MB"),
        (32, "4GB"),
        (512, "4GB"),
    ],
)
def test_buffers_are_an_eighth_of_memory_within_bounds(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, gibibytes: float, buffers: str
):
    _machine_of(monkeypatch, gibibytes)
    assert server_settings(tmp_path, tmp_path)["shared_buffers"] == buffers


def test_a_control_group_counts_as_the_machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    _machine_of(monkeypatch, 64)
    for name, content in {"proc/self/cgroup": "0::/\n", "sys/fs/cgroup/memory.max": f"{4 * GIBIBYTE}\n"}.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(content)
    assert server_settings(tmp_path, tmp_path)["shared_buffers"] == "512MB"


@pytest.mark.parametrize(
    ("free", "log"), [(0, "1GB"), (15.9, "1GB"), (40, "2GB"), (63.9, "3GB"), (64, "4GB"), (9_000, "16GB")]
)
def test_the_log_between_checkpoints_is_a_sixteenth_of_the_free_disk_within_bounds(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, free: float, log: str
):
    monkeypatch.setattr(psutil, "disk_usage", lambda _: SimpleNamespace(free=int(free * GIBIBYTE)))
    assert server_settings(tmp_path)["max_wal_size"] == log


def _machine_of(monkeypatch: pytest.MonkeyPatch, gibibytes: float) -> None:
    monkeypatch.setattr(psutil, "virtual_memory", lambda: SimpleNamespace(total=int(gibibytes * GIBIBYTE)))
