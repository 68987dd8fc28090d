"""Memory for making a graph of vectors: what it needs, within what the machine has."""

from __future__ import annotations

from pathlib import Path

import psutil
import pytest

from archive_pipeline.store import graph_memory
from archive_pipeline.store.database import Database
from archive_pipeline.store.graph_memory import give_graph_memory, graph_bytes, shared_bytes

GIGABYTE = 1_000_000_000


@pytest.fixture(autouse=True)
def _eight_gigabytes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(psutil, "virtual_memory", Free)


class Free:
    """What psutil says of a machine."""

    available = 8 * GIGABYTE


def test_a_graph_gets_what_it_needs(tmp_path: Path):
    # 1,000 vectors of 256 halves of 2 bytes, and 800 bytes beside each: 1,000 * (512 + 800).
    assert graph_bytes(1_000, 256, tmp_path) == 1_312_000


def test_a_graph_gets_a_quarter_of_what_is_free_at_most(tmp_path: Path):
    assert graph_bytes(100_000_000, 256, tmp_path) == 2 * GIGABYTE


@pytest.mark.parametrize(
    ("line", "file", "limit", "most"),
    [
        ("0::/\n", "sys/fs/cgroup/memory.max", "max\n", 2 * GIGABYTE),
        ("0::/\n", "sys/fs/cgroup/memory.max", "1000000000\n", GIGABYTE // 4),
        ("0::/of/the/host\n", "sys/fs/cgroup/memory.max", "1000000000\n", GIGABYTE // 4),
        ("5:memory:/x\n", "sys/fs/cgroup/memory/x/memory.limit_in_bytes", "1000000000\n", GIGABYTE // 4),
        ("5:memory:/x\n", "sys/fs/cgroup/memory/x/memory.limit_in_bytes", "9223372036854771712\n", 2 * GIGABYTE),
        ("5:cpu:/x\n", "sys/fs/cgroup/memory/x/memory.limit_in_bytes", "1000000000\n", 2 * GIGABYTE),
    ],
)
def test_a_control_group_bounds_it(tmp_path: Path, line: str, file: str, limit: str, most: int):
    for name, content in {"proc/self/cgroup": line, file: limit}.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(content)
    assert graph_bytes(100_000_000, 256, tmp_path) == most


def test_shared_memory_is_what_its_folder_has_or_all_where_there_is_none(tmp_path: Path):
    assert shared_bytes(tmp_path) == 8 * GIGABYTE
    (tmp_path / "dev/shm").mkdir(parents=True)
    assert 0 < shared_bytes(tmp_path) != 8 * GIGABYTE


def test_a_transaction_gets_the_memory_and_no_other(database: Database):
    before = _settings(database)
    with database.session() as connection:
        give_graph_memory(connection, 1_000_000, 256)
        # 1,312,000,000 / 1,024
        assert _of(connection) == ("1281250kB", before[1])
    assert _settings(database) == before


def test_a_small_graph_leaves_the_servers_own_setting(database: Database):
    with database.session() as connection:
        before = _of(connection)
        give_graph_memory(connection, 10, 256)
        assert _of(connection) == before


def test_one_process_makes_it_where_several_have_no_room(database: Database, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(graph_memory, "shared_bytes", lambda: 64_000_000)
    with database.session() as connection:
        give_graph_memory(connection, 1_000_000, 256)
        assert _of(connection) == ("1281250kB", "0")


def _settings(database: Database) -> tuple[str, str]:
    with database.session() as connection:
        return _of(connection)


def _of(connection) -> tuple[str, str]:
    memory, workers = connection.execute(
        "SELECT current_setting('maintenance_work_mem'), current_setting('max_parallel_maintenance_workers')"
    ).fetchone()
    return memory, workers
