"""Windows of a path, and versions side by side."""

from __future__ import annotations

from pathlib import Path

import pytest

from archive_pipeline.browse.reading import (
    MESSAGES_OF_VERSION,
    MESSAGES_ON_PAGE,
    VERSIONS_SIDE_BY_SIDE,
    read_comparison,
    read_thread,
)
from archive_pipeline.errors import UnknownDialogueError
from archive_pipeline.store.database import Database
from archive_pipeline_tests.exports import Said, chain, chatgpt, load

LONG = 2 * MESSAGES_ON_PAGE + 30


def texts(messages: list[str]) -> list[Said]:
    return chain(*messages)


def test_windows_cover_a_path_once(database: Database, tmp_path: Path):
    load(database, tmp_path / "a.json", chatgpt("long", texts([f"text {number}" for number in range(LONG)])))
    shown, start = [], 0
    with database.session() as connection:
        while True:
            thread = read_thread(connection, "chatgpt-long", start=start)
            assert (thread.start, thread.length, thread.branchings.count) == (start, LONG, 0)
            shown += [(message.number, message.message.parts[0].text) for message in thread.messages]
            if thread.next_start is None:
                break
            start = thread.next_start
        beyond = read_thread(connection, "chatgpt-long", start=10 * LONG)
    assert (beyond.start, beyond.messages) == (start, thread.messages)  # an address may be older than the path
    assert shown == [(number + 1, f"text {number}") for number in range(LONG)]
    assert thread.previous_start == MESSAGES_ON_PAGE


def test_the_window_with_a_message_is_shown(database: Database, tmp_path: Path):
    load(database, tmp_path / "a.json", chatgpt("long", texts([f"text {number}" for number in range(LONG)])))
    with database.session() as connection:
        last = read_thread(connection, "chatgpt-long").leaf_id
        thread = read_thread(connection, "chatgpt-long", message_id=last)
    assert thread.start == 2 * MESSAGES_ON_PAGE
    assert thread.messages[-1].message.id == last


def test_a_path_leads_through_a_later_message(database: Database, tmp_path: Path):
    answers = [Said(f"b{number}", "m0", "assistant", f"answer {number}", 2.0 + number) for number in range(3)]
    load(database, tmp_path / "a.json", chatgpt("tree", [*chain("question", start=1.0), *answers], current="b1"))
    with database.session() as connection:
        question, answer = (shown.message for shown in read_thread(connection, "chatgpt-tree").messages)
        other = read_thread(connection, "chatgpt-tree", message_id=question.id)

        def last(message_id: str, through: str) -> str:
            thread = read_thread(connection, "chatgpt-tree", message_id=message_id, through=through)
            return thread.messages[-1].message.id

        versions = other.messages[1].versions
        assert versions is not None
        beside = [name for name in (versions.previous_id, versions.next_id) if name is not None]
        assert [last(question.id, name) for name in (answer.id, *beside)] == [answer.id, *beside]
        # What is gone, or not below the message, changes nothing.
        assert last(question.id, "gone") == other.messages[1].message.id
        assert last(answer.id, beside[0]) == answer.id


def test_versions_lead_to_each_other(database: Database, tmp_path: Path):
    answers = [Said(f"b{number}", "m0", "assistant", f"answer {number}", 2.0 + number) for number in range(3)]
    load(database, tmp_path / "a.json", chatgpt("tree", [*chain("question", start=1.0), *answers], current="b1"))
    with database.session() as connection:
        first, second = read_thread(connection, "chatgpt-tree").messages
        assert (first.versions, second.message.parts[0].text) == (None, "answer 1")
        assert second.versions is not None
        assert (second.versions.kind, second.versions.number, second.versions.count) == ("regeneration", 2, 3)
        beside = [
            read_thread(connection, "chatgpt-tree", message_id=name).messages[-1].message.parts[0].text
            for name in (second.versions.previous_id, second.versions.next_id)
        ]
    assert beside == ["answer 0", "answer 2"]


def test_versions_stand_side_by_side_with_what_follows(database: Database, tmp_path: Path):
    count, following = VERSIONS_SIDE_BY_SIDE + 1, MESSAGES_OF_VERSION + 3
    messages = chain("question", start=1.0)
    for version in range(count):
        above = "m0"
        for number in range(following if version == 0 else 1):
            name = f"v{version}-{number}"
            role = "user" if number % 2 else "assistant"
            messages.append(Said(name, above, role, f"text {name}", 10.0 + 100 * version + number))
            above = name
    load(database, tmp_path / "a.json", chatgpt("tree", messages))
    with database.session() as connection:
        thread = read_thread(connection, "chatgpt-tree")
        message_id = thread.messages[1].message.id
        compared = read_comparison(connection, "chatgpt-tree", message_id)
        rest = read_comparison(connection, "chatgpt-tree", message_id, start=compared.next_start or 0)
        of_last = read_comparison(connection, "chatgpt-tree", rest.versions[0].message_id)
        beyond = read_comparison(connection, "chatgpt-tree", message_id, start=10 * count)
    assert (beyond.start, beyond.versions) == (rest.start, rest.versions)
    assert (of_last, compared.last_start) == (rest, rest.start)
    assert (compared.count, len(compared.versions), compared.next_start) == (count, VERSIONS_SIDE_BY_SIDE, 4)
    assert [len(version.messages) for version in compared.versions] == [MESSAGES_OF_VERSION, 1, 1, 1]
    assert [version.following for version in compared.versions] == [3, 0, 0, 0]
    assert compared.parent is not None
    assert compared.parent.parts[0].text == "question"
    assert [(version.number, version.messages[0].parts[0].text) for version in rest.versions] == [(5, "text v4-0")]
    assert rest.next_start is None


def test_an_unknown_message_is_said(database: Database, tmp_path: Path):
    load(database, tmp_path / "a.json", chatgpt("tree", chain("a", "b")))
    with database.session() as connection:
        for read in (
            lambda: read_thread(connection, "chatgpt-tree", message_id="nope"),
            lambda: read_comparison(connection, "chatgpt-tree", "nope"),
        ):
            with pytest.raises(UnknownDialogueError, match="has no message 'nope'"):
                read()
