"""What results say of their pages."""

from __future__ import annotations

import pytest

from archive_pipeline.retrieval.search.results import result_date


@pytest.mark.parametrize(
    ("answered", "began", "key", "date"),
    [
        ("2024-05-02T10:00:00+00:00", "2024-05-01T00:00:00+00:00", "chatgpt-a", "2024-05-02"),
        ("", "2024-05-01T00:00:00+00:00", "chatgpt-a", "2024-05-01"),
        ("", "", "oasst-a", None),
        (None, "", None, "added 2026-11-27"),
    ],
)
def test_the_day_of_an_import_is_no_date_of_a_dialogue(
    answered: str | None, began: str, key: str | None, date: str | None
):
    added = "2026-11-27T08:00:00+00:00"
    metadata = {"answered_at": answered, "created_at": began, "timestamp": added, "partition_key": key}
    assert result_date(metadata) == date
