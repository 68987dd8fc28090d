"""Checks of the whole archive, run with `archive_summary`: their results over time are what one looks at."""

# No `from __future__ import annotations` here: Dagster reads the annotations of decorated functions.

from typing import Final

import dagster as dg

from archive_pipeline.orchestration.key_sweep import KeyDifferences, key_differences
from archive_pipeline.orchestration.partitions import NAMES
from archive_pipeline.orchestration.resources import Archive, transient_errors_retried
from archive_pipeline.orchestration.stale_keys import code_versions
from archive_pipeline.orchestration.summary import SUMMARY_ASSET, summarize
from archive_pipeline.settings import Partitioning
from archive_pipeline.verifying import verify_sample

WARN_AT_KEYS: Final = 50_000
FAIL_AT_KEYS: Final = 100_000
SAMPLE: Final = 20
EXAMPLES: Final = 5


def summary_checks() -> list[dg.AssetChecksDefinition]:
    """Return the definitions of all checks; none blocks anything, there is nothing downstream."""
    return [
        _no_surprises(),
        _partition_count_within_limit(),
        _partition_keys_match_dialogues(),
        _incremental_equals_rebuild(),
    ]


def partition_count_result(keys: int, partitioning: Partitioning) -> dg.AssetCheckResult:
    """Judge a number of partition keys."""
    advice = None
    if keys >= WARN_AT_KEYS:
        advice = (
            f"{keys:,} partitions: Dagster's pages slow down from {WARN_AT_KEYS:,} and are not made for more than "
            f"{FAIL_AT_KEYS:,}. Set ARCHIVE_PARTITIONING=sharded, which has 1,024 whatever the size of the archive."
        )
    return dg.AssetCheckResult(
        passed=keys < WARN_AT_KEYS,
        severity=dg.AssetCheckSeverity.ERROR if keys >= FAIL_AT_KEYS else dg.AssetCheckSeverity.WARN,
        description=advice,
        metadata={"partition_keys": keys, "partitioning": partitioning.value},
    )


def _no_surprises() -> dg.AssetChecksDefinition:
    @dg.asset_check(
        asset=SUMMARY_ASSET,
        name="no_surprises",
        description=(
            "No dialogue has anything unusual (missing parents, cycles, characters that PostgreSQL does not take, "
            "parts of unknown kinds), and no record was rejected."
        ),
    )
    def no_surprises(archive: dg.ResourceParam[Archive]) -> dg.AssetCheckResult:
        with transient_errors_retried():
            summary = summarize(archive.database, {})
        found = {row["name"]: row["occurrences"] for row in summary.surprises}
        found["rejected_records"] = summary.totals["rejected_records"]
        total = sum(found.values())
        return dg.AssetCheckResult(
            passed=total == 0,
            severity=dg.AssetCheckSeverity.WARN,
            description=(
                f"{total:,} surprises. raw.dialogues.diagnostics tells in which dialogues, raw.rejected_records what "
                "was rejected and why."
                if total
                else None
            ),
            metadata={"surprises": total, **found},
        )

    return no_surprises


def _partition_count_within_limit() -> dg.AssetChecksDefinition:
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

    return partition_count_within_limit


def key_differences_result(found: KeyDifferences) -> dg.AssetCheckResult:
    """Judge how partition keys and dialogues differ."""
    strange, missing = found.keys_without_dialogue, found.dialogues_without_key
    return dg.AssetCheckResult(
        passed=not strange and not missing,
        severity=dg.AssetCheckSeverity.WARN,
        description=(
            f"{len(strange):,} keys have no dialogue, {len(missing):,} dialogues have no key. The sensor "
            "stale_dialogues and the nightly housekeeping repair both, but for keys under a run."
            if strange or missing
            else None
        ),
        metadata={
            "keys_without_dialogue": len(strange),
            "dialogues_without_key": len(missing),
            **({"examples_of_keys": strange[:EXAMPLES]} if strange else {}),
            **({"examples_of_dialogues": missing[:EXAMPLES]} if missing else {}),
        },
    )


def _partition_keys_match_dialogues() -> dg.AssetChecksDefinition:
    @dg.asset_check(
        asset=SUMMARY_ASSET,
        name="partition_keys_match_dialogues",
        description="Every partition key is that of a dialogue, and every dialogue has a partition key.",
    )
    def partition_keys_match_dialogues(
        context: dg.AssetCheckExecutionContext, archive: dg.ResourceParam[Archive]
    ) -> dg.AssetCheckResult:
        with transient_errors_retried():
            return key_differences_result(key_differences(context.instance, archive.database, archive.settings))

    return partition_keys_match_dialogues


def _incremental_equals_rebuild() -> dg.AssetChecksDefinition:
    @dg.asset_check(
        asset=SUMMARY_ASSET,
        name="incremental_equals_rebuild",
        description=f"The stored rows of {SAMPLE} dialogues, others each time, are those that a rebuild gives.",
    )
    def incremental_equals_rebuild(
        context: dg.AssetCheckExecutionContext, archive: dg.ResourceParam[Archive]
    ) -> dg.AssetCheckResult:
        with transient_errors_retried():
            dialogue_ids, compared = verify_sample(
                archive.database,
                archive.settings,
                code_versions(archive.settings),
                number=SAMPLE,
                seed=context.run.run_id,
            )
        differing = {table: drift.total for table, drift in compared.drift.items()}
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
                "dialogues": len(dialogue_ids),
                "rows": compared.rows,
                **{f"differing_{table}": count for table, count in differing.items()},
                **({"dialogue_ids": dialogue_ids} if differing else {}),
            },
        )

    return incremental_equals_rebuild
