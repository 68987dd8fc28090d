"""A page that does not fit is cut around what was found in it."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import regex
from hypothesis import given
from hypothesis import strategies as st

from archive_pipeline.retrieval.context.excerpts import OMISSION, excerpt
from archive_pipeline.text.markdown import code_blocks
from archive_pipeline_tests.retrieval.context.texts import CHINESE, CODE, ENGLISH

FILLING = "Nothing is said here. " * 40
FOUND = "The canal opened in May."
ANSWER = "It cost a million."


def characters(most: int) -> Callable[[str], bool]:
    return lambda text: len(text) <= most


@pytest.mark.parametrize("snippet", ["", "Not in the page.", "Nothing is said here.", "…is said here. Nothing…"])
def test_the_beginning_is_taken_if_it_has_what_was_found_or_that_is_unknown(snippet: str):
    assert excerpt(FILLING + FOUND, [snippet], characters(50)) == "Nothing is said here. Nothing is said here."


def test_a_sentence_further_on_has_some_text_before_it_and_the_rest_after_it():
    page = f"{FILLING}{FOUND} {FILLING}"
    # What fits of the beginning are 197 characters: 9 sentences. A quarter of them is before what was found.
    assert excerpt(page, [FOUND], characters(200)) == (
        f"{OMISSION}Nothing is said here. Nothing is said here. {FOUND}{' Nothing is said here.' * 5}"
    )


def test_a_sentence_at_the_end_has_all_the_text_before_it_that_fits():
    assert excerpt(FILLING + FOUND, [FOUND], characters(120)) == f"{OMISSION}{'Nothing is said here. ' * 3}{FOUND}"


def test_an_excerpt_begins_at_a_line_if_one_is_near():
    page = f"{FILLING}\n\n## Opening\n\nIt was late. {FOUND}\n\n{FILLING}"
    assert excerpt(page, [FOUND], characters(220)).startswith(f"{OMISSION}## Opening\n\nIt was late. {FOUND}")


def test_two_places_that_are_far_from_each_other_are_parts_with_a_sign_between():
    page = f"{FILLING}{FOUND} {FILLING}{ANSWER}"
    # What fits of the beginning are 219 characters. Half of them is 109, of which a quarter, 27, has the sentence of 22
    # before each place. The second part is 43 with its sign, 2 part them, and 195 are left for 49 and 6 times 22.
    assert excerpt(page, [FOUND, ANSWER], characters(240)) == (
        f"{OMISSION}Nothing is said here. {FOUND}{' Nothing is said here.' * 6}"
        f"\n\n{OMISSION}Nothing is said here. {ANSWER}"
    )


@pytest.mark.parametrize(
    ("most", "expected"),
    [(60, f"{OMISSION}{FOUND}\n\n{OMISSION}{ANSWER}"), (49, f"{OMISSION}{FOUND} Nothing is said here.")],
)
def test_what_the_page_was_found_by_comes_before_what_is_beside_it(most: int, expected: str):
    # Both with their signs are 50 characters.
    assert excerpt(f"{FILLING}{FOUND} {FILLING}{ANSWER}", [FOUND, ANSWER], characters(most)) == expected


def test_a_page_that_begins_with_what_it_was_found_by_begins_without_a_sign():
    assert excerpt(f"{FOUND} {FILLING}{ANSWER}", [FOUND, ANSWER], characters(100)) == (
        f"{FOUND}{' Nothing is said here.' * 2}\n\n{OMISSION}{ANSWER}"
    )


def test_two_places_near_each_other_are_one_part():
    page = f"{FILLING}{FOUND} {ANSWER} {FILLING}"
    assert excerpt(page, [FOUND, ANSWER], characters(70)) == f"{OMISSION}{FOUND} {ANSWER} Nothing is said here."


def test_what_is_beside_is_looked_for_below_what_the_page_was_found_by():
    page = f"{ANSWER} {FILLING}{FOUND} {FILLING}{ANSWER}"
    assert excerpt(page, [FOUND, ANSWER], characters(60)) == f"{OMISSION}{FOUND}\n\n{OMISSION}{ANSWER}"


def test_code_is_in_a_block_of_its_kind():
    lines = [f"line_{number} = {number}" for number in range(100)]
    page = "~~~~python\n" + "\n".join(lines) + "\n~~~~\n\nAfterwards."
    found = excerpt(page, ["line_70 = 70 line_71 = 71"], characters(120))
    assert found is not None
    opening, *middle, closing = found.removeprefix(OMISSION).split("\n")
    assert (opening, closing) == ("~~~~python", "~~~~")
    assert middle == lines[int(middle[0][5:7]) :][: len(middle)]
    assert {"line_70 = 70", "line_71 = 71"} < set(middle)


def test_it_ends_after_a_word_if_the_sentence_ends_too_early_or_too_late():
    page = f"{FILLING}Call it.\n\n{'with many words and no end ' * 3}here{' and so on' * 50}"
    found = excerpt(page, ["it. with many words and no end with many words and no end with"], characters(80))
    # 3 characters, 10 and 2 * 27 are 67, with two more words 76; a third one would make it 82.
    assert found == f"{OMISSION}Call it.\n\n{'with many words and no end ' * 2}with many"


def test_white_space_of_the_page_does_not_matter():
    page = f"{FILLING}The canal\n\topened  in May."
    assert excerpt(page, ["…The canal opened in May."], characters(60)).endswith("The canal\n\topened  in May.")


def test_what_was_found_and_is_too_long_is_cut_itself():
    assert excerpt(f"{FILLING}{FOUND}", [FOUND], characters(20)) == f"{OMISSION}The canal opened"


def test_no_grapheme_is_cut():
    family = "👨‍👩‍👧‍👦"
    page = family * 50 + "運河" + family * 50
    assert excerpt(page, ["…👦運河👨…"], characters(20)) == f"{OMISSION}{family}運河{family}"


PIECES = st.sampled_from(
    [ENGLISH[:300], CODE, CHINESE[:100], f"```\n{CODE}\n```\n", "- item\n", "👨‍👩‍👧‍👦", "x" * 80, "\n\n", "~~~"]
)


@pytest.mark.slow
@given(st.lists(PIECES, min_size=1, max_size=12), st.data())
def test_an_excerpt_fits_closes_its_code_and_has_what_was_found_if_there_is_room(
    pieces: list[str], data: st.DataObject
):
    page = "".join(pieces)
    snippets = [drawn_snippet(page, data), *data.draw(st.sampled_from([[], [drawn_snippet(page, data)]]))]
    most = data.draw(st.integers(1, 3_000))
    found = excerpt(page, snippets, characters(most))
    if found is None:
        assert most < 30 or not page.strip()
        return
    assert len(found) <= most
    assert all(block.closing is None for block in code_blocks(found))
    if most > 3 * len(snippets[0]) + 600:
        assert "".join(snippets[0].split()) in "".join(found.split())


def drawn_snippet(page: str, data: st.DataObject) -> str:
    graphemes = [match.span() for match in regex.finditer(r"\X", page)]
    first, last = sorted(data.draw(st.tuples(*[st.integers(0, len(graphemes) - 1)] * 2)))
    return " ".join(page[graphemes[first][0] : graphemes[last][1]].split())[:200]
