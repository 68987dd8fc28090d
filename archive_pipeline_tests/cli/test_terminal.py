"""What an archive holds cannot command the terminal that shows it, nor be taken for markup."""

from __future__ import annotations

import io
import json
import os
import pty
import re
import tty
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest

from archive_pipeline.cli.output import shown
from archive_pipeline.store.database import Database
from archive_pipeline_tests.cli.command_line import CommandLine, Loaded
from archive_pipeline_tests.exports import chain, chatgpt, load, write
from archive_pipeline_tests.tables import query

pytestmark = pytest.mark.postgres

# Sets the title of the window, clears the screen, colours, in 7 and in 8 bits; turns the text round; markup of Rich.
EVIL = "\x1b]0;owned\x07\x1b[2J\x9b31m\x08\r\u202e\u2066[red]x[/nope][link=http://x]"
COMMANDING = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


@pytest.fixture
def evil(tmp_path: Path) -> Path:
    """A folder of exports and documents whose every text is evil."""
    texts = [f"quokka {number} {EVIL}\r\n" for number in range(4)]
    said = [
        replace(message, more={"metadata": {"model_slug": f"model {EVIL}"}}) for message in chain(*texts, prefix=EVIL)
    ]
    folder = tmp_path / f"exports {EVIL.replace('/', '')}"
    folder.mkdir()
    write(folder / "conversations.json", chatgpt(f"id {EVIL}", said, title=f"title {EVIL}"), {"id": EVIL, "mapping": 5})
    name = f"quokka {EVIL.replace('/', '')}.md"
    (folder / name).write_text(f"# Quokka {EVIL}\n", encoding="utf-8")
    (folder / f"broken {EVIL.replace('/', '')}.pdf").write_bytes(b"%PDF-1.4 broken")
    return folder


def test_no_command_prints_what_commands_a_terminal(
    evil: Path, llm_archive: CommandLine, database: Database, tmp_path: Path
):
    made = [llm_archive("import", evil / "conversations.json"), llm_archive("documents", "add", evil)]
    assert query(database, "SELECT count(*) FROM raw.dialogues WHERE starts_with(title, 'title')") == [(1,)]
    assert query(database, "SELECT count(*) FROM raw.documents WHERE status = 'done'") == [(1,)]
    printed = [result.out + result.err for result in made]
    asked = tmp_path / "asked.json"
    messages = [{"role": "user", "content": f"quokka 0 {EVIL}\r\n"}]
    asked.write_text(json.dumps(messages), encoding="utf-8")
    for arguments in (
        ("search", "quokka", "--mode", "lexical"),
        ("search", "quokka", "--mode", "lexical", "--model", "m"),
        ("match", asked),
        ("stats",),
        ("duplicates", "--refresh"),
        ("documents", "list"),
        ("partitions",),
        ("verify",),
        ("build",),
    ):
        result = llm_archive(*arguments)
        assert "Traceback" not in result.err
        assert result.code in {0, 1}, result.err
        printed.append(result.out + result.err)
    assert [text for text in printed if COMMANDING.search(text)] == []
    assert any("model " in text and "[red]x[/nope]" in text for text in printed)
    key = next(line.split("; ")[-1] for line in printed[2].splitlines() if "lexical" in line and "(no. 1)" in line)
    deleted = llm_archive("delete", key)
    assert not COMMANDING.search(deleted.out + deleted.err)


def test_a_context_is_exact_for_programs_and_harmless_on_a_terminal(
    evil: Path, llm_archive: CommandLine, loaded: Loaded
):
    loaded(evil / "conversations.json")
    piped = llm_archive("context", "quokka", "--mode", "lexical")
    assert "\x1b[2J" in piped.out
    assert not COMMANDING.search(piped.err)
    seen = on_a_terminal(llm_archive, "context", "quokka", "--mode", "lexical")
    assert "quokka" in seen
    assert not COMMANDING.search(seen.replace("\r\n", "\n"))
    assert seen == shown(piped.out)
    as_json = on_a_terminal(llm_archive, "context", "quokka", "--mode", "lexical", "--json")
    assert not COMMANDING.search(as_json)
    assert json.loads(as_json)["formatted_text"] == piped.out.removesuffix("\n")


def on_a_terminal(llm_archive: CommandLine, *arguments: str) -> str:
    """Return what a command prints on a terminal that changes nothing of it."""
    ours, theirs = pty.openpty()
    tty.setraw(theirs)
    with ThreadPoolExecutor(1) as reader:
        seen = reader.submit(lambda: b"".join(iter(lambda: _read(ours), b"")))
        with open(theirs, "w", encoding="utf-8", newline="") as terminal:  # noqa: PTH123 (an open file)
            code, _ = llm_archive.printing_to(terminal, *arguments)
    os.close(ours)
    assert code == 0
    return seen.result().decode()


def _read(terminal: int) -> bytes:
    try:
        return os.read(terminal, 65_536)
    except OSError:  # the other end is closed
        return b""


def test_what_text_needs_stays():
    assert shown("a\tb\r\nc\n\u00e9 👩\u200d🚀 \u0645\u0631\u062d\u0628\u0627") == (
        "a\tb\r\nc\n\u00e9 👩\u200d🚀 \u0645\u0631\u062d\u0628\u0627"
    )
    assert shown("a\rb\x1b[2Jc\u202ed\x9be") == "a\ufffdb\ufffd[2Jc\ufffdd\ufffde"


def printed_in(encoding: str, llm_archive: CommandLine, *arguments: str) -> bytes:
    """Return what a command prints where standard output has another encoding."""
    printed = io.BytesIO()
    output = io.TextIOWrapper(printed, encoding, write_through=True)
    code, said = llm_archive.printing_to(output, *arguments)
    assert (code, said) == (0, "")
    return printed.getvalue()


@pytest.mark.parametrize("encoding", ["ascii", "latin-1"])
def test_output_in_another_encoding_has_question_marks_instead_of_a_traceback(
    encoding: str, llm_archive: CommandLine, database: Database, tmp_path: Path
):
    load(database, tmp_path / "export.json", chatgpt("one", chain("hello", "world"), title="مرحبا"))
    assert b"????? " in printed_in(encoding, llm_archive, "list").replace(b"\n", b" ")


def test_json_in_another_encoding_has_every_character(llm_archive: CommandLine, database: Database, tmp_path: Path):
    title = "\u0645\u0631 \u00fc \U0001f680 \x7f"
    load(database, tmp_path / "export.json", chatgpt("one", chain("hello", "world"), title=title))
    printed = printed_in("latin-1", llm_archive, "list", "--json")
    assert printed.isascii()
    assert [dialogue["title"] for dialogue in json.loads(printed)] == [title]
