"""Which texts are duplicates: by hand, at the edges, and by laws over random archives."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import replace
from itertools import cycle

import pytest
from hypothesis import given
from hypothesis import strategies as st

from archive_pipeline.derive.content_hashes import content_hashes
from archive_pipeline.domain.batch import NO_TIME
from archive_pipeline.domain.choices import Normalization
from archive_pipeline.duplicates.documents import SHORTEST_CHARACTERS, SHORTEST_WORDS
from archive_pipeline.duplicates.similarity import SHORT_BELOW, SHORT_THRESHOLD, SMALLEST_SET, THRESHOLD
from archive_pipeline.text.normalization import normalize, sha256
from archive_pipeline.text.simhash import simhash_v2
from archive_pipeline_tests.derive.batches import TEXTS, talks
from archive_pipeline_tests.duplicates.finding import (
    NORMALIZATIONS,
    Talk,
    batch_of,
    changed,
    clusters,
    find,
    linear,
    messages,
    prose,
    saying,
)
from archive_pipeline_tests.trials import trials
from archive_pipeline_tests.work import steps

LONG = prose(60)
METHODS = {"exact:none", "exact:full", "near"}


def test_equal_texts_are_a_cluster_of_every_method_that_calls_them_equal() -> None:
    batch, ids = saying(LONG, prose(60, step=11), LONG, LONG.upper() + "!")
    rows = find(batch)
    assert clusters(messages(rows, "exact:none")) == {frozenset({ids[0], ids[2]})}
    assert clusters(messages(rows, "exact:full")) == {frozenset({ids[0], ids[2], ids[3]})}
    assert messages(rows, "near") == []  # one text only, as far as near-duplicates are concerned
    assert {row["similarity"] for row in rows} == {1.0}
    assert {row["cluster_size"] for row in messages(rows, "exact:full")} == {3}


def test_similar_texts_are_near_and_take_their_exact_copies_along() -> None:
    batch, ids = saying(LONG, changed(LONG, 30), LONG, prose(60, step=11))
    rows = messages(find(batch), "near")
    assert clusters(rows) == {frozenset(ids[:3])}
    # 58 shingles, of which the changed word takes 3 and brings 3: 55 of 61.
    kept = next(row for row in rows if row["is_kept"])
    assert kept["entity_id"] == ids[1]  # longer: "changed30" for "fabric"
    assert [row["similarity"] for row in rows if not row["is_kept"]] == [pytest.approx(55 / 61)] * 2


@pytest.mark.parametrize(
    ("words", "places", "is_near"),
    [
        (25, [12], False),  # 20 of 26 shingles: 0.77 is not enough of a short text
        (40, [20], True),  # 35 of 41: 0.85
        (60, [10, 40], True),  # 52 of 64: 0.81
        (60, [10, 25, 40], True),  # 49 of 67: 0.73
        (60, [5, 20, 35, 50], False),  # 46 of 70: 0.66
        (12, [11], True),  # 9 of 11: 0.82, the shortest text that is compared
        (11, [10], False),
    ],
)
def test_how_much_has_to_be_equal_depends_on_the_length(words: int, places: list[int], is_near: bool) -> None:
    text = prose(words)
    batch, _ = saying(text, changed(text, *places))
    assert bool(messages(find(batch), "near")) == is_near


@pytest.mark.parametrize(
    ("text", "is_compared"),
    [
        ("yes please go on", False),
        ("yes please go on now", True),
        ("yes, please: go - on!", False),
        ("x" * (SHORTEST_CHARACTERS - 1), False),
        ("x" * SHORTEST_CHARACTERS, True),
        ("请继续吧", False),
        ("请继续说吧", True),
        ("🎉" * 100, False),
        ("-" * 100, False),
        ("   \n ", False),
        ("", False),
        (None, False),
    ],
)
def test_short_texts_are_said_again_without_being_copies(text: str | None, is_compared: bool) -> None:
    batch, ids = saying(text if text and text.strip() else None, text if text and text.strip() else None)
    found = messages(find(batch), "exact:none")
    assert clusters(found) == ({frozenset(ids)} if is_compared else set())
    assert SHORTEST_WORDS == 5


def test_nothing_has_no_duplicates() -> None:
    assert find() == []
    assert find(saying()[0], saying(None)[0]) == []


def test_text_without_spaces_is_compared_character_by_character() -> None:
    text = "数据库中的每一条消息都有一个标识符它由对话和消息的来源决定"
    text += "因此重新构建会得到相同的结果而不需要任何人工操作或者额外配置"
    batch, ids = saying(text, text.replace("人工", "手动"), text[::-1])
    assert clusters(messages(find(batch), "near")) == {frozenset(ids[:2])}


def test_code_is_compared_too() -> None:
    lines = [f"def function_{number}(value): return value + {number} if value else None" for number in range(12)]
    code = "```python\n" + "\n".join(lines) + "\n```"
    batch, ids = saying(code, code.replace("value + 7", "value - 7 * scale"), "\n".join(lines[6:]))
    assert clusters(messages(find(batch), "near")) == {frozenset(ids[:2])}


def test_a_megabyte_is_compared_like_any_text() -> None:
    large = " ".join(f"word{number % 9973} {number}" for number in range(80_000))
    assert len(large) > 1_000_000
    batch, ids = saying(large, large.replace("word777 ", "other "), large + " end")
    rows = messages(find(batch), "near")
    assert clusters(rows) == {frozenset(ids)}
    assert min(row["similarity"] for row in rows) > 0.99


@pytest.mark.slow
def test_one_text_many_times_is_one_cluster_in_linear_work() -> None:
    def work(count: int) -> int:
        batch = batch_of(*(Talk(f"d{number}", linear("", ("user", LONG)).rows) for number in range(count)))
        rows: list[dict[str, object]] = []
        lines = steps(lambda: rows.extend(messages(find(batch), "exact:full")))
        assert Counter(row["is_kept"] for row in rows) == {True: 1, False: count - 1}
        assert {row["cluster_size"] for row in rows} == {count}
        return lines

    assert work(4_000) < 9 * work(500)


def test_texts_of_equal_simhash_are_not_near_for_that() -> None:
    repeated = "again " * 3_000
    texts = [repeated + prose(300, start=start, step=start * 2 + 3) for start in (0, 5)]
    assert len(set(simhash_v2(texts))) == 1
    batch, _ = saying(*texts)
    assert messages(find(batch), "near") == []


def test_a_chain_of_similar_texts_falls_apart_into_stars() -> None:
    # Each differs from the one before it in three words, so the third one is no near-duplicate of the first.
    second = changed(LONG, 5, 15, 25)
    third = changed(second, 35, 45, 55)
    batch, ids = saying(LONG, second, third)
    rows = messages(find(batch), "near")
    assert clusters(rows) == {frozenset(ids[1:])}  # around the longest
    assert next(row["entity_id"] for row in rows if row["is_kept"]) == ids[2]


def test_exchanges_are_compared_as_a_whole() -> None:
    same = [("user", prose(20)), ("assistant", LONG)]
    talks_ = [
        linear("a", *same),
        linear("b", same[0], ("assistant", changed(LONG, 30))),
        linear("c", same[0], ("assistant", prose(60, step=11))),
    ]
    rows = [row for row in find(batch_of(*talks_)) if row["entity_type"] == "exchange"]
    assert {row["method"] for row in rows} == {"near"}
    assert {row["dialogue_id"] for row in rows} == {talks_[0].id, talks_[1].id}
    assert {row["text_length"] for row in rows} == {
        len(f"{same[0][1]}\n\n{LONG}"),
        len(f"{same[0][1]}\n\n{changed(LONG, 30)}"),
    }


# Texts for random archives: some equal, some equal but for case, some similar, some short.
_POOL = (
    LONG,
    LONG.upper(),
    changed(LONG, 30),
    changed(LONG, 10, 50),
    changed(LONG, 3, 30, 44),
    "yes please go on now",
    "Yes, please: go on now!",
    prose(60, step=11),
    changed(prose(60, step=11), 8),
    "短",
)
POOL = dict(zip(TEXTS, cycle(_POOL), strict=False))
SHA256_OF_THE_SHORT_TEXT = sha256("短".encode())
RANDOM_TALKS = talks(largest=6).map(
    lambda found: [
        replace(talk, rows=tuple(replace(row, text=None if row.text is None else POOL[row.text]) for row in talk.rows))
        for talk in found
    ]
)


@pytest.mark.slow
@given(RANDOM_TALKS, st.randoms(use_true_random=False))
@trials(12)
def test_the_order_of_dialogues_and_batches_changes_nothing(found: list[Talk], rng) -> None:
    shuffled = found[:]
    rng.shuffle(shuffled)
    together, apart = find(batch_of(*found)), find(*[batch_of(talk) for talk in shuffled])
    assert sorted(map(repr, together)) == sorted(map(repr, apart))


@given(RANDOM_TALKS)
@trials(12)
def test_laws_of_clusters(found: list[Talk]) -> None:
    batch = batch_of(*found)
    text_of = dict(zip(batch.message_ids, batch.text, strict=True))
    by_cluster = defaultdict(list)
    for row in find(batch):
        by_cluster[row["cluster_id"]].append(row)
        assert row["method"] in METHODS
    for members in by_cluster.values():
        kept = [row for row in members if row["is_kept"]]
        assert len(kept) == 1
        assert {row["cluster_size"] for row in members} == {len(members)}
        assert len(members) == len({row["entity_id"] for row in members}) > 1
        assert len({(row["entity_type"], row["method"]) for row in members}) == 1
        assert kept[0]["keep_reason"] is not None
        assert kept[0]["copy_kind"] is None
        assert all(row["keep_reason"] is None and row["copy_kind"] for row in members if not row["is_kept"])
        for row in members if members[0]["entity_type"] == "message" else ():
            similarity, smaller = jaccard(text_of[kept[0]["entity_id"]], text_of[row["entity_id"]])
            if row["method"] == "near":
                assert row["similarity"] == pytest.approx(similarity)
                assert similarity >= (SHORT_THRESHOLD if smaller < SHORT_BELOW else THRESHOLD)
                assert smaller >= SMALLEST_SET
            assert row["text_length"] == len(text_of[row["entity_id"]])


@given(RANDOM_TALKS)
@trials(12)
def test_exact_clusters_are_the_classes_of_content_hashes(found: list[Talk]) -> None:
    batch = batch_of(*found)
    classes = defaultdict(set)
    short = set()
    for row in content_hashes(batch, NORMALIZATIONS, 2).itertuples():
        if row.hash_scope == "full":
            classes[row.entity_type, f"exact:{row.normalization}", row.hash_sha256].add(row.entity_id)
            if row.hash_sha256 == SHA256_OF_THE_SHORT_TEXT:  # everything else in the pool is long enough
                short.add(row.entity_id)
    expected = {
        (kind, method, frozenset(members))
        for (kind, method, _), members in classes.items()
        if len(members) > 1 and not members & short
    }
    rows = [row for row in find(batch) if row["method"] != "near"]
    actual = {
        (kind, method, cluster)
        for kind in ("message", "exchange")
        for method in ("exact:none", "exact:full")
        for cluster in clusters(row for row in rows if (row["entity_type"], row["method"]) == (kind, method))
    }
    assert actual == expected


def shingles(text: str) -> set[tuple[str, ...]]:
    words = normalize([text], Normalization.FULL)[0].decode().split()
    return {tuple(words[at : at + 3]) for at in range(max(len(words) - 2, 1))}


def jaccard(left: str, right: str) -> tuple[float, int]:
    first, second = shingles(left), shingles(right)
    return len(first & second) / len(first | second), min(len(first), len(second))


def test_times_are_unknown_where_the_source_has_none() -> None:
    batch = batch_of(linear("a", ("user", LONG), times=[None]), linear("b", ("user", LONG), times=[5]))
    assert NO_TIME in batch.created_at
    kept = next(row for row in messages(find(batch), "exact:none") if row["is_kept"])
    assert (kept["keep_reason"], kept["dialogue_id"]) == ("newest", linear("b").id)
