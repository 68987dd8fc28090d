"""What readers see of texts with citation marks, worked out by hand, and where each character of it stands."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from archive_pipeline.text.citation_marks import Unmarked, without_marks


def mark(*fields: str) -> str:
    return "\ue200" + "\ue202".join(fields) + "\ue201"


CITE = mark("cite", "turn0search0", "turn0search3")
FILE = mark("filecite", "turn0file1")
CITY = mark("entity", '["city","Har\\u00e9","port"]')
LINKS = (mark("url", "Guide", "turn0search2"), mark("url", "docs", "https://a.org/x"))
WORDS = mark("url", "w x", "y")


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("No mark, \u2019 but no ASCII.", "No mark, \u2019 but no ASCII."),
        (f"It began in 1881 {CITE}. And {CITE}{FILE} went on.", "It began in 1881. And went on."),
        (f"In {CITY} it is.", "In Har\u00e9 it is."),
        (mark("entity", "plain") + " or " + mark("entity", '["city"]') + "?", "plain or?"),
        (f"See {LINKS[0]}, {LINKS[1]}.", "See Guide, [docs](https://a.org/x)."),
        ("Buy " + mark("product", '["turn1product3","Kettle",{"a":1}]'), "Buy Kettle"),
        (mark("products", '{"selections":[["a","One"],["b","Two"],7]}'), "One, Two"),
        ("So:\n" + mark("genui", '{"math_block_widget_v2":{"content":"a^2"}}') + "\n", "So:\n$$a^2$$\n"),
        (
            mark("i", "turn0image0") + "\n\nOne.\n\n" + mark("navlist", "News", "turn0news1") + "\n\nTwo.",
            "One.\n\nTwo.",
        ),
        ("Cut off \ue200cite\ue202turn0sea", "Cut off"),
        ("Said \ue203so\ue204 \ue202turn0search0 and \ue200\ue202turn0news0\ue202turn0search1\ue201.", "Said so and."),
        (r"Said \ue203so\ue204 \ue202turn0search0 and \ue200\ue202turn0news0\ue202turn0search1\ue201.", "Said so and."),
        (r"Type \ue200 and \ue202 for icons", r"Type \ue200 and \ue202 for icons"),
        ("Icons \ue200 and \ue202 of \ue201 fonts", "Icons \ue200 and \ue202 of \ue201 fonts"),
    ],
)
def test_marks_have_the_words_that_pages_show_or_are_gone_with_the_blank_before_them(text: str, shown: str):
    assert without_marks(text) == shown


@given(st.lists(st.sampled_from(["a", " ", "\n", CITE, WORDS, "\ue200", "\ue202", "\ue201"]), max_size=12).map("".join))
def test_each_character_that_is_seen_has_its_place_in_the_text(text: str):
    unmarked = Unmarked(text)
    assert unmarked.text == without_marks(text)
    for place, seen in enumerate(unmarked.text):
        start, end = unmarked.span(place, place + 1)
        assert text[start:end] == seen or (seen in "w x" and text[start:end] == WORDS)
