"""Latin letters with marks: how words are written without them."""

from __future__ import annotations

import pytest

from archive_pipeline.text.marks import WITH_MARKS, plain_spellings


@pytest.mark.parametrize(
    ("word", "plain"),
    [
        ("zürich", {"zurich", "zuerich"}),
        ("straßenhäuser", {"strassenhauser", "strassenhaeuser"}),
        ("œufs", {"oeufs"}),
        ("smørrebrød", {"smorrebrod", "smoerrebroed"}),
        ("łódź", {"lodz"}),
        ("đặng", {"dang"}),
        ("cafe", set()),
        ("кафе", {"кафе"}),
        ("й", {"й"}),  # a letter of its own in a script that is not Latin
    ],
)
def test_a_word_is_written_without_marks(word: str, plain: set[str]):
    assert set(plain_spellings(word)) == plain


def test_letters_with_marks_are_known_by_what_is_written_for_them():
    assert set("äæ") == set(WITH_MARKS["ae"])
    assert set("çćĉċčḉ") == set(WITH_MARKS["c"])
    assert all(plain in plain_spellings(letter) for plain, letters in WITH_MARKS.items() for letter in letters)
