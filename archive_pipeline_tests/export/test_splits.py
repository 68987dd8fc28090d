"""Splits: nothing that is alike or linked is on two sides."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from archive_pipeline.building.dialogues import build_stale
from archive_pipeline.building.duplicates import refresh_duplicates
from archive_pipeline.errors import ConfigurationError, ExportError
from archive_pipeline.export.choices import SPLITS, Choices
from archive_pipeline.export.run import Exported, export
from archive_pipeline.export.splits import components, split_of
from archive_pipeline.settings import Settings
from archive_pipeline.store.database import Database
from archive_pipeline_tests.exports import chain, chatgpt, load
from archive_pipeline_tests.tables import query

HALVES = (0.5, 0.25, 0.25)
LINKS = st.lists(st.tuples(st.integers(0, 40).map("{:04d}".format), st.integers(0, 25).map(str)), max_size=80)
SHARES = st.sampled_from([(0.8, 0.1, 0.1), (1.0, 0.0, 0.0), (0.0, 0.5, 0.5), HALVES])


@given(links=LINKS, shares=SHARES, data=st.data())
def test_no_link_crosses_a_split_in_whatever_order_it_is_read(
    links: list[tuple[str, str]], shares: tuple[float, ...], data: st.DataObject
):
    found = components(links)
    assert components(data.draw(st.permutations(links))) == found
    sides: dict[str, set[str]] = {}
    for dialogue, link in links:
        sides.setdefault(link, set()).add(split_of(dialogue, found, shares))
    assert all(len(side) == 1 for side in sides.values())
    assert all(shares[SPLITS.index(side)] for [side] in sides.values())


@given(links=LINKS)
def test_components_are_no_larger_than_links_make_them(links: list[tuple[str, str]]):
    reached = {dialogue: {dialogue} for dialogue, _ in links}
    for _ in reached:
        for dialogue, link in links:
            for other, its in links:
                if link == its:
                    reached[dialogue] |= reached[other]
    assert components(links) == {dialogue: min(names) for dialogue, names in reached.items()}


def test_shares_are_met_and_more_dialogues_move_none():
    names = [f"{number:06d}" for number in range(20_000)]
    before = {name: split_of(name, {}, (0.8, 0.1, 0.1)) for name in names}
    counted = Counter(before.values())
    assert 15_700 < counted["train"] < 16_300
    assert 1_800 < counted["validation"] < 2_200
    assert before == {name: split_of(name, {"999999": "999998"}, (0.8, 0.1, 0.1)) for name in names}


def test_shares_that_are_none_are_refused():
    for shares in ((0.5, 0.5), (0.8, 0.3, 0.1), (1.1, -0.1, 0.0), (math.nan, 0.5, 0.5)):
        with pytest.raises(ConfigurationError, match="add up to 1"):
            Choices(splits=shares)


@pytest.mark.postgres
def test_forks_and_copies_are_in_one_file(database: Database, settings: Settings, tmp_path: Path):
    def words(number: int, name: str) -> str:
        return " ".join(f"{name}{number}x{place}" for place in range(30))

    def dialogue(name: str, *texts: str) -> dict[str, object]:
        return chatgpt(name, chain(*texts, prefix=name), title=name)

    pairs = range(30)

    def fork(number: int, side: str) -> dict[str, object]:
        texts = words(number, "q"), words(number, "a"), words(number, side), words(number, f"b{side}")
        return dialogue(f"f{number}{side}", *texts)

    forks = [fork(n, side) for n in pairs for side in "lr"]
    copies = [dialogue(f"c{n}{side}", words(n, f"u{side}"), words(n, "copy")) for n in pairs for side in "lr"]
    load(database, tmp_path / "all.json", *forks, *copies)
    build_stale(database, settings)
    with pytest.raises(ExportError, match="duplicates are not up to date"):
        export(database, settings, "openai", tmp_path / "early", Choices(splits=HALVES))
    refresh_duplicates(database, settings)
    found = export(database, settings, "traces", tmp_path / "out", Choices(splits=HALVES))
    side_of: dict[str, str] = {}
    for file in found.files:
        split, _, name = file.path.partition("/")
        title = json.loads((found.path / file.path).read_text(encoding="utf-8").splitlines()[0])["name"]
        side_of[title] = split
        assert name
    assert len(side_of) == 120
    assert set(side_of.values()) == set(SPLITS)
    assert all(side_of[f"{kind}{n}l"] == side_of[f"{kind}{n}r"] for kind in "fc" for n in pairs)
    titles = dict(query(database, "SELECT id::text, title FROM raw.dialogues"))
    clusters: dict[str, set[str]] = {}
    for cluster, member in query(
        database, "SELECT cluster_id::text, dialogue_id::text FROM derived.duplicate_clusters"
    ):
        clusters.setdefault(cluster, set()).add(side_of[titles[member]])
    assert clusters
    assert all(len(sides) == 1 for sides in clusters.values())


@pytest.mark.postgres
def test_each_split_is_a_file(exported: Callable[..., Exported], filled: Database, settings: Settings):
    refresh_duplicates(filled, settings)
    for name, files in (("openai", "{}.jsonl"), ("qa", "qa-{}.parquet")):
        found = exported(name, splits=HALVES)
        assert all((found.path / files.format(split)).exists() for split in SPLITS)
    card = (exported("openai", splits=HALVES).path / "README.md").read_text(encoding="utf-8")
    assert all(f'  - split: {split}\n    path: "{split}.jsonl"\n' in card for split in SPLITS)
