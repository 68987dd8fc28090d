"""The asset `archive_summary`: overall figures, because nobody reads the states of a hundred thousand partitions."""

# No `from __future__ import annotations` here: Dagster reads the annotations of decorated functions.

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import dagster as dg
from psycopg.rows import dict_row

from archive_pipeline.derive.registry import ASSETS, code_versions
from archive_pipeline.orchestration.assets.raw import OWNERS
from archive_pipeline.orchestration.markdown import as_image, escaped
from archive_pipeline.orchestration.resources import Archive, transient_errors_retried
from archive_pipeline.report.charts import CHARTS, Count, count_charts
from archive_pipeline.store.counts import count_quarantined, count_stale
from archive_pipeline.store.database import Database
from archive_pipeline.store.look_ups import LookUps, all_look_ups, look_ups
from archive_pipeline.store.sql_files import load_query
from archive_pipeline.text.sanitize import SANITIZED_NUL, SANITIZED_SURROGATE

SUMMARY_ASSET: Final = "archive_summary"
SUMMARY_JOB: Final = "summarize_archive"
GROUP: Final = "summary"
_MONTHS_IN_TABLE: Final = 24
_UNKNOWN: Final = "unknown"


# What one looks for over the months, each with the anomalies it is made of. All others are "other".
ANOMALY_CLASSES: Final = {
    "orphans": ("missing_parent",),
    "cycles": ("cycle",),
    "sanitized_characters": (SANITIZED_NUL, SANITIZED_SURROGATE, "invalid_utf8"),
    "unknown_parts": ("unknown_part",),
}


@dataclass(frozen=True)
class Summary:
    """Overall figures.

    Attributes:
        totals: one number per name: dialogues, messages, imports, rejected records, bytes.
        sources: per source its name, dialogues and messages.
        months: (month or None, dialogues, messages), in order.
        shapes: one number per name: linear dialogues, those with regenerations, and so on.
        anomalies: per name its occurrences, and the dialogues it occurs in.
        stale: dialogues to build per asset.
        quarantined: dialogues that cannot be built, per asset that has any.
        quarantined_dialogues: how many dialogues these are.
        look_ups: of messages arrays, per entry point.
    """

    totals: dict[str, int]
    sources: list[dict[str, Any]]
    months: list[tuple[str | None, int, int]]
    shapes: dict[str, int]
    anomalies: list[dict[str, Any]]
    stale: dict[str, int]
    quarantined: dict[str, int]
    quarantined_dialogues: int
    look_ups: list[LookUps]


summarize_archive: Final = dg.define_asset_job(
    SUMMARY_JOB,
    selection=dg.AssetSelection.assets(SUMMARY_ASSET),
    description="Makes the overall figures of the archive and runs their checks.",
    executor_def=dg.in_process_executor,
)


@dg.asset(
    name=SUMMARY_ASSET,
    deps=list(map(dg.AssetKey, ASSETS)),
    group_name=GROUP,
    owners=OWNERS,
    kinds={"postgres", "python"},
    description=(
        "What the archive holds: dialogues and messages by source and month, shapes of trees, what was rejected, "
        "what is stale or quarantined. Made after imports and every night; the figures are in its metadata and can "
        "be plotted."
    ),
)
def archive_summary(archive: dg.ResourceParam[Archive]) -> dg.MaterializeResult[None]:
    with transient_errors_retried():
        summary = summarize(archive.database, code_versions(archive.settings))
        with archive.database.snapshot() as connection:
            counted = count_charts(connection)
    return dg.MaterializeResult(metadata={"charts": dg.MetadataValue.md(charts(counted)), **summary_metadata(summary)})


def summarize(database: Database, versions: dict[str, str]) -> Summary:
    """Ask the database for all figures; ``versions`` has the effective version of each derived asset."""
    with database.session() as connection, connection.cursor(row_factory=dict_row) as cursor:
        rows = {
            name: cursor.execute(load_query(f"summary/{name}")).fetchall()
            for name in ("summary_totals", "stats_sources", "summary_months", "summary_shapes", "summary_surprises")
        }
        stale = count_stale(connection, versions)
        quarantined = count_quarantined(connection, versions)
        asked = look_ups(connection)
    return Summary(
        totals=rows["summary_totals"][0],
        sources=rows["stats_sources"],
        months=[(row["month"], row["dialogues"], row["messages"]) for row in rows["summary_months"]],
        shapes=rows["summary_shapes"][0],
        anomalies=rows["summary_surprises"],
        stale=stale,
        quarantined=quarantined.by_asset,
        quarantined_dialogues=quarantined.dialogues,
        look_ups=asked,
    )


