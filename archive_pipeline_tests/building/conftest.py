"""Connections with worker processes that tests start by themselves."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack

import pytest


@pytest.fixture
def connections() -> Iterator[ExitStack]:
    """Close this side of connections with workers at the end of a test."""
    with ExitStack() as opened:
        yield opened
