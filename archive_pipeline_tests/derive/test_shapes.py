"""Forests of extreme shapes: every derived table, in linear work and without recursion."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from archive_pipeline.derive.forest import CyclicParentsError, forest_of
from archive_pipeline.derive.registry import ASSETS
from archive_pipeline.domain.batch import DialogueBatch, Media, ToolParts
from archive_pipeline.settings import Settings
from archive_pipeline_tests.variants import some_of
from archive_pipeline_tests.work import steps

SETTINGS = Settings(home=Path("/nowhere"))


def batch(parents: list[int], roles: list[str]) -> DialogueBatch:
    count = len(parents)
    return DialogueBatch(
        dialogue_ids=["d"],
        active_ids=[None],
        message_ids=[f"m{at}" for at in range(count)],
        dialogue=[0] * count,
        parent=parents,
        role=roles,
        sequence_number=list(range(count)),
        created_at=np.arange(count, dtype=np.int64),
        is_complete=[True] * count,
        is_hidden=[False] * count,
        text=[f"Words of message {at}" for at in range(count)],
        has_other_content=[False] * count,
        tools=ToolParts([], [], [], [], [], [], []),
        media=Media([], [], [], [], []),
        options=[None] * count,
    )


def alternating(count: int) -> list[str]:
    return [("user", "assistant")[at % 2] for at in range(count)]


def chain(count: int) -> DialogueBatch:
    return batch([at - 1 for at in range(count)], alternating(count))


def siblings(count: int) -> DialogueBatch:
    return batch([-1, *[0] * count], ["user", *["assistant"] * count])


def leaves_on_chain(length: int, leaves: int) -> DialogueBatch:
    parents = [*[at - 1 for at in range(length)], *[length - 1] * leaves]
    return batch(parents, [*alternating(length), *["user"] * leaves])


def comb(length: int) -> DialogueBatch:
    """A chain with one more answer at each user message."""
    users = [at for at in range(length) if at % 2 == 0]
    return batch([*[at - 1 for at in range(length)], *users], [*alternating(length), *["assistant"] * len(users)])


# (shape, leaves, deepest): leaves and exchanges follow from the shape.
#   chain: 50,000 pairs of user and assistant;        siblings: 10,000 answers to one prompt, each an exchange
#   leaves on a chain: 500 exchanges and 1,000 more;  comb: 5,000 on the chain and 5,000 with the other answer
SHAPES: dict[str, tuple[Callable[[], DialogueBatch], int, int, int]] = {
    "a chain of 100,000": (lambda: chain(100_000), 1, 99_999, 50_000),
    "10,000 siblings": (lambda: siblings(10_000), 10_000, 1, 10_000),
    "1,000 leaves on a chain of 1,000": (lambda: leaves_on_chain(1_000, 1_000), 1_000, 1_000, 1_500),
    "a comb of 10,000": (lambda: comb(10_000), 5_001, 9_999, 10_000),
}


@pytest.mark.slow
@pytest.mark.parametrize("shape", some_of(reversed(SHAPES), 3))
def test_every_asset_takes_every_shape(shape: str):
    shaped, leaves, deepest, exchanges = SHAPES[shape]
    found = shaped()
    rows = {}
    for asset in ASSETS.values():
        rows.update(asset.derive(found, SETTINGS))
    assert len(rows["message_paths"]) == len(found)
    assert len(rows["linear_sequences"]) == leaves
    assert rows["dialogue_trees"]["max_depth"].tolist() == [deepest]
    assert len(rows["exchanges"]) == exchanges


SIZED = {
    "chain": chain,
    "siblings": siblings,
    "leaves on a chain": lambda count: leaves_on_chain(count // 2, count // 2),
    "comb": lambda count: comb(2 * count // 3),
}


@pytest.mark.slow
@pytest.mark.parametrize("shape", SIZED)
def test_work_is_linear_in_the_messages(shape: str):
    def work(count: int) -> int:
        found = SIZED[shape](count)
        return steps(lambda: [asset.derive(found, SETTINGS) for asset in ASSETS.values()])

    work(10)  # what is loaded once
    # Linear is four times as much, quadratic sixteen times.
    assert work(2_000) < 5 * work(500)


@pytest.mark.slow
def test_one_exchange_of_many_messages_has_many_ends():
    # 2,000 tool messages in one exchange, each with another answer beside it: every answer ends an exchange.
    length = 2_000
    parents = [*[at - 1 for at in range(length)], *range(1, length)]
    found = batch(parents, ["user", *["tool"] * (length - 1), *["assistant"] * (length - 1)])
    for asset in ASSETS.values():
        rows = asset.derive(found, SETTINGS)
        if asset.name == "exchanges":
            assert len(rows["exchanges"]) == length - 1


def test_a_cycle_that_an_import_never_writes_is_an_error_and_not_a_loop():
    with pytest.raises(CyclicParentsError, match="dialogue d"):
        _ = forest_of(batch([1, 0], ["user", "user"]))
