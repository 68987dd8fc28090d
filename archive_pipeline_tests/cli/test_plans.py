"""What a command knows of all dialogues before it builds them."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import pytest

from archive_pipeline.building.dialogues import build_asset
from archive_pipeline.cli import derived
from archive_pipeline.cli.archive import OpenArchive
from archive_pipeline.cli.derived import BuildPlan, plan_all, plan_stale
from archive_pipeline.derive.registry import ASSETS
from archive_pipeline.settings import Settings
from archive_pipeline.store.database import Database
from archive_pipeline.store.staleness import DialogueRef, stale_dialogues, stale_in_batches
from archive_pipeline_tests.derive.batches import batch_of, linear, store

pytestmark = pytest.mark.postgres

NUMBER = 40


@pytest.fixture
def archive(database: Database, settings: Settings) -> OpenArchive:
    store(database, batch_of(*[linear(f"d{at}", ("user", "Why?"), ("assistant", "So.")) for at in range(NUMBER)]))
    return OpenArchive(settings, database)


def test_a_plan_has_what_is_stale_of_any_asset(archive: OpenArchive) -> None:
    with archive.database.session() as connection:
        everything = stale_dialogues(connection, "", "")
    build_asset(archive.database, archive.settings, "message_paths", everything[1:])
    build_asset(archive.database, archive.settings, "qa_pairs", everything)
    plan = plan_stale(archive, ["message_paths", "qa_pairs"])
    assert plan == BuildPlan(
        [everything[0].partition_key], ["message_paths", "qa_pairs"], {"message_paths": 2, "qa_pairs": 0}, full=False
    )
    whole = plan_all(archive, ["message_paths", "qa_pairs"])
    assert whole.keys == [each.partition_key for each in sorted(everything, key=lambda each: each.id)]
    assert whole.messages == {"message_paths": 2 * NUMBER, "qa_pairs": 2 * NUMBER}
    assert (whole.assets, whole.full) == (["message_paths", "qa_pairs"], True)


@pytest.mark.parametrize("plan", [plan_stale, plan_all])
def test_a_plan_holds_few_dialogues_at_once(
    plan: Callable[[OpenArchive, Sequence[str]], BuildPlan], archive: OpenArchive, monkeypatch: pytest.MonkeyPatch
) -> None:
    held: list[int] = []

    def counted(*arguments: Any) -> Iterator[list[DialogueRef]]:
        for batch in stale_in_batches(*arguments):
            held.append(dialogues_in_memory())
            yield batch

    monkeypatch.setattr(derived, "DIALOGUES_AT_ONCE", 4)
    monkeypatch.setattr(derived, "stale_in_batches", counted)
    gc.freeze()  # what was there before is not counted
    assert len(plan(archive, list(ASSETS)).keys) == NUMBER
    assert len(held) >= NUMBER // 4
    assert 0 < max(held) <= 3 * 4


def dialogues_in_memory() -> int:
    return sum(isinstance(each, DialogueRef) for each in gc.get_objects())


def test_a_plan_without_assets_has_no_dialogue(archive: OpenArchive) -> None:
    nothing = BuildPlan([], [], {}, full=True)
    assert plan_all(archive, []) == nothing
    assert plan_stale(archive, []) == replace(nothing, full=False)
