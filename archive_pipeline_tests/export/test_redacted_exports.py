"""Exports with redaction: what it leaves in no format, what stays as it is, and refusing rather than leaking."""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from archive_pipeline.errors import MissingExtraError
from archive_pipeline.export.choices import Choices
from archive_pipeline.export.formats.registry import FORMATS
from archive_pipeline.export.redaction.redactor import KEY_FILE
from archive_pipeline.export.run import Exported, export
from archive_pipeline.settings import Settings
from archive_pipeline.store.database import Database
from archive_pipeline_tests.cli.command_line import CommandLine
from archive_pipeline_tests.exports import Said, chatgpt, load
from archive_pipeline_tests.tables import query

EMAIL = "ann.lee@example.org"


def secret_dialogue() -> dict[str, Any]:
    """A dialogue with an address in all that the source says, but for what is one of a few words."""
    code = {"content_type": "code", "language": f"python {EMAIL}", "text": f"send('{EMAIL}')"}
    result = {"content_type": "execution_output", "text": f"sent to {EMAIL}"}
    picture = {
        "content_type": "multimodal_text",
        "parts": [f"I am {EMAIL}", {"asset_pointer": f"file-service://{EMAIL}"}],
    }
    file = {"id": f"file-{EMAIL}", "name": f"{EMAIL}.txt", "mime_type": f"text/{EMAIL}", "size": 3}
    tool = f"mail {EMAIL}"
    said = [
        Said("m0", None, "user", None, 1.7e9, picture, {"metadata": {"attachments": [file]}}),
        Said("call", "m0", "assistant", None, 1.7e9, content=code, more={"recipient": tool}),
        Said("res", "call", "tool", None, 1.7e9, content=result, more={"author": {"role": "tool", "name": tool}}),
        Said("end", "res", "assistant", f"Done, {EMAIL}.", 1.7e9, None, {"metadata": {"model_slug": f"ft:{EMAIL}"}}),
    ]
    return chatgpt(f"secret {EMAIL}", said, title=f"About {EMAIL}", gizmo_id=f"g-{EMAIL}")


@pytest.mark.postgres
def test_no_format_has_what_was_redacted_and_the_archive_keeps_it(
    exported: Callable[..., Exported], filled: Database, settings: Settings, tmp_path: Path
):
    secret = secret_dialogue()
    # A name only as providers take it.
    secret["mapping"]["res"]["message"]["author"]["name"] = "read/ann/lee"
    load(filled, tmp_path / "secret.json", secret)
    from archive_pipeline.building.dialogues import build_stale

    build_stale(filled, settings)
    for name in FORMATS:
        found = exported(name, redact=True, title="About", models=(f"ft:{EMAIL}",), own_words=("Ann Lee",))
        data = b"".join(path.read_bytes() for path in found.path.rglob("*") if path.is_file())
        names = [str(path) for path in found.path.rglob("*")]
        # As names of tools have it, too; tables are compressed.
        rows = [str(pq.read_table(path).to_pylist()).encode() for path in found.path.rglob("*.parquet")]
        assert not re.search(rb"ann.lee", data + b"".join(rows), re.IGNORECASE), name
        assert not [path for path in names if EMAIL in path]
        assert found.manifest["redacted"]["EMAIL"] >= 1
    [(title,)] = query(filled, "SELECT title FROM raw.dialogues WHERE title ~ '^About'")
    assert title == f"About {EMAIL}"
    key = settings.home / KEY_FILE
    assert key.stat().st_mode & 0o077 == 0


@pytest.mark.postgres
def test_a_tool_has_one_name_wherever_it_is_called_told_and_heard(
    exported: Callable[..., Exported], filled: Database, settings: Settings, tmp_path: Path
):
    load(filled, tmp_path / "secret.json", secret_dialogue())
    [line] = (exported("trl-sft", redact=True, title="About").path / "data.jsonl").read_text("utf-8").splitlines()
    row = json.loads(line)
    _, said, heard, _ = row["messages"]
    [tool] = json.loads(row["tools"])
    name = said["tool_calls"][0]["function"]["name"]
    assert re.fullmatch(r"mail__EMAIL-[0-9a-f]{8}_", name)
    assert name == heard["name"] == tool["function"]["name"]
    [note] = exported("markdown", redact=True, title="About").path.rglob("*/*.md")
    calls = re.findall(r"mail \[EMAIL-[0-9a-f]{8}\]", note.read_text("utf-8"))
    assert len(calls) == 3
    assert {re.sub(r"[^\w-]", "_", call) for call in calls} == {name}


