"""Grapheme clusters: those of ``regex``, in linear time."""

from __future__ import annotations

from time import process_time

import regex
from hypothesis import example, given
from hypothesis import strategies as st

from archive_pipeline.text.graphemes import grapheme_edges, grapheme_ends

FLAG = "\U0001f1e9\U0001f1ea"
PIECES = st.sampled_from(
    [*FLAG, FLAG, *"aB\r\n \u0301\u200d\ufe0f\u0600\u0903\u0915\u094d\u1cf5\u1100\u1161\u11a8\U0001f600\U0001f3fd"]
)


@given(st.lists(PIECES, max_size=20).map("".join))
@example(FLAG * 3 + FLAG[0])
@example(f"\u0600{FLAG * 2}\u0301{FLAG[0]}\u200d{FLAG * 2}")
def test_clusters_end_where_they_do_by_definition(text: str):
    ends = [match.end() for match in regex.finditer(r"\X", text)]
    assert [*grapheme_ends(text)] == ends
    edges = grapheme_edges(text)
    assert [0, *ends] == (list(range(len(text) + 1)) if edges is None else edges.tolist())


def test_a_run_of_flags_is_gone_through_once():
    started = process_time()
    edges = grapheme_edges(FLAG * 250_000)
    assert edges is not None
    assert edges.tolist() == list(range(0, 500_001, 2))
    assert process_time() - started < 5
