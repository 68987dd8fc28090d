"""Reading ahead: the same items in order, errors where they belong, and no thread that goes on."""

from __future__ import annotations

import gc
import sys
import threading
from collections.abc import Generator
from concurrent.futures import Future, wait
from contextlib import ExitStack, closing

import pytest

from archive_pipeline.export import speed
from archive_pipeline.export.speed import collection_paused, read_ahead, threads_alternating


def test_items_come_in_order_and_at_most_one_is_made_ahead():
    made: list[int] = []

    def items() -> Generator[int, None, None]:
        for number in range(5):
            made.append(number)
            yield number

    seen = []
    for number in read_ahead(items()):
        seen.append(number)
        assert len(made) <= number + 2
    assert seen == made == list(range(5))


def test_an_error_comes_after_the_items_before_it():
    def items() -> Generator[int, None, None]:
        yield 1
        raise ValueError("broken")

    found = read_ahead(items())
    assert next(found) == 1
    with pytest.raises(ValueError, match="broken"):
        next(found)


def test_no_thread_is_left_when_the_reader_stops():
    before = set(threading.enumerate())
    with closing(read_ahead(number for number in range(100))) as items:
        assert next(items) == 0
    assert set(threading.enumerate()) <= before


def test_what_was_read_from_is_closed_although_somebody_has_it():
    told: list[str] = []

    def items() -> Generator[int, None, None]:
        try:
            yield from range(100)
        finally:
            told.append(threading.current_thread().name)

    kept = items()
    with closing(read_ahead(kept)) as found:
        assert next(found) == 0
    assert told == [threading.current_thread().name]


def test_a_second_interrupt_waits_for_the_thread_too(monkeypatch: pytest.MonkeyPatch):
    go_on = threading.Event()
    told: list[str] = []

    def items() -> Generator[int, None, None]:
        try:
            yield 0
            assert go_on.wait(300)
            told.append("read")
            yield 1
        finally:
            told.append("closed")

    def interrupted(futures: list[Future[object]]) -> None:
        if go_on.is_set():
            wait(futures)
        else:
            go_on.set()
            raise KeyboardInterrupt

    monkeypatch.setattr(speed, "wait", interrupted)
    found = read_ahead(items())
    assert next(found) == 0
    with pytest.raises(KeyboardInterrupt):
        found.close()
    assert told == ["read", "closed"]


def test_collection_goes_on_afterwards():
    def fails() -> None:
        with collection_paused():
            assert not gc.isenabled()
            raise KeyError

    with pytest.raises(KeyError):
        fails()
    assert gc.isenabled()


def test_threads_take_short_turns_meanwhile_only():
    before = sys.getswitchinterval()

    def fails() -> None:
        with threads_alternating():
            assert sys.getswitchinterval() < before
            raise KeyError

    with pytest.raises(KeyError):
        fails()
    assert sys.getswitchinterval() == before


def test_exports_that_overlap_leave_the_interval_that_the_first_found():
    before = sys.getswitchinterval()
    first, second = ExitStack(), ExitStack()
    with second:
        with first:
            first.enter_context(threads_alternating())
            second.enter_context(threads_alternating())
        assert sys.getswitchinterval() < before
    assert sys.getswitchinterval() == before
