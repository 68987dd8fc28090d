"""The Gemini app: activity with answers in HTML, conversations with versions of turns, and what is neither."""

from __future__ import annotations

import json
import zipfile
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from archive_pipeline.domain.records import DialogueRecord, RejectedRecord
from archive_pipeline.readers.gemini import READER
from archive_pipeline.readers.reading import ReadDialogue, read_paths
from archive_pipeline.readers.registry import recognise

HTML = '<p>Use <b>this</b>:</p><pre><code class="language-python">a_b = 1\n</code></pre><ul><li>one</li></ul>'


def record(title: str, **more: Any) -> dict[str, Any]:
    about = {"header": "Gemini Apps", "time": "2026-07-26T06:07:57.773Z", "products": ["Gemini Apps"]}
    return {**about, "title": title, **more}


def read(value: dict[str, Any], locator: str = "MyActivity.json[0]") -> DialogueRecord:
    made = READER.read(value, locator)
    assert isinstance(made, DialogueRecord)
    return made


def texts(dialogue: DialogueRecord) -> list[tuple[str, list[str | None]]]:
    return [(message.role, [part.text for part in message.parts]) for message in dialogue.messages]


@pytest.mark.parametrize(
    ("title", "prompt"),
    [
        ("Prompted how do I?", "how do I?"),
        ("Prompted\u00a0why Attached 2 files.", "why"),
        ("Prompted with: x", "x"),
        ("Asked Bard: x", "x"),
        ("Asked Gemini: x", "x"),
        ("Said hello", "hello"),
        ("Fragte: wie?", "Fragte: wie?"),
        ("Used a tool", "Used a tool"),
    ],
)
def test_a_prompt_is_the_title_without_its_verb(title: str, prompt: str):
    dialogue = read(record(title, safeHtmlItem=[{"html": "<p>yes</p>"}]))
    assert texts(dialogue) == [("user", [prompt]), ("assistant", ["yes"])]
    assert dialogue.messages[0].source == ({"title": title} if title != prompt else None)


@pytest.mark.parametrize(
    "answer",
    [
        {"safeHtmlItem": [{"html": "<p>yes</p>"}]},
        {"safeHtmlItem": {"htmlValue": "<p>yes</p>"}},
        {"details": [{"name": "yes"}]},
        {"userInteractions": [{"text": "yes"}]},
    ],
)
def test_an_answer_may_be_in_several_fields(answer: dict[str, Any]):
    assert texts(read(record("Prompted x", **answer)))[1] == ("assistant", ["yes"])


ASKED, ANSWERED = json.dumps([{"text": "why?"}, {"image": "i"}]), json.dumps([{"text": "so"}, {"text": "it is"}])


@pytest.mark.parametrize(
    ("more", "said", "left"),
    [
        (
            {"details": [{"name": "Request", "value": "why?"}, {"name": "Response", "value": "so"}, {"name": "URL"}]},
            [("user", ["why?"]), ("assistant", ["so"])],
            {"details": [{"name": "URL"}]},
        ),
        (
            {"userInteractions": [{"userInteraction": {"endpoint": 2, "request": ASKED, "response": ANSWERED}}]},
            [("user", ["why?"]), ("assistant", ["so\n\nit is"])],
            {"userInteractions": [{"userInteraction": {"endpoint": 2}}]},
        ),
        ({"userInteractions": [{"userInteraction": {"request": "[why", "response": None}}]}, [("user", ["[why"])], {}),
        (
            {"userInteractions": [{"userInteraction": {"request": "[3]"}}]},
            [],
            {"userInteractions": [{"userInteraction": {"request": "[3]"}}]},
        ),
    ],
)
def test_prompt_and_answer_may_be_in_fields_of_their_own(more: dict[str, Any], said: Any, left: dict[str, Any]):
    dialogue = read(record("Used Gemini Apps", **more))
    assert texts(dialogue) == said
    assert dialogue.title == (said[0][1][0] if said else "Used Gemini Apps")
    assert {name: dialogue.source_json[name] for name in more if name in dialogue.source_json} == left
    assert dialogue.source_json["title"] == "Used Gemini Apps"
    words = read(record("Used Gemini Apps")).source_id.rpartition("-")[2]
    assert dialogue.source_id.endswith(f"-{words}")  # of the title, as before these fields were read


def test_an_answer_is_markdown_and_its_html_stays():
    [part] = read(record("Prompted x", safeHtmlItem=[{"html": HTML}])).messages[1].parts
    assert part.text is not None
    assert "Use **this**:" in part.text
    assert "```python\na_b = 1\n" in part.text
    assert "- one" in part.text
    assert part.source == {"html": HTML}


