"""Takeout's page of the Gemini app's activity: the records of ``MyActivity.json``, streamed, and no other product's."""

from __future__ import annotations

import gc
import json
import tracemalloc
import zipfile
from collections.abc import Iterator
from datetime import UTC, datetime
from html import escape
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from archive_pipeline.domain.records import DialogueRecord, RejectedRecord
from archive_pipeline.readers.file_reading import FileReading
from archive_pipeline.readers.gemini import READER
from archive_pipeline.readers.gemini.page import MAX_TAGS, as_activity
from archive_pipeline.readers.pages import MAX_RECORD_BYTES
from archive_pipeline.readers.reading import ReadDialogue, read_paths
from archive_pipeline_tests.readers.work import growth

FOLDER = "Takeout/My Activity/Gemini Apps"
TIME = "Jul 26, 2026, 8:07:57\u202fAM CEST"
CAPTION = "<b>Products:</b><br>&emsp;Gemini Apps<br><b>Why is this here?</b><br>&emsp;It was saved."
STYLE = f"<style>{'.mdl-grid{display:flex}' * 7000}</style>"


def cell(body: str, preview: str = "", product: str = "Gemini Apps") -> str:
    classes = "content-cell mdl-cell mdl-cell--6-col mdl-typography--body-1"
    return (
        '<div class="outer-cell mdl-cell mdl-cell--12-col mdl-shadow--2dp"><div class="mdl-grid">'
        f'<div class="header-cell mdl-cell mdl-cell--12-col"><p class="mdl-typography--title">{product}<br></p></div>'
        f'<div class="{classes}">{body}</div><div class="{classes} mdl-typography--text-right">{preview}</div>'
        f'<div class="content-cell mdl-cell mdl-cell--12-col mdl-typography--caption">{CAPTION}</div></div></div>'
    )


def page(*cells: str, style: str = STYLE) -> str:
    return f'<html><head>{style}</head><body><div class="mdl-grid">{"".join(cells)}</div></body></html>'


def read(body: str, preview: str = "") -> DialogueRecord:
    made = READER.read({"page": "gemini", "record": cell(body, preview)}, "MyActivity.html[0]")
    assert isinstance(made, DialogueRecord)
    return made


def texts(dialogue: DialogueRecord) -> list[tuple[str, str | None]]:
    return [(message.role, part.text) for message in dialogue.messages for part in message.parts]


def files_of(path: Path) -> Iterator[tuple[FileReading, list[ReadDialogue | RejectedRecord]]]:
    for file in read_paths([path]):
        yield file, list(file.records())


def only_file(path: Path) -> tuple[FileReading, list[ReadDialogue | RejectedRecord]]:
    [found] = files_of(path)
    return found


def test_a_record_is_what_the_json_has():
    body = (
        f'Prompted&nbsp;how do I &lt;x&gt;?<br>Attached 2 files.<br>-&nbsp; <a href="photo-1f.png">photo.png</a><br>'
        f'-&nbsp; <a href="b%20c.pdf">b c.pdf</a><br>{TIME}<br><p>Use <b>this</b>.</p>\n<ul><li>one</li></ul>'
    )
    dialogue = read(body, '<img src="photo-1f.png" class="image-preview"><img src="made.png">')
    record = {
        "header": "Gemini Apps",
        "title": "Prompted how do I <x>?",
        "time": "2026-07-26T06:07:57.773Z",
        "safeHtmlItem": [{"html": "<p>Use <b>this</b>.</p>\n<ul><li>one</li></ul>"}],
    }
    same = READER.read(record, "MyActivity.json[0]")
    assert isinstance(same, DialogueRecord)
    # printf 'howdoI<x>?' | sha256sum
    assert dialogue.source_id == same.source_id == "2026-07-26T06:07:57+00:00-cbfb3feff701"
    assert (dialogue.vintage, same.vintage) == ("page", "full")
    assert dialogue.title == same.title == "how do I <x>?"
    assert dialogue.updated_at == same.updated_at == datetime(2026, 7, 26, 6, 7, 57, tzinfo=UTC)
    assert texts(dialogue) == texts(same) == [("user", "how do I <x>?"), ("assistant", "Use **this**.\n\n- one")]
    prompt, answer = dialogue.messages
    assert [(file.file_name, file.uri) for file in prompt.attachments] == [
        ("photo.png", "photo-1f.png"),
        ("b c.pdf", "b%20c.pdf"),
        ("made.png", None),
    ]
    assert answer.parts[0].source == {"html": "<p>Use <b>this</b>.</p>\n<ul><li>one</li></ul>"}
    assert {name: dialogue.source_json[name] for name in ("header", "time", "caption", "page")} == {
        "header": "Gemini Apps",
        "time": TIME,
        "caption": CAPTION,
        "page": "gemini",
    }
    assert dialogue.warnings == {}


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (f"Prompted&nbsp;a<br>b<br>{TIME}<br>", [("user", "a\nb")]),
        (f"Prompted a<br>{TIME}<br>plain<br>answer", [("user", "a"), ("assistant", "plain\nanswer")]),
        # The prompt has such a line too, and so has the answer.
        (
            f"Prompted a<br>{TIME}<br>{TIME}<br><p>b<br>{TIME}</p>",
            [("user", f"a\n{TIME}"), ("assistant", f"b\n{TIME}")],
        ),
        (
            f'Prompted see<br><a href="https://x.y/">x.y</a><br>{TIME}<br><p>b</p>',
            [("user", "see\nx.y"), ("assistant", "b")],
        ),
        (
            f'Poslali ste poziv:&nbsp;Poglej<br>1 priložena datoteka.<br>- <a href="s.png">s</a><br>{TIME}<br><p>b</p>',
            [("user", "Poslali ste poziv:\u00a0Poglej"), ("assistant", "b")],
        ),
        (f"Prompted draw<br>1 generated image.<br>{TIME}<br><p></p>\n<br>", [("user", "draw")]),
        (f"Created Gemini Canvas titled Quiz<br>{TIME}<br>", []),
        (f"Prompted a<br><pre>b</pre><br>{TIME}<br><p>c</p>", [("user", "a\nb"), ("assistant", "c")]),
        ("Prompted a<br>some time ago<br><p>b</p>", [("user", "a\nsome time ago"), ("assistant", "b")]),
    ],
)
def test_a_line_that_is_a_time_parts_prompt_and_answer(body: str, expected: list[tuple[str, str]]):
    said = [(role, text.replace("  \n", "\n") if text else text) for role, text in texts(read(body))]
    assert said == expected


