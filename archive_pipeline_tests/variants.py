"""Parameters of a test of which the suite tries some: the others say the same of more values, and cost as much.

A value is that of one argument, or a tuple with those of all arguments.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest


def some_of(values: Iterable[Any], number: int = 1) -> list[Any]:
    """Return parameters of which `make test` tries the first ones, and `make test-long` the others."""
    return [_parameter(value, is_long=place >= number) for place, value in enumerate(values)]


def every_second_of(values: Iterable[Any]) -> list[Any]:
    """Return parameters of which `make test` tries every second one, and `make test-long` the others."""
    return [_parameter(value, is_long=place % 2 == 1) for place, value in enumerate(values)]


def every_third_of(values: Iterable[Any]) -> list[Any]:
    """Return parameters of which `make test` tries every third one, and `make test-long` the others."""
    return [_parameter(value, is_long=place % 3 > 0) for place, value in enumerate(values)]


def _parameter(value: Any, *, is_long: bool) -> Any:
    values = value if isinstance(value, tuple) else (value,)
    return pytest.param(*values, marks=pytest.mark.long if is_long else ())
