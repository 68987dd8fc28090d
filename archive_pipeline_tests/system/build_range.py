"""A run of `build_derived` over a range of partition keys, in a process of its own: what Dagster's daemon starts.

Arguments: the first key and the last one.
"""

from __future__ import annotations

import sys

from archive_pipeline.orchestration.build import build_defs
from archive_pipeline.orchestration.instance.in_flight import RANGE_END, RANGE_START
from archive_pipeline.orchestration.instance.opening import instance_for
from archive_pipeline.orchestration.jobs import JOB
from archive_pipeline.settings import Settings


def main() -> int:
    """Run it; return 0 if it succeeds."""
    settings = Settings.from_environment()
    job = build_defs(settings=settings).resolve_job_def(JOB)
    tags = {RANGE_START: sys.argv[1], RANGE_END: sys.argv[2]}
    with instance_for(settings) as instance:
        return 0 if job.execute_in_process(instance=instance, tags=tags).success else 1