def test_a_time_that_is_open_to_doubt_stays_as_it_is_written():
    dialogue = read("Prompted a<br>Jul 26, 2026, 8:07:57\u202fAM CST<br><p>b</p>")
    assert (dialogue.created_at, dialogue.updated_at, dialogue.messages[0].created_at) == (None, None, None)
    assert dialogue.warnings == {"bad_timestamp": 1}
    assert dialogue.source_json["time"] == "Jul 26, 2026, 8:07:57\u202fAM CST"
    # printf a | sha256sum
    assert dialogue.source_id == "Jul 26, 2026, 8:07:57 AM CST-ca978112ca1b"


def test_what_is_no_prompt_has_no_messages():
    dialogue = read(f"Used an Assistant feature<br>{TIME}<br>")
    assert (dialogue.messages, dialogue.title) == ((), "Used an Assistant feature")
    assert dialogue.warnings == {"activity_without_prompt": 1}


def test_a_takeout_has_pages_of_other_products_which_are_left_out(tmp_path: Path):
    path = tmp_path / "takeout.zip"
    search = page(cell(f"Searched for Gemini<br>{TIME}<br>", product="Search"))
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr(f"{FOLDER}/MyActivity.html", page(cell(f"Prompted&nbsp;x<br>{TIME}<br><p>y</p>")))
        archive.writestr(
            "Takeout/Moja dejavnost/Aplikacije Gemini/Moja_dejavnost.html", page(cell(f"Prompted z<br>{TIME}<br>"))
        )
        archive.writestr("Takeout/My Activity/Search/MyActivity.html", search)
        archive.writestr(f"{FOLDER}/notes.html", "<html>my notes</html>")
        archive.writestr("Takeout/archive_browser.html", "<html>")
    reading = read_paths([path])
    made = [item for file in reading for item in file.records()]
    assert [item.record.title for item in made if isinstance(item, ReadDialogue)] == ["z", "x"]
    assert len(made) == 2
    reasons = {file.locator.removeprefix(f"{path}/Takeout/"): file.reason for file in reading.skipped}
    assert reasons == {
        "My Activity/Search/MyActivity.html": "activity of another product than Gemini",
        "My Activity/Gemini Apps/notes.html": "not JSON (.html)",
        "archive_browser.html": "not JSON (.html)",
    }
    assert reading.not_understood == []


def test_a_page_of_another_product_that_is_named_is_an_error(tmp_path: Path):
    path = tmp_path / "MyActivity.html"
    path.write_text(page(cell(f"Searched for Bard<br>{TIME}<br>", product="Search")))
    _, [record] = only_file(path)
    assert isinstance(record, RejectedRecord)
    assert record.reason == f"{path} is a page of records: activity of another product than Gemini"


def test_records_of_other_products_between_are_counted(tmp_path: Path):
    path = tmp_path / "export.html"
    others = [cell("Searched for x<br>", product="Search")] * 3
    path.write_text("\ufeff" + page(*others, cell(f"Asked Bard: x<br>{TIME}<br>", product="Bard"), *others))
    file, made = only_file(path)
    assert [type(item) for item in made] == [ReadDialogue]
    assert [skipped.reason for skipped in file.beside] == [
        "beside its records, 6 of activity of another product than Gemini"
    ]


CUT = page(cell(f"Prompted a<br>{TIME}<br><p>b</p>"), cell(f"Prompted c<br>{TIME}<br><p>ddd</p>"), style="")


