"""The cluster that ``RAY_ADDRESS`` names: one that is not there is told at once, with or without Ray."""

from __future__ import annotations

import socket

import pytest

from archive_pipeline.building.executors.ray_cluster import connected
from archive_pipeline.errors import ExecutorError


@pytest.mark.parametrize("form", ["127.0.0.1:{}", "ray://127.0.0.1:{}"])
def test_a_cluster_that_is_not_there_is_named(monkeypatch: pytest.MonkeyPatch, form: str):
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        address = form.format(unused.getsockname()[1])
        monkeypatch.setenv("RAY_ADDRESS", address)
        with pytest.raises(ExecutorError, match=f"no Ray cluster answers at {address}"), connected(1):
            pytest.fail("nothing listens there")
