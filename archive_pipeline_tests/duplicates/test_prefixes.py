"""Copies of a shared prefix (forks, resumed chats) are told apart from content that is said again."""

from __future__ import annotations

from archive_pipeline.duplicates.paths import Prefixes, openings_of, path_hashes
from archive_pipeline_tests.derive.batches import Row
from archive_pipeline_tests.duplicates.finding import Talk, batch_of, find, linear, messages, prose

SYSTEM = ("system", prose(30, step=3))
QUESTION = ("user", prose(20))
ANSWER = ("assistant", prose(60, step=11))
OTHER_ANSWER = ("assistant", prose(60, step=13))
FURTHER = ("user", prose(20, step=17))
LAST = ("assistant", prose(40, step=19))


def kinds(*talks: Talk) -> dict[str, str | None]:
    """Return what each message is a copy by, as ``dialogue.row``; None for a kept one."""
    names = {talk.message(row.id): f"{talk.name}.{row.id}" for talk in talks for row in talk.rows}
    rows = messages(find(batch_of(*talks)), "exact:none")
    return {names[row["entity_id"]]: row["copy_kind"] for row in rows}


def test_a_fork_copies_a_prefix() -> None:
    found = kinds(linear("a", QUESTION, ANSWER, FURTHER, LAST), linear("b", QUESTION, ANSWER, ("user", prose(9))))
    assert set(found) == {"a.0", "a.1", "b.0", "b.1"}
    assert sorted(filter(None, found.values())) == ["prefix", "prefix"]


def test_a_question_that_is_asked_again_is_content() -> None:
    found = kinds(linear("a", SYSTEM, QUESTION, ANSWER), linear("b", SYSTEM, QUESTION, OTHER_ANSWER))
    assert set(found) == {"a.0", "a.1", "b.0", "b.1"}
    assert sorted(filter(None, found.values())) == ["content", "content"]


def test_the_same_answer_below_another_beginning_is_content() -> None:
    found = kinds(linear("a", QUESTION, ANSWER), linear("b", FURTHER, ANSWER))
    assert sorted(filter(None, found.values())) == ["content"]


def test_copies_of_a_fork_and_content_are_told_apart_in_one_cluster() -> None:
    talks = [
        linear("a", QUESTION, ANSWER, FURTHER, LAST),
        linear("b", QUESTION, ANSWER, FURTHER),
        linear("c", QUESTION, OTHER_ANSWER),
        linear("d", QUESTION, OTHER_ANSWER, FURTHER),
    ]
    found = kinds(*talks)
    questions = [found[f"{name}.0"] for name in "abcd"]
    # Two forks of two chats that begin with the same question: one kept, one said again, and a copy of each.
    assert sorted(kind or "kept" for kind in questions) == ["content", "kept", "prefix", "prefix"]
    assert sorted(found[f"{name}.2"] or "kept" for name in "abd") == ["content", "kept", "prefix"]


def test_texts_on_the_way_count_and_messages_without_text_do_not() -> None:
    silent = ("tool", None)
    found = kinds(linear("a", QUESTION, ANSWER, FURTHER, LAST), linear("b", QUESTION, silent, ANSWER, FURTHER, LAST))
    assert sorted(filter(None, found.values())) == ["prefix"] * 4
    found = kinds(
        linear("a", QUESTION, ANSWER, FURTHER, LAST), linear("b", QUESTION, ANSWER, ("user", "and"), FURTHER, LAST)
    )
    assert sorted(filter(None, found.values())) == ["content", "content", "prefix", "prefix"]


def test_a_role_is_part_of_the_way() -> None:
    found = kinds(linear("a", QUESTION, ANSWER, LAST), linear("b", ("system", QUESTION[1]), ANSWER, LAST))
    assert sorted(filter(None, found.values())) == ["content", "content", "content"]


def test_an_exchange_is_a_copy_as_its_last_message_is() -> None:
    talks = [linear("a", QUESTION, ANSWER), linear("b", QUESTION, ANSWER, FURTHER, LAST)]
    rows = [row for row in find(batch_of(*talks)) if row["entity_type"] == "exchange" and row["method"] == "exact:none"]
    assert sorted(row["copy_kind"] or "kept" for row in rows) == ["kept", "prefix"]


def test_branches_of_one_dialogue_that_say_the_same_are_copies_by_prefix() -> None:
    rows = (
        Row("q", None, "user", QUESTION[1]),
        Row("a", "q", "assistant", ANSWER[1]),
        Row("b", "q", "assistant", ANSWER[1]),
    )
    found = kinds(Talk("d", rows, active="b"))
    assert found == {"d.b": None, "d.a": "prefix"}


def test_answers_that_only_one_of_the_forks_has_change_nothing() -> None:
    others = [Row(f"other{number}", "q", "assistant", prose(60, start=number)) for number in range(8)]
    rows = (Row("q", None, "user", QUESTION[1]), Row("0", "q", "assistant", ANSWER[1]), *others)
    found = kinds(Talk("a", rows), linear("b", QUESTION, ANSWER))
    assert sorted(filter(None, found.values())) == ["prefix", "prefix"]


def test_a_chain_of_many_openings_is_walked_once() -> None:
    said = [("user", f"opening {number}") for number in range(5_000)]
    batch = batch_of(linear("a", *said, ANSWER), linear("b", *said, ANSWER))
    prefixes = Prefixes()
    prefixes.add(openings_of(batch)[1])
    shared = set(prefixes.opening_prefixes().tolist())
    answers = {value for value, role in zip(path_hashes(batch), batch.role, strict=True) if role == "assistant"}
    assert shared == answers
    assert len(shared) == 1
