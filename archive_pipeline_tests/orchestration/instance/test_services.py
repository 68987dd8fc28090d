"""The services that `up` starts, where they are told to stop while they stop."""

from __future__ import annotations

import sys

import click
import pytest

from archive_pipeline.orchestration.instance import services


def test_a_second_signal_while_they_stop_is_an_exit_code_and_no_traceback(monkeypatch: pytest.MonkeyPatch):
    @click.command()
    def interrupted_again() -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(services, "run", interrupted_again)
    monkeypatch.setattr(sys, "argv", ["services"])
    with pytest.raises(SystemExit) as ended:
        services.main()
    assert ended.value.code == 1
