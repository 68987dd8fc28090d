"""Models that answer: what is asked of one, and which one the settings name."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from typing import Protocol

from archive_pipeline.answering.prompt import Prompt
from archive_pipeline.errors import ConfigurationError
from archive_pipeline.settings import Settings


class AnswerModel(Protocol):
    """A model."""

    @property
    def name(self) -> str:
        """What the answer names it by."""

    def stream(self, prompt: Prompt) -> AsyncGenerator[str, None]:
        """Yield the answer in pieces, as they come.

        Raises:
            AnswerError: there is no answer, or, after some pieces, it is not whole.
        """


def has_model(settings: Settings) -> bool:
    """Tell whether the settings name a model that answers."""
    return settings.answer_model is not None or settings.answer_url is not None


def open_model(settings: Settings) -> AnswerModel:
    """Return the model of the settings; nothing is sent yet.

    Raises:
        ConfigurationError: none is named, or it cannot be used.
        MissingExtraError: the packages that reach it are not installed.
    """
    if settings.answer_model is None:
        raise ConfigurationError(
            "no model is named: set ARCHIVE_ANSWER_URL to an OpenAI-compatible endpoint (https://HOST/v1) and "
            "ARCHIVE_ANSWER_MODEL to a model that it has, or ARCHIVE_ANSWER_MODEL alone to a model of the package llm"
        )
    # Each is imported when it is used: some of their packages take seconds.
    if settings.answer_url is None:
        from archive_pipeline.answering.library_model import LibraryModel  # noqa: PLC0415

        return LibraryModel(settings.answer_model)
    from archive_pipeline.answering.endpoint_model import EndpointModel  # noqa: PLC0415

    key = settings.answer_api_key
    return EndpointModel(settings.answer_url, settings.answer_model, api_key=key.get_secret_value() if key else None)
