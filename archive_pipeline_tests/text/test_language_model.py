"""Languages of many texts at once are those that py3langid says of each."""

from __future__ import annotations

import random
import tracemalloc
from collections.abc import Sequence

import py3langid

from archive_pipeline.text.language_model import language_model
from archive_pipeline_tests.text.test_languages import TEXTS

ODD = ["", " ", "1234567890", "ÄPFEL UND BIRNEN", "a\u0308pfel", "\ud800 half", "\x00", "🙂🙂🙂", "x" * 500]


def test_many_texts_have_the_codes_that_each_has_by_itself():
    texts = [text[:length] for text in TEXTS.values() for length in range(1, len(text) + 1)] + ODD
    assert language_model().classify(texts) == [py3langid.classify(text)[0] for text in texts]


def test_mixed_texts_too_which_are_hard_to_decide():
    rng = random.Random(5)  # noqa: S311 (texts to try, no secret)
    words = " ".join(TEXTS.values()).split()
    texts = [" ".join(rng.choices(words, k=rng.randrange(1, 40))) for _ in range(400)]
    assert language_model().classify(texts) == [py3langid.classify(text)[0] for text in texts]


def test_few_texts_are_classified_as_well():
    texts = list(TEXTS.values())[:3]
    assert language_model().classify(texts) == ["en", "de", "fr"]
    assert language_model().classify([]) == []


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
    assert peak_bytes([text] * 8 * 1_024) < 1.5 * some
