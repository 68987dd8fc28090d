"""Chunks of pairs and pages of dialogues: rows worked out by hand, and laws on random forests."""

from __future__ import annotations

import hashlib

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from archive_pipeline.derive.dialogue_pages import dialogue_pages, page_of_messages
from archive_pipeline.derive.exchange_runs import exchange_runs_of
from archive_pipeline.derive.qa_chunks import qa_chunks
from archive_pipeline.derive.qa_pairs import NO_RESULT_CONTENT, qa_pairs
from archive_pipeline.domain.batch import DialogueBatch
from archive_pipeline.domain.identity import row_id
from archive_pipeline.text.normalization import define_full
from archive_pipeline_tests.derive import reference, reference_exchanges
from archive_pipeline_tests.derive.batches import Row, Talk, Tool, batch_of, linear, random_batch

NAMES = ("ash", "birch", "cedar", "elm", "fir", "hazel", "larch", "maple", "oak", "pine", "rowan", "willow")
LONG = "".join(f"The {name} grows slowly, and {name} wood is quite hard to come by. " for name in NAMES)
CITY = '\ue200entity\ue202["city","Harbourtown","port"]\ue201'
OTHER = "Nothing of what is said here was said before by anybody. " * 6


def brief(frame: pd.DataFrame, *columns: str) -> list[tuple[object, ...]]:
    return list(frame[list(columns)].itertuples(index=False, name=None))


@pytest.mark.slow
@given(random_batch())
def test_chunks_are_pieces_of_the_texts_of_pairs(batch: DialogueBatch):
    pairs = qa_pairs(batch).set_index("pair_id")
    chunks = qa_chunks(batch, 16)
    assert chunks["chunk_id"].is_unique
    for row in chunks.itertuples():
        assert row.text == pairs.loc[row.pair_id, row.side][row.start_offset : row.end_offset]
        assert row.content_hash == hashlib.sha256(row.text.encode()).hexdigest()
        assert row.chunk_id == row_id("chunk", row.pair_id, row.side, str(row.chunk_index))
        assert row.dialogue_id == pairs.loc[row.pair_id, "dialogue_id"]
    for (pair_id, side), group in chunks.groupby(["pair_id", "side"]):
        assert group["chunk_index"].tolist() == list(range(len(group)))
        assert pairs.loc[pair_id, side].strip()
    expected = sum(bool(text.strip()) and text != NO_RESULT_CONTENT for text in (*pairs["question"], *pairs["answer"]))
    assert len(chunks.groupby(["pair_id", "side"])) == expected


@pytest.mark.slow
@given(random_batch())
def test_pages_number_every_exchange_once_those_of_the_primary_path_first(batch: DialogueBatch):
    pages = dialogue_pages(batch)
    assert sorted(pages["exchange_id"]) == sorted(exchange_runs_of(batch).ids)
    for _, group in pages.groupby("dialogue_id"):
        assert group["page"].tolist() == list(range(1, len(group) + 1))
        assert group["is_on_primary_path"].tolist() == sorted(group["is_on_primary_path"], reverse=True)
    for dialogue in reference.dialogues(batch):
        runs = reference_exchanges.runs_of(dialogue.primary_path())
        primary = [row_id("exchange", run.messages[-1].id) for run in runs]
        found = pages[pages["dialogue_id"] == dialogue.id].head(len(primary))
        assert found["exchange_id"].tolist() == primary


def test_the_chunks_of_a_long_answer_say_where_they_are():
    batch = batch_of(linear("d", ("user", "Why?"), ("assistant", LONG), ("user", "And?"), ("assistant", "So.")))
    chunks = qa_chunks(batch, 64)
    rows = brief(chunks, "side", "chunk_index", "start_offset", "page", "is_near_duplicate")
    assert rows[0] == ("question", 0, 0, 1, False)
    assert [row[:2] for row in rows[1:-2]] == [("answer", index) for index in range(len(rows) - 3)]
    assert len(rows) > 4
    assert rows[-2:] == [("question", 0, 0, 2, False), ("answer", 0, 0, 2, False)]
    assert chunks["token_count"].tolist()[0] == 2


def test_chunks_have_what_readers_see_of_citation_marks_and_say_where_it_stands():
    cite = "\ue200cite\ue202turn0search0\ue201"
    answer = f"{cite}\n\nIt is in {CITY} {cite}." + f" More of it {cite}." * 60
    batch = batch_of(linear("d", ("user", f"Why {cite}?"), ("assistant", answer)))
    question, *chunks = qa_chunks(batch, 64).itertuples()
    assert (question.text, question.start_offset, question.end_offset) == ("Why?", 0, len(f"Why {cite}?"))
    assert chunks[0].text.startswith("It is in Harbourtown. More of it. More")
    assert len(chunks) > 1
    for chunk in chunks:
        said = answer[chunk.start_offset : chunk.end_offset]
        assert said.replace(f" {cite}", "").replace(CITY, "Harbourtown") == chunk.text
    assert qa_pairs(batch)["answer"].tolist() == [answer]


