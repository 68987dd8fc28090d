"""Attacks reach a site that takes whatever it is asked, so that one on which nothing happens has refused them."""

from __future__ import annotations

from pathlib import Path

import pytest

from archive_pipeline_tests.browsers import new_page, patient_browser
from archive_pipeline_tests.system.attacks import ATTACKS, REBOUND, attack, empty_site, launch_of

pytestmark = pytest.mark.system

BY_GET = ("fetch by GET", "picture", "frame", "WebSocket")


def test_attacks_are_sent():
    asked: set[tuple[str, str]] = set()
    with patient_browser(REBOUND) as browser, empty_site(set()) as elsewhere, empty_site(asked) as target:
        page = new_page(browser)
        page.goto(f"http://evil.example:{elsewhere}")
        attack(page, f"http://127.0.0.1:{target}", launch_of(Path("export.json")))
    # All are simple requests but the one of JSON, before which the browser asks whether it may. A busy machine may have
    # the browser send one twice.
    methods = {**dict.fromkeys(ATTACKS, "POST"), **dict.fromkeys(BY_GET, "GET"), "fetch of JSON": "OPTIONS"}
    assert asked == {(method, kind) for kind, method in methods.items()}
