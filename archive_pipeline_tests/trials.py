"""How many examples a law is tried with, and which ones.

The suite tries the same few each time. ``ARCHIVE_TEST_TRIALS`` says how many times as many to try, drawn anew, as
``make test-long`` does: for a night, or after a change of what the law is about.
"""

from __future__ import annotations

import os

from hypothesis import HealthCheck, settings

VARIABLE = "ARCHIVE_TEST_TRIALS"
# Of a law that says nothing else.
FEW = 50


def load_profile() -> None:
    """Make what this module says the settings of all laws.

    Some examples run against real servers: their time says nothing about the code.
    """
    settings.register_profile(
        "suite",
        max_examples=FEW * _times(),
        deadline=None,
        derandomize=_times() == 1,  # the choice of the suite must not vary by run
        database=None,
        suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow, HealthCheck.data_too_large],
    )
    settings.load_profile("suite")


def trials(number: int) -> settings:
    """Return the settings of a law that the suite tries so many times, since its examples take long or vary much."""
    return settings(max_examples=number * _times())


def _times() -> int:
    return int(os.environ.get(VARIABLE) or 1)
