"""Google AI Studio's prompts: chunks of one message, branches, thoughts, code, files, and whose name a title is."""

from __future__ import annotations

import json
import shutil
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from archive_pipeline.domain.records import DialogueRecord, RejectedRecord
from archive_pipeline.readers.ai_studio import read_prompt
from archive_pipeline.readers.reading import ReadDialogue, read_paths
from archive_pipeline.readers.registry import recognise

SHA_OF_PICTURE = "8f434346648f6b96df89dda901c5176b10a6d83961dd3c1ac88b59b2dc327aa4"  # of b"hi"


def user(text: str, **more: Any) -> dict[str, Any]:
    return {"role": "user", "text": text, "tokenCount": 1, **more}


def model(text: str, **more: Any) -> dict[str, Any]:
    return {"role": "model", "text": text, **more}


def prompt(*chunks: Any, **more: Any) -> dict[str, Any]:
    return {
        "runSettings": {"model": "models/gemini-2.5-pro", "temperature": 1},
        "chunkedPrompt": {"chunks": list(chunks), "pendingInputs": [{"text": "", "role": "user"}]},
        **more,
    }


def read(value: dict[str, Any], locator: str = "folder/Soil and clay") -> DialogueRecord:
    record = read_prompt(value, locator)
    assert isinstance(record, DialogueRecord)
    return record


def test_chunks_up_to_the_end_of_an_answer_are_one_message():
    record = read(
        prompt(
            user("first"),
            user("second"),
            model("hm", isThought=True),
            model("answer", finishReason="STOP"),
            model("once more", finishReason="STOP"),
            user("thanks"),
        )
    )
    assert [(m.role, m.model, [(p.part_type.value, p.text) for p in m.parts]) for m in record.messages] == [
        ("user", None, [("text", "first"), ("text", "second")]),
        ("assistant", "gemini-2.5-pro", [("thinking", "hm"), ("text", "answer")]),
        ("assistant", "gemini-2.5-pro", [("text", "once more")]),
        ("user", None, [("text", "thanks")]),
    ]
    assert record.is_linear_source


@pytest.mark.parametrize(
    ("given", "texts", "kept"),
    [
        ({"parts": [{"text": "short"}, {"text": "kind"}], "role": "user"}, ["short", "kind"], {"role": "user"}),
        ({"text": "be brief"}, ["be brief"], None),
        ("be brief", ["be brief"], None),
    ],
    ids=["parts", "text", "string"],
)
def test_what_the_model_was_told_before_all_is_a_message_of_the_system(given: Any, texts: list[str], kept: Any):
    record = read(prompt(user("q", id="u"), model("a", id="m"), systemInstruction=given))
    assert [(m.source_id, m.parent_source_id, m.role) for m in record.messages] == [
        ("systemInstruction", None, "system"),
        ("u", "systemInstruction", "user"),
        ("m", "u", "assistant"),
    ]
    assert [part.text for part in record.messages[0].parts] == texts
    assert record.source_json.get("systemInstruction") == kept
    without_ids = read(prompt(user("q"), systemInstruction=given))
    assert [(m.source_id, m.parent_source_id, m.role) for m in without_ids.messages] == [
        (None, None, "system"),
        (None, None, "user"),
    ]


@pytest.mark.parametrize("given", [{"parts": [{"text": ""}]}, {"parts": []}, {}, None, ""], ids=str)
def test_no_instruction_is_no_message(given: Any):
    record = read(prompt(user("q"), systemInstruction=given))
    assert [message.role for message in record.messages] == ["user"]


@pytest.mark.parametrize(
    ("locator", "title"),
    [
        ("folder/Soil and clay", "Soil and clay"),
        ("zip.zip/Soil.json", "Soil"),
        ("prompts.json[3]", None),
    ],
)
def test_the_name_of_the_file_is_the_title(locator: str, title: str | None):
    assert read(prompt(user("x")), locator).title == title
    assert read(prompt(user("x"), displayName="Own"), locator).title == "Own"


def test_an_alternative_answer_is_a_branch():
    record = read(
        prompt(
            user("q", id="u", createTime="2025-02-01T13:00:02Z"),
            model("a", id="m1", branchParent={"id": "u"}),
            model("b", id="m2", branchParent={"id": "u"}),
            model("and more", id="m3"),
            user("next", id="u2"),
        )
    )
    assert [(m.source_id, m.parent_source_id) for m in record.messages] == [
        ("u", None),
        ("m1", "u"),
        ("m2", "u"),
        ("u2", "m2"),
    ]
    assert record.messages[0].created_at == datetime(2025, 2, 1, 13, 0, 2, tzinfo=UTC)


def test_an_id_that_comes_twice_is_the_first_ones():
    record = read(prompt(user("q", id="x"), model("a", id="x", finishReason="STOP"), user("r", id="y")))
    assert [(m.source_id, m.parent_source_id) for m in record.messages] == [
        ("x", None),
        ("chunk-1", "x"),
        ("y", "chunk-1"),
    ]
    assert record.warnings == {"duplicate_message": 1}
    assert record.messages[1].source["id"] == "x"


def test_a_branch_in_another_file_is_none_here():
    children = [{"promptId": "prompts/1abc", "displayName": "Branch of Soil"}]
    record = read(prompt(user("q", branchChildren=children), model("a", finishReason="STOP")))
    assert record.is_linear_source
    assert record.messages[0].source == {"chunks": [{"tokenCount": 1, "branchChildren": children}]}


