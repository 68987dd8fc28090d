"""`duplicates`: what it shows, and how it says how old that is."""

from __future__ import annotations

from pathlib import Path

import pytest

from archive_pipeline.store.database import Database
from archive_pipeline_tests.building.test_duplicates import TALKS
from archive_pipeline_tests.cli.command_line import CommandLine, Loaded
from archive_pipeline_tests.duplicates.finding import changed, prose
from archive_pipeline_tests.exports import claude, load, write
from archive_pipeline_tests.tables import query

pytestmark = pytest.mark.postgres


def test_an_archive_that_was_never_looked_at_says_so(llm_archive: CommandLine):
    result = llm_archive("duplicates")
    assert (result.code, result.out) == (0, "")
    assert result.err == "duplicates were never looked for in this archive; `llm-archive duplicates --refresh` does\n"
    as_json = llm_archive("duplicates", "--json").json
    assert as_json == {"computed_at": None, "changed_dialogues": 0, "totals": [], "clusters": []}


def test_an_archive_without_dialogues_has_none(llm_archive: CommandLine):
    result = llm_archive("duplicates", "--refresh")
    assert (result.code, result.out) == (0, "")
    assert "no duplicates: the archive has no dialogues" in result.err


def test_duplicates_are_found_in_a_run_and_shown(
    llm_archive: CommandLine, loaded: Loaded, database: Database, tmp_path: Path
):
    loaded(write(tmp_path / "talks.json", *TALKS))
    result = llm_archive("duplicates", "--refresh")
    assert result.code == 0, result.err
    lines = [line.split() for line in result.out.splitlines()]
    # Copies by content, by prefix, dialogues, similarity of the least similar member, method; then what is kept.
    # The exchanges differ in the questions too: 55 of 72 shingles are the same, of the answers alone 55 of 61.
    found = [line[:5] for line in lines if "near" in line]
    assert found == [["1", "1", "3", "0.76", "near"], ["1", "1", "3", "0.90", "near"]]
    assert ["1", "1", "1", "0", "messages"] in lines
    assert ["1", "1", "1", "0", "exchanges"] in lines
    assert "changed since" not in result.out
    status = "SELECT status, pipeline_name FROM dagster.runs ORDER BY create_timestamp DESC LIMIT 1"
    assert query(database, status) == [("SUCCESS", "find_duplicates")]
    load(database, tmp_path / "more.json", claude("more", "What else is there to say?"))
    assert "1 dialogue changed since: use --refresh" in llm_archive("duplicates").out


def test_clusters_are_chosen(llm_archive: CommandLine, loaded: Loaded, tmp_path: Path):
    pair = [claude("x", prose(50, step=11)), claude("y", changed(prose(50, step=11), 20))]
    twice = [claude("p", prose(30, step=13)), claude("q", prose(30, step=13))]
    for talk in twice:  # NUL is dropped, the part stays
        talk["chat_messages"][0]["content"].insert(0, {"type": "text", "text": "\0"})
    loaded(write(tmp_path / "talks.json", *TALKS, *pair, *twice))
    everything = llm_archive("duplicates", "--refresh", "--json").json
    assert everything["computed_at"] is not None
    assert [(row["entity_type"], row["content_clusters"], row["prefix_clusters"]) for row in everything["totals"]] == [
        ("message", 3, 0),
        ("exchange", 3, 0),
    ]
    assert len(everything["clusters"]) == 6
    first = everything["clusters"][0]
    assert first["beginning"].startswith("Say it again, please")
    assert first["keep_reason"] == "longest"
    assert not any(cluster["beginning"].startswith("\n") for cluster in everything["clusters"])
    assert first["partition_key"] == "claude_ai-again"

    def chosen(*options: object) -> list[tuple[str, str]]:
        found = llm_archive("duplicates", "--json", *options).json["clusters"]
        return sorted((cluster["entity_type"], cluster["method"]) for cluster in found)

    assert chosen("--entity", "messages") == [("message", "exact:full"), ("message", "near"), ("message", "near")]
    assert chosen("--min-similarity", 1) == [("exchange", "exact:full"), ("message", "exact:full")]
    assert chosen("--entity", "messages", "--method", "exact:none") == [("message", "exact:none")]
    assert len(chosen("--limit", 2)) == 2
    prefixes = llm_archive("duplicates", "--json", "--method", "exact:none", "--entity", "messages").json["totals"]
    assert [(row["content_clusters"], row["prefix_clusters"], row["prefix_copies"]) for row in prefixes] == [(1, 1, 1)]


def test_no_duplicates_are_a_result(llm_archive: CommandLine, loaded: Loaded, tmp_path: Path):
    loaded(write(tmp_path / "talks.json", TALKS[3]))
    result = llm_archive("duplicates", "--refresh")
    assert result.code == 0
    assert result.out.startswith("no duplicates\n\ncomputed 20")


@pytest.mark.parametrize(
    "option",
    [
        ("--method", "magic"),
        ("--min-similarity", "2"),
        ("--min-similarity", "nan"),
        ("--limit", "0"),
        ("--limit", "99999999999999999999"),
    ],
)
def test_options_that_make_no_sense_are_refused(option: tuple[str, str], llm_archive: CommandLine):
    result = llm_archive("duplicates", *option)
    assert result.code == 2
    assert option[0] in result.err
