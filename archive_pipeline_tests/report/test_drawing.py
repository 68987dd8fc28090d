"""Charts are well-formed pictures of all that was counted, whatever the names in them."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as st

from archive_pipeline.report import drawing
from archive_pipeline.report.charts import CHARTS, NO_DATE, Chart, Count, Form
from archive_pipeline.report.drawing import LIGHT, MOST_MONTHS, MOST_ROWS, OTHERS, PAGE, draw, months_between
from archive_pipeline_tests.trials import trials

BY_FORM = {form: next(chart for chart in CHARTS if chart.form is form) for form in Form}


def texts(svg: str) -> list[str]:
    root = ET.fromstring(svg)  # noqa: S314 (own text)
    return ["".join(element.itertext()).strip() for element in root.iter() if element.tag.endswith("}text")]


def names(count: int) -> list[Count]:
    return [Count("chatgpt", f"name {number:03d}", count - number) for number in range(count)]


def test_names_stand_at_their_bars_the_largest_first():
    drawn = texts(draw(BY_FORM[Form.NAMES], [Count("x", "small", 1), Count("x", "large", 5)], LIGHT))
    assert drawn.index("large") < drawn.index("small")


def test_the_smallest_of_many_names_are_one():
    drawn = texts(draw(BY_FORM[Form.NAMES], names(MOST_ROWS + 5), LIGHT))
    assert f"name {MOST_ROWS - 2:03d}" in drawn
    assert f"name {MOST_ROWS - 1:03d}" not in drawn
    assert OTHERS in drawn
    assert OTHERS not in texts(draw(BY_FORM[Form.NAMES], names(MOST_ROWS), LIGHT))


def test_names_are_texts_and_never_markup_or_formulas():
    drawn = texts(draw(BY_FORM[Form.NAMES], [Count("x", "<b>&$\\frac{a}$", 1), Count("x", "a\nb\x1b[31m", 1)], LIGHT))
    assert "<b>&$\\frac{a}$" in drawn
    assert "a\N{REPLACEMENT CHARACTER}b\N{REPLACEMENT CHARACTER}[31m" in drawn


@pytest.mark.parametrize("name", ["font-family: serif", "#010101", "fill: #010200; x"])
def test_names_are_no_style(name: str):
    assert texts(draw(BY_FORM[Form.NAMES], [Count(name, name, 2), Count("x", "y", 1)], PAGE)).count(name) == 2


def test_a_month_without_messages_has_its_place():
    counts = [Count("x", "2023-11", 1), Count("x", "2024-02", 2)]
    drawn = texts(draw(BY_FORM[Form.MONTHS], counts, LIGHT))
    assert [text for text in drawn if text.startswith("20")] == ["2023-11", "2023-12", "2024-01", "2024-02"]


def test_what_has_no_date_stands_behind_the_months_and_is_named():
    # 13 columns have six labels, one for three columns; that of the tenth would cover the last one.
    months = [*months_between("2024-01", "2024-12"), NO_DATE]
    drawn = texts(draw(BY_FORM[Form.MONTHS], [Count("x", month, 1) for month in months], LIGHT))
    assert drawn[:5] == ["2024-01", "2024-04", "2024-07", "2024-10", NO_DATE]


def test_many_months_are_years():
    months = months_between("2010-01", "2020-12")
    assert len(months) == 132 > MOST_MONTHS
    drawn = texts(draw(BY_FORM[Form.MONTHS], [Count("x", month, 1) for month in months], LIGHT))
    assert {"2010", "2020"} <= set(drawn)
    assert "12" in drawn  # messages of a year, on the scale
    assert not [text for text in drawn if "-" in text]


@pytest.mark.parametrize(
    ("last", "first_label", "columns"), [("2050-01", "197x", 9), ("9999-12", "19xx", 81), ("2029-12", "1970", 60)]
)
def test_a_clock_that_was_wrong_does_not_make_thousands_of_columns(last: str, first_label: str, columns: int):
    svg = draw(BY_FORM[Form.MONTHS], [Count("x", "1970-01", 1), Count("x", last, 2)], LIGHT)
    assert first_label in texts(svg)
    assert svg.count(f"fill: {LIGHT.series[0]}") == columns


def test_more_series_than_colours_share_the_last_one():
    counts = [Count(f"series {number}", "2024-01", 100 - number) for number in range(12)]
    drawn = texts(draw(BY_FORM[Form.MONTHS], counts, LIGHT))
    assert [text for text in drawn if text.startswith("series")] == [f"series {number}" for number in range(7)]
    assert OTHERS in drawn


def test_a_page_s_chart_has_the_page_s_colours():
    svg = draw(BY_FORM[Form.NAMES], names(3), PAGE)
    assert not re.search(r"#[0-9a-f]{6}", svg)
    assert "var(--series-0)" in svg
    assert "<style" not in svg


def test_the_same_counts_give_the_same_text():
    assert draw(BY_FORM[Form.MONTHS], [Count("x", "2024-01", 3)], LIGHT) == draw(
        BY_FORM[Form.MONTHS], [Count("x", "2024-01", 3)], LIGHT
    )


LABELS = {
    Form.NAMES: st.text(min_size=1),
    Form.MONTHS: st.sampled_from([*months_between("2022-11", "2026-11"), NO_DATE]),
    Form.CLASSES: st.integers(1, 21),
}


@pytest.mark.slow
@pytest.mark.parametrize("chart", BY_FORM.values(), ids=lambda chart: chart.form.name)
@trials(5)
@given(data=st.data())
def test_any_counts_are_a_well_formed_picture(chart: Chart, data: st.DataObject):
    counts = data.draw(
        st.lists(st.builds(Count, st.text(), LABELS[chart.form], st.integers(1, 10**9)), min_size=1, max_size=20)
    )
    assert texts(draw(chart, counts, PAGE))


@pytest.mark.parametrize(
    ("labels", "shared"),
    [
        ([], 1),
        (["2024-01"], 1),
        ([f"2024-{month:02d}" for month in range(1, 13)], 2),  # six of seven characters
        ([f"{2**n + 1} to {2 ** (n + 1)}" for n in range(16)], 6),  # three of 14
        (["x" * 200, "y"], 2),
    ],
)
def test_labels_of_columns_cover_none_other(labels: list[str], shared: int):
    assert drawing._labelled_each(labels) == shared
