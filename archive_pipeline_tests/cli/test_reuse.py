"""Reuse of answers is visible: rates in `stats`, a mark in `show`, hashes in `match`."""

from __future__ import annotations

import json

import pytest
from sqlalchemy.orm import Session

from archive_pipeline.matching import find_path, respond
from archive_pipeline_tests.exports import chain, chatgpt, write
from archive_pipeline_tests.matching.messages import turns

pytestmark = pytest.mark.postgres


@pytest.fixture
def used(llm_archive, loaded, database, tmp_path):
    """An imported chat whose second answer was given out twice and its first once, and one that a model had to give."""
    talk = chain("Hi", "Hello there", "Bye", "See you")
    loaded(write(tmp_path / "conversations.json", chatgpt("c1", talk)))
    with Session(database.engine) as session:
        for messages in (turns("Hi"), turns("Hi", "Hello there", "Bye"), turns("Hi", "Hello there", "Bye")):
            assert respond(session, messages, call=pytest.fail).from_archive
        assert not respond(session, turns("Hi", "Hello there", "Well?"), call=lambda _: "Well").from_archive
        find_path(session, turns("Who?"))
        session.commit()
    return llm_archive


def test_stats_have_the_rates_of_each_entry_point(used):
    nothing = dict.fromkeys(("found", "generated_equal", "generated_new", "missed"), 0)
    assert used("stats", "--json").json["look_ups"] == {
        "find_path": {**nothing, "asked": 1, "missed": 1, "hit_rate": 0.0},
        "respond": {**nothing, "asked": 4, "found": 3, "generated_new": 1, "hit_rate": 0.75},
    }
    lines = [line.split() for line in used("stats").out.splitlines()]
    assert ["respond", "4", "3", "0", "1", "0", "75.0%"] in lines
    assert ["find_path", "1", "0", "0", "0", "1", "0.0%"] in lines


def test_stats_say_nothing_of_look_ups_that_were_not_made(llm_archive):
    assert "Look-ups" not in llm_archive("stats").out
    assert llm_archive("stats", "--json").json["look_ups"] == {}


def test_show_marks_the_answers_that_were_reused(used):
    shown = used("show", "chatgpt-c1", "--json").json
    assert sorted(message["reused"] for message in shown["messages"]) == [0, 0, 0, 0, 1, 2]
    marks = set()
    for branch in shown["branches"]:
        lines = used("show", "chatgpt-c1", "--branch", branch["name"]).out.splitlines()
        headings = [line.replace("  ", " · ").split(" · ") for line in lines if line.startswith("assistant")]
        marks |= {tuple(word for word in heading if "reused" in word) for heading in headings}
    assert marks == {("reused once",), ("reused 2 times",), ()}


def test_match_prints_the_hashes(used, tmp_path):
    file = tmp_path / "asked.json"
    file.write_text(json.dumps(turns("Hi")), encoding="utf-8")
    found = used("match", file, "--json").json
    lines = used("match", file).out.splitlines()
    assert f"context {found['context_hash']}" in lines
    assert f"path    {found['path_hash']}" in lines
    assert found["responses"][0]["path_hash"] == found["path_hash"]
    assert used("match", file, "--dialogue", "chatgpt-c1").code == 0
    unknown = used("match", file, "--dialogue", "chatgpt-c2")
    assert (unknown.code, unknown.error.count("\n")) == (2, 0)
    assert "no dialogue has the key or id 'chatgpt-c2'" in unknown.error
