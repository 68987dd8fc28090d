"""The seeds' builders over a session do what the build does: same rows, the seeds' methods, parameters and counts."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select
from sqlalchemy.orm import Session

from archive_pipeline.builders import (
    ExchangeBuilder,
    HashBuilder,
    PromptResponseBuilder,
    TreeBuilder,
    build_incremental,
    rebuild_derived,
)
from archive_pipeline.building.dialogues import build_stale
from archive_pipeline.building.verify import verify_archive
from archive_pipeline.domain.choices import Normalization
from archive_pipeline.domain.identity import dialogue_id
from archive_pipeline.errors import UnknownDialogueError
from archive_pipeline.models import ContentHash, Dialogue, DialogueTree, LinearSequence, PromptResponse
from archive_pipeline.settings import Settings
from archive_pipeline.store.database import Database
from archive_pipeline.store.staleness import stale_in_batches
from archive_pipeline_tests.exports import Said, chatgpt, load
from archive_pipeline_tests.tables import derived_rows, query

pytestmark = pytest.mark.postgres

NAMES = [f"c{number}" for number in range(7)]


def talk(name: str, last: str = "And so on.") -> dict[str, Any]:
    """Two answers to one question; below the second one it goes on."""
    said = [
        Said("q", None, "user", f"Why {name}?", 1),
        Said("a1", "q", "assistant", "So.", 2),
        Said("a2", "q", "assistant", "Because.", 3),
        Said("q2", "a2", "user", "continue", 4),
        Said("a3", "q2", "assistant", last, 5),
    ]
    return chatgpt(name, said)


@pytest.fixture
def session(database: Database, tmp_path: Path) -> Iterator[Session]:
    load(database, tmp_path / "conversations.json", *map(talk, NAMES))
    with Session(database.engine) as session:
        yield session


def test_one_dialogue_is_built_and_counted_as_the_seed_counts(session: Session, settings: Settings):
    one = dialogue_id("chatgpt", "c3")
    assert TreeBuilder(session, settings).build(one) == {"trees": 1, "paths": 5, "sequences": 2}
    assert ExchangeBuilder(session, settings).build(one) == {"exchanges": 3, "content": 3}
    stats = PromptResponseBuilder(session, settings).build_for_dialogue(one)
    assert stats == {"prompt_responses": 3, "content": 3}
    assert {tree.dialogue_id for tree in session.scalars(select(DialogueTree))} == {one}
    # Seed 001's own integration test.
    prs = session.query(PromptResponse).filter(PromptResponse.dialogue_id == one).all()
    assert len(prs) == stats["prompt_responses"]


def test_all_dialogues_are_built_whether_they_are_stale_or_not(session: Session, settings: Settings):
    builder = TreeBuilder(session, settings)
    counts = {"trees": 7, "paths": 35, "sequences": 14}
    assert builder.build() == counts
    assert builder.build(batch_size=2) == counts
    assert PromptResponseBuilder(session, settings).build_all(batch_size=3) == {"prompt_responses": 21, "content": 21}


def test_incremental_builds_what_is_new_or_changed(
    session: Session, database: Database, settings: Settings, tmp_path: Path
):
    builders = (
        TreeBuilder(session, settings),
        ExchangeBuilder(session, settings),
        PromptResponseBuilder(session, settings),
    )
    assert [sum(builder.build_incremental(batch_size=2).values()) for builder in builders] == [56, 42, 42]
    load(database, tmp_path / "later.json", talk("c1", "Otherwise."), talk("new"), is_partial=True)
    assert builders[0].build_incremental() == {"trees": 2, "paths": 10, "sequences": 4}
    assert builders[1].build_incremental() == {"exchanges": 6, "content": 6}
    assert builders[2].build_incremental() == {"prompt_responses": 6, "content": 6}
    assert [sum(builder.build_incremental().values()) for builder in builders] == [0, 0, 0]


def test_rebuilding_everything_gives_the_rows_of_the_build(session: Session, database: Database, settings: Settings):
    build_stale(database, settings)
    before = derived_rows(database)
    counts = rebuild_derived(session, settings=settings)
    assert {name: counts[name] for name in ("trees", "paths", "sequences", "exchanges", "content")} == {
        "trees": 7,
        "paths": 35,
        "sequences": 14,
        "exchanges": 21,
        "content": 21,
    }
    assert (counts["hashes"], counts["prompt_responses"]) == (len(before["content_hashes"]), 21)
    assert derived_rows(database) == before
    assert sum(table.total for table in verify_archive(database, settings).tables.values()) == 0
    assert sum(build_incremental(session, settings=settings).values()) == 0
    one = rebuild_derived(session, dialogue_id("chatgpt", "c0"), settings=settings)
    assert (one["trees"], one["qa_pairs"]) == (1, 3)
    assert derived_rows(database) == before


def test_rows_of_a_dialogue_that_were_lost_come_back(session: Session, database: Database, settings: Settings):
    build_incremental(session, settings=settings)
    before = derived_rows(database)
    session.query(LinearSequence).delete()
    rebuild_derived(session, settings=settings)
    assert derived_rows(database) == before


@pytest.mark.parametrize("batch_size", [0, -5])
def test_a_batch_has_a_dialogue_at_least(session: Session, settings: Settings, batch_size: int):
    tree = TreeBuilder(session, settings)
    calls: list[Callable[..., Any]] = [
        tree.build,
        tree.build_incremental,
        HashBuilder(session, settings).build,
        partial(rebuild_derived, session, settings=settings),
    ]
    for build in calls:
        with pytest.raises(ValueError, match="batch_size is at least 1"):
            build(batch_size=batch_size)


@pytest.mark.parametrize("entity_type", ["message", "exchange"])
@pytest.mark.parametrize("normalization", list(Normalization))
def test_hashes_are_built_for_a_type_of_entity_and_a_normalisation(
    session: Session, settings: Settings, entity_type: str, normalization: Normalization
):
    count = HashBuilder(session, settings).build(entity_type, normalization)
    found = session.scalars(
        select(ContentHash).where(
            ContentHash.entity_type == entity_type, ContentHash.normalization == normalization.value
        )
    ).all()
    # A message has two scopes, an exchange three.
    assert count == len(found) == 7 * {"message": 10, "exchange": 9}[entity_type]


def test_what_a_builder_of_hashes_was_asked_for_adds_up(session: Session, database: Database, settings: Settings):
    builder = HashBuilder(session, settings)
    assert builder.build() == builder.build(normalization="lowercase") == builder.build("exchange", "whitespace")
    kinds = "SELECT DISTINCT normalization FROM derived.content_hashes ORDER BY 1"
    assert query(database, kinds) == [("full",), ("lowercase",), ("none",), ("whitespace",)]
    build_stale(database, settings)
    assert query(database, kinds) == [("full",), ("none",)]


@pytest.mark.parametrize(("entity_type", "normalization"), [("dialogue", "none"), ("exchange", "NONE"), ("", "")])
def test_other_kinds_of_hashes_are_refused(session: Session, settings: Settings, entity_type: str, normalization: str):
    with pytest.raises(ValueError, match=r"one of message, exchange|is not a valid Normalization"):
        HashBuilder(session, settings).build(entity_type, normalization)


def test_an_unknown_dialogue_is_an_error(session: Session, settings: Settings):
    with pytest.raises(UnknownDialogueError, match="no dialogue has the id 12345678"):
        TreeBuilder(session, settings).build("12345678-0000-0000-0000-000000000000")


def test_the_log_says_how_many_dialogues_are_done(
    session: Session, settings: Settings, caplog: pytest.LogCaptureFixture
):
    with caplog.at_level(logging.INFO, "archive_pipeline.building.builders"):
        ExchangeBuilder(session, settings).build(batch_size=3)
    assert caplog.messages == ["Processed 3 dialogues", "Processed 6 dialogues", "Processed 7 dialogues"]


def test_what_the_session_has_not_committed_is_built_too(session: Session, database: Database, settings: Settings):
    gone = dialogue_id("chatgpt", "c0")
    session.query(Dialogue).filter(Dialogue.id == gone).delete()
    assert TreeBuilder(session, settings).build()["trees"] == 6
    assert query(database, "SELECT count(*) FROM raw.dialogues") == [(6,)]


@pytest.mark.parametrize("batch_size", [1, 2, 6, 7, 8])
def test_references_are_read_in_batches_each_once_also_while_they_are_built(
    session: Session, database: Database, batch_size: int
):
    seen: list[str] = []
    for batch in stale_in_batches(database, "exchanges", "x", batch_size):
        assert 1 <= len(batch) <= batch_size
        seen += [dialogue.id for dialogue in batch]
        with database.session() as connection:
            connection.execute(
                "INSERT INTO derived.build_state (dialogue_id, asset, fingerprint, code_version) "
                "SELECT id, 'exchanges', fingerprint, 'x' FROM raw.dialogues WHERE id = ANY(%s::uuid [])",
                [[dialogue.id for dialogue in batch]],
            )
    assert seen == sorted(dialogue_id("chatgpt", name) for name in NAMES)
    assert list(stale_in_batches(database, "exchanges", "x", batch_size)) == []
