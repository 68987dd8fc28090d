"""What Hermes' compression leaves: rows that are written again, and summaries in rows of their own and of others."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from archive_pipeline.domain.records import DialogueRecord, PartType
from archive_pipeline_tests.readers.test_hermes import SESSION, call, in_database, numbered, of_rows, read, row, said
from archive_pipeline_tests.trials import trials

TEXT, CONTEXT = PartType.TEXT, PartType.CONTEXT
ARCHIVED, CARRIED, LIVE = {"active": 0, "compacted": 1}, {"active": 0, "compacted": 0}, {"active": 1, "compacted": 0}
SUMMARY = "[CONTEXT COMPACTION — REFERENCE ONLY] Earlier turns were compacted"
END = "--- END OF CONTEXT SUMMARY — respond to the message below, not the summary above ---"
PRIOR = "[PRIOR CONTEXT — for reference only; not a new message]"
END_OF_PRIOR = "[END OF PRIOR CONTEXT — COMPACTION SUMMARY BELOW]"
A, B, C = row(1, "user", "A"), row(2, "assistant", "B"), row(3, "user", "C")
D = row(9, "assistant", "D")
FIRST, SECOND = row(4, "user", f"{SUMMARY} once\n\n{END}"), row(6, "user", f"{SUMMARY} twice\n\n{END}")


def again(of: dict[str, Any], number: int, state: dict[str, int]) -> dict[str, Any]:
    return {**of, "id": number, **state}


# The states of one database: before, after the first compression, which carries the tail over, and after the second.
EARLY = [A, B, C]
LATER = [
    *(A | ARCHIVED, B | CARRIED, C | CARRIED),
    *(FIRST | LIVE, again(B, 5, LIVE), again(C, 6, LIVE), again(D, 7, LIVE)),
]
LATEST = [
    *(A | ARCHIVED, B | CARRIED, C | CARRIED),
    *(FIRST | ARCHIVED, again(B, 5, ARCHIVED), again(C, 6, ARCHIVED), again(D, 7, CARRIED)),
    *(again(SECOND, 8, LIVE), again(C, 9, LIVE), again(D, 10, LIVE)),
]


def texts(record: DialogueRecord) -> list[str | None]:
    return [part.text for message in record.messages for part in message.parts]


def test_rows_that_are_carried_over_are_one_message_and_no_branch():
    record = of_rows(*LATER)
    assert numbered(record) == [(1, None), (2, 1), (3, 2), (4, 3), (7, 4)]
    assert [m.role for m in record.messages] == ["user", "assistant", "user", "system", "assistant"]
    assert record.active_source_id == record.messages[-1].source_id
    assert [copy["id"] for copy in record.source_json["tables"]["copies"]] == [5, 6]


def test_rows_that_several_compressions_wrote_again_are_one_message():
    record = of_rows(*LATEST)
    assert numbered(record) == [(1, None), (2, 1), (3, 2), (4, 3), (7, 4), (8, 7)]
    assert texts(record) == ["A", "B", "C", FIRST["content"], "D", SECOND["content"]]


def test_what_is_taken_back_after_a_compression_is_a_branch_all_the_same():
    record = of_rows(
        *(A | ARCHIVED, B | CARRIED, C | CARRIED, FIRST | LIVE, again(B, 5, LIVE), again(C, 6, CARRIED)),
        again(D, 7, LIVE),
    )
    assert numbered(record) == [(1, None), (2, 1), (3, 2), (4, 2), (7, 4)]


def test_two_equal_rows_of_two_times_are_two_messages():
    assert numbered(of_rows(A, B, row(3, "user", "A"))) == [(1, None), (2, 1), (3, 2)]
    untimed = {"session_id": "s", "role": "user", "content": "A"}
    assert len({m.source_id for m in of_rows({**untimed, "id": 1}, {**untimed, "id": 2}).messages}) == 2


@pytest.mark.parametrize("content", ["C", [{"type": "text", "text": "C"}]])
def test_ids_are_the_same_in_the_growing_database_and_in_an_export(tmp_path: Path, content: Any):
    of_database = content if isinstance(content, str) else "\x01json:" + json.dumps(content)
    called = {"tool_calls": [call("c1", "look")]}

    def with_content(one: dict[str, Any], said: Any) -> dict[str, Any]:
        return one | ({"content": said} if one["content"] == "C" else {}) | (called if one["content"] == "B" else {})

    records = []
    for number, rows in enumerate((EARLY, LATER, LATEST)):
        path = tmp_path / f"{number}.db"
        records += [item.record for item in in_database(path, *(with_content(one, of_database) for one in rows))]
        live = [with_content(one, content) for one in rows if one.get("active", 1) == 1]
        records.append(read({**SESSION, "messages": live}))
    ids = [{part.text: m.source_id for m in record.messages for part in m.parts} for record in records]
    assert ids[4].keys() == {"A", "B", "C", "D", None, FIRST["content"], SECOND["content"]}
    assert all(known.items() <= ids[4].items() for known in ids)
    # Each state has the messages of the one before.
    assert all(before.items() <= after.items() for before, after in pairwise(ids[::2]))


@pytest.mark.parametrize("flag", [{"_compressed_summary": 1}, {"_compressed_summary": 0}, {"display_kind": "hidden"}])
def test_what_follows_a_summary_in_its_row_is_the_users(flag: dict[str, Any]):
    summary = f"{SUMMARY}\n\n{END}"
    expected = [("system", [(CONTEXT, summary)]), ("user", [(TEXT, "Now deploy it")])]
    assert said(of_rows(row(1, "user", f"{summary}\n\nNow deploy it", **flag))) == expected
    blocks = [{"type": "text", "text": summary}, {"type": "text", "text": "Now deploy it"}]
    assert said(of_rows(row(1, "user", blocks, **flag))) == expected


@pytest.mark.parametrize("role", ["user", "assistant"])
def test_a_summary_that_is_merged_into_a_message_leaves_it_as_it_was(role: str):
    behind = f"{END_OF_PRIOR}\n\n{SUMMARY}\n\n{END}\n\nrestated"
    expected = [(role, [(TEXT, "real words")]), ("system", [(CONTEXT, f"{PRIOR}\n\n{behind}")])]
    merged = row(1, role, f"{PRIOR}\n\nreal words\n\n{behind}", _compressed_summary=1)
    assert said(of_rows(merged)) == expected
    blocks = [{"type": "text", "text": text} for text in (f"{PRIOR}\n", "real words", f"\n\n{behind}")]
    [(_, words), (_, summary)] = said(of_rows({**merged, "content": blocks}))
    assert (words, [part_type for part_type, _ in summary]) == ([(TEXT, "real words")], [CONTEXT, CONTEXT])
    # In the session of the message it is a copy of that one.
    record = of_rows(row(1, role, "real words\n") | CARRIED, {**merged, "id": 2, **LIVE})
    assert said(record) == [(role, [(TEXT, "real words\n")]), *expected[1:]]
    assert numbered(record) == [(1, None), (2, 1)]
    assert (record.messages[1].source or {})["content"] == merged["content"]


def test_who_quotes_the_marks_of_a_summary_says_so_himself():
    for text in (f"What is {END_OF_PRIOR}?", f"{PRIOR} is what?", "[CONTEXT SUMMARY]: what is it?", f"And {END}"):
        assert said(of_rows(row(1, "user", text))) == [("user", [(TEXT, text)])]


@pytest.mark.parametrize(
    ("content", "more"),
    [
        (f"{SUMMARY}\n\n{END}", {}),
        ("All so far.", {"_compressed_summary": 1}),
        ("Again?", {"display_kind": "failed_turn"}),
    ],
)
def test_summaries_and_notices_in_the_models_name_are_context(content: str, more: dict[str, Any]):
    [message] = of_rows(row(1, "assistant", content, **more)).messages
    assert (message.role, message.is_hidden, message.model) == ("system", True, None)
    assert [(part.part_type, part.text) for part in message.parts] == [(CONTEXT, content)]


def compressed(rows: list[dict[str, Any]], summary: dict[str, Any], kept: int, *, is_marked: bool) -> None:
    """Compresses a session as the program does: all rows are archived, and the last ones written again."""
    live = [one for one in rows if one["active"] == 1]
    tail = live[len(live) - kept :]
    for one in live:
        one.update(CARRIED if is_marked and one in tail else ARCHIVED)
    rows += [one | {"id": len(rows) + at} | LIVE for at, one in enumerate([summary, *tail], start=1)]


@given(st.lists(st.tuples(st.integers(0, 4), st.booleans()), max_size=5))
@trials(30)
def test_a_session_has_each_message_once_and_in_its_order_after_any_compressions(steps: list[tuple[int, bool]]):
    rows: list[dict[str, Any]] = []
    expected: list[str] = []
    for number, (kept, is_marked) in enumerate(steps):
        for at, role in enumerate(("user", "assistant", "user"), start=10 * number):
            rows.append({**row(at, role, f"m{at}"), "id": len(rows) + 1, **LIVE})
        expected += [f"m{at}" for at in range(10 * number, 10 * number + 3)]
        compressed(rows, row(10 * number + 5, "user", f"{SUMMARY} {number}\n\n{END}"), kept, is_marked=is_marked)
    record = of_rows(*rows)
    assert [text for (role, [(_, text)]) in said(record) if role != "system"] == expected
    assert [m.parent_source_id for m in record.messages[1:]] == [m.source_id for m in record.messages[:-1]]
