"""The derived assets, one per derived table that a person would name."""

from __future__ import annotations

import warnings

import dagster as dg

from archive_pipeline.derive.registry import ASSETS
from archive_pipeline.orchestration.assets.factory import derived_asset
from archive_pipeline.settings import Settings


def derived_assets(settings: Settings) -> list[dg.AssetsDefinition]:
    """Return all derived assets, upstream before downstream."""
    with warnings.catch_warnings():
        # Backfill policies are marked as beta; a user can do nothing about it.
        warnings.simplefilter("ignore", dg.BetaWarning)
        return [derived_asset(name, settings) for name in ASSETS]
