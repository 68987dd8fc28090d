"""Views of dialogues: the same by every executor, and made of the batches that a build has read."""

from __future__ import annotations

from pathlib import Path

import pytest

from archive_pipeline.building import batch_cache, dialogue_views
from archive_pipeline.building.batch_cache import BatchCache
from archive_pipeline.building.dialogue_source import DIALOGUES
from archive_pipeline.building.dialogue_views import DialogueView, make_views
from archive_pipeline.building.dialogues import build_asset
from archive_pipeline.building.executors.opening import open_executor
from archive_pipeline.domain.batch import DialogueBatch
from archive_pipeline.domain.identity import dialogue_id
from archive_pipeline.settings import Settings
from archive_pipeline.store.batches import load_batch
from archive_pipeline.store.database import Database
from archive_pipeline.store.staleness import DialogueRef, stale_dialogues
from archive_pipeline_tests.exports import Said, chain, chatgpt, load

pytestmark = pytest.mark.postgres

BRANCHED = [Said("u", None, "user", "Why?"), *(Said(f"a{n}", "u", "assistant", f"Because {n}.") for n in range(3))]


@pytest.fixture
def dialogues(database: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[DialogueRef]:
    """Two dialogues, each of which is a chunk by itself."""
    monkeypatch.setattr(DIALOGUES, "max_items", 1)
    load(database, tmp_path / "a.json", chatgpt("branched", BRANCHED), chatgpt("plain", chain("Hello", "there")))
    with database.session() as connection:
        return stale_dialogues(connection, "", "")


def views(
    database: Database, settings: Settings, dialogues: list[DialogueRef], *, max_lines: int = 10
) -> dict[str, DialogueView]:
    cache = BatchCache()
    with open_executor(database, settings, cache) as executor:
        build_asset(database, settings, "dialogue_trees", dialogues, cache=cache, executor=executor)
        made = make_views(database, dialogues, cache=cache, executor=executor, max_lines=max_lines)
        return {view.dialogue_id: view for view in made}


@pytest.mark.parametrize("executor", ["local", "processes"])
def test_a_view_has_the_counts_and_the_drawing_of_its_dialogue(
    database: Database, settings: Settings, dialogues: list[DialogueRef], executor: str
) -> None:
    found = views(database, settings.with_values(executor=executor, workers=2), dialogues)
    branched, plain = (found[dialogue_id("chatgpt", name)] for name in ("branched", "plain"))
    assert branched.counts == (4, 1, 3, 3, 1)
    assert "[regeneration 3 of 3] Because 2." in str(branched.drawing)
    assert plain.counts == (2, 1, 1, 1, 0)
    assert "Hello" in str(plain.drawing)


def test_a_large_dialogue_has_no_drawing(
    database: Database, settings: Settings, dialogues: list[DialogueRef], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(dialogue_views, "MOST_MESSAGES", 3)
    found = views(database, settings, dialogues)
    drawings = {view.counts[0]: view.drawing for view in found.values()}
    assert drawings[4] is None
    assert drawings[2] is not None


def test_batches_that_a_build_has_read_are_not_read_again(
    database: Database, settings: Settings, dialogues: list[DialogueRef], monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[str] = []

    def counted(database: Database, ids: list[str]) -> DialogueBatch:
        read.extend(ids)
        return load_batch(database, ids)

    monkeypatch.setattr(batch_cache, "load_batch", counted)
    assert len(views(database, settings, dialogues)) == len(dialogues)
    assert sorted(read) == sorted(dialogue.id for dialogue in dialogues)
