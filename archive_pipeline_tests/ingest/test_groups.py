"""Rows that are encoded before they are asked for are those that are encoded then."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from archive_pipeline.domain.records import AttachmentRecord, DialogueRecord, MessageRecord, PartRecord, PartType
from archive_pipeline.ingest.groups import ReadGroup
from archive_pipeline.readers.recognised import ReadDialogue
from archive_pipeline.store.copy_binary import EncodedTable
from archive_pipeline.store.raw_writes import column_kinds

IMPORT = "00000000-0000-0000-0000-000000000001"
TABLES = ["dialogues", "dialogue_vintages", "messages", "content_parts", "attachments"]


def dialogue(name: str | None, *texts: str) -> ReadDialogue:
    messages = tuple(
        MessageRecord(None if name is None else f"m{number}", None, "user", (PartRecord(PartType.TEXT, text),))
        for number, text in enumerate(texts)
    )
    return ReadDialogue(DialogueRecord("claude_ai", name, "file[0]", messages=messages, is_linear_source=True), b"{}")


def group_of(*items: ReadDialogue) -> ReadGroup:
    group = ReadGroup(column_kinds(), is_partial=False)
    for item in items:
        group.add(item)
    return group


def nothing() -> None:
    """What is done meanwhile."""


def rows(group: ReadGroup, positions: Sequence[int]) -> dict[str, EncodedTable]:
    return dict(group.rows(positions, IMPORT))


@pytest.mark.parametrize("positions", [[0, 1, 2], [0, 2], [1]])
def test_rows_are_the_same_whether_encoded_ahead_or_not(positions: list[int]):
    items = [dialogue("a", "one", "two"), dialogue("b", "é"), dialogue("c")]
    ahead, asked = group_of(*items), group_of(*items)
    ahead.encode_ahead(nothing)
    assert rows(ahead, positions) == rows(asked, positions)
    assert rows(ahead, positions) == rows(asked, positions)  # what was encoded ahead is given once, and not kept
    assert list(rows(asked, positions)) == TABLES
    assert ahead.are_all_new == asked.are_all_new == (positions == [0, 1, 2])


def test_nothing_is_encoded_twice_if_all_are_new(monkeypatch: pytest.MonkeyPatch):
    group = group_of(dialogue("a", "one"))
    group.encode_ahead(nothing)
    monkeypatch.setattr("archive_pipeline.ingest.groups.encode_contents", None)
    assert rows(group, [0])["messages"].count == 1


def test_others_are_answered_between_the_tables():
    answered: list[int] = []
    group_of(dialogue("a", "one")).encode_ahead(lambda: answered.append(1))
    assert len(answered) == len(["messages", "content_parts", "attachments"])


def test_a_dialogue_that_is_prepared_again_is_encoded_again():
    items = [dialogue(None, "one"), dialogue(None, "one")]
    ahead, asked = group_of(*items), group_of(*items)
    ahead.encode_ahead(nothing)
    for group in (ahead, asked):
        group.prepare_again(1, 1)
    assert rows(ahead, [0, 1]) == rows(asked, [0, 1])
    assert rows(ahead, [0]) != rows(ahead, [1])


def test_what_cannot_be_encoded_is_met_by_who_asks_for_it():
    huge = dialogue("b", "two")
    [message] = huge.record.messages
    message = replace(message, attachments=(AttachmentRecord("f", "x.png", size_bytes=2**64),))
    group = group_of(dialogue("a", "one"), replace(huge, record=replace(huge.record, messages=(message,))))
    group.encode_ahead(nothing)
    with pytest.raises(ValueError, match="too large"):
        rows(group, [0, 1])
    assert rows(group, [0])["messages"].count == 1
