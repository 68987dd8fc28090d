"""What people call a dialogue: its title, else the beginning of the first prompt, cut where a word ends."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from archive_pipeline.text.dialogue_names import MOST_CHARACTERS, dialogue_name, first_line, title_or_prompt

FAMILY = "\U0001f468\u200d\U0001f469\u200d\U0001f467"


@pytest.mark.parametrize(
    ("title", "prompt", "name"),
    [
        ("A title", None, "A title"),
        ("A title", "a prompt", "A title"),
        (None, "count the files", "count the files"),
        ("", "count\n the\tfiles ", "count the files"),
        (None, "Fix **this** in [the parser](http://a.b) and `main.py`", "Fix this in the parser and main.py"),
        (None, "a-b_c <b> & 2 * 3 is unmarked", "a-b_c <b> & 2 * 3 is unmarked"),
        (None, "x" * 60, "x" * 60),
        (None, "x" * 61, "x" * 59 + "…"),
        (None, "twelve words " * 6, "twelve words twelve words twelve words twelve words twelve…"),
        (None, "\u5b57" * 70, "\u5b57" * 59 + "…"),
        (None, "x" * 58 + FAMILY, "x" * 58 + "…"),
        (None, None, "(untitled)"),
        ("", "", "(untitled)"),
        (" \t\n", "count the files", "count the files"),
        ("\u00a0\u200b", None, "(untitled)"),
        (None, "\u200b\u2060", "(untitled)"),
        ("?", "count the files", "?"),
    ],
)
def test_a_dialogue_has_the_name_of_its_title_or_first_prompt(title: str | None, prompt: str | None, name: str):
    assert dialogue_name(title, prompt) == name


@given(st.text(max_size=1_500))
def test_a_name_is_one_line_of_bounded_length(prompt: str):
    line = first_line(prompt)
    assert len(line) <= 240
    name = title_or_prompt(None, line)
    assert name is None or (0 < len(name) <= MOST_CHARACTERS and name.splitlines() == [name])
