"""ORM classes read what the tables have; what the seeds ask of their models works on them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from sqlalchemy import inspect, select
from sqlalchemy.orm import Session, configure_mappers

from archive_pipeline import models
from archive_pipeline.building.dialogues import build_stale
from archive_pipeline.models import (
    Attachment,
    Dialogue,
    DialogueTree,
    Exchange,
    LinearSequence,
    Message,
    MessagePath,
    PromptResponse,
    QuestionAnswer,
)
from archive_pipeline.settings import Settings
from archive_pipeline.store.database import Database
from archive_pipeline.store.models import VIEWS
from archive_pipeline_tests.exports import Said, chatgpt, load
from archive_pipeline_tests.tables import query

pytestmark = pytest.mark.postgres

CLASSES = [getattr(models, name) for name in models.__all__]


@pytest.fixture(scope="module")
def talked(module_archive: Database, settings: Settings, tmp_path_factory: pytest.TempPathFactory) -> Database:
    """An archive of a conversation with two answers, which tests only read."""
    said = [
        Said("q", None, "user", "Why?", 1),
        Said("a1", "q", "assistant", "So.", 2),
        Said("a2", "q", "assistant", "Because.", 3),
        Said("q2", "a2", "user", "continue", 4),
        Said("a3", "q2", "assistant", "And so on.", 5),
        Said("q3", "a1", "user", "I see.", 3),
    ]
    load(module_archive, tmp_path_factory.mktemp("export") / "conversations.json", chatgpt("c", said))
    build_stale(module_archive, settings)
    return module_archive


@pytest.fixture
def session(talked: Database) -> Iterator[Session]:
    with Session(talked.engine) as session:
        yield session


def test_every_class_is_mapped_on_a_declared_table_or_a_view_of_the_database(database: Database):
    configure_mappers()
    for mapped in CLASSES:
        table = inspect(mapped).local_table
        assert table.metadata in {VIEWS, models.Dialogue.__table__.metadata}
    for view in VIEWS.tables.values():
        statement = "SELECT column_name FROM information_schema.columns WHERE table_schema = %s AND table_name = %s"
        there = {name for (name,) in query(database, statement, view.schema, view.name)}
        assert {column.name for column in view.columns} <= there
        if view.name != "message_paths_v":
            assert there == {column.name for column in view.columns}


@pytest.mark.parametrize("mapped", CLASSES, ids=lambda mapped: mapped.__name__)
def test_every_class_reads_its_rows(session: Session, mapped: Any):
    table = inspect(mapped).local_table
    rows = session.scalars(select(mapped)).all()
    assert len(rows) == len(session.execute(select(table)).all())
    assert rows or mapped is Attachment
    for row in rows[:1]:
        assert {column.key: getattr(row, column.key) for column in table.columns}


def test_relationships_go_from_dialogues_to_texts(session: Session):
    dialogue = session.scalars(select(Dialogue)).one()
    assert (dialogue.tree.branch_count, dialogue.tree.leaf_count) == (1, 2)
    assert [message.content_parts[0].text_content for message in dialogue.messages][:3] == ["Why?", "So.", "Because."]
    first, *_ = dialogue.messages
    assert first.dialogue is dialogue
    assert first.attachments == []
    assert first.path.ancestor_path == []


def test_ancestors_are_read_when_they_are_asked_for(session: Session):
    deepest = session.scalars(select(MessagePath).order_by(MessagePath.depth.desc())).first()
    assert deepest is not None
    assert "ancestor_path" not in vars(deepest)
    sources = {message.id: message.source_id for message in session.scalars(select(Message))}
    assert [sources[name] for name in deepest.ancestor_path] == ["q", "a2", "q2"]


def test_exchanges_and_sequences_know_their_messages_in_order(session: Session):
    primary = session.scalars(select(LinearSequence).where(LinearSequence.is_primary)).one()
    assert [step.message.source_id for step in primary.sequence_messages] == ["q", "a2", "q2", "a3"]
    exchanges = [step.exchange for step in primary.sequence_exchanges]
    assert [[m.message.source_id for m in exchange.exchange_messages] for exchange in exchanges] == [
        ["q", "a2"],
        ["q2", "a3"],
    ]
    assert [exchange.content.full_text for exchange in exchanges] == ["Why?\n\nBecause.", "continue\n\nAnd so on."]
    assert exchanges[1].continuation_of_id == exchanges[0].id


def test_pairs_know_their_messages_and_chunks(session: Session):
    pairs = session.scalars(select(PromptResponse).order_by(PromptResponse.response_position)).all()
    assert [(p.prompt.source_id, p.response.source_id, p.content.response_text) for p in pairs] == [
        ("q", "a1", "So."),
        ("q", "a2", "Because."),
        ("q2", "a3", "And so on."),
    ]
    turn = session.scalars(select(QuestionAnswer).where(QuestionAnswer.answer == "And so on.")).one()
    assert [(chunk.side, chunk.text) for chunk in turn.chunks] == [("question", "continue"), ("answer", "And so on.")]


def test_the_queries_of_the_seeds_run(session: Session):
    # Seed 000 and 001: dialogues without a tree, and without prompt-responses.
    assert session.query(Dialogue.id).outerjoin(DialogueTree).filter(DialogueTree.dialogue_id.is_(None)).all() == []
    without_pairs = session.query(Dialogue.id).outerjoin(PromptResponse, Dialogue.id == PromptResponse.dialogue_id)
    assert without_pairs.filter(PromptResponse.id.is_(None)).all() == []
    [ordered] = [
        session.query(Message)
        .filter(Message.deleted_at.is_(None))
        .order_by(Message.created_at.nulls_first(), Message.id)
        .all()
    ]
    assert len(ordered) == 6
    assert [name for (name,) in session.query(Exchange.id).yield_per(1)]
