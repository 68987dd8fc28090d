"""Attached files beside exported notes: linked from their message, each content of a name once, none if redacted."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pytest

from archive_pipeline.export.attached import exported_name, linked_files, named_files
from archive_pipeline.export.choices import Choices
from archive_pipeline.export.run import export as run_export
from archive_pipeline.ingest.attachment_store import AttachmentStore
from archive_pipeline.retrieval.reading.attached_files import AttachedContent
from archive_pipeline.settings import Settings
from archive_pipeline.store.database import Database
from archive_pipeline_tests.attached import PNG, export, file_id, imported, talk
from archive_pipeline_tests.exports import Said, chatgpt

NAMES = {1: "my cat [1].png", 2: "../../notes?.txt", 3: "gone.pdf"}
CAT = hashlib.sha256(PNG).hexdigest()


@pytest.fixture
def home(settings: Settings, database: Database, tmp_path: Path) -> Settings:
    """An archive of two conversations with the same picture, a text and a missing file."""
    home = settings.with_values(home=tmp_path / "home")
    conversations = [talk("c1", 1, 2, 3, names=NAMES), talk("c2", 1, names=NAMES)]
    members = {"conversations.json": conversations, f"{file_id(1)}.dat": PNG, f"{file_id(2)}.dat": b"notes"}
    imported(database, home, export(tmp_path / "export.zip", members))
    return home


@pytest.mark.postgres
def test_notes_lead_to_the_files_beside_them(database: Database, home: Settings, tmp_path: Path):
    told = run_export(database, home, "markdown", tmp_path / "vault", Choices())
    notes = {path.stem.split()[-1]: path for path in (tmp_path / "vault" / "chatgpt").iterdir()}
    assert len(notes) == 2
    texts = [path.read_text() for path in notes.values()]
    assert sum(text.count("![my cat \\[1\\].png](../files/") for text in texts) == 2
    [first] = [text for text in texts if "gone.pdf" in text]
    assert "*[missing: gone.pdf]*" in first
    assert first.index("look at this") < first.index("![my cat") < first.index("I did")
    for path in notes.values():
        for line in path.read_text().splitlines():
            if "](../files/" in line:
                assert (path.parent / unquote(line.partition("](")[2].removesuffix(")"))).is_file()
    copied = [file for file in told.files if file.path.startswith("files/")]
    assert {(file.path.rpartition("/")[2], file.sha256) for file in copied} == {
        ("my cat [1].png", CAT),
        ("notes.txt", hashlib.sha256(b"notes").hexdigest()),
    }


@pytest.mark.postgres
def test_redacted_notes_have_no_files(database: Database, home: Settings, tmp_path: Path):
    run_export(database, home, "markdown", tmp_path / "vault", Choices(redact=True))
    assert not (tmp_path / "vault" / "files").exists()
    told = json.loads((tmp_path / "vault" / "manifest.json").read_bytes())
    assert told["left_out"]["attached files, which cannot be redacted"] == 3


@pytest.mark.postgres
def test_a_lost_content_is_counted_and_stops_nothing(database: Database, home: Settings, tmp_path: Path):
    AttachmentStore.of(home.home).path_of(CAT).unlink()
    run_export(database, home, "markdown", tmp_path / "vault", Choices())
    told = json.loads((tmp_path / "vault" / "manifest.json").read_bytes())
    assert told["left_out"]["attached files whose content is lost"] == 2


def content(name: str | None, *, media_type: str = "text/plain") -> AttachedContent:
    return AttachedContent("m", "file-abc", name, "a" * 64, 3, media_type)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("plan.txt", "plan.txt"),
        ("/etc/passwd", "passwd"),
        ("..", "file-abc.txt"),
        (None, "file-abc.txt"),
        ("\u200b", "file-abc"),
        (".profile", "profile"),
        ("a:b|c\n.txt", "a b c.txt"),
        ("ä" * 200 + ".txt", "ä" * 58 + ".txt"),
        ("C:\\secret\\x.doc", "x.doc"),
    ],
)
def test_names_stay_in_their_folder(name: str | None, expected: str):
    assert exported_name(content(name)) == f"files/{'a' * 16}/{expected}"


def test_links_are_marked_as_pictures_only_if_they_are():
    line = linked_files({}, "chatgpt/x/note.md").line
    assert line(content("a.png", media_type="image/png")) == f"![a.png](../../files/{'a' * 16}/a.png)"
    assert line(content("a.txt")) == f"[a.txt](../../files/{'a' * 16}/a.txt)"


def test_a_note_that_stands_alone_names_files():
    line = named_files({}).line
    assert line(content("a [1].txt")) == "*[file: a \\[1\\].txt (text/plain, 3 bytes)]*"
    assert line(content("a.txt")._replace(sha256=None)) == "*[missing: a.txt]*"


def pictured(conversation: str, names: Mapping[int, str]) -> Any:
    """A conversation in which pictures are attachments and parts of their message, as ChatGPT writes uploads."""
    parts = [
        {"content_type": "image_asset_pointer", "asset_pointer": f"file-service://{file_id(number)}"}
        for number in names
    ]
    attachments = [{"id": file_id(number), "name": name, "mimeType": "image/png"} for number, name in names.items()]
    content = {"content_type": "multimodal_text", "parts": [*parts, "What is this?"]}
    said = Said("m0", None, "user", None, 1_000.0, content=content, more={"metadata": {"attachments": attachments}})
    return chatgpt(conversation, [said], title=conversation, updated=2_000.0)


@pytest.mark.postgres
def test_a_picture_is_named_once(database: Database, settings: Settings, tmp_path: Path):
    home = settings.with_values(home=tmp_path / "home")
    conversations = [
        pictured("kept", {1: "cat.png"}),
        pictured("gone", {2: "to ann@example.org.png"}),
        pictured("renamed", {4: "cat.png", 3: "cat.png", 5: "copy.png"}),
    ]
    contents = {f"{file_id(1)}.dat": PNG, **{f"{file_id(number)}-sanitized.png": PNG for number in (3, 4, 5)}}
    members = {"conversations.json": conversations, **contents}
    imported(database, home, export(tmp_path / "export.zip", members))

    def noted(title: str, choices: Choices) -> str:
        folder = tmp_path / f"{title}-{choices.redact}"
        run_export(database, home, "markdown", folder, replace(choices, title=title))
        [path] = (folder / "chatgpt").iterdir()
        return path.read_text().partition("## User")[2].partition("\n\n")[2]

    picture = f"![cat.png](../files/{CAT[:16]}/cat.png)"
    assert noted("kept", Choices()) == f"{picture}\n\nWhat is this?\n\n^m0\n"
    copy = f"![copy.png](../files/{CAT[:16]}/copy.png)"
    assert noted("renamed", Choices()) == f"{picture}\n\n{copy}\n\nWhat is this?\n\n^m0\n"
    assert len(list((tmp_path / "renamed-False" / "files").rglob("*.png"))) == 2
    assert noted("gone", Choices()) == "*[missing: to ann@example.org.png]*\n\nWhat is this?\n\n^m0\n"
    redacted = noted("gone", Choices(redact=True))
    assert re.fullmatch(r"\*\[not exported: to \\\[EMAIL-\w+\\\]\]\*\n\nWhat is this\?\n\n\^m0\n", redacted)
