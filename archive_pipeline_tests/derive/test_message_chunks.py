"""Chunks of what is in no pair: rows worked out by hand, and the law that everything said is in one of both tables."""

from __future__ import annotations

import hashlib
from collections import Counter

import pandas as pd
import pytest
from hypothesis import given

from archive_pipeline.derive.dialogue_pages import page_of_messages
from archive_pipeline.derive.message_chunks import message_chunks
from archive_pipeline.derive.qa_pairs import qa_pairs
from archive_pipeline.domain.batch import DialogueBatch
from archive_pipeline.domain.identity import row_id
from archive_pipeline_tests.derive.batches import Row, Talk, Tool, batch_of, linear, random_batch

RECIPE = "".join(f"Step {number}: fold the dough {number} times, then let it rest. " for number in range(1, 40))


def said(batch: DialogueBatch) -> list[tuple[str, int]]:
    """Return texts and pages of the chunks."""
    chunks = message_chunks(batch, 512)
    return list(zip(chunks["text"], chunks["page"], strict=True))


@pytest.mark.slow
@given(random_batch())
def test_what_users_and_assistants_say_is_in_a_turn_or_in_a_chunk_of_its_own(batch: DialogueBatch):
    pairs = qa_pairs(batch)
    turns = pairs[pairs["pair_type"] == "conversation_turn"]
    paired = {*turns["source_message_id"]}
    numbers = {*zip(turns["dialogue_id"], turns["end_sequence_number"], strict=True)}
    chunks = message_chunks(batch, 512)
    of_texts = chunks[chunks["part_id"].isna()]
    expected = Counter(
        (message, text)
        for message, text, role, place in zip(
            batch.message_ids,
            batch.text,
            batch.role,
            zip(batch.dialogue_of_message, batch.sequence_number, strict=True),
            strict=True,
        )
        if text is not None and role in {"user", "assistant"} and message not in paired and place not in numbers
    )
    assert Counter(zip(of_texts["message_id"], of_texts["text"], strict=True)) == expected
    shown = [not batch.is_hidden[message] for message in batch.artifacts.message]
    assert [*chunks["part_id"].dropna()] == [
        part for part, is_shown in zip(batch.artifacts.part_id, shown, strict=True) if is_shown
    ]


@pytest.mark.slow
@given(random_batch())
def test_chunks_are_pieces_of_what_they_are_of(batch: DialogueBatch):
    texts = dict(zip(batch.message_ids, batch.text, strict=True))
    texts.update(zip(batch.artifacts.part_id, batch.artifacts.text, strict=True))
    pages = dict(zip(batch.message_ids, page_of_messages(batch), strict=True))
    chunks = message_chunks(batch, 8)
    assert chunks["chunk_id"].is_unique
    for row in chunks.itertuples():
        of = row.message_id if pd.isna(row.part_id) else row.part_id
        assert row.text == texts[of][row.start_offset : row.end_offset]
        assert row.content_hash == hashlib.sha256(row.text.encode()).hexdigest()
        assert row.chunk_id == row_id("message_chunk", of, str(row.chunk_index))
        assert row.page == pages[row.message_id] >= 1


def test_a_prompt_without_an_answer_and_words_before_a_call_have_chunks():
    call = Tool("c", name="f", input="{}")
    talk = Talk(
        "d",
        (
            Row("q", None, "user", "Why does it fail?", 0),
            Row("a", "q", "assistant", "I look at the log.", 1, tools=(call, Tool("c", is_result=True, text="out"))),
            Row("b", "a", "assistant", "The disk is full.", 2),
            Row("thanks", "b", "user", "Then I buy another one.", 3),
        ),
    )
    assert said(batch_of(talk)) == [("I look at the log.", 1), ("Then I buy another one.", 2)]


def test_what_is_unfinished_has_chunks_and_what_is_hidden_or_instructs_has_none():
    talk = Talk(
        "d",
        (
            Row("s", None, "system", "You are brief.", 0),
            Row("q", "s", "user", "Go on", 1),
            Row("a", "q", "assistant", "It was a dark and", 2, is_complete=False),
            Row("h", "a", "user", None, 3, is_hidden=True, artifacts=("print(1)",)),
        ),
    )
    assert said(batch_of(talk)) == [("Go on", 1), ("It was a dark and", 1)]


def test_versions_of_an_artifact_are_marked_where_the_last_one_says_it_too():
    old, new = "A glaze of honey and butter goes over all of it.", "A glaze of sugar and lemon goes over all of it."
    rows = (
        Row("q", None, "user", "A recipe, please", 0),
        Row("a", "q", "assistant", "Here.", 1, artifacts=(RECIPE + old,)),
        Row("r", "a", "user", "Without honey", 2),
        Row("b", "r", "assistant", "Done.", 3, artifacts=(RECIPE + new,)),
    )
    chunks = message_chunks(batch_of(Talk("d", rows)), 128)
    first, last = chunks[chunks["page"] == 1], chunks[chunks["page"] == 2]
    assert not last["is_near_duplicate"].any()
    assert last["text"].tolist()[-1].endswith(new)
    assert len(first) > 2
    assert first["is_near_duplicate"].tolist()[:-1] == [True] * (len(first) - 1)


@pytest.mark.parametrize(("went_on", "marks"), [("a", [False, True]), ("b", [True, False])])
def test_of_the_versions_of_branches_that_of_an_abandoned_one_is_marked(went_on: str, marks: list[bool]):
    rows = (
        Row("q", None, "user", "A recipe, please", 0),
        Row("a", "q", "assistant", "Here.", 1, artifacts=(RECIPE,)),
        Row("b", "q", "assistant", "There.", 2, artifacts=(RECIPE,)),
        Row("thanks", went_on, "user", None, 3),
    )
    chunks = message_chunks(batch_of(Talk("d", rows)), 1024)
    assert chunks["is_near_duplicate"].tolist() == marks


@pytest.mark.parametrize(
    ("role", "text", "is_marked"),
    [
        ("assistant", f"Here:\n\n```text\n{RECIPE}\n```\n\nEnjoy it.", True),
        ("tool", RECIPE, False),
        ("assistant", "Here it is.", False),
        ("assistant", None, False),
    ],
)
def test_an_artifact_that_the_searched_text_of_its_message_has_too_is_marked(role: str, text: str, is_marked: bool):
    rows = (
        Row("q", None, "user", "A recipe, please", 0),
        Row("a", "q", role, text, 1, artifacts=(RECIPE, "***")),
    )
    chunks = message_chunks(batch_of(Talk("d", rows)), 1024)
    of_artifacts = chunks[chunks["part_id"].notna()]
    assert of_artifacts["is_near_duplicate"].tolist() == [is_marked, False]


def test_chunks_have_what_readers_see_of_citation_marks():
    cite = "\ue200cite\ue202turn0search0\ue201"
    [(text, _)] = said(batch_of(linear("d", ("user", f"They said so {cite}."))))
    assert text == "They said so."


def test_equal_texts_are_told_by_their_hash():
    chunks = message_chunks(batch_of(linear("d", ("user", "Go")), linear("e", ("user", "Go"))), 64)
    assert len({*chunks["dialogue_id"]}) == 2
    assert {*chunks["content_hash"]} == {hashlib.sha256(b"Go").hexdigest()}
