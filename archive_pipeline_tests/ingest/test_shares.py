"""A file read in shares: together they are what one reader makes of it, however many there are."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from archive_pipeline.domain.records import RejectedRecord
from archive_pipeline.ingest.arriving import ArrivingRecords
from archive_pipeline.ingest.groups import Header, ReadGroup, read_groups
from archive_pipeline.readers import anomalies, shares
from archive_pipeline.readers.json import guessing, stream
from archive_pipeline.readers.json.guessing import BoundaryGuesser
from archive_pipeline.readers.json.treatment import MisguessedElementError
from archive_pipeline.readers.reading import FileReading, read_paths
from archive_pipeline.readers.shares import FileOutcome, Share
from archive_pipeline_tests.exports import chain, chatgpt
from archive_pipeline_tests.trials import trials

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

FRAMES = ["[%s]", '{"conversations": [%s], "user": {"id": 1}}', "[%s]  [%s]", "[%s", "\ufeff[%s]", "%s"]
PIECES = [b'"', b"}", b"]", b"{", b",", b'}, {"id": "x", "conversation_id":', b"\\", b"NaN", b"\xff", b""]


def groups_of(path: Path, of: int) -> tuple[list[ReadGroup], FileOutcome, int | None]:
    """The groups of a file that so many readers share, what is known of it, and from where on it was read exactly."""
    groups: list[ReadGroup] = []
    exact_from: int | None = None
    while True:
        files = [read_paths([path]).files[0] for _ in range(of)]
        parts = [
            read_groups(file, Share(number, of, exact_from), {}, is_partial=False) for number, file in enumerate(files)
        ]
        try:
            while (group := next(parts[len(groups) % of], None)) is not None:
                groups.append(group)
            for part in parts:
                assert next(part, None) is None
        except MisguessedElementError:
            assert exact_from is None
            exact_from = len(groups)
        else:
            return groups, files[0].outcome(), exact_from


def read_shared(path: Path, of: int) -> list[Any]:
    """What comes of a file that so many readers share: its records, what is known of it, and how much was made."""
    groups, outcome, _ = groups_of(path, of)
    own: FileReading = read_paths([path]).files[0]
    arriving = ArrivingRecords(own)
    items: list[tuple[int, int, Header | RejectedRecord]] = []
    for number, group in enumerate(groups):
        items += [(number, position, item) for position, item in arriving.of(group)]
    own.adopt(outcome)
    return [
        items,
        list(arriving.beyond()),
        own.anomalies,
        own.drift.found,
        (own.source, own.sha256, own.skipped, own.beside, own.is_understood, own.bytes_read),
    ]


def in_blocks_of(patch: pytest.MonkeyPatch, size: int) -> None:
    patch.setattr(stream.stream_own_elements, "__kwdefaults__", {"block_bytes": size})


# What whoever passes over a group may be led astray by.
STRANGE = {
    "objects that begin like one": json.dumps(
        chatgpt(
            "nested", chain("f"), more=[{}, {"id": "a", "conversation_id": "b"}, {"id": "c", "conversation_id": "d"}]
        )
    ),
    "half a character": json.dumps(chatgpt("half", chain("g\ud800"))),
    "another first key": json.dumps({"title": "other keys", **chatgpt("other", chain("h"))}),
    "no conversation": json.dumps({"id": "x", "conversation_id": "x", "note": 1}),
    "one inside": json.dumps({"id": "y", "conversation_id": "y", "records": [chatgpt("within", chain("k"))]}),
    "garbage behind": json.dumps(chatgpt("before", chain("l"))) + " garbage",
    "a lost quote": json.dumps(chatgpt("quote", chain("m"))).replace('"m"', '"m'),
    "no number": json.dumps(chatgpt("number", chain("n"))).replace('"n"', "NaN"),
    "a lost comma": json.dumps(chatgpt("one", chain("r"))) + json.dumps(chatgpt("two", chain("s"))),
    "a lost bracket": json.dumps(chatgpt("bracket", chain("o")))[:-1],
    "brackets too many": json.dumps(chatgpt("brackets", chain("p"))) + "}]",
    "a key twice": json.dumps(chatgpt("twice", chain("q")))[:-1] + ', "title": "twice"}',
    "nothing": "",
}


@trials(40)
@given(
    records=st.lists(st.sampled_from(RECORDS[:2]) | st.sampled_from([*RECORDS, *STRANGE.values()]), max_size=14),
    size=st.integers(1, 4),
    of=st.integers(2, 5),
    block=st.integers(1, 3_000),
    frame=st.sampled_from(
        ["[%s]", '{"conversations": [%s], "user": {"id": 1}}', "[%s]  [%s]", "[%s", "\ufeff[%s]", "%s"]
    ),
    between=st.sampled_from([", ", ",", " ,\n  "]),
)
def test_shares_of_a_file_are_together_what_one_reader_makes_of_it(
    tmp_path: Path, records: list[str], size: int, of: int, block: int, frame: str, between: str
):
    path = tmp_path / "conversations.json"
    path.write_text(frame.replace("%s", between.join(records)))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(shares, "GROUP_RECORDS", size)
        patch.setattr(shares, "GROUP_REJECTED", size)
        patch.setattr(anomalies.RejectedLimit.__init__, "__defaults__", (3,))
        in_blocks_of(patch, block)
        shared = read_shared(path, of)
        patch.setattr(BoundaryGuesser, "can_begin", False)
        assert shared == read_shared(path, 1)


@trials(40)
@given(place=st.floats(0, 1), length=st.integers(0, 12), piece=st.sampled_from(PIECES), block=st.integers(1, 3_000))
def test_shares_of_a_damaged_file_are_together_what_one_reader_makes_of_it(
    tmp_path: Path, place: float, length: int, piece: bytes, block: int
):
    path = tmp_path / "conversations.json"
    whole = json.dumps([chatgpt(f"c{number}", chain("a", "b")) for number in range(9)]).encode()
    start = int(place * len(whole))
    path.write_bytes(whole[:start] + piece + whole[start + length :])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(shares, "GROUP_RECORDS", 2)
        in_blocks_of(patch, block)
        shared = read_shared(path, 3)
        patch.setattr(BoundaryGuesser, "can_begin", False)
        assert shared == read_shared(path, 1)


def trajectory(name: str, *inner: dict[str, Any]) -> dict[str, Any]:
    steps = [{"step_id": 1, "source": "user", "message": name}]
    return {"schema_version": "ATIF-v1.7", "session_id": name, "steps": steps, "subagent_trajectories": list(inner)}


TRAJECTORIES = [trajectory(f"t{at}", *(trajectory(f"t{at}-{n}") for n in range(at % 3))) for at in range(9)]
MESSAGES = [
    {"message_tree_id": f"t{at // 2}", "message_id": f"m{at}", "parent_id": None, "role": "prompter", "text": f"{at}"}
    for at in range(18)
]


@pytest.mark.parametrize("items", [TRAJECTORIES, MESSAGES], ids=["with others inside", "gathered"])
@pytest.mark.parametrize("of", [2, 3])
def test_records_that_are_several_of_the_file_or_part_of_one_are_in_one_share_with_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, items: list[Any], of: int
):
    path = tmp_path / "x.json"
    path.write_text(json.dumps(items))
    monkeypatch.setattr(shares, "GROUP_RECORDS", 2)
    in_blocks_of(monkeypatch, 200)
    shared = read_shared(path, of)
    ids = [item.source_id for _, _, item in shared[0] if isinstance(item, Header)]
    assert len(ids) == len(set(ids)) == (18 if items is TRAJECTORIES else 9)
    assert shared == read_shared(path, 1)


def conversations(count: int) -> list[str]:
    return [json.dumps(chatgpt(f"c{number}", chain("a", "b"))) for number in range(count)]


@pytest.mark.parametrize("name", STRANGE)
def test_a_file_is_read_exactly_from_the_group_on_that_is_no_records(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
):
    path = tmp_path / "conversations.json"
    path.write_text("[" + ", ".join([*conversations(21), STRANGE[name], *conversations(9)]) + "]")
    monkeypatch.setattr(shares, "GROUP_RECORDS", 5)
    in_blocks_of(monkeypatch, 200)
    # What only the lenient parser takes, and what has a key twice, is a record all the same.
    whole = {"half a character", "no number", "a key twice"}
    assert groups_of(path, 2)[2] == (None if name in whole else 4)


def test_groups_of_other_shares_are_not_parsed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    path = tmp_path / "conversations.json"
    path.write_text("[" + ", ".join(conversations(100)) + "]")
    monkeypatch.setattr(shares, "GROUP_RECORDS", 10)
    in_blocks_of(monkeypatch, 200)
    parsed: list[bytes] = []
    loads = guessing.orjson.loads
    monkeypatch.setattr(guessing.orjson, "loads", lambda raw: parsed.append(raw) or loads(raw))  # type: ignore[func-returns-value]
    list(read_groups(read_paths([path]).files[0], Share(1, 5), {}, is_partial=False))
    # Two groups of ten, the first record, which tells what the file and its array are, and what was read until it was
    # known how elements begin.
    assert 20 <= len(parsed) <= 25


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
