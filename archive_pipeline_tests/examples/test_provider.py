"""`make check-provider` against a server of OpenAI's protocol: what it prints is what the server saw."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

from archive_pipeline.settings.variables import CHECKOUT
from archive_pipeline_tests.examples.chat_server import chat_server

pytestmark = [pytest.mark.postgres, pytest.mark.system]

QUESTIONS = 5
# Each question once, one turn more, one with a fixed temperature, each question again, each to the other model.
CALLS = QUESTIONS + 1 + 1 + QUESTIONS + QUESTIONS


@pytest.fixture
def check(tmp_path):
    environment = os.environ | {"LLM_USER_PATH": str(tmp_path / "llm"), "OPENAI_API_KEY": "sk-test"}
    environment |= {"LLM_LOAD_PLUGINS": "", "NO_PROXY": "127.0.0.1", "PYTHONPATH": str(CHECKOUT)}

    def run(*arguments):
        command = [sys.executable, "-m", "benchmarks.provider", *arguments]
        return subprocess.run(
            command, env=environment, cwd=CHECKOUT, capture_output=True, text=True, timeout=300, check=False
        )

    return run


def test_the_figures_are_what_the_server_saw(check):
    with chat_server() as server:
        done = check("one", "--other", "two", "--api-base", server.url, "--json")
        assert done.returncode == 0, done.stdout + done.stderr
        figures = json.loads(done.stdout)
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


def test_the_figures_are_printed_for_people(check):
    with chat_server() as server:
        done = check("one", "--api-base", server.url, "--no-temperature")
        calls = len(server.requests)
    assert done.returncode == 0, done.stdout + done.stderr
    lines = dict(line.split(maxsplit=1) for line in done.stdout.splitlines())
    assert lines["model"] == "one"
    assert lines["calls"] == f"{calls}, {25 * calls} tokens"
    assert lines["again"] == f"1 of {QUESTIONS} answers differ when asked again"


def test_a_model_that_nobody_knows_is_one_line(check):
    done = check("no such model")
    assert (done.returncode, done.stderr) == (
        1,
        "llm knows no model 'no such model'; `llm models` lists those it knows\n",
    )