def regenerated(*answers: str) -> Talk:
    rows = [Row("q", None, "user", "What is it?", 0)]
    rows += [Row(f"a{at}", "q", "assistant", answer, at + 1) for at, answer in enumerate(answers)]
    return Talk("d", (*rows, Row("next", "a0", "user", "Thanks", 99)))


def test_regenerations_are_marked_where_they_say_nothing_new():
    batch = batch_of(regenerated(LONG, "Well. " + LONG, LONG + OTHER))
    chunks = qa_chunks(batch, 64)
    pairs = qa_pairs(batch).sort_values("end_sequence_number")["pair_id"].tolist()
    marks = {
        (pair, side): group["is_near_duplicate"].tolist() for (pair, side), group in chunks.groupby(["pair_id", "side"])
    }
    assert [marks[pair, "question"] for pair in pairs] == [[False], [True], [True]]
    assert not any(marks[pairs[0], "answer"])
    assert all(marks[pairs[1], "answer"])
    third = marks[pairs[2], "answer"]
    assert third[0]
    assert not third[-1]


def shingles_one_by_one(text: str) -> set[tuple[str, ...]]:
    words = define_full(text).split()
    return set(zip(words, words[1:], words[2:], strict=False)) if len(words) > 2 else {tuple(words)}


@pytest.mark.slow
@given(
    st.lists(
        st.lists(st.sampled_from([*NAMES[:4], "!", "?!", "Ash."]), max_size=30).map(" ".join), min_size=1, max_size=4
    )
)
def test_marks_are_those_of_shingles_compared_one_by_one(answers: list[str]):
    chunks = qa_chunks(batch_of(regenerated(*answers)), 16)
    for side in ("question", "answer"):
        known: set[tuple[str, ...]] = set()
        of_side = chunks[chunks["side"] == side]
        for nth, answer in enumerate(answers):
            own = of_side[of_side["pair_id"].str.endswith(f"@{nth + 1}" if nth else ":0")]
            for row in own.itertuples():
                shingles = shingles_one_by_one(row.text)
                assert row.is_near_duplicate == (nth > 0 and len(shingles & known) >= 0.9 * len(shingles))
            known |= shingles_one_by_one(answer if side == "answer" else "What is it?")


def test_the_answer_on_the_primary_path_is_never_the_one_that_is_marked():
    talk = Talk(
        "d",
        (
            Row("q", None, "user", "What is it?", 0),
            Row("a0", "q", "assistant", LONG, 1),
            Row("a1", "q", "assistant", LONG, 2),
            Row("next", "a1", "user", "Thanks", 3),
        ),
    )
    chunks = qa_chunks(batch_of(talk), 512)
    answers = chunks[chunks["side"] == "answer"]
    marked = {row.pair_id.endswith("@1"): row.is_near_duplicate for row in answers.itertuples()}
    assert marked == {False: False, True: True}


def test_equal_texts_have_equal_hashes_and_a_missing_result_has_no_chunk():
    call = Row(
        "1",
        "0",
        "assistant",
        "I look.",
        1,
        tools=(Tool("c", name="f", input="{}"), Tool("c", is_result=True, text=None)),
    )
    batch = batch_of(linear("d", ("user", "Go")), Talk("e", (Row("0", None, "user", "Go", 0), call)))
    chunks = qa_chunks(batch, 64)
    assert sorted(brief(chunks, "side", "text")) == [
        ("answer", "I look."),
        ("question", "Go"),
        ("question", "Tool: f({})"),
    ]


def test_a_page_of_a_message_is_the_first_that_shows_it():
    talk = Talk(
        "d",
        (
            Row("q", None, "user", "a", 0),
            Row("x", "q", "assistant", "b", 1),
            Row("y", "q", "assistant", "c", 2),
            Row("q2", "y", "user", "d", 3),
            Row("z", "q2", "assistant", "e", 4),
        ),
    )
    batch = batch_of(talk)
    names = [talk.message(name) for name in ("q", "x", "y", "q2", "z")]
    pages = dict(zip(batch.message_ids, page_of_messages(batch), strict=True))
    assert [pages[name] for name in names] == [1, 3, 1, 2, 2]
    assert brief(dialogue_pages(batch), "page", "is_on_primary_path") == [(1, True), (2, True), (3, False)]