def test_code_that_was_run_is_code_and_its_result():
    code = {"language": "PYTHON", "code": "print(55)"}
    record = read(
        prompt(
            user("sum"),
            model("", executableCode=code, codeExecutionResult={"outcome": "OUTCOME_OK", "output": "55"}),
            model("", codeExecutionResult={"outcome": "OUTCOME_FAILED", "output": "no"}),
        )
    )
    assert [(p.part_type.value, p.text, p.language, p.is_error) for p in record.messages[1].parts] == [
        ("code", "print(55)", "PYTHON", None),
        ("tool_result", "55", None, False),
        ("tool_result", "no", None, True),
    ]


def test_calls_of_functions_are_parts_with_their_results():
    call = {"id": "c", "name": "weather", "parameters": {"city": "Kiel"}, "response": "sunny"}
    response = {"name": "clock", "response": {"output": "noon"}}
    record = read(
        prompt(
            model("", functionCall=call),
            model("I look.", parts=[{"text": "I look."}, {"functionCall": {"name": "clock", "args": {"z": "UTC"}}}]),
            user("", functionResponse=response),
            model("", functionCall={"name": "sea", "response": {"output": "calm"}}),
        )
    )
    told = [
        (part.part_type.value, part.text, part.tool_name, part.tool_use_id, part.tool_input)
        for message in record.messages
        for part in message.parts
    ]
    assert told == [
        ("tool_use", None, "weather", "c", {"city": "Kiel"}),
        ("tool_result", "sunny", "weather", "c", None),
        ("text", "I look.", None, None, None),
        ("tool_use", None, "clock", None, {"z": "UTC"}),
        ("tool_result", "noon", "clock", None, None),
        ("tool_use", None, "sea", None, None),
        ("tool_result", "calm", "sea", None, None),
    ]
    assert record.messages[0].source["chunks"][1]["parts"] == [{"text": "I look."}]


def test_files_on_drive_are_attachments_and_inline_ones_parts():
    record = read(
        prompt(
            user("look", driveDocument={"id": "d", "name": "soil.pdf", "sizeBytes": "2048"}),
            user("", inlineFile={"mimeType": "image/png", "data": "aGk="}),
            user("", youtubeVideo={"id": "v"}),
        )
    )
    [message] = record.messages
    assert [(p.part_type.value, p.content_sha256, p.uri) for p in message.parts[1:]] == [
        ("image", SHA_OF_PICTURE, None),
        ("video", None, "https://www.youtube.com/watch?v=v"),
    ]
    assert [(file.source_id, file.file_name, file.size_bytes) for file in message.attachments] == [
        ("d", "soil.pdf", 2048)
    ]


def test_an_answer_that_failed_and_what_it_rests_on():
    sources = {"groundingSources": [{"title": "A", "uri": "https://a.example"}]}
    record = read(prompt(user("q"), model("part", errorMessage="interrupted", grounding=sources)))
    assert record.messages[1].state == "error"
    assert [(p.part_type.value, p.text, p.uri) for p in record.messages[1].parts] == [
        ("text", "part", None),
        ("error", "interrupted", None),
        ("citation", "A", "https://a.example"),
    ]


def test_what_is_no_chunk_is_kept_and_counted():
    record = read(prompt(user("q"), "no chunk", 7))
    assert record.source_json["chunkedPrompt"]["chunks"] == ["no chunk", 7]
    assert record.warnings == {"malformed_message": 2}
    assert isinstance(read_prompt({"runSettings": {}}, "x"), RejectedRecord)


@pytest.mark.parametrize(
    ("value", "confidence"),
    [
        (prompt(user("q")), 1.0),
        (prompt(), 0.6),
        ({"chunkedPrompt": {"chunks": [{"role": "x"}]}}, 0.1),
    ],
)
def test_it_is_recognised_by_its_chunks(value: dict[str, Any], confidence: float):
    verdict = recognise(value)
    assert (verdict.source, verdict.evidence.confidence) == ("ai_studio", confidence)


def test_a_file_as_drive_names_it_is_read_where_the_user_names_it(tmp_path: Path):
    path = tmp_path / "Soil and clay"
    path.write_text(json.dumps(prompt(user("q"), model("a"))))
    [item] = [item for file in read_paths([path]) for item in file.records()]
    assert isinstance(item, ReadDialogue)
    assert (item.record.source, item.record.title) == ("ai_studio", "Soil and clay")


@pytest.mark.parametrize("is_packed", [False, True], ids=["folder", "zip"])
def test_the_folder_of_prompts_is_read_without_suffixes(tmp_path: Path, *, is_packed: bool):
    files = {
        "Soil and clay": json.dumps(prompt(user("a"))),
        "Version 2.0": json.dumps(prompt(user("b"))),
        "notes.txt": "no prompt",
        "photo.png": "no prompt",
        "clip.bin": "no prompt",
    }
    for folder in ("Google AI Studio", "Other"):
        (tmp_path / "Drive" / folder).mkdir(parents=True)
        for name, text in files.items():
            (tmp_path / "Drive" / folder / name).write_text(text)
    place = tmp_path / "Drive"
    if is_packed:
        place = Path(shutil.make_archive(str(tmp_path / "takeout"), "zip", tmp_path, "Drive"))
    reading = read_paths([place])
    items = [item for file in reading for item in file.records()]
    titles = [item.record.title for item in items if isinstance(item, ReadDialogue)]
    reasons = {each.locator.rpartition("Drive/")[2]: each.reason for each in reading.skipped}
    assert sorted(title or "" for title in titles) == ["Soil and clay", "Version 2.0"]
    assert reasons["Google AI Studio/clip.bin"] == "not JSON (.bin)"
    assert reasons["Other/Soil and clay"] == "not JSON (no suffix)"
    assert len(reasons) == 8
