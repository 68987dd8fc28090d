"""Memory that is free goes back to the system where the C library can do that; elsewhere nothing happens."""

from __future__ import annotations

import ctypes
import os
from collections.abc import Iterator

import pyarrow as pa
import pytest

from archive_pipeline.ingest import heap


@pytest.fixture(autouse=True)
def forgotten() -> Iterator[None]:
    pool = pa.default_memory_pool()
    heap._library.cache_clear()
    yield
    heap._library.cache_clear()
    pa.set_memory_pool(pool)


@pytest.mark.parametrize("answer", [ValueError("unrecognized configuration name"), OSError(), None])
def test_other_libraries_are_not_asked(monkeypatch: pytest.MonkeyPatch, answer: Exception | None):
    def confstr(_name: str) -> None:
        if answer is not None:
            raise answer

    def loaded(_name: object) -> None:
        raise AssertionError("the C library was loaded")

    monkeypatch.setattr(os, "confstr", confstr)
    monkeypatch.setattr(ctypes, "CDLL", loaded)
    heap.release_free_memory()
    heap.keep_arrow_in_heap()


def test_the_gnu_library_is_asked_to_keep_nothing(monkeypatch: pytest.MonkeyPatch):
    kept: list[int] = []

    class Library:
        def malloc_trim(self, pad: int) -> int:
            kept.append(pad)
            return 1

    monkeypatch.setattr(os, "confstr", lambda _name: "glibc 2.36")
    monkeypatch.setattr(ctypes, "CDLL", lambda _name: Library())
    heap.release_free_memory()
    assert kept == [0]


def test_arrow_allocates_where_the_gnu_library_does(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(os, "confstr", lambda _name: "glibc 2.36")
    pa.set_memory_pool(pa.proxy_memory_pool(pa.default_memory_pool()))
    heap.keep_arrow_in_heap()
    assert pa.default_memory_pool().backend_name == "system"
