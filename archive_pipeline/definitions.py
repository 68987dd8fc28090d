"""The code location that ``workspace.yaml`` loads: `defs` only; it is assembled in ``orchestration.build``."""

from __future__ import annotations

import dagster as dg

from archive_pipeline.program import collect_seldom

collect_seldom()  # Dagster's processes load this first of ours: each run has one

from archive_pipeline.orchestration.build import build_defs  # noqa: E402

__all__ = ["defs"]


@dg.definitions
def defs() -> dg.Definitions:
    """Return the definitions of the environment's archive; called when the code location is loaded, not on import."""
    return build_defs()