@pytest.mark.parametrize(("levels", "expected"), [(97, "- x"), (98, "x"), (50_000, "x")])
def test_what_is_nested_too_deep_is_its_text(levels: int, expected: str):
    html = f"{'<div>' * levels}<ul><li>x"
    assert texts(read(record("Prompted y", safeHtmlItem=[{"html": html}])))[1] == ("assistant", [expected])


@pytest.mark.parametrize("title", ["Used a tool", "Created a canvas", "Gave feedback", "Fragte: wie?"])
def test_what_is_no_prompt_has_no_messages_and_is_counted(title: str):
    dialogue = read(record(title))
    assert (dialogue.messages, dialogue.title) == ((), title)
    assert dialogue.warnings == {"activity_without_prompt": 1}


def test_records_of_one_time_are_told_apart_by_their_titles():
    ids = {read(record(title)).source_id for title in ("Prompted a", "Prompted b")}
    assert len(ids) == 2
    assert all(str(name).startswith("2026-07-26T06:07:57+00:00-") for name in ids)


def test_a_prompt_is_told_by_its_second_and_what_is_none_by_its_exact_time():
    prompt, other = read(record("Prompted a\nb")), read(record("Used x"))
    # printf ab | sha256sum; printf Usedx | sha256sum
    assert prompt.source_id == "2026-07-26T06:07:57+00:00-fb8e20fc2e4c"
    assert prompt.updated_at == datetime(2026, 7, 26, 6, 7, 57, tzinfo=UTC)
    assert prompt.messages[0].created_at == datetime(2026, 7, 26, 6, 7, 57, 773000, tzinfo=UTC)
    assert other.source_id == "2026-07-26T06:07:57.773000+00:00-4d0133710639"


def test_files_are_attachments():
    files = [{"name": "Attached 1 file."}, {"name": "photo.png", "url": "u"}]
    [prompt] = read(record("Prompted x", subtitles=files, imageFile="photo.png", attachedFiles=["b.pdf"])).messages
    assert [(file.file_name, file.uri) for file in prompt.attachments] == [("photo.png", "u"), ("b.pdf", None)]


@pytest.mark.parametrize(
    ("header", "source"), [("Bard", "gemini"), ("Gemini-Apps", "gemini"), ("Gemini 앱", "gemini"), ("Search", None)]
)
def test_other_products_are_not_taken(header: str, source: str | None):
    value = {**record("Searched for x"), "header": header, "products": [header]}
    assert recognise(value).source == source
    assert isinstance(READER.read(value, "f"), RejectedRecord) == (source is None)


def turn(kind: str, index: int, text: str) -> dict[str, Any]:
    said = {"prompt": text} if kind == "user_turn" else {"text": [{"data": text}]}
    return {kind: {**said, "turn_index": index, "turn_last_modified": "2026-01-01T00:00:00Z"}}


CONVERSATION = {
    "title": "T",
    "creation_time": "2026-01-01T00:00:00Z",
    "conversation_turns": [
        turn("user_turn", 1, "a"),
        turn("system_turn", 2, "b"),
        turn("system_turn", 2, "c"),
        turn("user_turn", 3, "d"),
    ],
}


def test_turns_of_one_number_are_alternatives():
    dialogue = read(CONVERSATION, "conversation_3.txt")
    assert dialogue.source_id == "conversation_3@2026-01-01T00:00:00Z"
    assert [(message.source_id, message.parent_source_id) for message in dialogue.messages] == [
        ("user-1", None),
        ("assistant-2", "user-1"),
        ("assistant-2-2", "user-1"),
        ("user-3", "assistant-2-2"),
    ]


def test_a_takeout_is_read_and_what_is_left_out_has_a_reason(tmp_path: Path):
    path = tmp_path / "takeout.zip"
    with zipfile.ZipFile(path, "w") as archive:
        folder = "Takeout/My Activity/Gemini Apps"
        archive.writestr(f"{folder}/MyActivity.json", json.dumps([record("Prompted x"), record("Used y")]))
        archive.writestr(f"{folder}/MyActivity.html", "<html>")
        archive.writestr("Takeout/Gemini/conversation_1.txt", json.dumps(CONVERSATION))
        archive.writestr("Takeout/Gemini/conversation_2.txt", "no JSON")
    reading = read_paths([path])
    made = [item for file in reading for item in file.records()]
    assert [item.record.title for item in made if isinstance(item, ReadDialogue)] == ["T", "x", "Used y"]
    assert len(made) == 3
    reasons = {Path(file.locator).name: file.reason for file in reading.skipped}
    assert reasons["MyActivity.html"] == "not JSON (.html)"
    assert reasons["conversation_2.txt"] == "not JSON (.txt)"
