"""Dialogues as Markdown: what people and their programs see."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
import yaml
from markdown_it import MarkdownIt

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


def test_a_branch_of_which_all_is_hidden_has_no_section(exported: Export, filled: Database, tmp_path: Path):
    hidden = {"metadata": {"is_visually_hidden_from_conversation": True}}
    said = [*chain("Hi", "Hello"), Said("x", "m0", "assistant", "Nobody reads this.", 1_700_000_000.5, more=hidden)]
    load(filled, tmp_path / "more.json", chatgpt("veiled", said, title="Veiled", current="m1"))
    [file] = exported("markdown", title="veiled").files
    text = (tmp_path / "out0" / file.path).read_text(encoding="utf-8")
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


def test_front_matter_is_yaml_whatever_is_in_a_title(exported: Export, filled: Database, tmp_path: Path):
    title = "Del \x7f, C1 \x9f, line\u2028 and page\u2029, mark \ufeff"
    load(filled, tmp_path / "title.json", chatgpt("title", chain("Odd?", "Odd."), title=title))
    found = exported("markdown", title="Del ")
    text = (found.path / found.files[0].path).read_text(encoding="utf-8")
    assert yaml.safe_load(text.split("---")[1])["title"] == title