@pytest.mark.postgres
def test_own_words_are_replaced_and_not_told(
    exported: Callable[..., Exported], filled: Database, settings: Settings, tmp_path: Path
):
    found = exported("trl-sft", redact=True, own_words=("river",))
    data = b"".join(path.read_bytes() for path in found.path.rglob("*") if path.is_file())
    assert b"Along the [NAME-" in data
    assert b"river" not in data
    assert found.manifest["choices"]["own_words"] == 1


@pytest.mark.postgres
def test_tags_and_what_was_asked_for_are_redacted_too(
    exported: Callable[..., Exported], filled: Database, settings: Settings, tmp_path: Path
):
    load(filled, tmp_path / "secret.json", secret_dialogue())
    from archive_pipeline.annotations import Annotation, annotate
    from archive_pipeline.building.dialogues import build_stale

    build_stale(filled, settings)
    [(dialogue_id,)] = query(filled, "SELECT id FROM raw.dialogues WHERE title ~ '^About'")
    with filled.session() as connection:
        annotate(connection, str(dialogue_id), Annotation("tag", "client Zimmer"))
    for name in ("markdown", "parquet", "qa", "traces"):
        found = exported(name, redact=True, title="About", tags=("client Zimmer",), own_words=("Zimmer", "About"))
        data = b"".join(path.read_bytes() for path in found.path.rglob("*") if path.is_file())
        assert found.manifest["read"]["dialogues"] == 1
        assert b"Zimmer" not in data, name
        assert b"About" not in data, name
        assert re.fullmatch(r"client \[NAME-[0-9a-f]{8}\]", found.manifest["choices"]["tags"][0])


@pytest.mark.postgres
def test_without_the_packages_nothing_is_written(
    filled: Database, settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setitem(sys.modules, "phonenumbers", None)
    with pytest.raises(MissingExtraError, match="redaction"):
        export(filled, settings, "traces", tmp_path / "out", Choices(redact=True))
    assert not (tmp_path / "out").exists()


@pytest.mark.postgres
def test_traces_are_redacted_unless_that_is_declined(
    filled: Database, settings: Settings, llm_archive_of: CommandLine, tmp_path: Path
):
    load(filled, tmp_path / "secret.json", secret_dialogue())
    assert llm_archive_of("export", "traces", "--out", tmp_path / "a").code == 0
    assert llm_archive_of("export", "traces", "--out", tmp_path / "b", "--no-redact").code == 0
    counted = [
        sum(EMAIL.encode() in path.read_bytes() for path in (tmp_path / name).glob("*.jsonl")) for name in ("a", "b")
    ]
    assert counted == [0, 1]
    assert os.fspath(tmp_path) not in (tmp_path / "a" / "manifest.json").read_text(encoding="utf-8")


def test_integers_of_arguments_keep_their_digits(database: Database, settings: Settings, tmp_path: Path):
    call = {"content_type": "code", "text": f'{{"id": 12345678901234567890123, "to": "{EMAIL}"}}'}
    said = [
        Said("q", None, "user", "Send it", 1),
        Said("c", "q", "assistant", None, 2, call, {"recipient": "mail"}),
        Said("t", "c", "tool", "sent", 3, None, {"author": {"role": "tool", "name": "mail"}}),
        Said("a", "t", "assistant", "Done.", 4),
    ]
    load(database, tmp_path / "conversations.json", chatgpt("c", said))
    for redact in (True, False):
        out = export(database, settings, "openai", tmp_path / f"out-{redact}", Choices(redact=redact)).path
        line = (out / "data.jsonl").read_text(encoding="utf-8")
        assert r"{\"id\":12345678901234567890123,\"to\":" in line
        assert (EMAIL in line) is not redact
