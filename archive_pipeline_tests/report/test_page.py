"""The page: whole without a network, in a browser too; and where it is written."""

from __future__ import annotations

import os
from datetime import UTC, datetime
from pathlib import Path

import pytest

from archive_pipeline.errors import ArchiveError
from archive_pipeline.report.charts import CHARTS, Count, Form, Report
from archive_pipeline.report.page import page, write_page

NASTY = "</svg><script>alert(1)</script>"


def report(*counts: Count) -> Report:
    of_names = [chart.name for chart in CHARTS if chart.form is Form.NAMES]
    return Report(
        datetime(2026, 11, 23, 12, tzinfo=UTC),
        {"dialogues": 12_345},
        {chart.name: list(counts) if chart.name in of_names else [] for chart in CHARTS},
    )


def test_every_chart_has_its_section_and_its_numbers():
    text = page(report(Count("chatgpt", "gpt-x", 4_321)))
    for chart in CHARTS:
        assert f'<h2 id="{chart.name}">{chart.title}</h2>' in text
    drawn = sum(chart.form is Form.NAMES for chart in CHARTS)
    assert (text.count("<svg"), text.count("<td>4,321</td>")) == (drawn, drawn)
    assert text.count("Nothing to count.") == len(CHARTS) - drawn
    assert "12,345" in text


def test_names_from_exports_are_no_markup():
    text = page(report(Count(NASTY, NASTY, 1)))
    assert "<script" not in text
    assert "&lt;script&gt;" in text


def test_nothing_is_loaded():
    text = page(report(Count("chatgpt", "gpt-x", 1)))
    assert "default-src 'none'" in text
    assert not [
        word for word in ("<script", "<link", "src=", "url(http", "@import") if word in text.replace("-src", "")
    ]


def test_a_report_replaces_a_report_and_nothing_else(tmp_path: Path):
    path = tmp_path / "report.html"
    write_page(report(), path)
    write_page(report(Count("chatgpt", "gpt-x", 1)), path)
    assert "gpt-x" in path.read_text(encoding="utf-8")
    assert [file.name for file in tmp_path.iterdir()] == ["report.html"]
    other = tmp_path / "notes.html"
    other.write_bytes(b"\xff my notes")
    with pytest.raises(ArchiveError, match=r"notes.html is there and no report"):
        write_page(report(), other)
    assert other.read_bytes() == b"\xff my notes"


def test_a_report_behind_a_link_is_replaced_with_its_permissions(tmp_path: Path):
    path, link = tmp_path / "report.html", tmp_path / "link.html"
    write_page(report(), path)
    path.chmod(0o600)
    link.symlink_to(path)
    write_page(report(Count("chatgpt", "gpt-x", 1)), link)
    assert link.is_symlink()
    assert "gpt-x" in path.read_text(encoding="utf-8")
    assert path.stat().st_mode & 0o777 == 0o600


def test_other_files_beside_it_are_left_alone(tmp_path: Path):
    mine, elsewhere = tmp_path / "mine", tmp_path / ".report.html.partial"
    mine.write_text("mine", encoding="utf-8")
    elsewhere.symlink_to(mine)
    write_page(report(), tmp_path / "report.html")
    assert mine.read_text(encoding="utf-8") == "mine"
    assert elsewhere.is_symlink()


def test_the_longest_name_is_a_name(tmp_path: Path):
    path = tmp_path / f"{'r' * 250}.html"
    write_page(report(), path)
    assert path.is_file()
    with pytest.raises(ArchiveError, match="cannot be written: File name too long"):
        write_page(report(), tmp_path / f"{'r' * 251}.html")


def test_a_pipe_is_no_report(tmp_path: Path):
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(ArchiveError, match="pipe is there and no report"):
        write_page(report(), tmp_path / "pipe")


def test_a_folder_that_is_not_there_is_an_error(tmp_path: Path):
    with pytest.raises(ArchiveError, match="cannot be written: No such file or directory"):
        write_page(report(), tmp_path / "missing" / "report.html")
