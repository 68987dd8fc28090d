"""Reasons are one line, whatever was raised."""

from __future__ import annotations

import pytest

from archive_pipeline.domain.reasons import first_line


@pytest.mark.parametrize(
    ("error", "line"),
    [
        (ValueError("no such model"), "no such model"),
        (ValueError("\n no such model \nat line 1"), "no such model "),
        (RuntimeError(), "RuntimeError"),
        (RuntimeError("  \n"), "RuntimeError"),
    ],
)
def test_the_first_line_of_an_exception(error: Exception, line: str):
    assert first_line(error) == line
