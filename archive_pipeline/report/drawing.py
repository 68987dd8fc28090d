"""Draws charts as SVG, with matplotlib. Texts stay texts: they can be selected, and screen readers find them."""

from __future__ import annotations

import io
import re
import warnings
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from archive_pipeline.report.charts import NO_DATE, Chart, Count, Form, class_name

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis
    from matplotlib.figure import Figure

# Inches of 72 points: a phone shows the chart at about its own size.
WIDTH: Final = 4.4
HEIGHT: Final = 2.5
ROW_HEIGHT: Final = 0.26
MOST_ROWS: Final = 12
MOST_MONTHS: Final = 60
# How much of "2024-05" is kept: months; of too many columns years, then decades ("202x"), then centuries.
_PERIODS: Final = (7, 4, 3, 2)
MOST_LABELS: Final = 6
# Characters that fit below a chart, and between two labels.
_LABEL_CHARACTERS: Final = 56
_BETWEEN_LABELS: Final = 2
MOST_CHARACTERS: Final = 24
OTHERS: Final = "others"
# Colours that stand for those of a palette; they occur nowhere else.
_INK, _QUIET, _LINE = "#010101", "#010102", "#010103"
_SERIES: Final = tuple(f"#0102{number:02d}" for number in range(8))
_UNPRINTABLE: Final = re.compile(
    r"[^\S ]|[\x00-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069\ufffe\uffff\ud800-\udfff]"
)
# Where colours and fonts stand; names, whose angle brackets are escaped, stand between tags.
_TAG: Final = re.compile(r"<[^>]*>")
# What matplotlib measures with, which readers need not have; and rules that would hold for a whole page.
_FONTS: Final = re.compile(r"font-family: [^;\"]*")
_NOT_NEEDED: Final = re.compile(r"<defs>\s*<style.*?</style>\s*</defs>", re.DOTALL)
Bars = Mapping[str, Mapping[str, int]]


@dataclass(frozen=True, slots=True)
class Palette:
    """Colours in the words of CSS.

    Attributes:
        ink: of names.
        quiet: of numbers.
        line: of the grid.
        series: of what is counted, in order; there are as many as a chart can tell apart.
        ground: behind the chart; None if it is that of the page.
    """

    ink: str
    quiet: str
    line: str
    series: tuple[str, ...]
    ground: str | None = None


# Okabe and Ito's colours, which all kinds of eyes tell apart.
LIGHT: Final = Palette(
    "#1b1f24", "#59636e", "#d3d8de",
    ("#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#b8a800", "#767676"), "#ffffff",
)  # fmt: skip
PAGE: Final = Palette(
    "var(--ink)", "var(--quiet)", "var(--line)", tuple(f"var(--series-{place})" for place in range(8))
)


def draw(chart: Chart, counts: Sequence[Count], palette: Palette) -> str:
    """Return the chart of some counts as an SVG element; the same counts give the same text."""
    import matplotlib as mpl  # noqa: PLC0415 (here and below: slow to import, for who draws)
    from matplotlib.figure import Figure  # noqa: PLC0415

    bars = _months(counts) if chart.form is Form.MONTHS else _labelled(chart.form, counts)
    series = _series(counts)
    with mpl.rc_context({"svg.fonttype": "none", "svg.hashsalt": chart.name, "font.size": 9, "text.parse_math": False}):
        height = HEIGHT if chart.form is not Form.NAMES else 0.9 + ROW_HEIGHT * len(bars)
        figure = Figure(figsize=(WIDTH, height), layout="constrained")
        axes = figure.add_subplot()
        (_draw_rows if chart.form is Form.NAMES else _draw_columns)(axes, bars, series)
        _finish(axes, series)
        text = _as_text(figure)
    return _coloured(text, palette, f"{chart.title}: {chart.note}")


def _series(counts: Sequence[Count]) -> list[str]:
    """Return what colours stand for, the largest first; if there are too many, the last stands for all others."""
    totals: dict[str, int] = defaultdict(int)
    for count in counts:
        totals[count.series] += count.value
    named = sorted(totals, key=lambda name: (-totals[name], name))
    return named if len(named) <= len(_SERIES) else [*named[: len(_SERIES) - 1], OTHERS]


def _labelled(form: Form, counts: Sequence[Count]) -> Bars:
    """Return the values by label and series: classes in their order, names by size, the smallest as one."""
    bars: dict[str, dict[str, int]] = {}
    if form is Form.NAMES:
        totals: dict[str, int] = defaultdict(int)
        for count in counts:
            totals[str(count.label)] += count.value
        named = sorted(totals, key=lambda name: (-totals[name], name))
        shown = named if len(named) <= MOST_ROWS else named[: MOST_ROWS - 1]
        bars = {name: {} for name in shown}
    else:
        numbers = [int(count.label) for count in counts]
        bars = {class_name(number): {} for number in range(min(numbers), max(numbers) + 1)}
    for count in counts:
        label = str(count.label) if form is Form.NAMES else class_name(int(count.label))
        values = bars.get(label)
        if values is None:
            values = bars.setdefault(OTHERS, {})
        values[count.series] = values.get(count.series, 0) + count.value
    return bars


def _months(counts: Sequence[Count]) -> Bars:
    """Return the values of all months, or longer periods if there are too many, and behind them what has no date."""
    labels = sorted(str(count.label) for count in counts if count.label != NO_DATE)
    months = months_between(labels[0], labels[-1]) if labels else []
    bars: dict[str, dict[str, int]] = {}
    for size in _PERIODS:
        bars = {_period(month, size): {} for month in months}
        if len(bars) <= MOST_MONTHS:
            break
    for count in counts:
        values = bars.setdefault(_period(str(count.label), size), {})
        values[count.series] = values.get(count.series, 0) + count.value
    return bars


