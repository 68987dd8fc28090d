"""A ``dagster.yaml`` that cannot be used is named in one line."""

from __future__ import annotations

from pathlib import Path

import pytest

from archive_pipeline.errors import ConfigurationError
from archive_pipeline.orchestration.instance.opening import read_configuration

UNUSABLE = ["garbage: [", "- a", "storage: 5", "nonsense: 1", "run_queue: {max_concurrent_runs: x}"]


@pytest.mark.parametrize("text", UNUSABLE)
def test_what_is_wrong_with_the_configuration_is_one_line(text: str, tmp_path: Path):
    (tmp_path / "dagster.yaml").write_text(text)
    with pytest.raises(ConfigurationError) as raised:
        read_configuration(tmp_path)
    assert str(raised.value).startswith(f"{tmp_path}/dagster.yaml cannot be used: ")
    assert "\n" not in str(raised.value)


def test_a_folder_without_one_has_dagsters_defaults(tmp_path: Path):
    assert read_configuration(tmp_path).settings == {}
