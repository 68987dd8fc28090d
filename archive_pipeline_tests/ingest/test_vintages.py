"""Exports of several vintages of one dialogue: nothing is lost that none deleted, in whichever order they come."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from archive_pipeline.building.dialogues import build_stale
from archive_pipeline.ingest.importer import import_archive
from archive_pipeline.readers.reading import read_paths
from archive_pipeline.settings import Settings
from archive_pipeline.store.database import Database
from archive_pipeline.store.tables.raw import attachments, content_parts, dialogues, messages
from archive_pipeline_tests.conftest import empty
from archive_pipeline_tests.exports import load, write
from archive_pipeline_tests.tables import VOLATILE, derived_rows, query
from archive_pipeline_tests.trials import trials

pytestmark = pytest.mark.postgres

# A number is given once, when a message comes first: it tells in which order exports came.
_HISTORY = {*VOLATILE, "sequence_number"}


@dataclass(frozen=True)
class Turn:
    """A question, the calls of a tool with their results, and the answer; a branch hangs on an earlier turn."""

    question: str = "q"
    answer: str = "a"
    calls: int = 0
    below: int = -1


@dataclass(frozen=True)
class Chat:
    """A state of a conversation at a time: which of its turns are there, with which texts."""

    time: float
    turns: dict[int, Turn] = field(default_factory=dict)
    title: str = "T"

    def rows(self) -> list[tuple[str, str | None, str, dict[str, Any]]]:
        """Id, parent, role, and content with addressee of each message."""
        rows = [("s", None, "system", {"content": {"content_type": "text", "parts": ["be brief"]}, "weight": 0.0})]
        ends: dict[int, str] = {}
        for at, turn in self.turns.items():
            above = ends.get(turn.below, ends.get(at - 1, "s")) if turn.below >= 0 else ends.get(at - 1, "s")
            rows.append((f"q{at}", above, "user", {"content": text(turn.question), "recipient": "all"}))
            above = f"q{at}"
            for call in range(turn.calls):
                code = {"content_type": "code", "text": f"{call}"}
                rows.append((f"c{at}-{call}", above, "assistant", {"content": code, "recipient": "python"}))
                rows.append((f"r{at}-{call}", f"c{at}-{call}", "tool", {"content": text("out"), "recipient": "all"}))
                above = f"r{at}-{call}"
            done = "finished_partial_completion" if at % 2 else "finished_successfully"
            answer = {"content": text(turn.answer), "recipient": "all", "channel": "final", "status": done}
            rows.append((f"a{at}", above, "assistant", answer))
            ends[at] = f"a{at}"
        return rows


def text(said: str) -> dict[str, Any]:
    return {"content_type": "text", "parts": [said]}


def full(chat: Chat) -> dict[str, Any]:
    mapping = {
        key: {"id": key, "parent": parent, "children": [], "message": {"author": {"role": role}, "status": None} | more}
        for key, parent, role, more in chat.rows()
    }
    return conversation(chat, mapping) | {"gizmo_id": "g-1"}


def slim(chat: Chat, *, relinks: bool = True) -> dict[str, Any]:
    """What bulk exports leave of it; parents of messages below what is left out lead past it, or nowhere."""
    parents = {key: parent for key, parent, _, _ in chat.rows()}
    mapping = {}
    for key, parent, role, more in chat.rows():
        if key[0] in "src":
            continue
        above = parent
        while relinks and above is not None and above[0] in "src":
            above = parents[above]
        message = {"author": {"role": role}, "content": more["content"], "metadata": {}}
        mapping[key] = {"id": key, "parent": above, "message": message}
    return conversation(chat, mapping) | {"conversation_template_id": "g-1", "gizmo_type": "gpt"}


def conversation(chat: Chat, mapping: dict[str, Any]) -> dict[str, Any]:
    current = next(reversed(mapping), None)
    base = {"id": "c1", "conversation_id": "c1", "title": chat.title, "update_time": chat.time}
    return base | {"current_node": current, "mapping": mapping}


def live_rows(database: Database) -> dict[str, list[tuple[Any, ...]]]:
    """Every live row of ``raw``, without what tells of the way it came."""
    found = {}
    for table in (dialogues, messages, content_parts, attachments):
        names = ", ".join(f"t.{column.name}" for column in table.columns if column.name not in _HISTORY)
        of_message = "t.id" if table is messages else "t.message_id"
        live = "" if table is dialogues else f"JOIN raw.messages m ON m.id = {of_message} AND m.deleted_at IS NULL"
        found[table.name] = query(database, f"SELECT {names} FROM raw.{table.name} t {live} ORDER BY t.id")  # noqa: S608
    return found


def load_all(database: Database, folder: Path, exports: Sequence[dict[str, Any]], *, at_once: bool = False) -> None:
    empty(database)
    files = [write(folder / f"{index}.json", export) for index, export in enumerate(exports)]
    for group in [files] if at_once else [[file] for file in files]:
        summary = import_archive(database, read_paths(group))
        assert not summary.rejected


def live(database: Database) -> list[str]:
    return [row[0] for row in query(database, "SELECT source_id FROM raw.messages WHERE deleted_at IS NULL ORDER BY 1")]


FIRST = Chat(100.0, {0: Turn(calls=1)})


@pytest.mark.parametrize("shape", [full, slim])
def test_an_export_whose_messages_are_gone_or_damaged_deletes_nothing(
    database: Database, tmp_path: Path, shape: Callable[[Chat], dict[str, Any]]
):
    later = shape(Chat(200.0, FIRST.turns))
    damaged = {**later["mapping"], "a0": {**later["mapping"]["a0"], "message": "?"}}
    for mapping in ({}, {"root": {"id": "root"}}, damaged):
        load_all(database, tmp_path, [full(FIRST), later | {"mapping": mapping}])
        assert live(database) == ["a0", "c0-0", "q0", "r0-0", "s"]
    # Once it can be read again, it is as any other.
    load(database, tmp_path / "export.json", full(Chat(300.0, {0: Turn()})))
    assert live(database) == ["a0", "q0", "s"]


@pytest.mark.parametrize("relinks", [True, False])
@pytest.mark.parametrize("time", [50.0, 100.0, 200.0])
def test_a_slim_export_deletes_neither_calls_nor_hidden_messages(
    database: Database, tmp_path: Path, relinks: bool, time: float
):
    load_all(database, tmp_path, [full(FIRST)])
    before = live_rows(database)
    load_all(database, tmp_path, [full(FIRST), slim(Chat(time, FIRST.turns), relinks=relinks)])
    after = live_rows(database)
    assert live(database) == ["a0", "c0-0", "q0", "r0-0", "s"]
    assert {name: after[name] for name in ("messages", "content_parts")} == {
        name: before[name] for name in ("messages", "content_parts")
    }


def test_what_a_slim_export_has_is_updated_and_what_it_could_have_is_deleted(database: Database, tmp_path: Path):
    later = Chat(200.0, {0: Turn("q", "better", calls=1), 2: Turn("new", "answer", below=0)}, title="U")
    before = full(Chat(100.0, {0: Turn(calls=1), 1: Turn()}))
    before["mapping"]["a0"]["message"]["create_time"] = 90.0
    load_all(database, tmp_path, [before, slim(later)])
    assert live(database) == ["a0", "a2", "c0-0", "q0", "q2", "r0-0", "s"]
    statement = (
        "SELECT m.source_id, p.text_content, m.recipient, m.channel, above.source_id FROM raw.messages m "
        "JOIN raw.content_parts p ON p.message_id = m.id LEFT JOIN raw.messages above ON above.id = m.parent_id "
        "WHERE m.deleted_at IS NULL AND m.role IN ('user', 'assistant') ORDER BY 1"
    )
    assert query(database, statement) == [
        ("a0", "better", "all", "final", "r0-0"),
        ("a2", "answer", None, None, "q2"),
        ("c0-0", "0", "python", None, "q0"),
        ("q0", "q", "all", None, "s"),
        ("q2", "new", None, None, "a0"),
    ]
    assert query(database, "SELECT title, custom_gpt_id, message_count FROM raw.dialogues") == [("U", "g-1", 7)]
    statement = (
        "SELECT vintage, layer IS NULL, right(import.path, 6) FROM raw.dialogue_vintages AS stored "
        "JOIN raw.imports AS import ON import.id = stored.import_id ORDER BY 1"
    )
    assert query(database, statement) == [("full", False, "0.json"), ("slim", False, "1.json")]


def test_a_call_that_a_later_full_export_lacks_is_deleted(database: Database, tmp_path: Path):
    without = Chat(300.0, {0: Turn()})
    load_all(database, tmp_path, [full(FIRST), slim(Chat(200.0, FIRST.turns)), full(without)])
    assert live(database) == ["a0", "q0", "s"]


def test_the_same_exports_again_write_nothing(database: Database, tmp_path: Path):
    exports = [full(FIRST), slim(Chat(200.0, FIRST.turns))]
    load_all(database, tmp_path, exports)
    for name in ("0.json", "1.json"):
        summary = import_archive(database, read_paths([tmp_path / name]))
        assert (summary.dialogues, +summary.rows) == ({"unchanged": 1}, {})


def talk(updated: str, *messages: tuple[str, str | None]) -> dict[str, Any]:
    """A conversation of Claude.ai; messages are ids with their parents, or without any."""
    entries = [
        {"uuid": key, "sender": ["human", "assistant"][at % 2], "content": [{"type": "text", "text": key}]}
        | ({} if parent is None else {"parent_message_uuid": parent})
        for at, (key, parent) in enumerate(messages)
    ]
    return {"uuid": "t1", "name": "T", "updated_at": updated, "chat_messages": entries}


def test_an_export_of_claude_without_parents_neither_moves_nor_deletes(database: Database, tmp_path: Path):
    root = "00000000-0000-4000-8000-000000000000"
    tree = talk("2026-01-01T00:00:00Z", ("q", root), ("a", "q"), ("b", "q"))
    line = talk("2026-02-01T00:00:00Z", ("q", None), ("b", None), ("r", None))
    for order in ([tree, line], [line, tree]):
        load_all(database, tmp_path, order)
        statement = (
            "SELECT m.source_id, above.source_id FROM raw.messages m LEFT JOIN raw.messages above "
            "ON above.id = m.parent_id WHERE m.deleted_at IS NULL ORDER BY 1"
        )
        assert query(database, statement) == [("a", "q"), ("b", "q"), ("q", None), ("r", "b")]


def test_what_comes_first_in_an_export_without_parents_stays_below_what_others_have_above_it(
    database: Database, tmp_path: Path
):
    begun = talk("2026-01-01T00:00:00Z", ("q", None), ("a", None), ("b", None))
    end = talk("2026-02-01T00:00:00Z", ("a", None), ("b", None), ("r", None))
    for order in ([(begun, False), (end, True)], [(end, True), (begun, False)]):
        empty(database)
        for export, is_partial in order:
            load(database, tmp_path / "export.json", export, is_partial=is_partial)
        statement = (
            "SELECT m.source_id, above.source_id FROM raw.messages m LEFT JOIN raw.messages above "
            "ON above.id = m.parent_id WHERE m.deleted_at IS NULL ORDER BY 1"
        )
        assert query(database, statement) == [("a", "q"), ("b", "a"), ("q", None), ("r", "b")]


def test_files_that_a_newer_export_alone_points_to_come_with_the_same_text(database: Database, tmp_path: Path):
    older, newer = full(FIRST), slim(Chat(200.0, FIRST.turns))
    picture = {"content_type": "image_asset_pointer", "asset_pointer": "file-service://file-Old"}
    new = {"content_type": "image_asset_pointer", "asset_pointer": "sediment://file_new"}
    for export, part in ((older, picture), (newer, new)):
        export["mapping"]["q0"]["message"]["content"] = {"content_type": "multimodal_text", "parts": [part, "q"]}
    older["mapping"]["a0"]["message"]["metadata"] = {"attachments": [{"id": "file-1", "name": "a.txt"}]}
    newer["mapping"]["a0"]["message"]["metadata"] = {"attachments": [{"id": "file-2", "name": "b.txt"}]}
    for order in ([older, newer], [newer, older]):
        load_all(database, tmp_path, order)
        assert query(database, "SELECT uri FROM raw.content_parts WHERE uri IS NOT NULL ORDER BY 1") == [
            ("file-service://file-Old",),
            ("sediment://file_new",),
        ]
        assert query(database, "SELECT source_id FROM raw.attachments ORDER BY 1") == [("file-1",), ("file-2",)]


def test_what_is_built_between_exports_is_what_is_built_at_the_end(
    database: Database, settings: Settings, tmp_path: Path
):
    later = {0: Turn("q", "better", calls=1), 1: Turn("new", "answer")}
    exports = [full(FIRST), slim(Chat(200.0, later)), full(Chat(150.0, {0: Turn(calls=2)}))]
    empty(database)
    for at, export in enumerate(exports):
        import_archive(database, read_paths([write(tmp_path / f"{at}.json", export)]))
        build_stale(database, settings)
    incremental = derived_rows(database)
    query(database, "DELETE FROM derived.build_state RETURNING 1")
    build_stale(database, settings)
    assert derived_rows(database) == incremental
    assert query(database, "SELECT count(*) FROM derived.message_paths") == [(len(live(database)),)]


TURNS = st.builds(
    Turn,
    question=st.sampled_from(["q", "r"]),
    answer=st.sampled_from(["a", "b"]),
    calls=st.integers(0, 2),
    below=st.sampled_from([-1, -1, 0]),
)
EXPORTS = st.tuples(
    st.dictionaries(st.integers(0, 3), TURNS, max_size=4).map(lambda turns: dict(sorted(turns.items()))),
    st.sampled_from([full, slim, lambda chat: slim(chat, relinks=False)]),
    st.sampled_from(["T", "U"]),
)


def made(history: Sequence[tuple[Any, ...]]) -> list[dict[str, Any]]:
    return [make(Chat(1000.0 * (at + 1), turns, title)) for at, (turns, make, title) in enumerate(history)]


@trials(8)
@given(history=st.lists(EXPORTS, min_size=2, max_size=3))
@example(history=[({0: Turn(calls=1)}, full, "T"), ({0: Turn()}, slim, "T"), ({0: Turn(calls=2)}, full, "T")])
@example(history=[({0: Turn()}, slim, "T"), ({}, full, "T"), ({0: Turn()}, slim, "T")])
def test_any_order_of_exports_of_any_vintages_gives_the_same(
    database: Database, tmp_path: Path, history: list[tuple[Any, ...]]
):
    exports = made(history)
    found = []
    for order in itertools.permutations(exports):
        load_all(database, tmp_path, order)
        found.append(live_rows(database))
    load_all(database, tmp_path, exports, at_once=True)
    found.append(live_rows(database))
    assert all(rows == found[0] for rows in found[1:])
    assert set(live(database)) == expected(exports)


def expected(exports: list[dict[str, Any]]) -> set[str]:
    """What could be in slim exports as the newest export has it, everything else as the newest full one has it.

    An export without messages says nothing.
    """
    exports = [export for export in exports if export["mapping"]]
    is_full = ["gizmo_id" in export for export in exports]
    there = [set(export["mapping"]) for export in exports]
    newest_full = max((at for at, value in enumerate(is_full) if value), default=None)
    hidden = {key for key in there[newest_full] if key[0] in "src"} if newest_full is not None else set()
    return hidden | {key for key in (there[-1] if there else ()) if key[0] in "qa"}