def _period(month: str, size: int) -> str:
    return NO_DATE if month == NO_DATE else month[:size].ljust(len("2024"), "x")


def months_between(first: str, last: str) -> list[str]:
    """Return all months (``2024-05``) from first to last."""
    start, end = (int(month[:4]) * 12 + int(month[5:]) - 1 for month in (first, last))
    return [f"{number // 12:04d}-{number % 12 + 1:02d}" for number in range(start, end + 1)]


def _stacked(bars: Bars, series: Sequence[str]) -> list[list[int]]:
    """Return for each series its value in each bar; what has no series of its own is in the last."""
    named = set(series)
    return [
        [
            sum(value for key, value in values.items() if key == name or (name == OTHERS and key not in named))
            for values in bars.values()
        ]
        for name in series
    ]


def _draw_columns(axes: Axes, bars: Bars, series: Sequence[str]) -> None:
    below = [0] * len(bars)
    for colour, values in zip(_SERIES, _stacked(bars, series), strict=False):
        axes.bar(range(len(bars)), values, bottom=below, width=0.8, color=colour)
        below = [low + value for low, value in zip(below, values, strict=True)]
    labels = [*map(_printable, bars)]
    ticks = _ticks(labels)
    axes.set_xticks(ticks, [labels[place] for place in ticks])
    _scale(axes.yaxis)
    axes.grid(axis="y", color=_LINE, linewidth=0.8)


def _ticks(labels: Sequence[str]) -> list[int]:
    """Return which columns have their label; what has no date always has it."""
    every = _labelled_each(labels)
    if NO_DATE not in labels:
        return [*range(0, len(labels), every)]
    last = len(labels) - 1
    return [*range(0, last - every + 1, every), last]


def _labelled_each(labels: Sequence[str]) -> int:
    """Return how many columns share a label, so that none covers another."""
    widest = max(map(len, labels), default=0) + _BETWEEN_LABELS
    return -(-len(labels) // max(1, min(MOST_LABELS, _LABEL_CHARACTERS // widest))) or 1


def _draw_rows(axes: Axes, bars: Bars, series: Sequence[str]) -> None:
    left = [0] * len(bars)
    for colour, values in zip(_SERIES, _stacked(bars, series), strict=False):
        axes.barh(range(len(bars)), values, left=left, height=0.75, color=colour)
        left = [low + value for low, value in zip(left, values, strict=True)]
    axes.set_yticks(range(len(bars)), [_printable(label) for label in bars])
    axes.set_ylim(len(bars) - 0.5, -0.5)
    _scale(axes.xaxis)
    axes.grid(axis="x", color=_LINE, linewidth=0.8)


def _scale(axis: Axis) -> None:
    from matplotlib.ticker import FuncFormatter, MaxNLocator  # noqa: PLC0415

    axis.set_major_locator(MaxNLocator(5, integer=True))
    axis.set_major_formatter(FuncFormatter(lambda value, _place: f"{value:,.0f}"))


def _finish(axes: Axes, series: Sequence[str]) -> None:
    axes.set_axisbelow(True)
    axes.set_frame_on(False)
    axes.tick_params(length=0, colors=_QUIET)
    if len(series) > 1:
        from matplotlib.patches import Patch  # noqa: PLC0415

        names = [Patch(color=colour, label=_printable(name)) for colour, name in zip(_SERIES, series, strict=False)]
        axes.figure.legend(
            handles=names, loc="outside upper left", ncols=3, frameon=False, labelcolor=_INK, handlelength=1
        )


def _printable(text: str) -> str:
    """Return a name from an export as one line that stays within its place."""
    text = _UNPRINTABLE.sub("\N{REPLACEMENT CHARACTER}", text)
    return text if len(text) <= MOST_CHARACTERS else f"{text[: MOST_CHARACTERS - 1]}…"


def _as_text(figure: Figure) -> str:
    figure.patch.set_visible(False)
    buffer = io.StringIO()
    with warnings.catch_warnings():
        # Names may be in any script: the reader's fonts draw them, not those that matplotlib measures with.
        warnings.filterwarnings("ignore", "Glyph .* missing from font", UserWarning)
        figure.savefig(buffer, format="svg", metadata=dict.fromkeys(("Date", "Creator", "Format", "Type")))
    return _NOT_NEEDED.sub("", buffer.getvalue())


def _coloured(text: str, palette: Palette, description: str) -> str:
    """Return the SVG element alone, in the colours of the palette, with a description."""
    named = (palette.ink, palette.quiet, palette.line, *palette.series)
    colours = dict(zip((_INK, _QUIET, _LINE, *_SERIES), named, strict=True))
    element = _TAG.sub(lambda tag: _styled(tag[0], colours), text[text.index("<svg") :])
    if palette.ground is not None:
        element = element.replace(">", f'><rect width="100%" height="100%" fill="{palette.ground}"/>', 1)
    return element.replace("<svg", f'<svg role="img" aria-label="{description}"', 1)


def _styled(tag: str, colours: Mapping[str, str]) -> str:
    for stands_for, colour in colours.items():
        tag = tag.replace(stands_for, colour)
    return _FONTS.sub("font-family: sans-serif", tag)
