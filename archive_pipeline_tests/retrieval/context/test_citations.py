"""Which citations of an answer are right, with their places."""

from __future__ import annotations

import json
from typing import Any

import pytest

from archive_pipeline.retrieval.context.citations import check_citations
from archive_pipeline.retrieval.context.documents import ResearchContext, SourceDocument

CONTEXT = ResearchContext(
    "", [SourceDocument(f"d{n}", f"{n}.pdf", 1, "pdf") for n in range(1, 5)], total_tokens=0, truncated=False
)


@pytest.mark.parametrize(
    ("text", "numbers", "unknown"),
    [
        ("[1]", (1,), ()),
        ("[4]", (4,), ()),
        ("[5]", (), (5,)),
        ("[0]", (), (0,)),
        ("[1, 3]", (1, 3), ()),
        ("[1,7;2]", (1, 2), (7,)),
        ("[1, 1]", (1,), ()),
        ("[2-4]", (2, 3, 4), ()),
        ("[3–6]", (3, 4), (5, 6)),  # noqa: RUF001
        ("[1, 3-4]", (1, 3, 4), ()),
        ("[4-2]", (), (4, 2)),
        ("[1-999999999]", (1,), (999999999,)),
        ("[ 2 ]", (2,), ()),
        ("[Document 2]", (2,), ()),
        ("[document 9]", (), (9,)),
        ("[Documents 1 and 3]", (1, 3), ()),
        ("[Doc. 2]", (2,), ()),
        ("[Document 1: crisis 9-2.pdf, Page 3]", (1,), ()),
        ("【2】", (2,), ()),
        ("【2†source】", (2,), ()),
        ("【9:0†source】", (), (9,)),
        ("[Document 1, Document 9]", (1,), (9,)),
        ("[Documents 1 and Doc. 3]", (1, 3), ()),
        ("\uff3b\uff12\u3001\uff19\uff3d", (2,), (9,)),
    ],
)
def test_citations_are_told_apart(text: str, numbers: tuple[int, ...], unknown: tuple[int, ...]):
    answer = f"So it is said {text}."
    [citation] = check_citations(answer, CONTEXT).citations
    assert (citation.numbers, citation.unknown) == (numbers, unknown)
    assert answer[citation.start : citation.end] == citation.text == text


@pytest.mark.parametrize(
    "text",
    ["[1](https://x.y)", "\\[1]", "`a[1]`", "``b ` [1]``", "```\na[1]\n```", "[a1]", "[]", "![1]", "[^1]", "[1.5]"],
)
def test_other_brackets_are_no_citations(text: str):
    assert check_citations(f"Text.\n\n{text}\n", CONTEXT).citations == []


def test_an_answer_is_checked_as_a_whole():
    answer = (
        "# Causes\n\n"
        "The crisis had two causes. Loans were too cheap [1, 2]. Dr. Wu disagrees.[3] Prices fell [7].\n\n"
        "- Banks failed [Document 4]\n"
        "- Nobody was punished\n\n"
        "```python\nx = a[1]\n```\n"
        "All of this is known. [1][2]"
    )
    report = check_citations(answer, CONTEXT)
    assert [citation.text for citation in report.valid] == ["[1, 2]", "[3]", "[Document 4]", "[1]", "[2]"]
    assert [citation.text for citation in report.invalid] == ["[7]"]
    assert [sentence.text for sentence in report.uncited] == ["The crisis had two causes.", "Nobody was punished"]
    for found in (*report.citations, *report.uncited):
        assert answer[found.start : found.end] == found.text
    as_json: dict[str, Any] = json.loads(json.dumps(report.to_dict()))
    assert as_json["citations"][0]["numbers"] == [1, 2]


def test_chinese_answers_are_checked():
    report = check_citations("房价下跌[1]。没有人受罚。银行倒闭【3】。", CONTEXT)
    assert [citation.numbers for citation in report.citations] == [(1,), (3,)]
    assert [sentence.text for sentence in report.uncited] == ["没有人受罚。"]


def test_without_sources_every_citation_is_invalid():
    report = check_citations("So [1].", ResearchContext("", [], 0, truncated=False))
    assert [citation.unknown for citation in report.invalid] == [(1,)]


def test_an_empty_answer_has_nothing():
    report = check_citations("", CONTEXT)
    assert (report.citations, report.uncited) == ([], [])
