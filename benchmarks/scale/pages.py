"""Pages of Dagster's UI in headless Chromium: seconds until their content is there, and a picture of each."""

from __future__ import annotations

import shutil
import tempfile
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from selenium import webdriver
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By
from selenium.webdriver.support.ui import WebDriverWait

PAGE_SECONDS: Final = 120
FLAGS: Final = (
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--window-size=1600,1000",
)


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


def pages(dialogues: int) -> tuple[Page, ...]:
    """Return the graph of the derived assets, and the partitions of one of them, with all dialogues built."""
    return (
        Page("asset_graph", "/locations/archive_pipeline/asset-groups/derived", (f"{dialogues:,} partitions",)),
        Page("partitions", "/assets/content_hashes?view=partitions", (f"Materialized ({dialogues})",)),
    )


def open_pages(address: str, wanted: Iterable[Page], pictures: Path) -> Iterator[tuple[str, float]]:
    """Open each page in a browser of its own; yield its name and the seconds until its texts were visible.

    Raises:
        TimeoutException: of Selenium, if a text does not come; the picture is taken nevertheless.
        RuntimeError: Chromium or its driver is not installed.
    """
    for page in wanted:
        with _browser() as browser:
            started = time.perf_counter()
            try:
                browser.get(address + page.path)
                _wait_for_texts(browser, page.texts)
                yield page.name, time.perf_counter() - started
            finally:
                browser.save_screenshot(str(pictures / f"{page.name}.png"))


def _wait_for_texts(browser: webdriver.Chrome, texts: tuple[str, ...]) -> None:
    def are_visible(driver: webdriver.Chrome) -> bool:
        shown = driver.find_element(By.TAG_NAME, "body").text
        return all(text in shown for text in texts)

    WebDriverWait(browser, PAGE_SECONDS, poll_frequency=0.1).until(are_visible, f"waited in vain for {texts}")


@contextmanager
def _browser() -> Iterator[webdriver.Chrome]:
    chromium, driver = shutil.which("chromium"), shutil.which("chromedriver")
    if chromium is None or driver is None:
        raise RuntimeError("Chromium and chromedriver are needed (on Debian: apt-get install chromium chromium-driver)")
    with tempfile.TemporaryDirectory(prefix="chromium-") as profile:
        options = webdriver.ChromeOptions()
        options.binary_location = chromium
        for flag in (*FLAGS, f"--user-data-dir={profile}"):
            options.add_argument(flag)
        browser = webdriver.Chrome(options=options, service=Service(driver))
        try:
            yield browser
        finally:
            browser.quit()
