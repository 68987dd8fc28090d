"""Languages of texts, as names of text search configurations."""

from __future__ import annotations

import py3langid
import pytest

from archive_pipeline.text.languages import CONFIGURATIONS, text_language, text_languages

TEXTS = {
    "english": "The dough needs more time to rise, and the water should be a little warmer than that.",
    "german": "Der Teig braucht mehr Zeit, und das Wasser sollte etwas wärmer sein als beim letzten Mal.",
    "french": "La pâte a besoin de plus de temps pour lever, et l'eau devrait être un peu plus chaude.",
    "spanish": "La masa necesita más tiempo para crecer y el agua debería estar un poco más caliente.",
    "dutch": "Het deeg heeft meer tijd nodig om te rijzen, en het water mag iets warmer zijn dan dat.",
    "danish": "Dejen skal have mere tid til at hæve, og vandet må gerne være lidt varmere end før.",
    "russian": "Тесту нужно больше времени, чтобы подняться, а вода должна быть немного теплее.",  # noqa: RUF001
    "simple": "请使用温水,并让面团多发酵几个小时,直到体积变成原来的两倍,然后再放入烤箱里烤四十分钟左右,直到表面金黄。",
}


@pytest.mark.parametrize("language", TEXTS)
def test_the_language_of_a_sentence(language: str):
    assert text_language(TEXTS[language]) == language


def test_a_short_text_tells_no_language():
    assert text_language("the and of") == "simple"
    assert text_language("") == "simple"


@pytest.mark.parametrize(
    "text",
    [
        "def rising_time(temperature): return 4 * 2 ** ((24 - temperature) / 8)  # hours",
        "Le film « The Lord of the Rings » dure trois heures et demie, et la suite est encore plus longue que lui.",
        "Can you tell me why the dough is so sticky? I used 70 % of water and a pinch of salt, like you said.",
    ],
)
def test_words_that_settle_it_say_what_the_classifier_says(text: str):
    assert text_language(text) == CONFIGURATIONS.get(py3langid.classify(text)[0], "simple")


def test_texts_together_have_the_languages_that_each_has_by_itself():
    texts = [(text, around) for text in [*TEXTS.values(), "the and of", ""] for around in ("simple", "german")]
    assert text_languages(texts) == [text_language(text, around) for text, around in texts]


def test_a_short_text_is_in_the_language_around_it_and_a_long_one_in_its_own():
    assert text_languages([("the and of", "german"), (TEXTS["french"], "german")]) == ["german", "french"]
