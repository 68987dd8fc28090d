"""The page in a real browser: nothing is asked for, nothing is wider than a phone, charts differ in the dark."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from archive_pipeline.report.charts import CHARTS, Count, Form, Report
from archive_pipeline.report.page import write_page
from archive_pipeline_tests.browsers import expect, new_page, patient_browser

if TYPE_CHECKING:
    from playwright.sync_api import Browser, ViewportSize

pytestmark = pytest.mark.system

PHONE: ViewportSize = {"width": 360, "height": 700}
LABELS: dict[Form, list[str | int]] = {
    Form.NAMES: [f"a-model-with-a-long-name-{number}" for number in range(15)],
    Form.MONTHS: ["2023-01", "2026-11"],
    Form.CLASSES: [2, 12],
}


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with patient_browser() as browser:
        yield browser


@pytest.fixture
def address(tmp_path: Path) -> str:
    counts = {
        chart.name: [Count(series, label, 7) for series in ("one", "two") for label in LABELS[chart.form]]
        for chart in CHARTS
    }
    path = tmp_path / "report.html"
    write_page(Report(datetime(2026, 11, 23, tzinfo=UTC), {"dialogues": 1_234_567}, counts), path)
    return path.as_uri()


def test_the_page_asks_for_nothing_and_fits_a_phone(browser: Browser, address: str):
    page = new_page(browser, viewport=PHONE)
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto(address)
    assert asked == [address]
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
    assert page.evaluate("[...document.querySelectorAll('svg')].every(svg => svg.getBoundingClientRect().height > 60)")
    page.close()


@pytest.mark.long
def test_a_screen_reader_finds_every_chart_and_its_numbers(browser: Browser, address: str):
    page = new_page(browser)
    page.goto(address)
    for chart in CHARTS:
        expect(page.get_by_role("region", name=chart.title, exact=True)).to_be_visible()
        expect(page.get_by_role("img", name=f"{chart.title}: {chart.note}")).to_be_visible()
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(page.get_by_role("cell", name="2026-11").first).to_be_visible()
    page.close()


@pytest.mark.long
def test_the_system_s_scheme_decides_the_colours(browser: Browser, address: str):
    inks = set()
    for scheme in ("light", "dark"):
        page = new_page(browser, color_scheme=scheme)
        page.goto(address)
        inks.add(page.evaluate("getComputedStyle(document.querySelector('svg text')).fill"))
        page.close()
    assert len(inks) == 2
