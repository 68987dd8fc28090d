"""Checks of the whole archive, run with `archive_summary`: their results over time are what one looks at.

Whatever can be plotted is a number that is there every time, zero or not.
"""

# No `from __future__ import annotations` here: Dagster reads the annotations of decorated functions.

from collections.abc import Mapping, Sequence
from typing import Any, Final

import dagster as dg
from psycopg.rows import dict_row

from archive_pipeline.building.dialogue_source import DIALOGUES
from archive_pipeline.building.verify import verify_sample
from archive_pipeline.domain.choices import Partitioning
from archive_pipeline.domain.counted import counted
from archive_pipeline.domain.partition_limits import FAIL_AT_KEYS, WARN_AT_KEYS
from archive_pipeline.orchestration.assets.summary import SUMMARY_ASSET, classes_of
from archive_pipeline.orchestration.partitions.key_sweep import KeyState, key_state
from archive_pipeline.orchestration.partitions.keys import NAMES
from archive_pipeline.orchestration.partitions.partition_migration import REGISTER_COMMAND
from archive_pipeline.orchestration.resources import Archive, transient_errors_retried
from archive_pipeline.readers.drift import KINDS
from archive_pipeline.store.acknowledgements import Unacknowledged, unacknowledged
from archive_pipeline.store.format_drift import DriftRow, unacknowledged_drift
from archive_pipeline.store.sql_files import load_query

SAMPLE: Final = 20
EXAMPLES: Final = 5


def partition_count_result(keys: int, partitioning: Partitioning) -> dg.AssetCheckResult:
    """Judge a number of partition keys."""
    advice = None
    if keys >= WARN_AT_KEYS:
        advice = (
            f"{keys:,} partitions: Dagster's pages slow down from {WARN_AT_KEYS:,} and are not made for more than "
            f"{FAIL_AT_KEYS:,}. Set ARCHIVE_PARTITIONING=sharded, which has at most 1,024, and run "
            f"`{REGISTER_COMMAND}`, which builds nothing and loses nothing."
        )
    return dg.AssetCheckResult(
        passed=keys < WARN_AT_KEYS,
        severity=dg.AssetCheckSeverity.ERROR if keys >= FAIL_AT_KEYS else dg.AssetCheckSeverity.WARN,
        description=advice,
        metadata={"partition_keys": keys, "partitioning": partitioning.value},
    )


def key_state_result(state: KeyState) -> dg.AssetCheckResult:
    """Judge whether Dagster has the archive's partition keys."""
    is_complete = not state.missing and not state.orphaned
    return dg.AssetCheckResult(
        passed=is_complete,
        severity=dg.AssetCheckSeverity.WARN,
        description=(
            None
            if is_complete
            else f"{counted(len(state.missing), 'key is', 'keys are')} missing, and "
            f"{counted(len(state.orphaned), 'belongs', 'belong')} to no dialogue. "
            "The sensor stale_dialogues and the nightly housekeeping repair both, but for keys under a run; "
            f"`{REGISTER_COMMAND}` does it at once."
        ),
        metadata={
            "registered_keys": state.registered,
            "missing_keys": len(state.missing),
            "orphaned_keys": len(state.orphaned),
            **({"examples_of_missing": state.missing[:EXAMPLES]} if state.missing else {}),
            **({"examples_of_orphaned": state.orphaned[:EXAMPLES]} if state.orphaned else {}),
        },
    )


def recent_imports_result(figures: Mapping[str, Any], days: int) -> dg.AssetCheckResult:
    """Judge how long ago the last import was.

    Args:
        figures: what ``recent_imports.sql`` returns.
        days: after how many days to warn; 0 for never.
    """
    hours = figures["hours_since_last_import"]
    is_recent = days == 0 or (hours is not None and hours <= 24 * days)
    since = "never" if hours is None else f"{hours / 24:.1f} days ago"
    counts = {name: count for name, count in figures.items() if name != "hours_since_last_import"}
    return dg.AssetCheckResult(
        passed=is_recent,
        severity=dg.AssetCheckSeverity.WARN,
        description=None if is_recent else f"The last import was {since}; ARCHIVE_FRESHNESS_DAYS allows {days} days.",
        metadata={**({} if hours is None else {"hours_since_last_import": round(hours, 2)}), **counts},
    )


def anomalies_result(found: Unacknowledged) -> dg.AssetCheckResult:
    """Judge what nobody has taken note of."""
    classes = {**classes_of(found.anomalies), "rejected_records": found.rejected_records}
    total = sum(classes.values())
    return dg.AssetCheckResult(
        passed=total == 0,
        severity=dg.AssetCheckSeverity.WARN,
        description=(
            f"{counted(total, 'surprise')}. raw.dialogues.diagnostics tells in which dialogues, raw.rejected_records "
            "what was rejected and why. `llm-archive acknowledge` takes note: then only what comes later is counted."
            if total
            else None
        ),
        metadata={
            "surprises": total,
            "failed_imports": found.failed_imports,
            **classes,
            **{name: count for name, count in found.anomalies.items() if name not in classes},
        },
    )


