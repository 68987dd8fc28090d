"""Preferences: which regenerations make a pair, and by which rule."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from archive_pipeline.domain.choices import Normalization
from archive_pipeline.domain.identity import dialogue_id, message_id
from archive_pipeline.duplicates.similarity import SMALLEST_SET, threshold
from archive_pipeline.export import preferences as module
from archive_pipeline.export.preferences import is_near_duplicate
from archive_pipeline.export.run import Exported
from archive_pipeline.store.database import Database
from archive_pipeline.text.normalization import normalize
from archive_pipeline.text.simhash import shingles
from archive_pipeline_tests.export.dialogues import BLACK, GREEN, START, STEEP
from archive_pipeline_tests.exports import Said, chatgpt, load
from archive_pipeline_tests.trials import trials

pytestmark = pytest.mark.postgres

Rows = Callable[..., list[dict[str, Any]]]
TEA = dialogue_id("chatgpt", "tea")
# Of different words, so that it has as many shingles.
LONG = " ".join(f"word{number}" for number in range(60))


def pairs(rows: Rows, **choices: Any) -> set[tuple[str, str, str]]:
    return {
        (row["chosen"][-1]["content"], row["rejected"][-1]["content"], row["rule"])
        for row in rows("trl-dpo", **choices)
    }


def regenerated(*answers: Said, current: str | None = None) -> dict[str, Any]:
    return chatgpt("again", [Said("q", None, "user", "Which one?", START), *answers], current=current, title="Again")


def answer(name: str, text: str, **more: Any) -> Said:
    return Said(name, "q", "assistant", text, START + 1, more=more)


def test_the_answer_that_was_continued_is_preferred_and_an_edit_says_nothing(rows: Rows):
    assert pairs(rows) == {(BLACK, GREEN, "continued"), (BLACK, STEEP, "continued")}
    prompts = {json.dumps(row["prompt"]) for row in rows("trl-dpo")}
    assert prompts == {json.dumps([{"role": "user", "content": "How do I make tea?"}])}


def test_a_persons_choice_goes_first(rows: Rows, filled: Database):
    with filled.session() as connection:
        for name, kind in (("a1", "chosen"), ("a2", "rejected")):
            connection.execute(
                "INSERT INTO annotations.annotations (id, dialogue_id, message_id, kind) "
                "VALUES (gen_random_uuid(), %s, %s, %s)",
                (TEA, message_id(TEA, name), kind),
            )
    assert pairs(rows) == {(GREEN, BLACK, "annotation"), (GREEN, STEEP, "annotation"), (STEEP, BLACK, "annotation")}


def test_the_current_path_decides_where_nobody_went_on(rows: Rows, filled: Database, tmp_path: Path):
    load(filled, tmp_path / "a.json", regenerated(answer("a", GREEN), answer("b", BLACK), current="b"))
    assert pairs(rows, title="again") == {(BLACK, GREEN, "current")}


@pytest.mark.parametrize("current", [None, "q"], ids=["no-pointer", "pointer-to-the-prompt"])
def test_a_source_that_points_to_no_answer_prefers_none(
    exported: Callable[..., Exported], filled: Database, tmp_path: Path, current: str | None
):
    load(filled, tmp_path / "a.json", regenerated(answer("a", GREEN), answer("b", BLACK), current=current))
    for name in ("trl-dpo", "trl-kto"):
        told = exported(name, title="again").manifest
        assert "examples" not in told["written"]
        assert told["left_out"] == {"pairs without a preference": 1}


def test_answers_of_one_standing_are_not_compared_with_one_another(
    rows: Rows, filled: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    compared: list[tuple[str, str]] = []

    def note(left: str, right: str) -> bool:
        compared.append((left, right))
        return is_near_duplicate(left, right)

    monkeypatch.setattr(module, "is_near_duplicate", note)
    answers = [answer(f"b{number}", f"Take number {number} of them.") for number in range(300)]
    load(filled, tmp_path / "again.json", regenerated(*answers, current="b7"))
    found = [row for row in rows("trl-dpo", title="again") if row["rule"] == "current"]
    expected = [f"Take number {number} of them." for number in range(300) if number != 7]
    assert [row["rejected"][-1]["content"] for row in found] == expected
    assert {row["chosen"][-1]["content"] for row in found} == {"Take number 7 of them."}
    assert len(compared) == 299


@pytest.mark.parametrize(
    ("unfit", "reason"),
    [
        (answer("a", GREEN, status="in_progress"), "interrupted answers"),
        (
            Said("a", "q", "assistant", None, START, content={"content_type": "system_error", "text": "It broke."}),
            "answers with an error of a tool",
        ),
        (answer("a", f"{LONG} forty"), "pairs of near-duplicates"),
    ],
    ids=["interrupted", "error", "near-duplicate"],
)
def test_what_is_not_whole_or_no_other_answer_makes_no_pair(
    exported: Callable[..., Exported], filled: Database, tmp_path: Path, unfit: Said, reason: str
):
    load(filled, tmp_path / "a.json", regenerated(unfit, answer("b", f"{LONG} fifty"), current="b"))
    told = exported("trl-dpo", title="again").manifest
    assert "examples" not in told["written"]
    assert told["left_out"] == {reason: 1}


def test_near_duplicates_are_those_of_the_clusters():
    assert is_near_duplicate("The same.", "the  SAME")
    assert not is_near_duplicate("Yes, do it.", "No, do not.")
    assert is_near_duplicate(f"{LONG} forty", f"{LONG} fifty")
    assert not is_near_duplicate(GREEN, BLACK)


def test_texts_that_begin_differently_may_be_near_duplicates():
    # Of 98 shingles 8 change, of which 3 are different: 90 of 101 are shared. If 29 or 30 do, 69 or 68 of 101 are.
    words = [f"word{number}" for number in range(100)]
    assert is_near_duplicate(" ".join(words), " ".join(["other"] * 8 + words[8:]))
    assert not is_near_duplicate(" ".join(words), " ".join(["other"] * 29 + words[29:]))
    assert not is_near_duplicate(" ".join(words), " ".join(["other"] * 30 + words[30:]))


def near_by_definition(left: str, right: str) -> bool:
    texts = normalize([left, right], Normalization.FULL)
    one, other = (set(shingles(text)) for text in texts)
    smaller = min(len(one), len(other))
    if texts[0] == texts[1] or smaller < SMALLEST_SET:
        return texts[0] == texts[1]
    return len(one & other) / len(one | other) >= threshold(smaller)


@given(
    words=st.lists(st.sampled_from(["ja", "no", "Tee.", "茶", "日本語", *"abcdefghijklm"]), max_size=80),
    cuts=st.lists(st.tuples(st.integers(0, 80), st.integers(0, 12), st.lists(st.just("x"), max_size=3)), max_size=3),
)
@trials(500)
def test_a_glance_at_the_beginning_changes_no_answer(words: list[str], cuts: list[tuple[int, int, list[str]]]):
    changed = list(words)
    for start, count, instead in cuts:
        changed[start : start + count] = instead
    texts = " ".join(words), " ".join(changed)
    for left, right in (texts, texts[::-1]):
        assert is_near_duplicate(left, right) == near_by_definition(left, right)


def test_kto_labels_each_answer_once(exported: Callable[..., Exported], rows: Rows):
    import datasets  # half a second, which the other workers need not pay

    labels = {row["completion"][-1]["content"]: row["label"] for row in rows("trl-kto")}
    assert labels == {BLACK: True, GREEN: False, STEEP: False}
    for name, columns in (("trl-dpo", {"chosen", "rejected"}), ("trl-kto", {"completion", "label"})):
        found = exported(name)
        table = datasets.load_dataset(
            "json", data_files=str(found.path / "data.jsonl"), split="train", cache_dir=str(found.path / "cache")
        )
        assert {"prompt", "rule", "dialogue", *columns} == set(table.column_names)
