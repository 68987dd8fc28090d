"""An export as a whole: one state of the archive, the same bytes, all or nothing, with a manifest and a card."""

from __future__ import annotations

import gc
import hashlib
import json
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
import yaml

from archive_pipeline.building.dialogues import build_stale
from archive_pipeline.building.duplicates import refresh_duplicates
from archive_pipeline.domain.choices import EXPORT_FORMATS
from archive_pipeline.errors import ConfigurationError, ExportError
from archive_pipeline.export import run as running
from archive_pipeline.export.choices import Choices
from archive_pipeline.export.formats.registry import FORMATS
from archive_pipeline.export.run import Exported, export
from archive_pipeline.ingest.importer import import_archive
from archive_pipeline.readers.reading import read_paths
from archive_pipeline.settings import Settings
from archive_pipeline.store.database import Database
from archive_pipeline_tests.export.dialogues import BLACK, GREEN, alike
from archive_pipeline_tests.exports import chain, chatgpt, load
from archive_pipeline_tests.tables import query
from archive_pipeline_tests.variants import some_of

pytestmark = pytest.mark.postgres

Export = Callable[..., Exported]


def content(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.parametrize("name", FORMATS)
def test_the_same_archive_and_choices_give_the_same_bytes(exported: Export, name: str):
    choices = {"paths": "all"} if "paths" in FORMATS[name].knows else {}
    first, second = exported(name, **choices), exported(name, **choices)
    assert content(first.path) == content(second.path)
    told = json.loads((first.path / "manifest.json").read_bytes())
    assert told["read"]["dialogues"] == 3
    for file in told["files"]:
        data = (first.path / file["path"]).read_bytes()
        assert (len(data), hashlib.sha256(data).hexdigest()) == (file["size_bytes"], file["sha256"])
    assert {file["path"] for file in told["files"]} | {"manifest.json", "README.md"} == set(content(first.path))
    front = (first.path / "README.md").read_text(encoding="utf-8").split("---")[1]
    assert yaml.safe_load(front)["pretty_name"] == f"Export of conversations ({name})"


def test_nothing_is_overwritten(unchanged: Database, settings: Settings, tmp_path: Path):
    (tmp_path / "taken").mkdir()
    with pytest.raises(ExportError, match="overwrites nothing"):
        export(unchanged, settings, "openai", tmp_path / "taken", Choices())
    assert list((tmp_path / "taken").iterdir()) == []
    export(unchanged, settings, "openai", tmp_path / "taken", Choices(), may_replace=True)
    assert (tmp_path / "taken" / "data.jsonl").exists()
    assert not list(tmp_path.glob(".*"))


def test_an_export_that_fails_leaves_nothing(
    unchanged: Database, settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    def fail(*_: Any) -> bytes:
        raise KeyboardInterrupt

    monkeypatch.setattr(running, "card", fail)
    for target in ("folder", "file.jsonl"):
        with pytest.raises(KeyboardInterrupt):
            export(unchanged, settings, "openai", tmp_path / "out" / target, Choices())
    assert list((tmp_path / "out").iterdir()) == []


def test_an_error_that_is_kept_disturbs_nobody(database: Database, settings: Settings, tmp_path: Path):
    load(database, tmp_path / "a.json", *map(alike, range(200)))  # several batches: the cursor is not at its end

    def fails(_messages: int) -> None:
        raise KeyError

    with pytest.raises(KeyError) as error:
        export(database, settings, "openai", tmp_path / "out", Choices(), progress=fails)
    with database.session() as connection:
        connection.execute("SELECT 1")
        del error
        gc.collect()
        # What the error had kept, down to the cursor of the export, is gone; this transaction goes on.
        assert connection.execute("SELECT 2").fetchall() == [(2,)]


def test_lines_go_to_one_file_if_it_is_named(unchanged: Database, settings: Settings, tmp_path: Path):
    found = export(unchanged, settings, "openai", tmp_path / "chat.jsonl", Choices())
    assert found.path == tmp_path / "chat.jsonl"
    assert len(found.path.read_text(encoding="utf-8").splitlines()) == 3
    assert json.loads((tmp_path / "chat.manifest.json").read_bytes()) == json.loads(json.dumps(found.manifest))
    assert [file["path"] for file in found.manifest["files"]] == ["chat.jsonl"]
    card = (tmp_path / "chat.md").read_text(encoding="utf-8")
    assert 'path: "chat.jsonl"' in card
    assert "`chat.manifest.json`" in card
    with pytest.raises(ConfigurationError, match="name a folder"):
        export(unchanged, settings, "parquet", tmp_path / "tables.jsonl", Choices())


def test_an_empty_archive_gives_an_empty_file(database: Database, settings: Settings, tmp_path: Path):
    found = export(database, settings, "openai", tmp_path / "none", Choices())
    assert (found.path / "data.jsonl").read_bytes() == b""


def test_dialogues_are_chosen_by_what_is_known_of_them(exported: Export):
    def keys(**choices: Any) -> set[str]:
        table = pd.read_parquet(exported("parquet", **choices).path / "dialogues.parquet")
        return set(table["partition_key"])

    assert keys() == {"chatgpt-tea", "chatgpt-tools", "claude_ai-walk"}
    assert keys(sources=("claude_ai",)) == {"claude_ai-walk"}
    assert keys(models=("gpt-4o",)) == {"chatgpt-tea"}
    assert keys(title="SIX") == {"chatgpt-tools"}
    assert keys(title="_") == set()


def test_what_is_never_to_be_exported_is_in_no_format(exported: Export, filled: Database):
    with filled.session() as connection:
        connection.execute(
            "INSERT INTO annotations.annotations (id, dialogue_id, kind) "
            "SELECT gen_random_uuid(), id, 'never_export' FROM raw.dialogues WHERE partition_key = 'chatgpt-tea'"
        )
    for name in FORMATS:
        found = exported(name, redact=False)
        assert found.manifest["read"]["dialogues"] == 2
        assert not [path for path, data in content(found.path).items() if b"chatgpt-tea" in data or b"kettle" in data]


def test_tables_say_what_the_archive_says(exported: Export, unchanged: Database):
    import duckdb

    folder = exported("parquet").path
    database = duckdb.connect()

    def one(statement: str) -> Any:
        return database.execute(statement.replace("TABLES", str(folder))).fetchall()

    expected = query(
        unchanged,
        "SELECT m.id::text, m.parent_id::text, p.depth, p.is_on_primary_path FROM raw.messages AS m "
        "JOIN derived.message_paths AS p ON p.message_id = m.id ORDER BY 1",
    )
    messages = one("SELECT message_id, parent_id, depth, is_on_primary_path FROM 'TABLES/messages.parquet' ORDER BY 1")
    assert messages == [*map(tuple, expected)]
    parts = query(unchanged, "SELECT message_id::text, sequence, text_content FROM raw.content_parts ORDER BY 1, 2")
    assert one("SELECT message_id, sequence, text FROM 'TABLES/parts.parquet' ORDER BY 1, 2") == [*map(tuple, parts)]
    lengths = query(unchanged, "SELECT leaf_message_id::text, sequence_length FROM derived.linear_sequences ORDER BY 1")
    assert one("SELECT leaf_message_id, length FROM 'TABLES/branches.parquet' ORDER BY 1") == [*map(tuple, lengths)]
    trees = query(
        unchanged,
        "SELECT t.dialogue_id::text, t.branch_count, count(*) FROM derived.dialogue_trees AS t"
        " JOIN derived.linear_sequences AS s ON s.dialogue_id = t.dialogue_id GROUP BY 1, 2 ORDER BY 1",
    )
    assert one("SELECT dialogue_id, branch_count, path_count FROM 'TABLES/dialogues.parquet' ORDER BY 1") == trees
    assert any(branches != paths for _, branches, paths in trees)
    errors = query(unchanged, "SELECT message_id::text, sequence, is_error FROM raw.content_parts ORDER BY 1, 2")
    assert one("SELECT message_id, sequence, is_error FROM 'TABLES/parts.parquet' ORDER BY 1, 2") == errors
    assert None in {is_error for _, _, is_error in errors}


def test_pairs_are_those_of_the_table_in_both_files(exported: Export, unchanged: Database):
    folder = exported("qa").path
    expected = {row[0] for row in query(unchanged, "SELECT pair_id FROM derived.qa_pairs")}
    lines = [json.loads(line) for line in (folder / "qa.jsonl").read_text(encoding="utf-8").splitlines()]
    assert {line["pair_id"] for line in lines} == expected
    table = pd.read_parquet(folder / "qa.parquet")
    assert list(table["question"]) == [line["question"] for line in lines]


def test_pairs_without_a_question_or_an_answer_are_left_out(
    exported: Export, filled: Database, settings: Settings, tmp_path: Path
):
    before = exported("qa").manifest["written"]
    load(filled, tmp_path / "more.json", chatgpt("empty", chain("only asked", "", " ", "only said", "both", "said")))
    build_stale(filled, settings)
    stored = query(
        filled,
        "SELECT question, answer FROM derived.qa_pairs JOIN raw.dialogues AS d ON d.id = dialogue_id"
        " WHERE d.source_id = 'empty' ORDER BY start_sequence_number",
    )
    assert stored == [("only asked", ""), ("", "only said"), ("both", "said")]
    after = exported("qa")
    assert after.manifest["left_out"]["pairs without a question or an answer"] == 2
    lines = [json.loads(line) for line in (after.path / "qa.jsonl").read_text(encoding="utf-8").splitlines()]
    assert [(line["question"], line["answer"]) for line in lines if line["partition_key"] == "chatgpt-empty"] == [
        ("both", "said")
    ]
    assert {name: after.manifest["written"][name] - count for name, count in before.items()} == dict.fromkeys(before, 1)


def test_stale_rows_are_not_exported(exported: Export, filled: Database, tmp_path: Path):
    load(filled, tmp_path / "more.json", alike(1))
    with pytest.raises(ExportError, match="qa_pairs of 1 dialogue is stale"):
        exported("qa")
    with pytest.raises(ExportError, match="duplicates are not up to date"):
        exported("openai", drop_duplicates="exact")


def test_copies_are_left_out(exported: Export, filled: Database, settings: Settings, tmp_path: Path):
    load(filled, tmp_path / "more.json", *map(alike, range(3)))
    refresh_duplicates(filled, settings)
    kept = exported("openai", title="alike").manifest
    dropped = exported("openai", title="alike", drop_duplicates="exact").manifest
    assert kept["written"]["examples"] == 3
    # The answer is one of the regenerations of another dialogue too, and one of all four is kept.
    assert dropped["left_out"]["duplicates"] >= 2
    everywhere = exported("trl-sft", paths="all", shape="prompt-completion", drop_duplicates="exact")
    assert (everywhere.path / "data.jsonl").read_bytes().count(GREEN.encode()) == 1


# Of chats, trajectories and pairs one format each.
@pytest.mark.parametrize("name", some_of(["openai", "traces", "qa", "trl-sft", "sharegpt", "atif"], 3))
def test_an_answer_whose_kept_copy_is_not_exported_is_not_left_out(
    name: str, exported: Export, filled: Database, settings: Settings, tmp_path: Path
):
    load(filled, tmp_path / "more.json", *map(alike, range(3)))
    build_stale(filled, settings)
    refresh_duplicates(filled, settings)
    for number in range(3):
        found = exported(name, title=f"Alike {number}", drop_duplicates="exact").manifest
        assert not found["left_out"].get("duplicates")
    together = exported(name, title="Alike", drop_duplicates="exact").manifest
    assert together["left_out"]["duplicates"] == 2


def test_traces_are_sessions_of_the_trace_viewer(exported: Export):
    found = exported("traces", paths="all", thinking=True, redact=False)
    assert len(found.files) == 6
    for file in found.files:
        header, *messages = map(json.loads, (found.path / file.path).read_text(encoding="utf-8").splitlines())
        assert header["type"] == "session"
        assert {"harness", "id"} <= set(header)
        calls: set[str] = set()
        for line in messages:
            assert line["type"] == "message"
            message = line["message"]
            assert message["role"] in {"user", "assistant", "system", "tool"}
            assert isinstance(message["content"], str)
            calls |= {call["id"] for call in message.get("toolCalls", [])}
            assert message.get("toolCallId") in {None, *calls}
    names = [json.loads((found.path / file.path).read_text().splitlines()[0])["id"] for file in found.files]
    assert len(set(names)) == len(names)


def test_atif_marks_the_steps_that_another_path_has(exported: Export):
    found = exported("atif", paths="all", title="hot")
    copied = {}
    for file in found.files:
        trajectory = json.loads((found.path / file.path).read_bytes())
        assert [step["step_id"] for step in trajectory["steps"]] == list(range(1, len(trajectory["steps"]) + 1))
        assert trajectory["schema_version"] == "ATIF-v1.6"
        for step in trajectory["steps"]:
            agent_only = {"model_name", "reasoning_content", "tool_calls"}
            assert step["source"] == "agent" or not agent_only & set(step)
        copied[trajectory["steps"][-1]["message"]] = [
            step["message"] for step in trajectory["steps"] if step.get("is_copied_context")
        ]
    assert copied["You are welcome."] == []
    assert copied[GREEN] == ["How do I make tea?"]
    assert copied["Grind it fresh."] == ["How do I make tea?", BLACK]


def test_atif_has_results_where_they_were_asked_for(exported: Export):
    [file] = exported("atif", title="six times").files
    found = json.loads((exported("atif", title="six times").path / file.path).read_bytes())
    step = next(step for step in found["steps"] if "tool_calls" in step)
    assert step["tool_calls"][0]["arguments"] == {"code": "print(6 * 7)"}
    assert step["observation"]["results"][0]["source_call_id"] == step["tool_calls"][0]["tool_call_id"]
    assert step["observation"]["results"][0]["content"] == "42"


def test_traces_come_back_by_an_import_as_they_were_exported(exported: Export, filled: Database, settings: Settings):
    def files(**choices: Any) -> list[Path]:
        found = exported("traces", thinking=True, redact=False, **choices)
        return [found.path / file.path for file in found.files]

    def messages(paths: list[Path]) -> list[list[str]]:
        return sorted(path.read_text(encoding="utf-8").splitlines()[1:] for path in paths)

    first = files(paths="all")
    said = "".join(line for lines in messages(first) for line in lines)
    assert all(name in said for name in ("toolCalls", "toolCallId", "reasoningContent", "timestamp", "model"))
    import_archive(filled, read_paths(first))
    build_stale(filled, settings)
    assert messages(files(sources=("session_trace",))) == messages(first)


def test_trajectories_come_back_by_an_import_as_they_were_exported(
    exported: Export, filled: Database, settings: Settings
):
    def files(**choices: Any) -> list[Path]:
        found = exported("atif", thinking=True, **choices)
        return [found.path / file.path for file in found.files]

    def steps(paths: list[Path]) -> list[str]:
        found = [json.loads(path.read_bytes())["steps"] for path in paths]
        kept = [[{**step, "is_copied_context": None} for step in each] for each in found]
        return sorted(map(json.dumps, kept))

    first = files(paths="all")
    assert all(name in "".join(steps(first)) for name in ("tool_calls", "observation", "reasoning_content"))
    import_archive(filled, read_paths(first))
    build_stale(filled, settings)
    assert steps(files(sources=("atif",))) == steps(first)


@pytest.mark.long
def test_memory_does_not_grow_with_the_archive(database: Database, settings: Settings, tmp_path: Path):
    text = "A sentence that takes room in memory. " * 200

    def peak(number: int) -> int:
        dialogues = [alike(index) for index in range(number)]
        for dialogue in dialogues:
            for node in dialogue["mapping"].values():
                node["message"]["content"]["parts"] = [text]
        load(database, tmp_path / f"{number}.json", *dialogues)
        tracemalloc.start()
        export(database, settings, "openai", tmp_path / f"out{number}", Choices())
        _, most = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        return most

    # Of the first, two batches are whole: smaller ones come before.
    few, many = peak(1_500), peak(4_500)
    assert many < 1.7 * few


def test_the_command_line_offers_the_formats_that_there_are():
    assert tuple(FORMATS) == EXPORT_FORMATS
