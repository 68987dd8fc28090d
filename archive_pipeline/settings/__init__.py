"""What can be configured: a variable of the environment or of a file for each setting."""

from __future__ import annotations

from archive_pipeline.settings.variables import Settings

__all__ = ["Settings"]
