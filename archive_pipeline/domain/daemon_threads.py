"""Calls whose end nobody has to wait for: who asked goes on without it, and a program ends without it."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future
from threading import Thread
from typing import TypeVar

T = TypeVar("T")


def in_daemon_thread(call: Callable[[], T]) -> Future[T]:
    """Start a call in a thread of its own, which goes on if nobody waits for it any more."""
    result: Future[T] = Future()
    result.set_running_or_notify_cancel()  # a thread cannot be cancelled
    Thread(target=_run, args=(call, result), daemon=True).start()
    return result


def _run(call: Callable[[], T], result: Future[T]) -> None:
    try:
        value = call()
    except BaseException as error:  # noqa: BLE001 - whoever waits gets it
        result.set_exception(error)
    else:
        result.set_result(value)
