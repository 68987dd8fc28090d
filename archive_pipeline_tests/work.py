"""Work instead of time: what a function does, counted, is the same on a busy machine."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Any

from sqlalchemy import event
from sqlalchemy.engine import Engine

import archive_pipeline

_PACKAGE = f"{Path(archive_pipeline.__file__).parent}{os.sep}"


def steps(function: Callable[[], object]) -> int:
    """Return how many lines of the package a call executes, in every thread that it starts."""
    lines = 0

    def count(_frame: FrameType, kind: str, _: Any) -> Any:
        nonlocal lines
        if kind == "line":
            lines += 1
        return count

    def trace(frame: FrameType, _kind: str, _: Any) -> Any:
        return count if frame.f_code.co_filename.startswith(_PACKAGE) else None

    previous = sys.gettrace()
    threading.settrace(trace)
    sys.settrace(trace)
    try:
        function()
    finally:
        sys.settrace(previous)
        threading.settrace(previous)
    return lines


@contextmanager
def counted_statements() -> Iterator[list[str]]:
    """Collect the SQL statements that go through SQLAlchemy meanwhile."""
    statements: list[str] = []

    def remember(_connection: Any, _cursor: Any, statement: str, *_: Any) -> None:
        statements.append(statement)

    event.listen(Engine, "before_cursor_execute", remember)
    try:
        yield statements
    finally:
        event.remove(Engine, "before_cursor_execute", remember)
