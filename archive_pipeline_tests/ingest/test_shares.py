"""A file read in shares: together they are what one reader makes of it, however many there are."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from archive_pipeline.domain.records import RejectedRecord
from archive_pipeline.ingest.arriving import ArrivingRecords
from archive_pipeline.ingest.groups import Header, ReadGroup, read_groups
from archive_pipeline.readers import anomalies, shares
from archive_pipeline.readers.reading import FileReading, read_paths
from archive_pipeline.readers.shares import Share
from archive_pipeline_tests.exports import chain, chatgpt

# Conversations with and without ids (some begin alike), with what no shape knows, and what is none.
RECORDS = [
    json.dumps(chatgpt("one", chain("a", "b"))),
    json.dumps(chatgpt("two", chain("c"), surprise=1)),
    json.dumps(chatgpt(None, chain("x"))),
    json.dumps(chatgpt(None, chain("x", "y"))),
    json.dumps({**chatgpt("three", chain("d")), "title": None})[:-1] + ', "title": "twice"}',
    json.dumps({"title": "may be one", "mapping": {}}),
    json.dumps({"mapping": 1}),
    json.dumps([chatgpt("inside", chain("e"))]),
    "7",
    '{"broken": ',
]


def read_shared(path: Path, of: int) -> list[Any]:
    """What comes of a file that so many readers share: its records, what is known of it, and how much was made."""
    files = [read_paths([path]).files[0] for _ in range(of)]
    parts = [list(read_groups(file, Share(number, of), {}, is_partial=False)) for number, file in enumerate(files)]
    whole = sum(map(len, parts))
    own: FileReading = read_paths([path]).files[0]
    arriving = ArrivingRecords(own)
    items: list[tuple[int, int, Header | RejectedRecord]] = []
    for number in range(whole):
        group: ReadGroup = parts[number % of][number // of]
        items += [(number, position, item) for position, item in arriving.of(group)]
    own.adopt(files[0].outcome())
    return [
        items,
        list(arriving.beyond()),
        own.anomalies,
        own.drift.found,
        (own.source, own.sha256, own.skipped, own.beside, own.is_understood),
    ]


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(records=st.lists(st.sampled_from(RECORDS), max_size=14), size=st.integers(1, 4), of=st.integers(2, 5))
def test_shares_of_a_file_are_together_what_one_reader_makes_of_it(
    tmp_path: Path, records: list[str], size: int, of: int
):
    path = tmp_path / "conversations.json"
    path.write_text("[" + ", ".join(records) + "]")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(shares, "GROUP_RECORDS", size)
        patch.setattr(shares, "GROUP_REJECTED", size)
        patch.setattr(anomalies.RejectedLimit.__init__, "__defaults__", (3,))
        assert read_shared(path, of) == read_shared(path, 1)


def test_each_record_is_made_in_one_share_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    path = tmp_path / "conversations.json"
    path.write_text(json.dumps([chatgpt(f"c{n}", chain("a")) for n in range(20)]))
    monkeypatch.setattr(shares, "GROUP_RECORDS", 3)
    made = [[item is not None for item in _gone_through(path, Share(number, 3))] for number in range(3)]
    assert [sum(of_record) for of_record in zip(*made, strict=True)] == [1] * 20
    assert [sum(of_share) for of_share in made] == [8, 6, 6]  # groups of 3, 3, 3, 3, 3, 3 and 2 records


def _gone_through(path: Path, share: Share) -> list[object]:
    made: list[object] = []
    for item in read_paths([path]).files[0].shared(share):
        made.append(item)
        if share.is_full:
            share.begin_group()
    return made


def test_a_group_ends_with_the_bytes_it_may_hold(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(shares, "GROUP_BYTES", 100)
    share = Share()
    share.takes(60)
    assert not share.is_full
    share.takes(40)
    assert share.is_full
    share.begin_group()
    assert (share.group, share.is_full) == (1, False)
