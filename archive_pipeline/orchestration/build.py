"""The code location, assembled from what the other modules define."""

from __future__ import annotations

from typing import Final

import dagster as dg

from archive_pipeline.domain.progress import Progress
from archive_pipeline.orchestration.assets import derived_assets
from archive_pipeline.orchestration.assets.documents import (
    DOCUMENT_CHECKS,
    document_chunks_asset,
    encode_pages,
    page_vectors,
)
from archive_pipeline.orchestration.assets.duplicates import duplicates_asset, find_duplicates
from archive_pipeline.orchestration.assets.exports import EXPORT_ASSETS
from archive_pipeline.orchestration.assets.raw import RAW_ASSETS
from archive_pipeline.orchestration.assets.search import SEARCH_ASSETS, SEARCH_CHECKS, index_archive
from archive_pipeline.orchestration.assets.summary import archive_summary, summarize_archive
from archive_pipeline.orchestration.automation.housekeeping import housekeeping
from archive_pipeline.orchestration.automation.import_job import import_files
from archive_pipeline.orchestration.automation.inbox_sensor import inbox_sensors
from archive_pipeline.orchestration.automation.schedules import schedules
from archive_pipeline.orchestration.automation.sensors import new_imports_sensor, stale_dialogues_sensor
from archive_pipeline.orchestration.checks.quarantine import QUARANTINE_CHECKS
from archive_pipeline.orchestration.checks.structure import STRUCTURAL_CHECKS
from archive_pipeline.orchestration.checks.summary import SUMMARY_CHECKS
from archive_pipeline.orchestration.jobs import build_derived
from archive_pipeline.orchestration.resources import archive_resource
from archive_pipeline.settings import Settings

# What the sensor starts.
_FOLLOWING: Final = [build_derived, summarize_archive, index_archive, encode_pages]


def build_defs(*, progress: Progress | None = None, settings: Settings | None = None) -> dg.Definitions:
    """Return fresh definitions.

    Args:
        progress: told of what runs in this process do; by default their log has it.
        settings: of the archive; by default the environment's.
    """
    settings = settings or Settings.from_environment()
    return dg.Definitions(
        assets=[
            *RAW_ASSETS,
            *derived_assets(settings),
            duplicates_asset(settings),
            document_chunks_asset(settings),
            page_vectors,
            *SEARCH_ASSETS,
            archive_summary,
            *EXPORT_ASSETS,
        ],
        asset_checks=[
            *STRUCTURAL_CHECKS,
            *QUARANTINE_CHECKS,
            *DOCUMENT_CHECKS,
            *SEARCH_CHECKS,
            *SUMMARY_CHECKS,
        ],
        jobs=[*_FOLLOWING, find_duplicates, import_files, housekeeping],
        sensors=[
            new_imports_sensor(settings),
            *inbox_sensors(settings),
            stale_dialogues_sensor(settings, _FOLLOWING),
        ],
        schedules=schedules(settings),
        resources={"archive": archive_resource(settings, progress)},
        # Steps of a run share the batches they read, and a process per step would take longer than the step.
        executor=dg.in_process_executor,
    )
