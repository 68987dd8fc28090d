"""What is in no question-answer pair is found, and an artifact is delivered as a whole: its page does not have it."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from archive_pipeline.building.dialogues import build_stale
from archive_pipeline.errors import UnknownDialogueError
from archive_pipeline.retrieval.context.archive import Budget, build_context
from archive_pipeline.retrieval.context.documents import SourceDocument
from archive_pipeline.retrieval.pages.reading import Window
from archive_pipeline.retrieval.pages.store import PageStore
from archive_pipeline.retrieval.pages.wholes import read_whole_or_pages
from archive_pipeline.retrieval.search.engine import SearchEngine
from archive_pipeline.retrieval.search.filters import SearchFilters
from archive_pipeline.settings import Settings
from archive_pipeline.store.database import Database
from archive_pipeline_tests.exports import claude, load
from archive_pipeline_tests.tables import query

pytestmark = pytest.mark.postgres

STORY = "The lighthouse keeper counted gulls.\n\n" + "\n\n".join(f"Gull {number} flew away." for number in range(300))
CALL = {
    "type": "tool_use",
    "name": "artifacts",
    "input": {"id": "story", "command": "create", "title": "Gulls", "type": "text/markdown", "content": STORY},
}


@pytest.fixture
def engine(database: Database, settings: Settings, tmp_path: Path) -> SearchEngine:
    talk = claude("sea", "A story by the sea, please", "Here it is.", "Put a walrus into it", name="Sea")
    talk["chat_messages"][1]["content"].append(CALL)
    load(database, tmp_path / "conversations.json", talk)
    build_stale(database, settings)
    return SearchEngine(database, settings)


def found(engine: SearchEngine, text: str, **filters: Any) -> list[dict[str, Any]]:
    return list(engine.search_now(text, search_mode="lexical", filters=SearchFilters(**filters)))


def source(engine: SearchEngine, text: str) -> SourceDocument:
    built = asyncio.run(build_context(engine, text, Budget(100_000, 1), mode="lexical"))
    [cited] = built.context.sources
    return cited


def test_a_prompt_without_an_answer_is_found_on_its_page(database: Database, engine: SearchEngine):
    [result] = found(engine, "walrus", role="user", session="sea")
    [(message,)] = query(database, "SELECT id::text FROM raw.messages WHERE source_id = 'sea-2'")
    names = ("role", "pair_id", "pair_type", "side", "part_id", "session_id", "message_id", "question_message_id")
    assert [result["metadata"][name] for name in names] == ["user", None, None, None, None, "sea", message, message]
    assert (result["page"], result["snippet"], result["answer"]) == (2, "Put a walrus into it", None)
    assert result["metadata"]["answered_at"] == "2024-05-01T00:00:02+00:00"
    assert not found(engine, "walrus", role="assistant")
    assert source(engine, "walrus").markdown_content == "**User:**\n\nPut a walrus into it"


def test_an_artifact_is_found_and_is_a_source_of_its_own(engine: SearchEngine):
    [result] = found(engine, "lighthouse keeper", role="assistant")
    assert (result["page"], result["metadata"]["pair_id"]) == (1, None)
    cited = source(engine, "gull 299")
    assert cited.markdown_content == f"**Artifact (Gulls):**\n\n{STORY}"
    assert (cited.page, cited.pair_id, cited.part_id) == (1, None, result["metadata"]["part_id"])
    assert source(engine, "story by the sea").part_id is None


def test_an_artifact_is_read_by_its_id(database: Database, engine: SearchEngine):
    [result] = found(engine, "lighthouse keeper")
    with database.session() as connection:
        read = read_whole_or_pages(
            connection, result["metadata"]["part_id"], first_page=1, max_pages=20, window=Window(1, 60)
        )
    [page] = read.pages
    whole = f"**Artifact (Gulls):**\n\n{STORY}"
    assert (read.title, page.page, page.markdown, page.characters) == ("Sea", 1, whole[:60], len(whole))
    around = f"page 1 of 2 is the turn that it is part of: ask for {read.doc_id} with first_page=1"
    assert read.left_out[0] == f"this is one artifact; {around}"


def test_a_part_that_is_no_artifact_is_neither_read_nor_delivered(database: Database, engine: SearchEngine):
    statement = "SELECT id::text FROM raw.content_parts WHERE text_content = 'Put a walrus into it'"
    [(text_part,)] = query(database, statement)
    store = PageStore(database, engine.settings.home)
    assert asyncio.run(store.get_artifacts([text_part, "no id"])) == {}
    with database.session() as connection, pytest.raises(UnknownDialogueError):
        read_whole_or_pages(connection, text_part, first_page=1, max_pages=20, window=Window(1, 60))
