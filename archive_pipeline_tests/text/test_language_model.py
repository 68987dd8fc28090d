"""Languages of many texts at once are those that py3langid says of each."""

from __future__ import annotations

import random
import tracemalloc
from array import array
from collections.abc import Sequence

import numpy as np
import py3langid
from hypothesis import given
from hypothesis import strategies as st
from py3langid.langid import MODEL_FILE, LanguageIdentifier

from archive_pipeline.text.language_model import Transitions, language_model
from archive_pipeline_tests.text.test_languages import TEXTS

ODD = ["", " ", "1234567890", "ÄPFEL UND BIRNEN", "a\u0308pfel", "\ud800 half", "\x00", "🙂🙂🙂", "x" * 500]


def test_many_texts_have_the_codes_that_each_has_by_itself():
    texts = [text[:length] for text in TEXTS.values() for length in range(1, len(text) + 1)] + ODD
    assert language_model().classify(texts) == [py3langid.classify(text)[0] for text in texts]


def test_mixed_texts_too_which_are_hard_to_decide():
    rng = random.Random(5)  # noqa: S311 (texts to try, no secret)
    words = " ".join(TEXTS.values()).split()
    texts = [" ".join(rng.choices(words, k=rng.randrange(1, 40))) for _ in range(200)]
    assert language_model().classify(texts) == [py3langid.classify(text)[0] for text in texts]


def test_few_texts_are_classified_as_well():
    texts = list(TEXTS.values())[:3]
    assert language_model().classify(texts) == ["en", "de", "fr"]
    assert language_model().classify([]) == []


@given(st.lists(st.integers(0, 2), min_size=1, max_size=3), st.data())
def test_each_place_has_the_state_of_the_table(rows, data):
    different = [array("I", data.draw(st.lists(st.integers(0, 9), min_size=256, max_size=256))) for _ in range(3)]
    states = array("I", [state for row in rows for state in different[row]])
    transitions = Transitions(states)
    assert [transitions[at] for at in range(len(states))] == states.tolist()
    letters = np.arange(256, dtype=np.uint8)
    for row in range(len(rows)):
        assert transitions.after(np.full(256, row << 8), letters).tolist() == states[row << 8 : (row + 1) << 8].tolist()


def test_transitions_of_the_model_take_a_fifth_of_its_table_at_most():
    states = LanguageIdentifier.from_model_file(MODEL_FILE).tk_nextmove
    tracemalloc.start()
    try:
        transitions = Transitions(states)
        kept = tracemalloc.get_traced_memory()[0]
    finally:
        tracemalloc.stop()
    assert transitions[65] == states[65]
    assert kept < len(states) * states.itemsize / 5


def peak_bytes(texts: Sequence[str]) -> int:
    tracemalloc.start()
    try:
        language_model().classify(texts)
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def test_memory_does_not_grow_with_the_number_of_texts():
    text = TEXTS["german"]
    some = peak_bytes([text] * 1_024)
    assert peak_bytes([text] * 4 * 1_024) < 1.5 * some
