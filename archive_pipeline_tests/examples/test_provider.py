"""`make check-provider` against a server of OpenAI's protocol: what it prints is what the server saw."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from archive_pipeline.llm_plugin import memory
from archive_pipeline.settings.variables import CHECKOUT
from archive_pipeline_tests.examples.chat_server import chat_server

pytestmark = [pytest.mark.postgres, pytest.mark.system, pytest.mark.long]

QUESTIONS = 5
# Each question once, one turn more, one with a fixed temperature, each question again, each to the other model.
CALLS = QUESTIONS + 1 + 1 + QUESTIONS + QUESTIONS


@pytest.fixture
def environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What the check finds in the environment, and replaces there."""
    monkeypatch.setenv("LLM_USER_PATH", str(tmp_path / "llm"))
    monkeypatch.setenv("OPENAI_API_KEY", "sk-test")
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    monkeypatch.setenv("ARCHIVE_HOME", str(tmp_path))
    monkeypatch.delenv("ARCHIVE_DATABASE_URL", raising=False)


@pytest.fixture
def check(
    environment: None, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Iterator[Callable[..., str]]:
    """Runs the check in this process, which has imported most of it; returns what it prints."""
    from benchmarks.provider import main  # a second, which the other workers need not pay

    def run(*arguments: str) -> str:
        monkeypatch.setattr(sys, "argv", ["provider", *arguments])
        code = main()
        printed = capsys.readouterr().out
        assert code == 0, printed
        return printed

    yield run
    memory._opened.cache_clear()


def test_the_figures_are_what_the_server_saw(check: Callable[..., str]):
    with chat_server() as server:
        figures = json.loads(check("one", "--other", "two", "--api-base", server.url, "--json"))
        requests = list(server.requests)
    assert figures["failed"] == []
    assert len(requests) == figures["calls"] == CALLS
    assert [request["model"] for request in requests].count("two") == QUESTIONS
    assert {request.get("temperature") for request in requests} == {None, 0}
    assert figures["found"] == QUESTIONS + 1 + 1 + 1 + QUESTIONS, "the asynchronous one has no call of its own"
    assert figures["tokens"] == 25 * CALLS
    assert (figures["answers_that_differ"], figures["equal_to_other"]) == (1, QUESTIONS - 1)
    counts = figures["look_ups"]
    assert (counts["llm"]["found"], counts["llm"]["generated_equal"]) == (figures["found"], QUESTIONS - 1)
    assert (counts["find_or_create"]["generated_equal"], counts["find_or_create"]["generated_new"]) == (4, 1)


def test_the_figures_are_printed_for_people(check: Callable[..., str]):
    with chat_server() as server:
        printed = check("one", "--api-base", server.url, "--no-temperature")
        calls = len(server.requests)
    lines = dict(line.split(maxsplit=1) for line in printed.splitlines())
    assert lines["model"] == "one"
    assert lines["calls"] == f"{calls}, {25 * calls} tokens"
    assert lines["again"] == f"1 of {QUESTIONS} answers differ when asked again"


def test_a_model_that_nobody_knows_is_one_line(environment: None):
    """The one that runs the program: `make check-provider` does."""
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.provider", "no such model"],
        env=os.environ | {"LLM_LOAD_PLUGINS": "", "PYTHONPATH": str(CHECKOUT)},
        cwd=CHECKOUT,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert (done.returncode, done.stderr) == (
        1,
        "llm knows no model 'no such model'; `llm models` lists those it knows\n",
    )
