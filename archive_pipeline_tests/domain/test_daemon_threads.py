"""A call in a thread of its own ends as it would without one, for whoever still waits."""

from __future__ import annotations

import sys
import threading

import pytest

from archive_pipeline.domain.daemon_threads import in_daemon_thread


def test_results_and_errors_come_back():
    assert in_daemon_thread(lambda: threading.current_thread().daemon).result(10)
    with pytest.raises(SystemExit):
        in_daemon_thread(sys.exit).result(10)


def test_a_call_goes_on_when_nobody_waits():
    may_go, went = threading.Event(), threading.Event()
    result = in_daemon_thread(lambda: may_go.wait(10) and went.set())
    with pytest.raises(TimeoutError):
        result.result(0.01)
    assert not result.cancel()
    may_go.set()
    assert went.wait(10)
