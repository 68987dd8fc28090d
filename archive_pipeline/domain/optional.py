"""Packages of optional extras, imported when they are needed; one line says what to install."""

from __future__ import annotations

import importlib
import os
from typing import Any, Final

from archive_pipeline.errors import MissingExtraError

# ONNX Runtime reads it while it is loaded; what its API has comes too late. Without it the library sends what it runs
# on to Microsoft, and keeps an id of the machine in the user's home.
_NO_TELEMETRY: Final = "ORT_DISABLE_TELEMETRY"


def import_optional(module: str, *, extra: str, purpose: str) -> Any:
    """Import a module of an extra, with the telemetry of ONNX Runtime off, which several of them bring.

    Raises:
        MissingExtraError: it, or something that it needs, is not installed.
    """
    os.environ[_NO_TELEMETRY] = "1"  # child processes inherit it
    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise MissingExtraError(
            f"{purpose} needs {error.name or module}: pip install 'llm-archive-pipeline[{extra}]'"
        ) from error
