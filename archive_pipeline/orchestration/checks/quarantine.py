"""A check per derived asset that turns red while there are dialogues that it cannot be built for.

It blocks nothing: the other dialogues are built. It looks at the whole archive whatever its run built, so that what the
UI shows is how things are, and not how the last run went.
"""

# No `from __future__ import annotations` here: Dagster reads the annotations of decorated functions.

from collections.abc import Sequence
from typing import Final

import dagster as dg

from archive_pipeline.derive.registry import ASSETS, effective_version
from archive_pipeline.domain.counted import counted
from archive_pipeline.orchestration.markdown import escaped
from archive_pipeline.orchestration.resources import Archive, transient_errors_retried
from archive_pipeline.store.staleness import QuarantinedDialogue, quarantined_dialogues

QUARANTINE_CHECK: Final = "builds_every_dialogue"
SHOWN: Final = 5
ADVICE: Final = (
    "They are tried again when their content or the code changes, or by `llm-archive build --dialogue KEY`; "
    "derived.build_errors has the whole errors."
)


def quarantine_result(failed: Sequence[QuarantinedDialogue]) -> dg.AssetCheckResult:
    """Judge the quarantined dialogues of an asset."""
    named = "; ".join(escaped(f"{dialogue.partition_key}: {dialogue.error}") for dialogue in failed[:SHOWN])
    more = f"; {len(failed) - SHOWN:,} more" if len(failed) > SHOWN else ""
    examples = [
        dg.TableRecord(
            {
                "partition_key": dialogue.partition_key,
                "dialogue_id": dialogue.dialogue_id,
                "error": dialogue.error,
            }
        )
        for dialogue in failed[:SHOWN]
    ]
    return dg.AssetCheckResult(
        passed=not failed,
        severity=dg.AssetCheckSeverity.ERROR,
        description=f"{counted(len(failed), 'dialogue')} cannot be built: {named}{more}. {ADVICE}" if failed else None,
        metadata={
            "quarantined": len(failed),
            **({"examples": dg.MetadataValue.table(examples)} if examples else {}),
        },
    )


def _definition(name: str) -> dg.AssetChecksDefinition:
    @dg.asset_check(
        asset=name,
        name=QUARANTINE_CHECK,
        description="There is no dialogue that the asset cannot be built for.",
    )
    def run_check(archive: dg.ResourceParam[Archive]) -> dg.AssetCheckResult:
        with transient_errors_retried(), archive.database.session() as connection:
            failed = quarantined_dialogues(connection, {name: effective_version(name, archive.settings)})
        return quarantine_result(failed)

    return run_check


QUARANTINE_CHECKS: Final = [_definition(name) for name in ASSETS]
