"""Microsoft Copilot: rows gathered by title and put in order, the three tables, their times, and several exports."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from archive_pipeline.domain.records import DialogueRecord, PartRecord, PartType, RejectedRecord
from archive_pipeline.ingest.importer import import_archive
from archive_pipeline.readers.drift import Drift
from archive_pipeline.readers.microsoft_copilot import READER
from archive_pipeline.readers.microsoft_copilot.gathering import RowGatherer
from archive_pipeline.readers.reading import ReadDialogue, read_paths
from archive_pipeline.readers.registry import recognise
from archive_pipeline.store.database import Database
from archive_pipeline_tests.readers.copilot_tables import ACTIVITY, CHAT, PROMPTS, exchange, table
from archive_pipeline_tests.tables import query

NAME = "copilot-activity-history.csv"


def row(time: str, author: str, message: str, title: str = "T") -> dict[str, str]:
    return {"Conversation": title, "Time": time, "Author": author, "Message": message}


def read(*rows: Any) -> DialogueRecord:
    record = READER.read({"csv": "microsoft_copilot", "rows": list(rows)}, "t.csv[0]")
    assert isinstance(record, DialogueRecord)
    return record


def said(record: DialogueRecord) -> list[tuple[str, str | None]]:
    return [(message.role, part.text) for message in record.messages for part in message.parts]


def records(path: Path) -> list[DialogueRecord]:
    items = [item for file in read_paths([path]) for item in file.records()]
    assert not [item for item in items if isinstance(item, RejectedRecord)]
    return [item.record for item in items if isinstance(item, ReadDialogue)]


def test_a_conversation_is_its_rows_from_the_last_one_on(tmp_path: Path):
    """The first one was taken up again after the second, so its rows stand in two places."""
    path = tmp_path / NAME
    path.write_bytes(
        table(
            [
                *exchange("Bread", "2026-07-26T23:20:56", "For how long?", "Three months."),
                *exchange("Git flags", "2026-07-25T10:00:01", "What is -n?", "**Short**: a dry run."),
                *exchange("Bread", "2026-07-24T09:00:00", "How do I freeze bread?", "Sliced, in a bag."),
            ]
        )
    )
    bread, git = records(path)
    assert (bread.source, bread.source_id, bread.title) == ("microsoft_copilot", None, "Bread")
    assert said(bread) == [
        ("user", "How do I freeze bread?"),
        ("assistant", "Sliced, in a bag."),
        ("user", "For how long?"),
        ("assistant", "Three months."),
    ]
    assert bread.created_at == datetime(2026, 7, 24, 9, tzinfo=UTC)
    assert bread.updated_at == datetime(2026, 7, 26, 23, 20, 56, tzinfo=UTC)
    assert bread.is_linear_source
    assert bread.source_json == {"csv": "microsoft_copilot"}
    assert bread.messages[1].source == {"Time": "2026-07-24T09:00:00", "Author": "AI"}
    assert bread.messages[1].parts == (PartRecord(PartType.TEXT, "Sliced, in a bag.", "Message"),)
    assert said(git) == [("user", "What is -n?"), ("assistant", "**Short**: a dry run.")]


@pytest.mark.parametrize(
    ("rows", "order"),
    [
        ("2b 2a 1d 1c", "cdab"),  # as exports are
        ("1c 1d 2a 2b", "cdab"),  # sorted by time
        ("1d 1c", "cd"),
        ("1c 1d", "cd"),
        ("1f 1d 1c", "cdf"),  # two answers of one time
        ("1b 1a 1d 1c", "cdab"),  # two exchanges in one second
        ("1c 1d 1a 1b", "acbd"),  # nothing tells which answer is whose
        ("2b ?a 1d 1c", "cdab"),  # a prompt without a time stands where it stood
        ("?b ?a", "ab"),
    ],
)
def test_rows_of_one_time_are_in_order_from_the_last_one_on_prompts_first(rows: str, order: str):
    given_rows = [
        row("" if time == "?" else f"2026-07-0{time}T10:00:00", "Human" if name in "ac" else "AI", name)
        for time, name in rows.split()
    ]
    assert "".join(text or "" for _, text in said(read(*given_rows))) == order


@pytest.mark.parametrize(
    ("author", "role"),
    [("Microsoft 365 Copilot", "assistant"), ("Copilot", "assistant"), ("USER", "user"), ("Ada", "system")],
)
def test_answers_may_have_the_name_of_the_product(author: str, role: str):
    record = read(row("2026-07-26T23:20:56", author, "m"))
    assert [message.role for message in record.messages] == [role]
    assert record.messages[0].source == {"Time": "2026-07-26T23:20:56", "Author": author}
    assert record.warnings == ({"unknown_role": 1} if role == "system" else {})


@pytest.mark.parametrize("space", ["", " ", "\u00a0", "\u202f"])
def test_any_space_may_stand_before_the_half_of_the_day(space: str):
    record = read(row(f"7/26/2026 11:20:56{space}PM +00:00", "Human", "m"))
    assert record.created_at == datetime(2026, 7, 26, 23, 20, 56, tzinfo=UTC)


def test_rows_without_a_title_are_one_conversation_without_one(tmp_path: Path):
    path = tmp_path / NAME
    path.write_bytes(
        table([*exchange("", "2026-07-02T10:00:00", "q", "a"), *exchange("", "2026-07-01T10:00:00", "p", "b")])
    )
    [record] = records(path)
    assert record.title is None
    assert [text for _, text in said(record)] == ["p", "b", "q", "a"]


def test_what_is_said_in_chat_has_another_form(tmp_path: Path):
    path = tmp_path / "copilot-chat-activity.csv"
    rows = [
        ("1/2/2026 12:00:05 AM +00:00", "Two.", "assistant", "Sums"),
        ("1/2/2026 0:00:04 +00:00", "2", "api_tool", "Sums"),
        ("1/1/2026 23:59:00 -01:00", "1 + 1?", "user", "Sums"),
        ("1/1/2026 11:00:00 PM +00:00", "", "system", "Sums"),
    ]
    path.write_bytes(table(rows, CHAT))
    [record] = records(path)
    assert record.title == "Sums"
    # The prompt's time is 00:59 in UTC: behind those that stand above it.
    assert [(message.role, message.created_at) for message in record.messages] == [
        ("system", datetime(2026, 1, 1, 23, tzinfo=UTC)),
        ("tool", datetime(2026, 1, 2, 0, 0, 4, tzinfo=UTC)),
        ("assistant", datetime(2026, 1, 2, 0, 0, 5, tzinfo=UTC)),
        ("user", datetime(2026, 1, 2, 0, 59, tzinfo=UTC)),
    ]
    assert record.messages[0].parts == ()
    assert record.messages[1].parts == (PartRecord(PartType.TOOL_RESULT, "2", "MessageContent"),)


def test_a_prompt_of_an_app_of_windows_stands_alone(tmp_path: Path):
    path = tmp_path / "windows-apps-copilot-activity-history (2).csv"
    path.write_bytes(
        table([("2026-07-02T10:00:00Z", "Notepad", "Shorten"), ("2026-07-01T10:00:00Z", "Paint", "")], PROMPTS)
    )
    first, second = records(path)
    assert said(first) == [("user", "Shorten")]
    assert first.messages[0].source == {"Timestamp": "2026-07-02T10:00:00Z", "ClientApp": "Notepad"}
    assert (first.title, first.created_at) == (None, datetime(2026, 7, 2, 10, tzinfo=UTC))
    assert second.messages[0].parts == ()


@pytest.mark.parametrize("time", ["yesterday", "13/1/2026 10:00:00 +00:00", "0001-01-01T00:00:00"])
def test_a_time_that_cannot_be_read_is_kept_and_counted(time: str):
    record = read(row(time, "AI", "a"))
    assert record.messages[0].created_at is None
    assert record.messages[0].source == {"Time": time, "Author": "AI"}
    assert record.warnings == {"bad_timestamp": 1}


def test_what_is_unknown_is_kept_counted_and_told_as_drift():
    value = {"csv": "microsoft_copilot", "rows": [{**row("2026-07-01T10:00:00", "Robot", "a"), "Rating": "5"}, "x"]}
    record = READER.read(value, "t.csv[0]")
    assert isinstance(record, DialogueRecord)
    assert record.warnings == {"unknown_role": 1, "malformed_message": 1}
    assert record.messages[0].role == "system"
    assert record.messages[0].source["Rating"] == "5"
    assert record.source_json["rows"] == ["x"]
    seen = Drift()
    seen.look_at("microsoft_copilot", value, "t.csv[0]")
    assert {(found.kind, found.path, found.value) for found in seen.found} == {
        ("key", "rows[].Rating", "text"),
        ("content_type", "rows[].Author", "Robot"),
        ("value_type", "rows[]", "text"),
    }


def test_nothing_that_tables_are_known_to_have_is_drift():
    seen = Drift()
    for columns in (ACTIVITY, CHAT, PROMPTS):
        rows = [dict.fromkeys(columns, "x") | ({"Author": "Human"} if "Author" in columns else {})]
        seen.look_at("microsoft_copilot", {"csv": "microsoft_copilot", "rows": rows}, "t.csv[0]")
    assert not seen.found


def test_only_rows_of_its_tables_are_taken():
    assert recognise({"csv": "microsoft_copilot", "rows": [row("", "AI", "a")]}).is_recognised
    assert not recognise({"csv": "microsoft_copilot", "rows": []}).is_recognised
    assert recognise({"csv": "other", "rows": [row("", "AI", "a")]}).source != "microsoft_copilot"
    assert recognise(row("", "AI", "a")).source != "microsoft_copilot"
    rejected = READER.read({"csv": "microsoft_copilot", "rows": ["x"]}, "t.csv[0]")
    assert rejected == RejectedRecord("t.csv[0]", "the conversation has no 'rows', so no messages", "missing rows")


@given(st.lists(st.sampled_from("abc")), st.sampled_from([0, 40, 10_000]))
def test_rows_come_together_whatever_is_held_in_memory(titles: list[str], held: int):
    gatherer = RowGatherer(held_bytes=held)
    lines = [f'{{"Conversation":"{title}","Message":"{at}"}}'.encode() for at, title in enumerate(titles)]
    made = [
        text
        for at, line in enumerate(lines)
        for text in gatherer.add(line, {"Conversation": titles[at], "Message": ""})
    ]
    made += gatherer.all()
    by_title = {title: [line for own, line in zip(titles, lines, strict=True) if own == title] for title in titles}
    assert made == [
        b'{"csv": "microsoft_copilot", "rows": [\n' + b",\n".join(own) + b"\n]}" for own in by_title.values()
    ]


def test_an_export_adds_to_a_conversation_and_takes_nothing_from_it(database: Database, tmp_path: Path):
    path = tmp_path / NAME
    first = exchange("Bread", "2026-07-24T09:00:00", "How?", "Sliced.")
    later = exchange("Bread", "2026-07-26T09:00:00", "How long?", "Three months.")
    renamed = [("Freezing bread", *rest) for _, *rest in [*later, *first]]

    def imported(rows: Any, cut: int = 0) -> list[tuple[Any, ...]]:
        data = table(rows)
        path.write_bytes(data[: len(data) - cut])
        import_archive(database, read_paths([path]))
        return query(
            database,
            "SELECT dialogue.title, part.text_content FROM raw.dialogues AS dialogue"
            " JOIN raw.messages AS message ON message.dialogue_id = dialogue.id"
            " JOIN raw.content_parts AS part ON part.message_id = message.id"
            " WHERE message.deleted_at IS NULL ORDER BY message.created_at, message.role DESC",
        )

    texts = ["How?", "Sliced.", "How long?", "Three months."]
    assert imported(first) == [("Bread", text) for text in texts[:2]]
    assert imported([*later, *first]) == [("Bread", text) for text in texts]
    assert imported([*later, *first]) == [("Bread", text) for text in texts]
    assert imported(renamed) == [("Freezing bread", text) for text in texts]
    # The oldest row is damaged: nothing tells that the other one is of the same conversation.
    kept = imported(first, cut=3)
    assert [row for row in kept if row[0] == "Freezing bread"] == [("Freezing bread", text) for text in texts]
    assert [row for row in kept if row[0] == "Bread"] == [("Bread", "Sliced.")]
