"""The order of the dialogues in a batch makes no difference to any table."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from archive_pipeline.derive.registry import ASSETS
from archive_pipeline.domain.batch import DialogueBatch
from archive_pipeline.settings import Settings
from archive_pipeline_tests.derive.batches import batch_of, talks
from archive_pipeline_tests.trials import trials


@pytest.mark.slow
@given(talks(), st.randoms(use_true_random=False))
@trials(60)
def test_the_order_of_dialogues_in_a_batch_does_not_matter(found: list[Any], chance: random.Random):
    settings = Settings(home=Path("/nowhere"))
    batch = batch_of(*found)
    shuffled = shuffle(batch, chance)
    for asset in ASSETS.values():
        one, other = asset.derive(batch, settings), asset.derive(shuffled, settings)
        assert list(one) == list(other)
        for table in one:
            assert comparable(one[table]) == comparable(other[table])


def comparable(frame: pd.DataFrame) -> list[str]:
    return sorted(map(repr, frame.astype(object).itertuples(index=False, name=None)))


def shuffle(batch: DialogueBatch, chance: random.Random) -> DialogueBatch:
    """Return the same dialogues in another order, each with its messages in their order."""
    new_order = list(range(len(batch.dialogue_ids)))
    chance.shuffle(new_order)
    place = {old: new for new, old in enumerate(new_order)}
    messages = sorted(range(len(batch)), key=lambda at: (place[batch.dialogue[at]], at))
    moved = {old: new for new, old in enumerate(messages)}
    lists = (
        "message_ids",
        "role",
        "sequence_number",
        "is_complete",
        "is_hidden",
        "text",
        "has_other_content",
        "options",
    )
    return DialogueBatch(
        dialogue_ids=[batch.dialogue_ids[old] for old in new_order],
        active_ids=[batch.active_ids[old] for old in new_order],
        dialogue=[place[batch.dialogue[at]] for at in messages],
        parent=[-1 if batch.parent[at] < 0 else moved[batch.parent[at]] for at in messages],
        created_at=np.array([batch.created_at[at] for at in messages], dtype=np.int64),
        tools=shuffle_parts(batch.tools, moved),
        media=shuffle_parts(batch.media, moved),
        artifacts=shuffle_parts(batch.artifacts, moved),
        **{name: [getattr(batch, name)[at] for at in messages] for name in lists},
    )


def shuffle_parts(parts: Any, moved: dict[int, int]) -> Any:
    """Return tool parts, media or artifacts of messages that were moved."""
    columns = vars(parts)
    order = sorted(range(len(parts.message)), key=lambda part: moved[parts.message[part]])
    found = {name: [values[part] for part in order] for name, values in columns.items()}
    return type(parts)(**{**found, "message": [moved[old] for old in found["message"]]})