def summary_metadata(summary: Summary) -> dict[str, Any]:
    """Return the figures as Dagster shows them: numbers that it plots over time, and a report."""
    return {
        "report": dg.MetadataValue.md(report(summary)),
        **summary.totals,
        **{f"dialogues_{row['source']}": row["dialogues"] for row in summary.sources},
        **{f"shape_{name}": count for name, count in summary.shapes.items()},
        **{f"surprises_{name}": count for name, count in anomaly_classes(summary).items()},
        "surprises": sum(row["occurrences"] for row in summary.anomalies),
        "stale_dialogues": max(summary.stale.values(), default=0),
        "quarantined_dialogues": summary.quarantined_dialogues,
        **reuse(summary),
    }


def reuse(summary: Summary) -> dict[str, int | float]:
    """Return what became of look-ups, over all entry points and the hit rate of each: numbers that Dagster plots."""
    total = all_look_ups(summary.look_ups)
    return {
        "look_ups": total.asked,
        "look_ups_found": total.found,
        "look_ups_generated_equal": total.generated_equal,
        "look_ups_generated_new": total.generated_new,
        "look_ups_missed": total.missed,
        "hit_rate": total.hit_rate,
        **{f"hit_rate_{each.door}": each.hit_rate for each in summary.look_ups},
    }


def anomaly_classes(summary: Summary) -> dict[str, int]:
    """Return the occurrences of every class of anomalies, also of those that did not occur."""
    return classes_of({row["name"]: row["occurrences"] for row in summary.anomalies})


def classes_of(anomalies: Mapping[str, int]) -> dict[str, int]:
    """Return the occurrences of every class, given those of every name."""
    classes = {name: class_ for class_, names in ANOMALY_CLASSES.items() for name in names}
    counted = dict.fromkeys([*ANOMALY_CLASSES, "other"], 0)
    for name, occurrences in anomalies.items():
        kind, _, _detail = name.partition(":")
        counted[classes.get(kind, "other")] += occurrences
    return counted


def charts(counted: Mapping[str, Sequence[Count]]) -> str:
    """Return the charts of `llm-archive report` of which something was counted, as Markdown."""
    # Each run of any asset loads this module, in a process of its own, and drawing loads matplotlib.
    from archive_pipeline.report.drawing import LIGHT, draw  # noqa: PLC0415

    drawn = [
        f"### {chart.title}\n\n{chart.note}\n\n{as_image(draw(chart, counted[chart.name], LIGHT), chart.title)}"
        for chart in CHARTS
        if counted[chart.name]
    ]
    return "\n\n".join(drawn)


def report(summary: Summary) -> str:
    """Return the figures as Markdown tables."""
    shapes = [(name.replace("_", " "), count) for name, count in summary.shapes.items()]
    months = [(month or _UNKNOWN, dialogues, messages) for month, dialogues, messages in summary.months]
    sections = [
        _table(
            ("source", "dialogues", "messages"),
            [*((row["source"], row["dialogues"], row["messages"]) for row in summary.sources), _sum(summary)],
        ),
        _table(("trees", "number"), shapes),
        _table((f"month (last {_MONTHS_IN_TABLE})", "dialogues", "messages"), months[-_MONTHS_IN_TABLE:]),
        _table(
            ("surprise", "occurrences", "dialogues"),
            [(row["name"].replace("_", " "), row["occurrences"], row["dialogues"]) for row in summary.anomalies],
        ),
        _table(
            ("asset", "stale dialogues", "quarantined dialogues"),
            [(asset, stale, summary.quarantined.get(asset, 0)) for asset, stale in summary.stale.items()],
        ),
        _table(
            ("look-ups", "asked", "found", "generated equal", "generated new", "missed"),
            [
                (each.door, each.asked, each.found, each.generated_equal, each.generated_new, each.missed)
                for each in summary.look_ups
            ],
        ),
    ]
    return "\n\n".join(section for section in sections if section)


def _sum(summary: Summary) -> tuple[str, int, int]:
    return "all", summary.totals["dialogues"], summary.totals["messages"]


def _table(heads: Sequence[str], rows: Sequence[Sequence[Any]]) -> str:
    if not rows:
        return ""
    lines = [heads, ["---", *(["---:"] * (len(heads) - 1))]]
    # Names of parts come from exports.
    lines += [[f"{cell:,}" if isinstance(cell, int) else escaped(str(cell)) for cell in row] for row in rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)
