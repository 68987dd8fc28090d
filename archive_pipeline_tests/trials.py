"""How many examples of histories a law is tried with, each of which imports, builds or both.

They take tenths of a second, so each law says how many the suite tries. ``ARCHIVE_TEST_TRIALS`` says how many times as
many to try: for a night, or after a change of what merges exports.
"""

from __future__ import annotations

import os

from hypothesis import settings

VARIABLE = "ARCHIVE_TEST_TRIALS"


def trials(number: int) -> settings:
    """Return the settings of a law that the suite tries so many times."""
    return settings(max_examples=number * int(os.environ.get(VARIABLE) or 1))
