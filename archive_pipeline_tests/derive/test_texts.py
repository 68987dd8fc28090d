"""Words, normalisations and simhashes of any text equal their definitions."""

from __future__ import annotations

import random

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from archive_pipeline.domain.choices import Normalization
from archive_pipeline.text import normalization, words
from archive_pipeline.text.normalization import JOINERS, define_full, normalize, sha256
from archive_pipeline.text.simhash import simhash_v1, simhash_v2
from archive_pipeline.text.words import count_words
from archive_pipeline_tests.derive import reference_texts
from archive_pipeline_tests.trials import trials

# Spaces of every kind, letters whose lower case is odd, combining marks, punctuation, scripts without spaces.
ODD = (
    "\t\n\x0b\x0c\r\x1c\x1d\x1e\x1f \x85\xa0\u1680\u2003\u2028\u2029\u202f\u205f\u3000\u200b\ufeff\u03a3"
    "\u03c2\u0130\u0131\xdfK\xc5\ufb01\xe9\u0301\u0307_-'.,!?a1\u65e5\u672c\u8a9e\u306e\ud55c\uad6d\uc5b4"
    "\U0001f600"
)
TEXTS = st.text(st.characters(exclude_categories=["Cs"])) | st.text(ODD) | st.text("ab \nΣς.", max_size=8)
many = trials(75)


@given(TEXTS, st.sampled_from(Normalization))
@example("ὈΔΥΣΣΕΎΣ. ΣΑΣ", Normalization.FULL)
@example("A.Σ", Normalization.FULL)
@example("a\x85b\x1cc\xa0d", Normalization.WHITESPACE)
@many
def test_each_normalization_is_the_seeds(text: str, kind: Normalization):
    assert normalize([text], kind)[0].decode() == reference_texts.normalized(text, kind.value)


@given(TEXTS)
@many
def test_full_takes_the_short_way_to_its_definition(text: str):
    assert normalize([text], Normalization.FULL)[0].decode() == define_full(text)


@given(st.lists(TEXTS), st.sampled_from(Normalization), st.integers(1, 40))
@example(["a ", " b", "", " "], Normalization.FULL, 1)
@many
def test_texts_are_normalized_as_if_each_was_alone(texts: list[str], kind: Normalization, group_bytes: int):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(normalization, "_GROUP_BYTES", group_bytes)
        together = normalize(texts, kind)
    assert together == [normalize([text], kind)[0] for text in texts]


@pytest.mark.slow
def test_every_character_is_normalized_as_defined():
    # One by one between letters, since a letter's neighbours may matter.
    for start in range(0, 0x20000, 4096):  # the planes beyond hold no letters with cases
        codes = [code for code in range(start, start + 4096) if not 0xD800 <= code < 0xE000]
        text = "".join(f"A{chr(code)}b " for code in codes)
        assert normalize([text], Normalization.FULL)[0].decode() == reference_texts.normalized(text, "full")


@given(TEXTS, TEXTS, st.sampled_from(Normalization))
@example("\u0391\u03a3", "\u0391", Normalization.LOWERCASE)
@example("!", "a", Normalization.FULL)
@many
def test_the_normalized_text_of_two_messages_is_that_of_each_joined(one: str, other: str, kind: Normalization):
    if kind in {Normalization.NONE, Normalization.LOWERCASE}:
        one, other = one or "a", other or "b"  # texts of messages are not empty
    parts = [part for part in normalize([one, other], kind) if part]
    assert normalize([f"{one}\n\n{other}"], kind) == [JOINERS[kind].join(parts)]


@given(st.lists(st.none() | TEXTS, max_size=6))
@many
def test_words_are_what_split_yields(texts: list[str | None]):
    assert count_words(texts) == [None if text is None else len(text.split()) for text in texts]


def test_words_of_many_texts_are_counted_in_groups(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(words, "_GROUP", 7)
    texts = ["", " ", "a b", "\n\nc", "d e f ", None, "日本 語", "g\x1fh", "i\xa0j"] * 3
    assert count_words(texts) == [0, 0, 2, 1, 3, None, 2, 2, 2] * 3


def test_every_space_character_separates_words():
    for code in range(0x110000):
        if chr(code).isspace():
            assert count_words([f"a{chr(code)}b"]) == [2], hex(code)


@given(st.lists(TEXTS, max_size=5))
@trials(40)
def test_simhash_2_is_what_its_description_says(texts: list[str]):
    assert simhash_v2(texts) == [reference_texts.shingled_simhash(text) for text in texts]


def test_simhash_2_of_long_texts_is_counted_in_blocks():
    chance = random.Random(5)  # noqa: S311
    texts = [
        " ".join(chance.choice(["tree", "leaf", "a", "根", "disestablishment"]) for _ in range(n)) for n in range(1200)
    ]
    chosen = [texts[n] for n in (0, 1, 2, 3, 254, 255, 256, 257, 258, 511, 512, 1199)]
    assert simhash_v2(chosen) == [reference_texts.shingled_simhash(text) for text in chosen]


def test_a_text_has_the_same_simhash_among_many_and_alone():
    chance = random.Random(6)  # noqa: S311
    texts = [" ".join(chance.choices(["w" * n for n in range(1, 20)], k=chance.randrange(400))) for _ in range(300)]
    assert simhash_v2(texts) == [simhash_v2([text])[0] for text in texts]


@given(TEXTS)
@many
def test_simhash_1_is_the_seeds_but_for_no_words(text: str):
    assert simhash_v1(text) == (reference_texts.seed_simhash(text) if text.split() else None)


def test_simhash_2_knows_the_order_of_words_and_simhash_1_does_not():
    one, other = "the dog bites the man now", "now the man bites the dog"
    assert simhash_v1(one) == simhash_v1(other)
    assert simhash_v2([one]) != simhash_v2([other])


def test_nothing_has_no_hash():
    assert sha256(b"") is None
    assert simhash_v2(["", "!!!", " \n"]) == [None] * 3
    assert simhash_v1(" ") is None
    # The SHA-256 of "abc" is the first example of FIPS 180-2.
    assert sha256(b"abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
