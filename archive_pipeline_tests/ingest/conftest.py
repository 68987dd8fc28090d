"""What tests of imports share."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from archive_pipeline.readers.json_lines import as_one_object
from archive_pipeline.readers.line_budget import LineLimits


@pytest.fixture
def limits(monkeypatch: pytest.MonkeyPatch) -> Callable[[LineLimits], None]:
    def limit(limits: LineLimits) -> None:
        monkeypatch.setattr(as_one_object, "__kwdefaults__", {"limits": limits})

    return limit
