"""Pages of Dagster's UI in headless Chromium: seconds until their content is there, and a picture of each."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from playwright.sync_api import Page as OpenPage
from playwright.sync_api import ViewportSize

from benchmarks.browser import open_browser

PAGE_SECONDS: Final = 120
# On a smaller one the graph shows the assets by their names only.
VIEWPORT: Final = ViewportSize(width=2_560, height=1_600)


@dataclass(frozen=True)
class Page:
    """A page to open.

    Attributes:
        name: of the picture.
        path: below the UI's address.
        texts: all of them are visible when the content is there.
    """

    name: str
    path: str
    texts: tuple[str, ...]


def pages(partitions: int) -> tuple[Page, ...]:
    """Return the graph of the derived assets, and the partitions of one of them, with all of them built."""
    return (
        Page("asset_graph", "/locations/archive_pipeline/asset-groups/derived", (f"{partitions:,} partitions",)),
        Page("partitions", "/assets/content_hashes?view=partitions", (f"Materialized ({partitions})",)),
    )


def open_pages(address: str, wanted: Iterable[Page], pictures: Path) -> Iterator[tuple[str, float]]:
    """Open each page in a browser of its own; yield its name and the seconds until its texts were visible.

    Raises:
        TimeoutError: of Playwright, if a text does not come; the picture is taken nevertheless.
        NoBrowserError: Chromium is not installed.
    """
    for page in wanted:
        with open_browser() as browser:
            opened = browser.new_page(viewport=VIEWPORT)
            started = time.perf_counter()
            try:
                opened.goto(address + page.path)
                _wait_for_texts(opened, page.texts)
                yield page.name, time.perf_counter() - started
            finally:
                opened.screenshot(path=pictures / f"{page.name}.png")


def _wait_for_texts(page: OpenPage, texts: tuple[str, ...]) -> None:
    for text in texts:
        page.get_by_text(text).first.wait_for(timeout=PAGE_SECONDS * 1000)
