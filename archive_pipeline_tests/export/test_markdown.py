"""Dialogues as Markdown: what people and their programs see."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
import yaml
from markdown_it import MarkdownIt

from archive_pipeline.domain import identity
from archive_pipeline.export.run import Exported
from archive_pipeline.store.database import Database
from archive_pipeline_tests.export.dialogues import BLACK, GREEN
from archive_pipeline_tests.exports import Said, chain, chatgpt, load

pytestmark = pytest.mark.postgres

Export = Callable[..., Exported]


def test_markdown_files_have_front_matter_and_branches(exported: Export):
    found = exported("markdown")
    assert {Path(file.path).parent.name for file in found.files} == {"chatgpt", "claude_ai"}
    [tea] = [found.path / file.path for file in found.files if "Hot drinks" in file.path]
    text = tea.read_text(encoding="utf-8")
    front = yaml.safe_load(text.split("---")[1])
    assert (front["title"], front["branches"], front["models"]) == ("Hot drinks", 4, ["gpt-4o", "o3"])
    for part in (GREEN, BLACK, "# Branch regeneration-1", "# Branch edit-1", "[[#^m2|message 2]]"):
        assert text.count(part) == 1, part


def test_a_title_of_which_a_name_would_show_nothing_names_no_file(exported: Export, filled: Database, tmp_path: Path):
    titles = ("..", "\u200b\u200b", " . \u2060/")
    talks = [chatgpt(f"unseen{number}", chain("Hi", "Hello"), title=title) for number, title in enumerate(titles)]
    load(filled, tmp_path / "unseen.json", *talks)
    ids = tuple(identity.dialogue_id("chatgpt", f"unseen{number}") for number in range(len(titles)))
    named = [Path(file.path).name.split(" ")[1] for file in exported("markdown", dialogue_ids=ids).files]
    assert named == ["untitled"] * len(titles)


def test_a_branch_of_which_all_is_hidden_has_no_section(exported: Export, filled: Database, tmp_path: Path):
    hidden = {"metadata": {"is_visually_hidden_from_conversation": True}}
    said = [*chain("Hi", "Hello"), Said("x", "m0", "assistant", "Nobody reads this.", 1_700_000_000.5, more=hidden)]
    load(filled, tmp_path / "more.json", chatgpt("veiled", said, title="Veiled", current="m1"))
    found = exported("markdown", title="veiled")
    [file] = found.files
    text = (found.path / file.path).read_text(encoding="utf-8")
    assert found.manifest["left_out"] == {"hidden messages": 1}
    assert "Hello" in text
    assert "Nobody" not in text
    assert "# Branch" not in text


def test_what_a_text_leaves_open_ends_with_it(exported: Export, filled: Database, tmp_path: Path):
    said = chain(
        "Go on", "Yes:\n\n```python\nprint(", "And?", "<!-- hidden\n\nto the end", "Then?", "~~~\n<pre>", "<pre>"
    )
    load(filled, tmp_path / "open.json", chatgpt("open", said, title="Left open"))
    found = exported("markdown", title="left open")
    tokens = MarkdownIt("commonmark").parse(
        (found.path / found.files[0].path).read_text(encoding="utf-8").split("---")[2]
    )
    lines = [token.content for token in tokens if token.type == "inline"]
    assert [line for line in lines if line.startswith("^")] == [f"^m{number}" for number in range(7)]
    assert len([line for line in lines if line.startswith(("User", "Assistant"))]) == 7


def test_a_note_runs_and_loads_nothing(exported: Export, filled: Database, tmp_path: Path):
    image, html = "![a](https://e.org/p.png)", "<img src=https://e.org/q.png>"
    thought = {"content_type": "thoughts", "thoughts": [{"summary": html, "content": image}]}
    said = [
        Said("m0", None, "user", f"{image} `{image}`\n\n![b]", 1_700_000_000.0),
        Said("m1", "m0", "assistant", None, 1_700_000_001.0, content=thought),
        Said("m2", "m1", "tool", html, 1_700_000_002.0, more={"author": {"role": "tool", "name": html}}),
        Said("m3", "m2", "assistant", "[b]: https://e.org/r.png\n\n<!--\n```\n<b>", 1_700_000_003.0),
        Said("m4", "m3", "user", f"    {html}", 1_700_000_004.0),
    ]
    load(filled, tmp_path / "live.json", chatgpt("live", said, title=f"Live {html} {image}"))
    found = exported("markdown", title="Live ")
    body = (found.path / found.files[0].path).read_text(encoding="utf-8").split("---\n", 2)[2]
    tokens = MarkdownIt("commonmark").parse(body)
    kinds = {each.type for token in tokens for each in (token, *(token.children or ()))}
    assert not kinds & {"image", "html_inline", "html_block"}
    for shown in (
        f"`{image}`",
        f"\n    {html}\n",
        "\n```\n<b>\n```\n",
        "# Live &lt;img src=https://e.org/q.png> [a](",
        "^m4",
    ):
        assert shown in body


def test_front_matter_is_yaml_whatever_is_in_a_title(exported: Export, filled: Database, tmp_path: Path):
    title = "Del \x7f, C1 \x9f, line\u2028 and page\u2029, mark \ufeff"
    load(filled, tmp_path / "title.json", chatgpt("title", chain("Odd?", "Odd."), title=title))
    found = exported("markdown", title="Del ")
    text = (found.path / found.files[0].path).read_text(encoding="utf-8")
    assert yaml.safe_load(text.split("---")[1])["title"] == title


def test_a_note_commands_no_terminal(exported: Export, filled: Database, tmp_path: Path):
    command = "\x1b]52;c;cHdu\x07 \x9b2J \x7f"
    said = [
        Said("m0", None, "user", f"Ask {command}\r\n\there", 1_700_000_000.0),
        Said(
            "m1", "m0", "assistant", f"Say {command}\rover", 1_700_000_001.0, more={"metadata": {"model_slug": command}}
        ),
        Said(
            "m2", "m1", "tool", f"Tell {command}", 1_700_000_002.0, more={"author": {"role": "tool", "name": command}}
        ),
    ]
    load(filled, tmp_path / "title.json", chatgpt("commanding", said, title=f"Commanding {command}\u202e"))
    found = exported("markdown", title="Commanding")
    text = (found.path / found.files[0].path).read_bytes().decode()
    assert not [each for each in text if (each < " " and each not in "\r\n\t") or "\x7f" <= each <= "\x9f"]
    assert "# Commanding \ufffd]52;c;cHdu\ufffd \ufffd2J \ufffd\ufffd\n" in text
    assert "Ask \ufffd]52;c;cHdu\ufffd \ufffd2J \ufffd\r\n\there" in text
    assert "\ufffdover" in text
    assert yaml.safe_load(text.split("---")[1])["title"] == f"Commanding {command}\u202e"