@pytest.mark.parametrize(
    ("kept", "titles", "place"),
    [
        (CUT.index("ddd") + 1, ["a"], "inside its last record, which is not read"),
        (len(CUT) - len("</body></html>"), ["a", "c"], "behind a record"),
    ],
)
def test_a_page_that_breaks_off_is_told(tmp_path: Path, kept: int, titles: list[str], place: str):
    path = tmp_path / "MyActivity.html"
    path.write_text(CUT[:kept])
    _, made = only_file(path)
    assert [item.record.title for item in made if isinstance(item, ReadDialogue)] == titles
    [told] = [item for item in made if isinstance(item, RejectedRecord)]
    assert told.whole_file
    assert f"is cut off {place}" in told.reason


@pytest.mark.parametrize("answer", ["x" * (MAX_RECORD_BYTES + 1), "<b>" * (MAX_TAGS + 1)])
def test_a_record_larger_than_any_is_rejected_and_the_next_is_read(tmp_path: Path, answer: str):
    path = tmp_path / "MyActivity.html"
    path.write_text(page(cell(f"Prompted a<br>{TIME}<br>{answer}"), cell(f"Prompted b<br>{TIME}<br>")))
    _, [first, second] = only_file(path)
    assert isinstance(first, RejectedRecord)
    assert first.reason == "the record of the page is larger than any activity is"
    assert isinstance(second, ReadDialogue)
    assert second.record.title == "b"


def test_a_page_is_never_held(tmp_path: Path):
    def peak(records: int) -> int:
        path = tmp_path / f"{records}.html"
        # Those of another product are passed over, which takes a tenth of the time.
        products = ("Gemini Apps" if number % 10 == 0 else "Search" for number in range(records))
        path.write_text(page(*(cell(f"Prompted {TIME}<br>{'word ' * 4000}", product=each) for each in products)))
        [reading] = read_paths([path])
        tracemalloc.start()
        for number, item in enumerate(reading.records()):
            assert isinstance(item, ReadDialogue)
            if number % 5 == 0:
                gc.collect()  # what has been read refers to itself
        most = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return most

    peak(1)  # imports libraries
    assert peak(300) < peak(100) * 1.2  # six megabytes, of which two are looked at before the first record


@pytest.mark.parametrize(
    "piece",
    [
        '<div class="outer-cell',
        cell("x", product="Search"),
        '<div class="content-cell',
        '<div class="',
        "</div>",
        "<",
        "<br>1",
        "1:1",
    ],
)
def test_the_work_grows_with_the_page(tmp_path: Path, piece: str):
    def load(size: int) -> None:
        path = tmp_path / "MyActivity.html"
        path.write_text(page(cell(f"Prompted a<br>{TIME}<br>"), cell(piece * size), style=""))
        assert only_file(path)[1]

    assert growth(load, 100) < 6


WORDS = st.text(
    st.characters(codec="utf-8", exclude_categories=("Cc", "Cs", "Zs", "Zl", "Zp")), min_size=1, max_size=20
)


@given(st.lists(st.tuples(WORDS, WORDS), min_size=1, max_size=4, unique=True), st.randoms(use_true_random=False))
def test_every_prompt_and_answer_comes_back_whatever_the_order(
    tmp_path_factory: pytest.TempPathFactory, pairs: list[tuple[str, str]], random: Any
):
    folder = tmp_path_factory.getbasetemp()

    def dialogues(given: list[tuple[str, str]]) -> list[tuple[str, str | None, list[tuple[str, str | None]]]]:
        cells = [cell(f"Prompted&nbsp;{escape(ask)}<br>{TIME}<br><pre>{escape(told)}</pre>") for ask, told in given]
        path = folder / "MyActivity.html"
        path.write_text(page(*cells, style=""), "utf-8")
        made = [item.record for item in only_file(path)[1] if isinstance(item, ReadDialogue)]
        return [(str(record.source_id), record.title, texts(record)) for record in made]

    first = dialogues(pairs)
    assert [text for _, _, [(_, text), _] in first] == [ask for ask, _ in pairs]
    assert all(told in str(text) for (_, told), (_, _, [_, (_, text)]) in zip(pairs, first, strict=True))
    shuffled = random.sample(pairs, len(pairs))
    assert sorted(dialogues(shuffled), key=json.dumps) == sorted(first, key=json.dumps)


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        pytest.param("<p>words of it</p>" * 60_000, "<p>words of it</p>" * 60_000, id="paragraphs without breaks"),
        pytest.param("words " * 400_000 + "</div>" * 60_000, ("words " * 400_000).strip(), id="ends of what is around"),
    ],
)
def test_a_long_answer_is_found_in_one_pass(answer: str, expected: str):
    """A search or a copy to the end for each tag took more than half a minute of these."""
    body = f"Prompted&nbsp;hello<br>{TIME}<br>{answer}"
    activity = as_activity(f'<div class="outer-cell"><div class="content-cell mdl-typography--body-1">{body}')
    assert (activity["title"], activity["time"]) == ("Prompted\xa0hello", TIME)
    assert activity["safeHtmlItem"] == [{"html": expected}]
