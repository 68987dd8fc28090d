"""What a redactor makes of the findings of its rules, and whose name it knows."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from archive_pipeline.errors import ExportError
from archive_pipeline.export.redaction.redactor import KEY_FILE, Redactor, open_redactor
from archive_pipeline.export.redaction.rules import Finder, Span, finders, word_finders
from archive_pipeline.retrieval.reading.outline import Heading
from archive_pipeline_tests.work import steps


def test_the_work_of_choosing_grows_with_what_is_found():
    def each_word(text: str) -> Iterator[Span]:
        yield from (Span(match.start(), match.end(), "WORD") for match in re.finditer(r"\b\w+!", text))

    def work(size: int) -> int:
        return steps(lambda: Redactor([each_word, each_word], b"k").text("a! bc! d? " * size))

    assert work(400) < 5 * work(100)


def test_of_what_overlaps_the_first_rule_wins_and_of_one_rule_the_first_place():
    def rule(name: str, *spans: tuple[int, int]) -> Finder:
        return lambda text: iter([Span(*span, name) for span in spans] if text == "abcdefgh" else [])

    found = Redactor([rule("A", (2, 4), (6, 8)), rule("B", (0, 3), (3, 7), (4, 6), (2, 4), (0, 1), (0, 2))], b"k")
    assert re.sub("-[0-9a-f]{8}", "", found.text("abcdefgh")) == "[B]b[A][B][A]"


def test_a_user_without_an_account_has_no_name_to_redact(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    for variable in ("LOGNAME", "USER", "LNAME", "USERNAME"):
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setattr(os, "getuid", lambda: 4_000_000_000)
    assert "[EMAIL-" in open_redactor(tmp_path, [], None).text("ann.lee@example.org")


@pytest.mark.parametrize(("account", "stays"), [("annlee", False), ("root", True)])
def test_the_name_of_the_account_is_redacted_unless_it_is_a_word(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, account: str, stays: bool
):
    monkeypatch.setattr("getpass.getuser", lambda: account)
    assert (account in open_redactor(tmp_path, [], None).text(f"by {account}")) is stays


def test_a_damaged_key_makes_no_placeholders(tmp_path: Path):
    (tmp_path / KEY_FILE).write_bytes(b"")
    with pytest.raises(ExportError, match="is no key"):
        open_redactor(tmp_path, [], None)


@pytest.mark.parametrize(
    ("name", "left"),
    [
        ("mcp__acme__search", "mcp__<NAME>__search"),
        ("mail ann.lee@corp.example", "mail <EMAIL>"),
        # Providers take "ann_lee" for it.
        ("read/ann/lee", "read_<NAME>"),
        ("read/all of Acme", "read/all of <NAME>"),
        ("functions.read/all", "functions.read/all"),
        (None, None),
    ],
)
def test_the_name_of_a_tool_has_nothing_private_either_as_providers_take_it(name: str | None, left: str | None):
    found = Redactor(finders(None), b"k", word_finders(["Ann Lee", "acme"], [])).tool_name(name)
    assert (found and re.sub(r"\[([A-Z]+)-[0-9a-f]{8}\]", r"<\1>", found)) == left


def test_a_word_that_placeholders_have_leaves_them():
    found = Redactor(finders(None), b"k", word_finders(["name", "acme"], [])).tool_name("acme")
    assert re.fullmatch(r"\[NAME-[0-9a-f]{8}\]", found or "")


def test_the_key_of_a_dialogue_has_no_word_of_the_id_of_its_source():
    heading = Heading("1", "droid-acme-7", "droid", None, None, None, None, 1)
    found = Redactor(finders(None), b"k", word_finders(["acme"], [])).heading(heading)
    assert re.fullmatch(r"droid-\[NAME-[0-9a-f]{8}\]-7", found.partition_key)
