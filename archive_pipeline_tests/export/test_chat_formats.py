"""Training data: what a line of each format has, by the rules of who reads it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from archive_pipeline.building.dialogues import build_stale
from archive_pipeline.export.formats.registry import FORMATS
from archive_pipeline.export.run import Exported
from archive_pipeline.ingest.importer import import_archive
from archive_pipeline.readers.reading import read_paths
from archive_pipeline.settings import Settings
from archive_pipeline.store.database import Database
from archive_pipeline_tests.export.dialogues import BLACK, GREEN, START, STEEP
from archive_pipeline_tests.export.rules import check_openai, check_sharegpt
from archive_pipeline_tests.exports import Said, chatgpt, claude, load

pytestmark = pytest.mark.postgres

Rows = Callable[..., list[dict[str, Any]]]

CALL = {"name": "python", "arguments": '{"code":"print(6 * 7)"}'}


def texts(messages: list[dict[str, Any]]) -> list[str]:
    return [message["content"] for message in messages]


def test_openai_lines_follow_the_documented_rules(rows: Rows):
    for paths, number in (("primary", 3), ("active", 3), ("all", 6)):
        found = rows("openai", paths=paths)
        assert len(found) == number
        for row in found:
            check_openai(row)


def test_a_shared_beginning_is_trained_once(rows: Rows):
    found = rows("openai", paths="all")
    trained = [
        message["content"]
        for row in found
        for message in row["messages"]
        if message["role"] == "assistant" and "weight" not in message and message["content"]
    ]
    assert len(trained) == len(set(trained)), trained
    assert {GREEN, BLACK, STEEP, "Grind it fresh.", "You are welcome."} <= set(trained)
    edited = next(row for row in found if texts(row["messages"])[-1] == "Grind it fresh.")
    assert [message.get("weight") for message in edited["messages"]] == [None, 0, None, None]


def test_a_call_has_its_result_and_its_tool_behind_it(rows: Rows):
    [row] = [row for row in rows("openai", title="six times") if "tools" in row]
    roles = [message["role"] for message in row["messages"]]
    assert roles == ["user", "assistant", "tool", "assistant", "user", "assistant"]
    assert row["messages"][1]["tool_calls"][0]["function"] == CALL
    assert row["messages"][2]["content"] == "42"
    assert row["messages"][4]["content"] == "[image]\n\nWhat is this?"
    assert row["tools"] == [
        {
            "type": "function",
            "function": {
                "name": "python",
                "description": "",
                "parameters": {"type": "object", "properties": {"code": {"type": "string"}}, "required": ["code"]},
            },
        }
    ]


@pytest.mark.parametrize(("sender", "results"), [("human", 1), ("tool", 2)])  # what a tool says is a result, too
def test_calls_that_are_not_the_assistants_are_left_out(
    sender: str,
    results: int,
    exported: Callable[..., Exported],
    rows: Rows,
    filled: Database,
    settings: Settings,
    tmp_path: Path,
):
    talk = claude("odd", "Look it up.", "Done.", "Again?", "Twice.", name="Odd calls")
    talk["chat_messages"][2] |= {"sender": sender, "content": odd_call("Again?")}
    load(filled, tmp_path / "odd.json", talk)
    build_stale(filled, settings)
    [row] = rows("openai", title="odd calls")
    check_openai(row)
    assert "tools" not in row
    found = exported("atif", title="odd calls")
    steps = json.loads((found.path / found.files[0].path).read_bytes())["steps"]
    assert {step["source"] for step in steps} == {"user", "agent"}
    assert not [step for step in steps if "tool_calls" in step]
    assert found.manifest["left_out"] == {"calls by others than the assistant": 1, "results without a call": results}


def call(name: str, word: str) -> dict[str, Any]:
    return {"type": "tool_use", "id": name, "name": "look_up", "input": {"word": word}}


def result(name: str, text: str) -> dict[str, Any]:
    content = [{"type": "text", "text": text}]
    return {"type": "tool_result", "tool_use_id": name, "name": "look_up", "content": content}


@pytest.fixture
def talk_with_calls(filled: Database, settings: Settings, tmp_path: Path) -> Callable[..., None]:
    """Import a conversation whose first and second answer have these blocks before their text."""

    def run(first: list[dict[str, Any]], second: list[dict[str, Any]]) -> None:
        talk = claude("calls", "Oats?", "Oats.", "Rye?", "Rye.", name="Some calls")
        for place, blocks in ((1, first), (3, second)):
            talk["chat_messages"][place]["content"][:0] = blocks
        load(filled, tmp_path / "calls.json", talk)
        build_stale(filled, settings)

    return run


def test_a_call_id_that_is_used_again_is_another_call(talk_with_calls: Callable[..., None], rows: Rows):
    talk_with_calls([call("c", "oats"), result("c", "one")], [call("c", "rye"), result("c", "two")])
    [row] = rows("openai", title="some calls")
    check_openai(row)
    said = [message["content"] for message in row["messages"]]
    assert said == ["Oats?", "", "one", "Oats.", "Rye?", "", "two", "Rye."]


def test_a_result_before_its_call_is_none(
    talk_with_calls: Callable[..., None], rows: Rows, exported: Callable[..., Exported]
):
    talk_with_calls([result("c", "one")], [call("c", "rye"), call("d", "rye"), call("d", "oats"), result("d", "two")])
    [row] = rows("openai", title="some calls")
    check_openai(row)
    assert [message["content"] for message in row["messages"]] == ["Oats?", "Oats.", "Rye?", "", "two", "Rye."]
    [only] = row["messages"][3]["tool_calls"]
    assert json.loads(only["function"]["arguments"]) == {"word": "oats"}
    left_out = exported("openai", title="some calls").manifest["left_out"]
    assert left_out == {"calls without a result": 2, "results without a call": 1}


def test_a_number_of_any_length_is_exported(
    filled: Database, settings: Settings, tmp_path: Path, exported: Callable[..., Exported]
):
    talk = claude("long", "Long?", "Long.", name="A long number")
    talk["chat_messages"][1]["content"][:0] = [call("c", "DIGITS"), result("c", "one")]
    digits = "1" + "0" * 400
    (tmp_path / "long.json").write_text(json.dumps([talk]).replace('"DIGITS"', digits), encoding="utf-8")
    import_archive(filled, read_paths([tmp_path / "long.json"]))
    build_stale(filled, settings)
    for name in FORMATS:
        # As a number in the formats in which a call's arguments are a text, as a text in the others.
        found = exported(name, title="a long number", redact=False)
        texts = [(found.path / file.path).read_bytes() for file in found.files]
        assert name in ("trl-dpo", "trl-kto", "parquet") or digits.encode() in b"".join(texts), name


def odd_call(text: str) -> list[dict[str, Any]]:
    """What a message of the assistant may hold: a text, a call and its result."""
    return [
        {"type": "text", "text": text},
        {"type": "tool_use", "id": "c", "name": "look_up", "input": {"word": "oats"}},
        {"type": "tool_result", "tool_use_id": "c", "name": "look_up", "content": [{"type": "text", "text": "Oats."}]},
    ]


def test_roles_and_thinking_are_choices(rows: Rows):
    [without] = rows("trl-sft", title="six times", roles=("user", "assistant"))
    assert [message["role"] for message in without["messages"]] == ["user", "assistant"] * 2
    [plain] = rows("trl-sft", title="six times")
    [thinking] = rows("trl-sft", title="six times", thinking=True)
    assert not [message for message in plain["messages"] if "thinking" in message]
    assert ["Six times seven." in message.get("thinking", "") for message in thinking["messages"]][1]


def test_trl_reads_conversations_and_answers(exported: Callable[..., Exported], rows: Rows):
    import datasets  # half a second, which the other workers need not pay

    whole = exported("trl-sft", paths="all", thinking=True)
    found = datasets.load_dataset(
        "json", data_files=str(whole.path / "data.jsonl"), split="train", cache_dir=str(whole.path / "cache")
    )
    assert found.num_rows == 6
    assert {"messages", "tools"} <= set(found.column_names)
    answers = rows("trl-sft", paths="all", shape="prompt-completion")
    said = [row["completion"][-1]["content"] for row in answers]
    assert sorted(said) == sorted(set(said)), "an answer stands on one line only"
    assert len(said) == 11
    assert {len(row["completion"]) for row in answers} == {1}, "no result of a call is trained"
    assert [row["prompt"][-1]["role"] for row in answers].count("tool") == 1
    [called] = [row["completion"][0] for row in answers if not row["completion"][0]["content"]]
    assert called["tool_calls"][0]["function"] == {"name": "python", "arguments": {"code": "print(6 * 7)"}}


def test_what_was_interrupted_is_not_trained(rows: Rows, exported: Callable[..., Exported], filled: Any):
    with filled.session() as connection:
        connection.execute("UPDATE raw.messages SET state = 'aborted' WHERE source_id = 'c'")
    [row] = rows("trl-sft", title="hot")
    assert texts(row["messages"]) == ["How do I make tea?", BLACK, "And cocoa?\n\nThanks!", "You are welcome."]
    assert exported("trl-sft", title="hot").manifest["left_out"]["interrupted answers"] == 1


def test_examples_of_too_many_tokens_are_left_out(exported: Callable[..., Exported]):
    found = exported("trl-sft", max_tokens=25)
    assert found.manifest["written"]["examples"] == 1
    assert found.manifest["left_out"]["examples of too many tokens"] == 2


def test_an_answer_is_measured_with_what_is_before_it_only(exported: Callable[..., Exported], rows: Rows):
    """With all that is before them, the three answers of the path have 28, 38 and 44 tokens."""
    chosen = {"title": "hot", "shape": "prompt-completion", "max_tokens": 40}
    said = [row["completion"][-1]["content"] for row in rows("trl-sft", **chosen)]
    assert said == [BLACK, "Whisk it in warm milk."]
    assert exported("trl-sft", **chosen).manifest["left_out"]["examples of too many tokens"] == 1


def test_sharegpt_alternates_as_llama_factory_wants_it(rows: Rows):
    found = rows("sharegpt", paths="all", thinking=True)
    assert len(found) == 6
    for row in found:
        check_sharegpt(row)
    [tools] = [row for row in found if "tools" in row]
    called = next(message for message in tools["conversations"] if message["from"] == "function_call")
    thought, _, calls = called["value"].rpartition("</think>")
    assert "Six times seven." in thought
    assert json.loads(calls) == {"name": "python", "arguments": {"code": "print(6 * 7)"}}
    assert json.loads(tools["tools"])[0]["name"] == "python"
    assert not any(row["conversations"][0]["value"].startswith("<think>") for row in found)


def test_formats_refuse_choices_they_have_no_place_for(exported: Callable[..., Exported]):
    for name, choices in (
        ("openai", {"thinking": True}),
        ("markdown", {"paths": "all"}),
        ("parquet", {"splits": (0.8, 0.1, 0.1)}),
        ("trl-dpo", {"paths": "all"}),
        ("openai", {"shape": "prompt-completion"}),
    ):
        with pytest.raises(Exception, match="does not know the choice"):
            exported(name, **choices)


@pytest.mark.parametrize("name", ["openai", "trl-sft", "sharegpt", "traces", "atif"])
def test_texts_of_attachments_are_counted(
    exported: Callable[..., Exported], filled: Database, tmp_path: Path, name: str
):
    talk = claude("pasted", "What is wrong here?", "A comma.", name="Pasted")
    talk["chat_messages"][0]["attachments"] = [
        {"file_name": "notes.txt", "file_size": 3, "file_type": "txt", "extracted_content": "one"},
        {"file_name": "empty.txt", "file_size": 0, "file_type": "txt", "extracted_content": ""},
    ]
    load(filled, tmp_path / "pasted.json", talk)
    found = exported(name, title="Pasted", redact=False)
    assert found.manifest["left_out"] == {"texts of attachments": 1}
    written = "".join(path.read_text(encoding="utf-8") for path in found.path.rglob("*.json*"))
    assert "What is wrong here?\\n\\n[attachment: notes.txt]\\n\\n[attachment: empty.txt]" in written


def test_files_of_results_are_counted(exported: Callable[..., Exported], filled: Database, tmp_path: Path):
    code = {"content_type": "code", "language": "python", "text": "plot()"}
    plot = {"content_type": "multimodal_text", "parts": [{"content_type": "image_asset_pointer"}]}
    author = {"author": {"role": "tool", "name": "python"}}
    attached = {"metadata": {"attachments": [{"id": "file-1", "name": "plot.csv"}]}}
    said = [
        Said("q", None, "user", "Plot it.", START),
        Said("call", "q", "assistant", None, START + 1, content=code, more={"recipient": "python"}),
        Said("res", "call", "tool", None, START + 2, content=plot, more={**author, **attached}),
        Said("a", "res", "assistant", "Here.", START + 3),
    ]
    load(filled, tmp_path / "plot.json", chatgpt("plot", said, title="Plot"))
    assert exported("openai", title="Plot").manifest["left_out"] == {"attachments of results": 1, "media": 1}


@pytest.mark.parametrize(
    ("name", "choices", "written", "left_out"),
    [
        ("openai", {}, {"examples": 1}, 1),
        ("trl-sft", {}, {"examples": 1}, 1),
        ("trl-sft", {"shape": "prompt-completion"}, {"examples": 1}, 2),
        ("sharegpt", {}, {}, 1),  # its conversations begin with the user
        ("traces", {"redact": False}, {"files": 2}, 0),
    ],
)
def test_an_answer_that_nothing_stands_before_is_no_example(
    exported: Callable[..., Exported],
    filled: Database,
    tmp_path: Path,
    name: str,
    choices: dict[str, Any],
    written: dict[str, int],
    left_out: int,
):
    alone = Said("m0", None, "assistant", "I am ready.", START)
    greeting = [alone, Said("m1", "m0", "user", "Go on.", START + 1), Said("m2", "m1", "assistant", "Gone.", START + 2)]
    talks = [chatgpt(f"alone{number}", said, title="Alone") for number, said in enumerate(([alone], greeting))]
    load(filled, tmp_path / "alone.json", *talks)
    found = exported(name, title="Alone", **choices).manifest
    assert found["written"] == written
    assert found["left_out"].get("answers without a prompt", 0) == left_out
