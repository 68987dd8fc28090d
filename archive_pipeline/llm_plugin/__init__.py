"""A plugin for simonw's ``llm``: each model once more as ``archive/<model>``, which answers from the archive.

What belongs here: which prompts the archive can answer (``requests``), the models (``models``), and the way to the
archive (``memory``). What does not: how messages are found and stored (``matching``). ``llm`` imports this package at
every start, so it imports little.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

import llm
from llm.models import ModelWithAliases

from archive_pipeline.llm_plugin.models import ArchivedAsyncModel, ArchivedModel

__all__ = ["ArchivedAsyncModel", "ArchivedModel", "register_models"]

PREFIX: Final = "archive/"


@llm.hookimpl(trylast=True)
def register_models(register: Callable[..., None], model_aliases: Sequence[ModelWithAliases]) -> None:
    """Register every model that other plugins have, once more."""
    for known in list(model_aliases):
        names = [f"{PREFIX}{alias}" for alias in known.aliases]
        asynchronous = None if known.async_model is None else ArchivedAsyncModel(known.async_model)
        register(ArchivedModel(known.model), asynchronous, aliases=names)
