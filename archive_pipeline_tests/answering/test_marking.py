"""Citations are checked while an answer arrives: marked, replaced, and never shown before that."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from archive_pipeline.answering.marking import CitationCounts, CitationMarker
from archive_pipeline.retrieval.context.citations import LONGEST_CITATION, LONGEST_INLINE_CODE, check_citations
from archive_pipeline.retrieval.context.documents import ResearchContext, SourceDocument
from archive_pipeline_tests.work import steps

CONTEXT = ResearchContext(
    "", [SourceDocument(f"d{n}", f"{n}.pdf", 1, "pdf") for n in range(1, 4)], total_tokens=0, truncated=False
)


def mark(*pieces: str) -> tuple[str, CitationCounts]:
    marker = CitationMarker(CONTEXT.get_citation_map().keys())
    shown = "".join([*map(marker.feed, pieces), marker.finish()])
    return shown, marker.counts


@pytest.mark.parametrize(
    ("answer", "shown", "known", "unknown", "headers"),
    [
        ("So [1] and [2, 3].", "So [1] and [2, 3].", (1, 2, 3), (), 0),
        ("So [1-3].", "So [1-3].", (1, 2, 3), (), 0),
        ("So [7].", "So [7: no such source].", (), (7,), 0),
        ("So [0].", "So [0: no such source].", (), (0,), 0),
        ("So [2, 7].", "So [2][7: no such source].", (2,), (7,), 0),
        ("So [2-9].", "So [2-3][4-9: no such source].", (2, 3), (4, 5, 6, 7, 8, 9), 0),
        ("So [3-1].", "So [1, 3: no such source].", (), (1, 3), 0),
        ("So 【2】, 【9】.", "So 【2】, [9: no such source].", (2,), (9,), 0),
        ("So 【1†source】, 【4†L1-L9】.", "So 【1†source】, [4: no such source].", (1,), (4,), 0),
        ("[Document 2]", "[Document 2]", (2,), (), 0),
        ("[Document 2: 2.pdf, Page 1]\nIt says so.", "[2]\nIt says so.", (2,), (), 1),
        ("[Document 2: The chief's order, Page 9] ok", "[2] ok", (2,), (), 1),
        ("[document 8: x, Page 1]", "[8: no such source]", (), (8,), 1),
        (r"\[7] and \[Document 1: x]", r"\[7] and \[Document 1: x]", (), (), 0),
        ("![7] and [7](http://a.example)", "![7] and [7](http://a.example)", (), (), 0),
        ("`a[7]` and ``b`[7]`` [1]", "`a[7]` and ``b`[7]`` [1]", (1,), (), 0),
        ("`a [7]", "`a [7: no such source]", (), (7,), 0),
        ("`a\n[7]`", "`a\n[7: no such source]`", (), (7,), 0),
        ("```\n[7]\n```\n[7]", "```\n[7]\n```\n[7: no such source]", (), (7,), 0),
        ("  ~~~~ [7]\n[7]\n~~~\n[7]\n ~~~~\n[1]", "  ~~~~ [7]\n[7]\n~~~\n[7]\n ~~~~\n[1]", (1,), (), 0),
        ("```a`[7]` [8]\n[9]", "```a`[7]` [8: no such source]\n[9: no such source]", (), (8, 9), 0),
        ("```\n[7]", "```\n[7]", (), (), 0),
        ("[1", "[1", (), (), 0),
        ("a [ b ] c", "a [ b ] c", (), (), 0),
        ("[1,\n 7]", "[1][7: no such source]", (1,), (7,), 0),
        ("[Document 8: `] [1] `[7]`", "[8: no such source] [1] `[7]`", (1,), (8,), 1),
        ("", "", (), (), 0),
    ],
)
def test_what_is_shown_of_an_answer(
    answer: str, shown: str, known: tuple[int, ...], unknown: tuple[int, ...], headers: int
):
    expected = shown, CitationCounts(known, unknown, headers)
    assert mark(answer) == expected
    assert mark(*answer) == expected
    for at in range(len(answer)):
        assert mark(answer[:at], answer[at:]) == expected


ANSWERS = st.lists(
    st.sampled_from(
        [*"[]()`~\\!123, -\n:a†【】", "[1]", "[7]", "[2-9]", "[Document 2: x, Page 1]", "[Document 8: ", "```\n", "~~~"]
    ),
    max_size=40,
).map("".join)


@given(ANSWERS, st.lists(st.integers(0, 60), max_size=5))
def test_pieces_do_not_matter_and_nothing_shown_leads_nowhere(answer: str, places: list[int]):
    ends = [0, *sorted(places), len(answer)]
    pieces = [answer[start:end] for start, end in pairwise(ends)]
    shown, counts = mark(*pieces)
    assert (shown, counts) == mark(answer)
    assert check_citations(shown, CONTEXT).invalid == []
    report = check_citations(answer, CONTEXT)
    assert counts.known == tuple(sorted({number for citation in report.citations for number in citation.numbers}))
    assert counts.unknown == tuple(sorted({number for citation in report.citations for number in citation.unknown}))


def test_text_is_shown_as_soon_as_it_cannot_become_a_citation():
    marker = CitationMarker({1})
    fed = [marker.feed(piece) for piece in ("It ra", "ined [", "1", "]", " and", " [b", "ut] `", "[9]", "`", " x")]
    assert fed == ["It ra", "ined ", "", "", "[1] and", " ", "[but] ", "", "", "`[9]` x"]


def test_no_more_is_held_back_than_a_citation_or_code_may_have():
    marker = CitationMarker({1})
    assert marker.feed("[" + "1, " * LONGEST_CITATION).startswith("[1, 1, ")
    marker = CitationMarker({1})
    assert marker.feed("`" + "x" * (LONGEST_INLINE_CODE + 9)).startswith("`xxx")


@pytest.mark.parametrize("text", ["[1, ", "`a ", "[[[[", "` `` ", "\n~~", "[Document 1: "])
def test_work_is_proportional_to_the_answer(text: str):
    def work(times: int) -> int:
        return steps(lambda: mark(text * times))

    assert work(2_000) < 2.3 * work(1_000)


@pytest.mark.parametrize("text", [" ", "`", "~", "~~~ a", "``` a", "\t"])
def test_what_a_model_repeats_without_end_is_not_held_back_without_end(text: str):
    answer = "x\n" + text * 4_000
    marker = CitationMarker({1})
    shown, most = "", 0
    for character in answer:
        shown += marker.feed(character)
        most = max(most, len(marker._held))
    assert most < LONGEST_INLINE_CODE + 200
    assert shown + marker.finish() == mark(answer)[0] == answer
