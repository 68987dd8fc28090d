"""Names that pretend to be others, and lines that a terminal takes for commands."""

from __future__ import annotations

import pytest

from archive_pipeline.text.shown_names import as_name, is_visible, on_one_line, printable, without_controls


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("photo\u202egpj.exe", "photo\ufffdgpj.exe"),
        ("\u2067a\u2069", "\ufffda\ufffd"),
        ("\u200f\u05e9\u05dc\u05d5\u05dd", "\u200f\u05e9\u05dc\u05d5\u05dd"),  # such a mark belongs to the text
        ("plain.txt", "plain.txt"),
    ],
)
def test_a_name_turns_no_direction(name: str, shown: str):
    assert as_name(name) == shown


@pytest.mark.parametrize(
    "line",
    [
        "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645",
        "👩\u200d👩\u200d👧 🏳\ufe0f\u200d🌈",
        "co\u00adoperate",
        "plain",
    ],
)
def test_joined_letters_and_emoji_stay(line: str):
    assert printable(line) == line


@pytest.mark.parametrize("mark", ["\x1b", "\x9b", "\u202e", "\u200b", "\u2028", "\n"])
def test_what_commands_or_hides_is_replaced(mark: str):
    assert printable(f"a{mark}b") == "a\ufffdb"


def test_a_title_is_one_line():
    assert on_one_line(" a\r\n\tb\x1b[2Jc ") == "a b\ufffd[2Jc"


def test_a_text_keeps_its_lines_and_directions():
    assert without_controls("a\tb\r\nc\rd\x1be\x9bf\u200f") == "a\tb\r\nc\ufffdd\ufffde\ufffdf\u200f"


@pytest.mark.parametrize("text", ["", " ", "\u200b", "\ufeff\u2060\u00a0", "\u3164\u2800", "\ufe0f", "\u202e"])
def test_marks_and_blanks_alone_are_not_seen(text: str):
    assert not is_visible(text)
    assert is_visible(f"{text}.")


@pytest.mark.parametrize("text", ["a", "..", "7", "é", "😀", "語", "\u200b?"])
def test_letters_digits_signs_and_symbols_are_seen(text: str):
    assert is_visible(text)
