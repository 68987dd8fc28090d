"""A browser for tests, which waits long before it gives up: a busy machine takes its time.

Playwright is imported when a browser starts: workers without one need not pay for it.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

_MILLISECONDS: Final = 600_000


@contextmanager
def patient_browser(*flags: str) -> Iterator[Browser]:
    """Start a browser, with flags added to its command line; skip the test if none is installed."""
    from playwright.sync_api import expect as playwright_expect

    from benchmarks.browser import NoBrowserError, open_browser

    playwright_expect.set_options(timeout=_MILLISECONDS)
    try:
        with open_browser(*flags) as browser:
            yield browser
    except NoBrowserError as error:
        pytest.skip(str(error))


def expect(shown: Any) -> Any:
    """Return what waits for something on a page, as Playwright's function of this name."""
    from playwright.sync_api import expect as playwright_expect

    return playwright_expect(shown)


def new_page(browser: Browser, **options: Any) -> Page:
    """Open a page of a new visitor, with options of ``Browser.new_page``."""
    page = browser.new_page(**options)
    page.set_default_timeout(_MILLISECONDS)
    return page
