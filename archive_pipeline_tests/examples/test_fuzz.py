"""The fuzz command: its inputs are the same everywhere, it finds what is lost, and it goes on where it ended."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from archive_pipeline.domain.records import RejectedRecord
from archive_pipeline.ingest.prepare import PreparedDialogue, prepare
from archive_pipeline.readers.reading import ReadDialogue, read_paths
from archive_pipeline_tests.exports import chain, chatgpt, write
from archive_pipeline_tests.variants import some_of
from benchmarks.fuzz import chat_arrays, containers, projects
from benchmarks.fuzz.__main__ import main
from benchmarks.fuzz.chunks import Journal, chunks_of, run_chunk
from benchmarks.fuzz.inputs import KINDS, make_input
from benchmarks.fuzz.law import lost, unlawful
from benchmarks.fuzz.marks import Values, missing
from benchmarks.fuzz.report import report
from benchmarks.fuzz.rows import BrokenRuleError, ReadFile, check_rows, read_file
from benchmarks.fuzz.trial import try_input

pytestmark = pytest.mark.slow

SEED = 3


@pytest.mark.parametrize("kind", KINDS)
def test_an_input_follows_from_seed_kind_and_number(kind: str):
    inputs = [make_input(seed, kind, number).data for seed in (1, 2) for number in range(60)]
    assert inputs == [make_input(seed, kind, number).data for seed in (1, 2) for number in range(60)]
    assert len(set(inputs)) > len(inputs) / 2
    assert any(data.startswith(b"PK") for data in inputs) or kind in ("arrays", "pages", "tables")


@pytest.mark.parametrize("kind", some_of(KINDS, 2))
def test_nothing_is_found(kind: str):
    result = run_chunk(SEED, (kind, 0, 300))
    assert result.examples == {}
    assert result.dialogues > 100 or kind == "projects"  # whose texts become documents
    assert len(result.slowest) == len(result.largest) == 10
    assert [number for _, number in result.traced] == pytest.approx([0, 100, 200], abs=200)


CONVERSATION = chatgpt("c", chain("asked", "told"))


@pytest.fixture
def dialogue(tmp_path: Path) -> PreparedDialogue:
    [file] = read_paths([write(tmp_path / "conversations.json", CONVERSATION)])
    [read] = file.records()
    assert isinstance(read, ReadDialogue)
    return prepare(read.record, read.raw)


def test_what_is_lost_is_found(dialogue: PreparedDialogue):
    assert lost(CONVERSATION, dialogue) == []
    assert lost({**CONVERSATION, "extra": ["gone", 12345]}, dialogue) == ["'gone'", "12345"]
    without = replace(dialogue, messages=dialogue.messages[:1])
    assert "'told'" in lost(CONVERSATION, without)
    assert list(unlawful([CONVERSATION, CONVERSATION], ReadFile([dialogue]))) == ["conversation 1 vanished"]


def test_what_is_lost_of_containers_arrays_and_projects_is_found(dialogue: PreparedDialogue):
    read = ReadFile([dialogue])
    assert list(containers.unlawful([CONVERSATION], read)) == []
    assert list(containers.unlawful([CONVERSATION, {"title": "gone"}], read)) == ["lost values: 'gone'"]
    assert list(containers.unlawful([{"title": "gone"}], replace(read, may_hold_more=True))) == []
    assert list(chat_arrays.unlawful([{"role": "user", "content": "asked"}], read)) == []
    assert list(chat_arrays.unlawful([{"content": '{"a": "gone"}'}], read)) == ["lost values: 'gone'"]
    refused = ReadFile(rejected=[RejectedRecord("messages.json", "no")])
    assert list(chat_arrays.unlawful([], refused)) == ["refused without a place: no"]
    said = [[{"prompt_template": "p", "docs": [{"content": "d"}]}], {"conversations_memory": "m"}]
    assert list(projects.unlawful(said, "export.zip", ["p", "d"])) == ["lost text: m"]
    assert list(projects.unlawful(said, "projects.json", ["d"])) == ["lost text: p"]


def test_parts_of_texts_and_numbers_as_texts_are_there():
    given, kept = Values(), Values()
    given.add({"a": ["one", 7, 1e300, "x\0y"], "m5q": 1, "m6q": None})
    kept.add({"text": "one\n\ntwo", "id": "7", "big": 10**300, "clean": "xy", "m5q": 1})
    assert missing(given, kept) == []
    assert missing(kept, given) == ["'7'", "'one\\n\\ntwo'", "'xy'"]


def test_values_of_text_that_was_kept_for_its_depth_are_there(tmp_path: Path):
    odd = ["m0q\u2028m1q", "m2q\0m3q", "m4q\ud83d\0\ude00m5q", "m6q\ud800m7q", 'm8q\x1f"\\m9q', 7_000_000_000]
    deep: object = [{"m10q": odd}]
    for _ in range(300):
        deep = [deep]
    conversation = {**CONVERSATION, "extra": deep}
    for is_ascii in (True, False):
        text = json.dumps([conversation], ensure_ascii=is_ascii)
        (tmp_path / "conversations.json").write_bytes(text.encode("utf-8", "surrogatepass"))
        read = read_file(tmp_path / "conversations.json")
        assert read.dialogues[0].counts["deep_json_as_text"] == 1
        assert list(unlawful([conversation], read)) == []
        assert lost({**conversation, "more": "m8q\u2028gone"}, read.dialogues[0]) == [repr("m8q\u2028gone")]


def test_rows_that_a_database_would_refuse_are_found(dialogue: PreparedDialogue):
    check_rows(dialogue)
    first, second = dialogue.messages
    for broken, reason in (
        (replace(dialogue, source_id="a\0"), "NUL"),
        (replace(dialogue, messages=(first, first)), "two messages with one id"),
        (replace(dialogue, messages=(second,)), "a parent that is no message"),
        (replace(dialogue, messages=(replace(first, link=second.link), second)), "cycle"),
    ):
        with pytest.raises(BrokenRuleError, match=reason):
            check_rows(broken)


def test_findings_are_reported_with_an_input_that_shows_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("benchmarks.fuzz.trial.MOST_SECONDS", -1)
    assert try_input(SEED, "marks", 1, tmp_path).findings == ["slow"]
    result = run_chunk(SEED, ("marks", 1, 5))
    assert result.findings == {"slow": 5}
    assert "| slow | 5 | `--show marks/1` |" in report(SEED, [result])


@pytest.mark.long
def test_a_second_run_tries_what_the_first_did_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    names = list(chunks_of(("marks",), 1_500))
    assert names == [("marks", 0, 1_000), ("marks", 1_000, 500)]
    journal = Journal(tmp_path / "journal.jsonl", SEED)
    journal.add(replace(run_chunk(SEED, ("marks", 0, 5)), count=1_000))
    command = [sys.executable, "-m", "benchmarks.fuzz", "--seed", "3", "--inputs", "1500", "--kinds", "marks"]
    done = subprocess.run([*command, "--out", str(tmp_path)], capture_output=True, text=True, check=False)
    assert (done.returncode, "500 of 500 inputs" in done.stderr) == (0, True)
    assert "| marks | 1,500 |" in done.stdout
    assert (tmp_path / "report.md").read_text() + "\n" == done.stdout
    monkeypatch.setattr(sys, "argv", ["fuzz", "--inputs", "9", "--out", str(tmp_path), "--seed", "4"])
    with pytest.raises(SystemExit, match=r"is of another seed \(3\)"):
        main()
    monkeypatch.setattr(sys, "argv", ["fuzz", "--seed", "3", "--show", "bytes/7"])
    main()
    assert "Trial(kind='bytes', number=7," in capsys.readouterr().out
