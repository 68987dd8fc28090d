"""Times of Takeout's pages, in the languages and zones that accounts have; the expected ones are worked out by hand."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from archive_pipeline.readers.gemini.page_times import is_time, read_time


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("Jul 26, 2026, 8:07:57\u202fAM CEST", "2026-07-26T06:07:57"),
        ("Jul 26, 2026, 8:07:57 AM CEST", "2026-07-26T06:07:57"),
        ("Dec 31, 2026, 12:00:00 AM CET", "2026-12-30T23:00:00"),
        ("Jan 1, 2026, 12:30:00 PM PST", "2026-01-01T20:30:00"),
        # The zone is that of the day of the export: summer time is written in winter, too.
        ("5. nov. 2025, 01:34:47 CEST", "2025-11-04T23:34:47"),
        ("18 Sept 2025, 12:02:52 GMT+1", "2025-09-18T11:02:52"),
        ("26 juil. 2026, 08:07:57 UTC+02:00", "2026-07-26T06:07:57"),
        ("2 sept. 2026 à 09:00:00 UTC\u22123", "2026-09-02T12:00:00"),
        ("10 de mai. de 2026, 03:46:09 BRT", "2026-05-10T06:46:09"),
        ("26 jul 2026, 8:07:57 a.\u00a0m. GMT-5", "2026-07-26T13:07:57"),
        ("12.07.2026, 23:29:21 MESZ", "2026-07-12T21:29:21"),
        ("17. Aug. 2026, 22:14:48 MESZ", "2026-08-17T20:14:48"),
        ("26.7.2026 klo 8.07.57 EEST", "2026-07-26T05:07:57"),
        ("15 mrt 2026, 20:30:41 CET", "2026-03-15T19:30:41"),
        ("17 Ağu 2026, 22:14:48 GMT+3", "2026-08-17T19:14:48"),
        ("26 июл. 2026 \u0433., 8:07:57 MSK", "2026-07-26T05:07:57"),
        ("2026年7月30日 00:23:06 CEST", "2026-07-29T22:23:06"),
        ("2026/07/26 8:07:57 JST", "2026-07-25T23:07:57"),
        ("2026. 7. 26. 오전 8:07:57 KST", "2026-07-25T23:07:57"),
        ("23\u200f/07\u200f/2026\u060c 4:20:22 م CEST", "2026-07-23T14:20:22"),
        ("05\u200f/07\u200f/2026\u060c 12:20:22 ص GMT+5:30", "2026-07-04T18:50:22"),
        ("26/07/2026, 08:07:57 GMT+02:00", "2026-07-26T06:07:57"),
        ("7/26/2026, 8:07:57 AM EDT", "2026-07-26T12:07:57"),
    ],
)
def test_a_time_is_read(written: str, expected: str):
    assert is_time(written)
    assert read_time(written) == datetime.fromisoformat(expected).replace(tzinfo=UTC)


@pytest.mark.parametrize(
    "written",
    [
        "Jul 26, 2026, 8:07:57 AM CST",  # Chicago, Shanghai or Havana
        "Jul 26, 2026, 8:07:57 AM IST",
        "26 Jul 2026, 08:07:57 BST",
        "Jul 26, 2026, 8:07:57 AM",
        "7/8/2026, 8:07:57 AM EDT",  # July or August
        "8 lip 2026, 08:07:57 CEST",  # Polish or Croatian
        "26 Juli 2026, 08:07:57 XYZT",
        "Jul 26, 2026, 13:07:57 PM PDT",
        "Feb 30, 2026, 8:07:57 AM PDT",
        "2 Smarch 2026, 08:00:00 UTC",
        "26. 7. 2026 25:07:57 CET",
        "Jan 1, 0001, 1:00:00 AM CET",
        "26 Jul 2026, 08:07:57 GMT+99",
    ],
)
def test_a_time_that_is_open_to_doubt_is_none(written: str):
    assert is_time(written)
    assert read_time(written) is None


@pytest.mark.parametrize(
    "line", ["", "at 8:07:57", "2026", "in 2026 I ran 10:20:30 and then went on for many more miles", "12:00 2026 x"]
)
def test_other_lines_are_no_times(line: str):
    assert not is_time(line)
    assert read_time(line) is None


@given(st.text(alphabet="0123456789:.,/ -+apmAPMJulCEST年月日\u202f", max_size=70))
def test_nothing_is_raised_whatever_a_line_says(line: str):
    assert read_time(line) is None or is_time(line)


@given(
    st.integers(1_680_000_000, 4_000_000_000),
    st.integers(-12, 14),
    st.sampled_from(
        [
            "%b %d, %Y, %I:%M:%S %p",
            "%d %b %Y, %H:%M:%S",
            "%d.%m.%Y, %H:%M:%S",
            "%Y-%m-%d %H:%M:%S",
            "%Y年%m月%d日 %H:%M:%S",
        ]
    ),
)
def test_what_was_written_is_what_is_read(seconds: int, hours: int, layout: str):
    local = datetime.fromtimestamp(seconds, timezone(timedelta(hours=hours)))
    assert read_time(f"{local.strftime(layout)} GMT{hours:+}") == local
