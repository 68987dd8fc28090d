"""The code location that ``workspace.yaml`` loads: `defs` only; it is assembled in ``orchestration.build``."""

from __future__ import annotations

import dagster as dg

from archive_pipeline.orchestration.build import build_defs

__all__ = ["defs"]


@dg.definitions
def defs() -> dg.Definitions:
    """Return the definitions of the environment's archive; called when the code location is loaded, not on import."""
    return build_defs()