@dg.asset_check(
    asset=SUMMARY_ASSET,
    name="no_surprises",
    description=(
        "No dialogue has anything unusual (missing parents, cycles, characters that PostgreSQL does not take, "
        "parts of unknown kinds), and no record was rejected, but for what was acknowledged."
    ),
)
def no_surprises(archive: dg.ResourceParam[Archive]) -> dg.AssetCheckResult:
    with transient_errors_retried(), archive.database.session() as connection:
        return anomalies_result(unacknowledged(connection))


def drift_result(rows: Sequence[DriftRow]) -> dg.AssetCheckResult:
    """Judge what exports have that the readers do not know."""
    counts = {f"new_{kind}s": sum(row.kind == kind for row in rows) for kind in KINDS}
    return dg.AssetCheckResult(
        passed=not rows,
        severity=dg.AssetCheckSeverity.WARN,
        description=(
            f"{counted(len(rows), 'thing')} in exports that this version does not know; nothing of that is lost. "
            "raw.format_drift has their places. `llm-archive acknowledge` takes note of them."
            if rows
            else None
        ),
        metadata={
            "drift": len(rows),
            **counts,
            **({"examples": [f"{row.source} {row.path}: {row.value}" for row in rows[:EXAMPLES]]} if rows else {}),
        },
    )


@dg.asset_check(
    asset=SUMMARY_ASSET,
    name="formats_are_known",
    description="Exports have no field, content type or type of value that the readers do not know.",
)
def formats_are_known(archive: dg.ResourceParam[Archive]) -> dg.AssetCheckResult:
    with transient_errors_retried(), archive.database.session() as connection:
        return drift_result(unacknowledged_drift(connection))


@dg.asset_check(
    asset=SUMMARY_ASSET,
    name="imports_are_recent",
    description="The last import is no longer ago than ARCHIVE_FRESHNESS_DAYS, if that is set.",
)
def imports_are_recent(archive: dg.ResourceParam[Archive]) -> dg.AssetCheckResult:
    # Not a freshness policy of the raw tables: an import that finds everything unchanged writes none of them.
    with (
        transient_errors_retried(),
        archive.database.session() as connection,
        connection.cursor(row_factory=dict_row) as cursor,
    ):
        figures = cursor.execute(load_query("imports/recent_imports")).fetchall()
    return recent_imports_result(figures[0], archive.settings.freshness_days)


@dg.asset_check(
    asset=SUMMARY_ASSET,
    name="partition_count_within_limit",
    description=f"There are fewer than {WARN_AT_KEYS:,} partitions (an error from {FAIL_AT_KEYS:,}).",
)
def partition_count_within_limit(
    context: dg.AssetCheckExecutionContext, archive: dg.ResourceParam[Archive]
) -> dg.AssetCheckResult:
    partitioning = archive.settings.partitioning
    return partition_count_result(len(context.instance.get_dynamic_partitions(NAMES[partitioning])), partitioning)


@dg.asset_check(
    asset=SUMMARY_ASSET,
    name="partition_keys_match_dialogues",
    description="Every partition key is that of a dialogue, and every dialogue has a partition key.",
)
def partition_keys_match_dialogues(
    context: dg.AssetCheckExecutionContext, archive: dg.ResourceParam[Archive]
) -> dg.AssetCheckResult:
    with transient_errors_retried(), archive.database.session() as connection:
        return key_state_result(key_state(context.instance, connection, archive.settings.partitioning))


@dg.asset_check(
    asset=SUMMARY_ASSET,
    name="incremental_equals_rebuild",
    description=f"The stored rows of {SAMPLE} dialogues, others each time, are those that a rebuild gives.",
)
def incremental_equals_rebuild(
    context: dg.AssetCheckExecutionContext, archive: dg.ResourceParam[Archive]
) -> dg.AssetCheckResult:
    with transient_errors_retried():
        found = verify_sample(archive.database, archive.settings, DIALOGUES, number=SAMPLE, seed=context.run.run_id)
    differing = {table: drift.total for table, drift in found.drift.items()}
    return dg.AssetCheckResult(
        passed=not differing,
        severity=dg.AssetCheckSeverity.ERROR,
        description=(
            f"Rows differ in {', '.join(differing)}. Build them again with `llm-archive build --full`; if it "
            "returns, it is a defect."
            if differing
            else None
        ),
        metadata={
            "dialogues": len(found.compared),
            "rows": found.rows,
            "rows_differing": sum(differing.values()),
            **{f"differing_{table}": count for table, count in differing.items()},
            **({"dialogue_ids": found.compared} if differing else {}),
        },
    )


# None blocks anything: there is nothing downstream.
SUMMARY_CHECKS: Final = [
    no_surprises,
    formats_are_known,
    imports_are_recent,
    partition_count_within_limit,
    partition_keys_match_dialogues,
    incremental_equals_rebuild,
]
