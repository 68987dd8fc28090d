"""What is found in a tool call is delivered as the full call and the full result, not as the turn around them."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from archive_pipeline.building.dialogues import build_stale
from archive_pipeline.errors import UnknownDialogueError
from archive_pipeline.retrieval.context.archive import Budget, build_context
from archive_pipeline.retrieval.context.documents import SourceDocument
from archive_pipeline.retrieval.pages.reading import ReadPages, Window
from archive_pipeline.retrieval.pages.wholes import ReadWhole, read_whole_or_pages
from archive_pipeline.retrieval.search.engine import SearchEngine
from archive_pipeline.settings import Settings
from archive_pipeline.store.database import Database
from archive_pipeline_tests.exports import Said, chatgpt, load
from archive_pipeline_tests.tables import query

pytestmark = pytest.mark.postgres

CODE = "import quokka\n" + "\n".join(f"print(quokka.weigh({number}))" for number in range(400))
LARGE = Window(1, 100_000)
OUTPUT = "\n".join(f"quokka {number} weighs {number * 7} grams" for number in range(400))
CALL = {"content": {"content_type": "code", "language": "python", "text": CODE}, "more": {"recipient": "python"}}
RESULT = {
    "content": {"content_type": "execution_output", "text": OUTPUT},
    "more": {"author": {"role": "tool", "name": "python"}},
}


@pytest.fixture
def engine(database: Database, settings: Settings, tmp_path: Path) -> SearchEngine:
    talk = chatgpt(
        "zoo",
        [
            Said("q0", None, "user", "Hello", 1),
            Said("a0", "q0", "assistant", "Hello!", 2),
            Said("q", "a0", "user", "How heavy are they?", 3),
            Said("c", "q", "assistant", None, 4, **CALL),
            Said("r", "c", "tool", None, 5, **RESULT),
            Said("a", "r", "assistant", "Between nothing and three kilograms.", 6),
        ],
        title="Zoo",
    )
    load(database, tmp_path / "conversations.json", talk)
    build_stale(database, settings)
    return SearchEngine(database, settings)


def source(engine: SearchEngine, text: str, tokens: int = 100_000) -> SourceDocument:
    built = asyncio.run(build_context(engine, text, Budget(tokens, 1), mode="lexical"))
    [found] = built.context.sources
    return found


@pytest.mark.parametrize("text", ["quokka weigh 399", "grams 2793"])
def test_a_context_has_the_whole_call_and_the_whole_result(engine: SearchEngine, text: str):
    found = source(engine, text)
    assert found.markdown_content == f"**Tool call:**\n\nTool: python({CODE})\n\n**Result:**\n\n{OUTPUT}"
    assert (found.page, found.content_truncated) == (2, False)
    assert (found.pair_id or "").startswith(f"{found.doc_id}:3:")


def test_what_is_found_in_a_turn_is_the_page(engine: SearchEngine):
    found = source(engine, "three kilograms")
    assert (found.page, found.pair_id) == (2, None)
    assert found.markdown_content.endswith("Between nothing and three kilograms.")


def test_a_call_that_is_too_long_is_cut_around_what_was_found(engine: SearchEngine):
    found = source(engine, "grams 2793", tokens=200)
    assert found.content_truncated
    assert "quokka 399 weighs 2793 grams" in found.markdown_content


def read(database: Database, name: str, window: Window = LARGE) -> ReadPages:
    with database.session() as connection:
        return read_whole_or_pages(connection, name, first_page=1, max_pages=20, window=window)


def test_a_pair_is_read_by_its_id(database: Database, engine: SearchEngine):
    pair_id = source(engine, "grams 2793").pair_id or ""
    found = read(database, pair_id)
    assert isinstance(found, ReadWhole)
    [page] = found.pages
    assert page.markdown == f"**Tool call:**\n\nTool: python({CODE})\n\n**Result:**\n\n{OUTPUT}"
    assert (found.title, found.page_count, page.page, found.next_page) == ("Zoo", 2, 2, None)
    around = f"page 2 of 2 is the turn that it is part of: ask for {found.doc_id} with first_page=2"
    assert found.left_out == [f"this is one question with its answer; {around}"]
    cut = read(database, pair_id, Window(1, 50))
    assert (len(cut.pages[0].markdown), cut.pages[0].characters) == (50, len(page.markdown))
    assert cut.left_out[1] == (
        f"it is cut: 50 of {len(page.markdown):,} characters are here; ask with first_character=51 for the rest"
    )
    rest = read(database, pair_id, Window(51, 1_000_000))
    assert cut.pages[0].markdown + rest.pages[0].markdown == page.markdown
    assert rest.left_out[1].endswith("characters are here, from character 51 on")


def test_a_turn_is_read_by_its_pair_and_a_dialogue_as_before(database: Database, engine: SearchEngine):
    [(dialogue,)] = query(database, "SELECT id::text FROM raw.dialogues")
    [turn] = read(database, f"{dialogue}:0").pages
    assert turn.markdown == "**User:**\n\nHello\n\n**Assistant:**\n\nHello!"
    assert [page.page for page in read(database, "chatgpt-zoo").pages] == [1, 2]
    with pytest.raises(UnknownDialogueError):
        read(database, f"{dialogue}:9")


def test_a_failed_call_says_so(database: Database, engine: SearchEngine):
    with database.session() as connection:
        connection.execute("UPDATE derived.qa_pairs SET is_error = TRUE WHERE pair_type = 'trace_pair'")
    assert "\n\n**Error:**\n\n" in source(engine, "grams 2793").markdown_content
