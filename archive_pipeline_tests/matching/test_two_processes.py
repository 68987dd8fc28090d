"""Two processes that ask the same: every call is counted, and every answer is there once."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from archive_pipeline_tests.tables import query
from archive_pipeline_tests.variants import some_of

pytestmark = [pytest.mark.postgres, pytest.mark.system]

PROMPTS, ROUNDS = 6, 4
# Each process asks every prompt in turn, and answers itself what the archive does not.
ASK = f"""
import sys
from sqlalchemy.orm import Session
from archive_pipeline.matching import respond
from archive_pipeline.settings import Settings
from archive_pipeline.store.database import Database

calls = []
with Session(Database(sys.argv[1]).engine) as session:
    sys.stdin.readline()
    for number in range({PROMPTS * ROUNDS}):
        prompt = f"prompt {{number % {PROMPTS}}}"
        respond(session, [{{"role": "user", "content": prompt}}], model=sys.argv[2],
                call=lambda messages: calls.append(messages) or "the same answer")
print(len(calls))
"""


@pytest.mark.parametrize("models", some_of([(("one", "one"),), (("one", "two"),)]))
def test_no_look_up_and_no_answer_is_lost(database, models):
    clients = [
        subprocess.Popen(
            [sys.executable, "-c", ASK, database.url, model],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=dict(os.environ),
        )
        for model in models
    ]
    for client in clients:
        client.stdin.write("go\n")
        client.stdin.flush()
    calls = sum(int(client.communicate(timeout=300)[0]) for client in clients)
    assert [client.returncode for client in clients] == [0, 0]
    ((asked, found, equal, new),) = query(
        database, "SELECT sum(asked), sum(hits), sum(generated_equal), sum(generated_new) FROM derived.match_rates"
    )
    assert asked == found + equal + new == 2 * PROMPTS * ROUNDS
    assert calls == equal + new
    assert new == PROMPTS, "one of the two was the first"
    answers = query(database, "SELECT count(*) FROM raw.messages WHERE role = 'assistant'")
    assert answers == [(PROMPTS * len(set(models)),)]
