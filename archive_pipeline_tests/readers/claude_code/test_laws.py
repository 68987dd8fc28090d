"""Laws of Claude Code's sessions, whatever their lines: ids, order, growth, and no branches the user did not make."""

from __future__ import annotations

import copy
from collections import Counter
from random import Random
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from archive_pipeline.domain.records import DialogueRecord
from archive_pipeline.ingest.prepare import prepare
from archive_pipeline.readers.claude_code import READER
from archive_pipeline_tests.readers.claude_code.lines import answer, call, entry, read, result, said, text, uuid
from archive_pipeline_tests.trials import trials
from benchmarks.fuzz import claude_code as fuzz
from benchmarks.fuzz.marks import Marks
from benchmarks.fuzz.mutations import mutate


def made(seed: int, changes: int) -> dict[str, Any]:
    random = Random(seed)  # noqa: S311 - a test's
    marks = Marks()
    value = fuzz.session(random, marks)
    for _ in range(changes):
        mutate(value, random, marks)
    return value


def ids(value: dict[str, Any]) -> list[str | None]:
    record = READER.read(value, "x")
    return [message.source_id for message in record.messages] if isinstance(record, DialogueRecord) else []


@given(st.integers(0, 2**32), st.integers(0, 8))
@trials(300)
def test_each_id_is_of_one_message_and_nothing_raises(seed: int, changes: int):
    value = made(seed, changes)
    before = copy.deepcopy(value)
    assert not [name for name, count in Counter(ids(value)).items() if count > 1]
    assert value == before


@given(st.integers(0, 2**32), st.integers(0, 8))
@trials(300)
def test_a_session_that_grew_begins_with_the_messages_it_had(seed: int, length: int):
    value = made(seed, 0)
    whole = ids(value)
    part = ids({**value, "lines": value["lines"][:length]})
    assert whole[: len(part)] == part


class Agent:
    """Writes a session as the product does: results as they come, each below the line of its call."""

    def __init__(self, random: Random) -> None:
        self.lines: list[dict[str, Any]] = []
        self._random = random
        self._count = 0

    def turn(self, tip: str | None) -> str:
        """Writes a prompt below a line, and the turn that follows; returns its last line."""
        prompt = tip = self._write(lambda name: said(name, tip, self._count, "do"))
        for _ in range(self._random.randint(0, 2)):
            tip = self._round(tip)
        self._noise(prompt)
        return self._write(lambda name: answer(name, tip, self._count, f"m{name}", text("done")))

    def _round(self, tip: str) -> str:
        """Writes an answer with calls, and their results."""
        answer_id, open_calls = f"m{self._count}", []
        for _ in range(self._random.randint(1, 3)):
            call_id = f"t{self._count}"
            above = tip
            tip = self._write(lambda name: answer(name, above, self._count, answer_id, call(call_id, "Bash")))  # noqa: B023
            open_calls.append((tip, call_id))
            if self._random.random() < 0.3:
                tip = self._answer(*open_calls.pop())
        self._random.shuffle(open_calls)
        for line, call_id in open_calls:
            tip = self._answer(line, call_id)
        return tip

    def _answer(self, line: str, call_id: str) -> str:
        tip = self._write(lambda name: result(name, line, self._count, call_id, "x"))
        return self._noise(tip)

    def _noise(self, tip: str) -> str:
        if self._random.random() < 0.5:
            return tip
        return self._write(
            lambda name: entry("attachment", name, tip, self._count, attachment={"type": "hook_success"})
        )

    def _write(self, make: Any) -> str:
        name = f"n{self._count}"
        self.lines.append(make(name))
        self._count += 1
        return name


@given(st.randoms(use_true_random=False), st.integers(1, 4))
@trials(150)
def test_an_agents_turns_are_one_chain_in_the_order_of_their_lines(random: Random, turns: int):
    agent = Agent(random)
    tip: str | None = None
    for _ in range(turns):
        tip = agent.turn(tip)
    dialogue = prepare(read(*agent.lines), b"")
    names = [message.source_id for message in dialogue.messages]
    assert [message.link.parent for message in dialogue.messages] == [None, *names[:-1]]
    assert not dialogue.counts
    first_lines = [line["uuid"] for line in agent.lines if line["uuid"] in set(names)]
    assert first_lines == names


@given(st.randoms(use_true_random=False), st.lists(st.integers(0, 5), min_size=1, max_size=5))
@trials(150)
def test_branches_are_where_the_user_went_back(random: Random, backs: list[int]):
    agent = Agent(random)
    tips: list[str] = [agent.turn(None)]
    below: Counter[str] = Counter()
    for back in backs:
        tip = tips[back % len(tips)]
        below[uuid(tip)] += 1
        tips.append(agent.turn(tip))
    parents = Counter(message.link.parent for message in prepare(read(*agent.lines), b"").messages)
    assert {name: count for name, count in parents.items() if count > 1} == {
        name: count for name, count in below.items() if count > 1
    }
