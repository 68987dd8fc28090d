"""Prompts of the Gemini app's activity: what Takeout writes around the user's words, in both formats."""

from __future__ import annotations

from typing import Any

import pytest

from archive_pipeline_tests.readers.test_gemini import read, record, texts
from archive_pipeline_tests.readers.test_gemini_page import TIME
from archive_pipeline_tests.readers.test_gemini_page import read as read_page

FILE = '-&nbsp;<a href="x.pdf">x.pdf</a><br>'


@pytest.mark.parametrize(
    ("lines", "prompt", "files"),
    [
        (
            f"Please read the file.<br>Summarise chapter 3<br>Attached 1 file.<br>{FILE}",
            "Please read the file.\nSummarise chapter 3",
            ["x.pdf"],
        ),
        ("Say<br>Attached 3 files.<br>as a pirate<br>", "Say\nAttached 3 files.\nas a pirate", []),
        ("Say<br>2 generated images.<br>twice<br>", "Say\n2 generated images.\ntwice", []),
        (
            f"Say<br>Attached 3 files.<br>twice<br>Attached 2 files.<br>{FILE}{FILE}",
            "Say\nAttached 3 files.\ntwice",
            ["x.pdf", "x.pdf"],
        ),
        (f"Draw chapter 3<br>Attached 1 file.<br>{FILE}1 generated image.<br>", "Draw chapter 3", ["x.pdf"]),
        (f"Draw<br>chapter 3<br>1 generated image.<br>{FILE}", "Draw\nchapter 3", ["x.pdf"]),
        (f"Draw<br>Attached 1 file.<br>{FILE}1 generated image.<br>{FILE}", "Draw", ["x.pdf", "x.pdf"]),
    ],
)
def test_only_the_line_that_counts_files_is_left_out_of_the_prompt(lines: str, prompt: str, files: list[str]):
    dialogue = read_page(f"Prompted&nbsp;{lines}{TIME}<br><p>17</p>")
    assert texts(dialogue) == [("user", [prompt]), ("assistant", ["17"])]
    assert [file.file_name for file in dialogue.messages[0].attachments] == files
    assert dialogue.source_id == read(record(f"Prompted\u00a0{prompt}")).source_id


ADDRESS = "https://gemini.google.com/app/0123456789abcdef"


@pytest.mark.parametrize(
    "item", [{"name": ADDRESS}, {"html": f" {ADDRESS}\n"}, {"text": "www.gemini.google.com"}, ADDRESS]
)
@pytest.mark.parametrize(
    ("title", "messages"), [("Prompted x", [("user", ["x"])]), ("Used Gemini Apps", []), ("Fragte: wie?", [])]
)
def test_a_detail_that_is_only_an_address_is_no_answer(item: Any, title: str, messages: list[Any]):
    dialogue = read(record(title, details=[item]))
    assert texts(dialogue) == messages
    assert dialogue.source_json["details"] == [item]


def test_a_detail_with_words_beside_an_address_is_an_answer():
    dialogue = read(record("Prompted x", details=[{"name": ADDRESS}, {"name": ADDRESS, "text": f"see {ADDRESS}"}]))
    assert texts(dialogue) == [("user", ["x"]), ("assistant", [f"see {ADDRESS}"])]
    assert dialogue.messages[1].parts[0].source == {"name": ADDRESS}
    assert dialogue.source_json["details"] == [{"name": ADDRESS}]


ANSWER = [{"html": "<p>yes</p>"}]


@pytest.mark.parametrize("title", ["Created Gemini Canvas titled Foo", "Added chat from link: hello"])
def test_what_was_made_or_added_is_no_prompt_also_where_it_has_an_answer(title: str):
    without, answered = read(record(title)), read(record(title, safeHtmlItem=ANSWER))
    assert (texts(without), without.warnings) == ([], {"activity_without_prompt": 1})
    assert texts(answered) == [("assistant", ["yes"])]
    assert answered.messages[0].parent_source_id is None
    assert (answered.title, answered.source_json["title"]) == (title, title)


@pytest.mark.parametrize("blank", [" ", "\u00a0"])
def test_a_live_prompt_is_the_title_without_these_words(blank: str):
    title = f"Live Prompt{blank}tell me"
    assert texts(read(record(title))) == [("user", ["tell me"])]
    assert texts(read(record(title, safeHtmlItem=ANSWER))) == [("user", ["tell me"]), ("assistant", ["yes"])]
    assert read(record(title)).messages[0].source == {"title": title}
    assert read(record(title)).source_id == read_page(f"Live Prompt{blank}tell me<br>{TIME}<br>").source_id


@pytest.mark.parametrize(
    ("given", "name"),
    [
        ("-  photo.png", "photo.png"),
        ("-\u00a0 photo.png", "photo.png"),
        (" \u00a0photo.png", "photo.png"),
        ("-photo - 2.png", "-photo - 2.png"),
        ("- ", "- "),
    ],
)
def test_the_dash_of_a_list_is_no_part_of_a_name(given: str, name: str):
    subtitles = [{"name": "Attached 1 file."}, {"name": given, "url": "photo-1f.png"}]
    dialogue = read(record("Prompted x", subtitles=subtitles, imageFile=name))
    [file] = dialogue.messages[0].attachments
    assert (file.file_name, file.uri) == (name, "photo-1f.png")
    assert file.source == ({"name": given} if given != name else None)
    assert dialogue.source_json["subtitles"] == [{"name": "Attached 1 file."}]
