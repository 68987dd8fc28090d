"""Incremental = full rebuild, in any order, interrupted or not: histories of imports on a real database."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from psycopg import sql

from archive_pipeline.building.dialogue_source import DIALOGUES
from archive_pipeline.building.dialogues import build_stale
from archive_pipeline.ingest.importer import import_archive
from archive_pipeline.readers.reading import read_paths
from archive_pipeline.settings import Settings
from archive_pipeline.store.database import Database
from archive_pipeline.store.staleness import DialogueRef
from archive_pipeline.store.tables import DERIVED_TABLES
from archive_pipeline_tests.conftest import empty
from archive_pipeline_tests.exports import Said, chain, chatgpt, claude, load, write
from archive_pipeline_tests.tables import derived_rows, query, raw_rows
from archive_pipeline_tests.trials import trials
from archive_pipeline_tests.variants import some_of

pytestmark = pytest.mark.postgres

MESSAGES = 6


@dataclass(frozen=True)
class State:
    """One dialogue as one export has it: bit n of ``present`` says whether it has message n."""

    dialogue: int
    present: int
    edited: int = 0
    moved: int = 0
    later: int = 0
    is_reversed: bool = False
    updated: int | None = None

    def conversation(self) -> dict[str, Any]:
        messages = [self._message(at) for at in range(MESSAGES) if self.present >> at & 1]
        ordered = messages[::-1] if self.is_reversed else messages
        current = messages[-1].id if messages else None
        return chatgpt(f"d{self.dialogue}", ordered, current=current, updated=self.updated)

    def _message(self, at: int) -> Said:
        above = f"m{at - 1}" if at else None
        if self.moved >> at & 1:  # a branch, another root, or a cycle with what is stored
            above = f"m{(at + 2) % MESSAGES}" if at == 1 else f"m{at - 2}" if at > 1 else None
        text = (
            ["continue", "an edited text"][self.edited >> at & 1]
            if at % 2 == 0
            else f"text {at} {self.edited >> at & 1}"
        )
        # Times are no content: that of an edited message varies too, against the order of ids.
        return Said(f"m{at}", above, ["user", "assistant"][at % 2], text, 100.0 + at - 10 * (self.later >> at & 1))


@dataclass(frozen=True)
class Step:
    """One import, with a build after it or not."""

    states: tuple[State, ...]
    is_partial: bool
    is_built: bool


BITS = st.integers(0, 2**MESSAGES - 1)
STATES = st.builds(
    State,
    dialogue=st.integers(0, 2),
    present=BITS,
    edited=st.sampled_from([0, 0, 2, 12]),
    moved=st.sampled_from([0, 0, 2, 8, 20]),
    later=st.sampled_from([0, 0, 24]),
    is_reversed=st.booleans(),
    updated=st.sampled_from([None, None, 1000, 2000]),
)
STEPS = st.builds(
    Step,
    states=st.lists(STATES, min_size=1, max_size=3, unique_by=lambda state: state.dialogue).map(tuple),
    is_partial=st.sampled_from([False, False, True]),
    is_built=st.booleans(),
)
ALL = 2**MESSAGES - 1


def one(state: State, *, is_partial: bool = False, is_built: bool = True) -> Step:
    return Step((state,), is_partial, is_built)


def rebuild(database: Database, settings: Settings) -> None:
    with database.session() as connection:
        for table in reversed(DERIVED_TABLES):
            connection.execute(sql.SQL("DELETE FROM {}").format(sql.Identifier("derived", table.name)))
        connection.execute("DELETE FROM derived.build_state")
    build_stale(database, settings)


@given(history=st.lists(STEPS, min_size=1, max_size=3))
# Content comes back as it was, with other times, and was not built in between.
@example(history=[one(State(0, ALL)), one(State(0, 7), is_built=False), one(State(0, ALL, later=24), is_built=False)])
# A partial export would close a cycle with what is stored.
@example(history=[one(State(0, ALL)), one(State(0, 2, moved=2), is_partial=True)])
@example(history=[one(State(0, ALL)), one(State(0, 0)), one(State(0, ALL, is_reversed=True))])
@trials(8)
def test_any_history_of_imports_gives_what_a_build_from_scratch_gives(
    archive: Database, settings: Settings, tmp_path_factory: pytest.TempPathFactory, history: list[Step]
):
    empty(archive)
    path = tmp_path_factory.mktemp("history", numbered=True) / "conversations.json"
    for step in history:
        load(archive, path, *(state.conversation() for state in step.states), is_partial=step.is_partial)
        if step.is_built:
            build_stale(archive, settings)
    build_stale(archive, settings)
    incremental = derived_rows(archive)
    live = query(archive, "SELECT count(*) FROM raw.messages WHERE deleted_at IS NULL")
    assert query(archive, "SELECT count(*) FROM derived.message_paths") == live
    assert query(archive, "SELECT coalesce(sum(message_count), 0) FROM raw.dialogues") == live
    rebuild(archive, settings)
    assert derived_rows(archive) == incremental


def test_the_order_of_files_with_different_dialogues_does_not_matter(
    database: Database, settings: Settings, tmp_path: Path
):
    files = [
        write(tmp_path / "a.json", chatgpt("c1", chain("a", "b", "continue", "d"))),
        write(tmp_path / "b.json", claude("t1", "x", "y"), claude("t2", "x")),
        write(tmp_path / "c.json", chatgpt("c2", chain("a")), chatgpt(None, chain("e", "f"))),
    ]
    found = []
    for order in (files, files[::-1], [files[1], files[2], files[0]]):
        empty(database)
        for file in order:
            import_archive(database, read_paths([file]))
            build_stale(database, settings)
        found.append((raw_rows(database), derived_rows(database)))
    assert found[0] == found[1] == found[2]
    assert found[0][0]["dialogues"]


class StoppedError(Exception):
    """Stands for whatever ends a process in the middle."""


@pytest.mark.parametrize("stop_after", some_of([2, 7, 1, 3], 2))
def test_an_interrupted_build_that_is_repeated_gives_the_same(
    database: Database, settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, stop_after: int
):
    monkeypatch.setattr(DIALOGUES, "max_items", 1)
    conversations = [chatgpt(f"c{n}", chain("a", "b", "go on", "d")) for n in range(3)]
    load(database, tmp_path / "conversations.json", *conversations)
    done: list[str] = []

    def stop(asset: str, messages: int, _total: int) -> None:
        done.extend([asset] if messages else [])
        if len(done) == stop_after:
            raise StoppedError

    with pytest.raises(StoppedError):
        build_stale(database, settings, progress=stop)
    kept = query(database, "SELECT count(*) FROM derived.build_state")[0][0]
    # What was told is written, and so may be the two chunks after it.
    assert stop_after <= kept <= stop_after + 2
    results = build_stale(database, settings)
    assert sum(result.built for result in results.values()) == len(results) * 3 - kept
    again = derived_rows(database)
    rebuild(database, settings)
    assert derived_rows(database) == again


def test_building_again_builds_nothing(database: Database, settings: Settings, tmp_path: Path):
    load(database, tmp_path / "conversations.json", chatgpt("c1", chain("a", "b")))
    first = build_stale(database, settings)
    assert all(result.built == 1 and result.size == 2 for result in first.values())
    # One pair, one exchange of two messages with a text each, hashed in two normalisations:
    # per message full and own role, per exchange full, user and assistant: (2 * 2 + 3) * 2.
    assert {table: count for result in first.values() for table, count in result.rows.items()} == {
        "message_paths": 2,
        "dialogue_trees": 1,
        "linear_sequences": 1,
        "prompt_responses": 1,
        "prompt_response_content": 1,
        "exchanges": 1,
        "exchange_content": 1,
        "content_hashes": 14,
        "qa_pairs": 1,
        "response_hashes": 1,
        "message_contexts": 2,
        "dialogue_pages": 1,
        "qa_chunks": 2,
        "message_chunks": 0,
    }
    assert all(
        result.built == 0 and not any(result.rows.values()) for result in build_stale(database, settings).values()
    )


def test_a_call_id_too_long_for_an_index_does_not_stop_the_build(
    database: Database, settings: Settings, tmp_path: Path
):
    call = {"type": "tool_use", "id": "".join(f"{n * n:x}" for n in range(2000)), "name": "f", "input": {}}
    result = {"type": "tool_result", "tool_use_id": call["id"], "name": "f", "content": [{"type": "text", "text": "r"}]}
    talk = claude("t", "a", "b")
    talk["chat_messages"][1]["content"] += [call, result]
    load(database, tmp_path / "conversations.json", talk, claude("other", "x", "y"))
    build_stale(database, settings)
    pairs = query(database, "SELECT length(pair_id), question FROM derived.qa_pairs WHERE pair_type = 'trace_pair'")
    assert pairs == [(36 + len(":1:") + 64, "Tool: f({})")]


@given(st.lists(st.tuples(st.integers(0, 8_000), st.integers(0, 8_000_000)), max_size=30))
def test_chunks_are_bounded_and_never_cut_a_dialogue(sizes: list[tuple[int, int]]):
    dialogues = [DialogueRef(str(at), "", "", "", messages) for at, (messages, _) in enumerate(sizes)]
    text_bytes = {str(at): text for at, (_, text) in enumerate(sizes) if text}
    found = list(DIALOGUES.chunks(dialogues, text_bytes))
    assert [dialogue for chunk in found for dialogue in chunk] == dialogues
    for chunk in found:
        assert chunk
        messages = sum(dialogue.message_count for dialogue in chunk)
        text = sum(text_bytes.get(dialogue.id, 0) for dialogue in chunk)
        assert len(chunk) == 1 or (messages <= DIALOGUES.max_size and text <= DIALOGUES.max_bytes)
    for chunk, following in pairwise(found):  # none is smaller than it has to be
        joined = [*chunk, following[0]]
        messages = sum(dialogue.message_count for dialogue in joined)
        text = sum(text_bytes.get(dialogue.id, 0) for dialogue in joined)
        assert messages > DIALOGUES.max_size or text > DIALOGUES.max_bytes


def test_chunks_hold_so_many_dialogues_at_most():
    dialogues = [DialogueRef(str(at), "", "", "", 0) for at in range(2 * DIALOGUES.max_items + 1)]
    assert [len(chunk) for chunk in DIALOGUES.chunks(dialogues, {})] == [DIALOGUES.max_items, DIALOGUES.max_items, 1]
