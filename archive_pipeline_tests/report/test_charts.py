"""Counts of the report, worked out by hand for three small dialogues."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from uuid import UUID

import pytest

from archive_pipeline.building.dialogues import build_stale
from archive_pipeline.ingest.importer import import_archive
from archive_pipeline.readers.reading import read_paths
from archive_pipeline.report.charts import BOUNDS, CHARTS, NO_DATE, Report, class_name, collect
from archive_pipeline.settings import Settings
from archive_pipeline.store.database import Database
from archive_pipeline_tests.exports import Said, chain, chatgpt, claude, write
from archive_pipeline_tests.tables import counts as row_counts
from archive_pipeline_tests.tables import query

pytestmark = pytest.mark.postgres

NOVEMBER_2023 = 1_700_000_000.0
GPT = {"more": {"metadata": {"model_slug": "gpt-x"}}}


def regenerated() -> dict[str, Any]:
    """A prompt with two answers; the user asks the second one to go on."""
    messages = [
        Said("q", None, "user", "one two three", NOVEMBER_2023),
        Said("a", "q", "assistant", "first", NOVEMBER_2023 + 1, more=GPT["more"]),
        Said("b", "q", "assistant", "second", NOVEMBER_2023 + 2, more=GPT["more"]),
        Said("c", "b", "user", "continue", NOVEMBER_2023 + 3),
        Said("d", "c", "assistant", "more of it", NOVEMBER_2023 + 4, more=GPT["more"]),
    ]
    return chatgpt("branched", messages, create_time=NOVEMBER_2023)


def called() -> dict[str, Any]:
    """Claude calls a tool three times: a result, an error, nothing."""
    blocks: list[dict[str, Any]] = []
    for number, is_error in (("1", False), ("2", True)):
        blocks += [
            {"type": "tool_use", "id": number, "name": "search", "input": {"q": number}},
            {"type": "tool_result", "tool_use_id": number, "name": "search", "is_error": is_error, "content": "found"},
        ]
    blocks.append({"type": "tool_use", "id": "3", "name": "read", "input": {}})
    dialogue = claude("tools", "look it up", "here")
    dialogue["chat_messages"][1]["content"] = [*blocks, {"type": "text", "text": "here"}]
    return dialogue


@pytest.fixture
def report(database: Database, settings: Settings, tmp_path: Path) -> Report:
    for name, *dialogues in (
        ("chatgpt", regenerated(), chatgpt("linear", chain("hello there", "yes"), create_time=NOVEMBER_2023)),
        ("claude", called()),
    ):
        import_archive(database, read_paths([write(tmp_path / f"{name}.json", *dialogues)]))
    build_stale(database, settings)
    return collect(database)


def counted(report: Report, name: str) -> dict[tuple[str, str | int], int]:
    return {(count.series, count.label): count.value for count in report.counts[name]}


def test_what_a_small_archive_counts(report: Report):
    assert report.totals["dialogues"] == 3
    assert report.totals["messages"] == 5 + 2 + 2
    assert counted(report, "activity") == {("chatgpt", "2023-11"): 7, ("claude_ai", "2024-05"): 2}
    assert counted(report, "models") == {("chatgpt", "gpt-x"): 3}
    # Classes: 1 is 0, 2 is 1, 3 is 2, 4 is 3 to 4, 5 is 5 to 8.
    assert counted(report, "dialogue_lengths") == {("dialogues", 3): 2, ("dialogues", 5): 1}
    assert counted(report, "branches") == {("neither", 2): 2, ("answers regenerated", 3): 1}
    # Plain English is told whatever its length, other texts as short as these are not.
    assert {label for _, label in counted(report, "tokens")} == {"english", "other or unknown"}


def test_prompts_and_answers(report: Report):
    # Prompts: of 3, 1, 2 and 3 words. Responses: "first", "second", "yes" and "here" of one word, one of three.
    assert counted(report, "text_lengths") == {
        ("prompts", 2): 1,
        ("prompts", 3): 1,
        ("prompts", 4): 2,
        ("responses", 2): 4,
        ("responses", 4): 1,
    }
    assert counted(report, "regenerations") == {
        ("regenerated", "gpt-x"): 1,
        ("answered once", "gpt-x"): 1,
        ("answered once", "unknown"): 2,
    }
    # Four exchanges that begin with a question (the two answers share theirs), one of which goes on once. Class 1 is 0.
    assert counted(report, "continuations") == {("exchanges", 1): 3, ("exchanges", 2): 1}


def test_messages_of_dialogues_without_a_date_are_counted_as_such(database: Database, tmp_path: Path):
    undated = chatgpt("undated", chain("hello there", "yes", "and", start=None))
    import_archive(database, read_paths([write(tmp_path / "chatgpt.json", undated)]))
    assert counted(collect(database), "activity") == {("chatgpt", NO_DATE): 3}


def test_calls_by_what_came_back(report: Report):
    assert counted(report, "tools") == {("result", "search"): 1, ("error", "search"): 1, ("no result", "read"): 1}


def test_an_id_that_is_used_again_is_another_call(database: Database, tmp_path: Path):
    """A call with two results, one with an error, one without any."""
    blocks: list[dict[str, Any]] = []
    for results in ((False, False), (True,), ()):
        blocks.append({"type": "tool_use", "id": "call_0", "name": "search", "input": {}})
        blocks += [
            {"type": "tool_result", "tool_use_id": "call_0", "name": "search", "is_error": is_error, "content": "found"}
            for is_error in results
        ]
    dialogue = claude("tools", "look it up", "here")
    dialogue["chat_messages"][1]["content"] = blocks
    import_archive(database, read_paths([write(tmp_path / "claude.json", dialogue)]))
    assert counted(collect(database), "tools") == {
        ("result", "search"): 1,
        ("error", "search"): 1,
        ("no result", "search"): 1,
    }


def test_branches_with_calls_of_one_id_each_have_their_result(database: Database, settings: Settings, tmp_path: Path):
    """Two answers call with one id, with an error below the first alone; then the id is called again on one path."""

    def spoken(name: str, parent: str | None, sender: str, *blocks: dict[str, Any]) -> dict[str, Any]:
        message = claude("x", "y")["chat_messages"][0]
        return {
            **message,
            "uuid": name,
            "parent_message_uuid": parent,
            "sender": sender,
            "content": list(blocks),
            "text": "",
        }

    def call(name: str = "search") -> dict[str, Any]:
        return {"type": "tool_use", "id": "call_0", "name": name, "input": {}}

    def result(*, is_error: bool = False) -> dict[str, Any]:
        return {"type": "tool_result", "tool_use_id": "call_0", "name": "search", "is_error": is_error, "content": "x"}

    dialogue = claude("tools", "look it up")
    root = dialogue["chat_messages"][0]["uuid"]
    dialogue["chat_messages"] += [
        spoken("one", root, "assistant", call(), result(is_error=True)),
        spoken("other", root, "assistant", call()),
        spoken("on", "other", "human", {"type": "text", "text": "go on"}),
        spoken("last", "on", "assistant", result(), call("read")),
    ]
    import_archive(database, read_paths([write(tmp_path / "claude.json", dialogue)]))
    build_stale(database, settings)
    assert counted(collect(database), "tools") == {
        ("error", "search"): 1,
        ("result", "search"): 1,
        ("no result", "read"): 1,
    }


def test_what_is_copied_into_another_dialogue_is_counted_once(database: Database, settings: Settings, tmp_path: Path):
    """A branch repeats four messages of its original and adds two; a copy repeats them all."""
    ids = [str(UUID(int=number)) for number in range(8)]

    def said(*numbers: int) -> list[Said]:
        return [
            Said(
                ids[number],
                ids[numbers[place - 1]] if place else None,
                "assistant" if number % 2 else "user",
                f"words of number {number}",
                NOVEMBER_2023 + number,
                more=GPT["more"] if number % 2 else {},
            )
            for place, number in enumerate(numbers)
        ]

    dialogues = [
        chatgpt("original", said(0, 1, 2, 3), create_time=NOVEMBER_2023),
        chatgpt("branch", said(0, 1, 2, 3, 6, 7), create_time=NOVEMBER_2023 + 100),
        chatgpt("copy", said(0, 1, 2, 3)),
    ]
    import_archive(database, read_paths([write(tmp_path / "chatgpt.json", *dialogues)]))
    build_stale(database, settings)
    report = collect(database)
    assert counted(report, "activity") == {("chatgpt", "2023-11"): 6}
    assert counted(report, "models") == {("chatgpt", "gpt-x"): 3}
    assert counted(report, "dialogue_lengths") == {("dialogues", 3): 1, ("dialogues", 4): 1}
    assert counted(report, "branches") == {("neither", 2): 2}
    assert counted(report, "text_lengths") == {("prompts", 4): 3, ("responses", 4): 3}
    assert counted(report, "regenerations") == {("answered once", "gpt-x"): 3}
    assert counted(report, "continuations") == {("exchanges", 1): 3}
    of_one = query(database, "SELECT token_count FROM derived.qa_chunks LIMIT 1")[0][0]
    assert {value for (_, _), value in counted(report, "tokens").items()} == {3 * of_one}


def test_what_was_not_found_is_not_counted(report: Report):
    assert [name for name in report.counts if not report.counts[name]] == ["duplicates", "quality", "drift"]
    assert all(count.value > 0 for counts in report.counts.values() for count in counts)


def test_every_chart_of_an_database_is_empty(database: Database):
    report = collect(database)
    assert set(report.counts) == {chart.name for chart in CHARTS}
    assert not any(report.counts.values())
    assert not any(report.totals.values())
    assert row_counts(database)["dialogues"] == 0


@pytest.mark.parametrize(
    ("length", "words"), [(0, "0"), (1, "1"), (2, "2"), (3, "3 to 4"), (8, "5 to 8"), (9, "9 to 16")]
)
def test_a_length_is_in_its_class(database: Database, length: int, words: str):
    with database.session() as connection:
        query = "SELECT width_bucket(%s, %s::integer[])"
        (number,) = connection.execute(query, [length, list(BOUNDS)]).fetchone() or ()
    assert class_name(number) == words


def test_the_last_class_has_no_end():
    assert class_name(len(BOUNDS)) == f"{BOUNDS[-1]:,} and more"
