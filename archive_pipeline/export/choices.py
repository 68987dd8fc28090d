"""What of the archive is exported, and how: one value that the command line, Dagster and Python share."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any, Final

from archive_pipeline.domain.choices import EXPORT_ROLES, DroppedDuplicates, ExportPaths, ExportShape
from archive_pipeline.errors import ConfigurationError

SPLITS: Final = ("train", "validation", "test")
_WHOLE: Final = 1.0
_ROUNDING: Final = 1e-9


@dataclass(frozen=True, slots=True)
class Choices:
    """What is exported; None and empty are no condition.

    Attributes:
        sources, models, tags: dialogues of one of these sources, with a message of one of these models, with one of
            these tags.
        title: dialogues with this text in their title, in any case.
        since, until: dialogues that began then or later, or before.
        dialogue_ids: these dialogues.
        paths: the primary path of each dialogue, the one that its source points to, or all.
        roles: messages of these roles; without ``tool`` calls and their results are left out.
        thinking: what a model thought is exported too, where the format has a place for it.
        max_tokens: examples of more tokens (``o200k_base``) are left out.
        drop_duplicates: examples all of whose answers are copies, exact or also near, are left out.
        shape: of ``trl-sft``: whole conversations, or a line per turn of the assistant.
        splits: shares of train, validation and test; empty for no split.
        redact: secrets and personal data are replaced.
        own_words: words and names that are replaced as well.
        phone_region: country (two letters) whose national phone numbers are replaced; None for international ones only.
        presidio: language (two letters) in which Presidio looks for names of people and places; None for no search.
    """

    sources: tuple[str, ...] = ()
    models: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    title: str | None = None
    since: datetime | None = None
    until: datetime | None = None
    dialogue_ids: tuple[str, ...] = ()
    paths: ExportPaths = "primary"
    roles: tuple[str, ...] = EXPORT_ROLES
    thinking: bool = False
    max_tokens: int | None = None
    drop_duplicates: DroppedDuplicates | None = None
    shape: ExportShape = "messages"
    splits: tuple[float, ...] = ()
    redact: bool = False
    own_words: tuple[str, ...] = ()
    phone_region: str | None = None
    presidio: str | None = None

    def __post_init__(self) -> None:
        """Check what types cannot say.

        Raises:
            ConfigurationError: shares do not add up to 1, or a role is none.
        """
        if self.splits and (
            len(self.splits) != len(SPLITS)
            or not min(self.splits) >= 0
            or not abs(sum(self.splits) - _WHOLE) <= _ROUNDING  # a share that is no number is none of both
        ):
            raise ConfigurationError("splits are three shares that add up to 1: train, validation, test")
        unknown = set(self.roles) - set(EXPORT_ROLES)
        if unknown or not self.roles:
            raise ConfigurationError(
                f"roles are some of {', '.join(EXPORT_ROLES)}, not {', '.join(sorted(unknown)) or 'none'}"
            )

    def as_dict(self, redact: Callable[[str], str] = str) -> dict[str, Any]:
        """Return the choices for a manifest: own words are counted and not told.

        Args:
            redact: what title, tags and models go through, which are words of conversations and of their reader.
        """
        title = None if self.title is None else redact(self.title)
        tags, models = ([*map(redact, names)] for names in (self.tags, self.models))
        return {**asdict(self), "title": title, "tags": tags, "models": models, "own_words": len(self.own_words)}
