"""`llm-archive annotate`: what is said, taken back, and left alone by imports and builds."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from archive_pipeline.building.dialogues import build_stale
from archive_pipeline.domain.identity import dialogue_id, message_id
from archive_pipeline.settings import Settings
from archive_pipeline.store.database import Database
from archive_pipeline_tests.cli.command_line import CommandLine
from archive_pipeline_tests.export.dialogues import GREEN, START, TEA, fill
from archive_pipeline_tests.exports import Said, chatgpt, load
from archive_pipeline_tests.tables import query

pytestmark = pytest.mark.postgres

TEA_ID = dialogue_id("chatgpt", "tea")


@pytest.fixture
def filled(llm_archive: CommandLine, database: Database, settings: Settings, tmp_path: Path) -> CommandLine:
    fill(database, settings, tmp_path / "exports")
    return llm_archive


def said(filled: CommandLine, *options: str) -> list[tuple[str, str | None, str | None]]:
    found = filled("annotate", "tea", *options, "--json")
    assert found.code == 0, found.err
    return sorted((each["kind"], each["text"], each["message_id"]) for each in found.json)


def test_what_is_said_is_shown_and_taken_back(filled: CommandLine):
    assert said(filled) == []
    assert said(filled, "--tag", "kitchen", "--note", "Good.") == [("note", "Good.", None), ("tag", "kitchen", None)]
    again = filled("annotate", "tea", "--tag", "kitchen")
    assert again.err.strip() == "tag: kitchen: was said before"
    assert said(filled, "--tag", "kitchen", "--remove") == [("note", "Good.", None)]
    assert filled("annotate", "tea", "--remove").code == 2
    assert filled("annotate", "tea", "--tag", " ").code == 2


def test_a_message_is_chosen_or_rejected_and_named_by_id_or_branch(filled: CommandLine):
    leaf = message_id(TEA_ID, "a1")
    assert said(filled, "--chosen", "regeneration-1") == [("chosen", None, leaf)]
    assert said(filled, "--rejected", leaf[:13]) == [("rejected", None, leaf)]
    assert filled("annotate", "tea", "--chosen", "nothing").code == 2
    assert filled("annotate", "tea", "--chosen", leaf, "--rejected", "regeneration-1").code == 2
    assert filled("annotate", "tea", "--chosen", leaf, "--message", leaf).code == 2


def test_a_branch_means_its_first_answer(filled: CommandLine, database: Database, tmp_path: Path):
    said_again = [
        Said("q", None, "user", "Which one?", START),
        Said("a", "q", "assistant", "The first.", START + 1),
        Said("b", "q", "assistant", "The second.", START + 2),
        Said("q2", "b", "user", "Why?", START + 3),
        Said("c", "q2", "assistant", "It is later.", START + 4),
    ]
    load(database, tmp_path / "again.json", chatgpt("again", said_again, title="Again", current="c"))
    own = dialogue_id("chatgpt", "again")
    assert filled("annotate", "again", "--rejected", "main").code == 0
    [rejected] = filled("annotate", "again", "--json").json
    assert (rejected["kind"], rejected["message_id"]) == ("rejected", message_id(own, "b"))
    pairs = tmp_path / "pairs"
    assert filled("export", "trl-dpo", "--title", "Again", "--out", pairs, "--no-redact").code == 0
    [pair] = map(json.loads, (pairs / "data.jsonl").read_text(encoding="utf-8").splitlines())
    assert (pair["rule"], pair["chosen"][-1]["content"]) == ("annotation", "The first.")
    asked = filled("annotate", "again", "--chosen", message_id(own, "q2"))
    assert (asked.code, "no answer of an assistant" in asked.err) == (2, True)
    several = filled("annotate", "tea", "--chosen", "main")
    assert (several.code, "branches leave 'main' at 2 places" in several.err) == (2, True)


def test_tags_choose_dialogues(filled: CommandLine, tmp_path: Path):
    said(filled, "--tag", "kitchen")
    assert [each["partition_key"] for each in filled("list", "--tag", "kitchen", "--json").json] == [TEA]
    assert filled("list", "--tag", "kitchen").out.splitlines()[1].endswith(f"#kitchen · {TEA}")
    told = filled("export", "openai", "--out", tmp_path / "out", "--tag", "kitchen", "--json").json
    assert (told["read"], told["written"]) == ({"dialogues": 1, "messages": 10}, {"examples": 1})
    [file] = filled("export", "markdown", "--out", tmp_path / "vault", "--tag", "kitchen", "--json").json["files"]
    assert 'tags: ["kitchen"]' in (tmp_path / "vault" / file["path"]).read_text(encoding="utf-8")


def test_what_is_never_to_be_exported_is_not(filled: CommandLine, tmp_path: Path):
    said(filled, "--never-export")
    for name in ("openai", "parquet"):
        told = filled("export", name, "--out", tmp_path / name, "--json").json
        assert told["read"]["dialogues"] == 2


def test_imports_and_builds_leave_it_alone_and_delete_takes_it_along(
    filled: CommandLine, database: Database, settings: Settings, tmp_path: Path
):
    before = said(filled, "--tag", "kitchen", "--chosen", "regeneration-1")
    fill(database, settings, tmp_path / "exports")
    with database.session() as connection:
        connection.execute("DELETE FROM derived.build_state")
    build_stale(database, settings)
    assert said(filled) == before
    assert GREEN in filled("show", "tea", "--branch", "regeneration-1").out
    assert filled("delete", TEA).code == 0
    assert query(database, "SELECT count(*) FROM annotations.annotations") == [(0,)]
