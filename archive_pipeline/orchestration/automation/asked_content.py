"""Whether a run of a sensor reads the content that its run key stands for, and not what has come to stand there since.

The content is compared before anything is read; the signature, which differs whenever a file changes, before and after.
A signature that is the one the sensor saw is taken for the content, as the sensor does: nothing is hashed twice.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Self

import dagster as dg

from archive_pipeline.domain.addresses import is_address
from archive_pipeline.errors import UnreadableInputError
from archive_pipeline.orchestration.automation.drop_folder import digest_of, entry_at
from archive_pipeline.orchestration.automation.inbox import content_of
from archive_pipeline.orchestration.instance.orphans import HIDDEN
from archive_pipeline.orchestration.instance.run_keys import key_of_run
from archive_pipeline.remote.storage import Storage

SIGNATURE_TAG: Final = f"{HIDDEN}signature"


@dataclass(frozen=True, slots=True)
class _Seen:
    """What stands at a place: its signature, and its content as run keys have it (None: it is being written)."""

    signature: str
    content: str | None


@dataclass(slots=True)
class AskedContent:
    """The content that a run was asked to read.

    Attributes:
        place: the path or address where it was.
        key: the content; None if it is no run of a sensor, which may read what it finds.
        signature: that what stands there had when it was compared.
    """

    place: str
    key: str | None
    signature: str | None

    @classmethod
    def of(cls, run: dg.DagsterRun, places: Sequence[str]) -> Self:
        """Return the content of a run, with the signature that the sensor saw."""
        place = places[0] if len(places) == 1 else ""
        return cls(place, key_of_run(run) if place else None, run.tags.get(SIGNATURE_TAG))

    @property
    def why_not(self) -> str:
        """What to tell of a run whose content is not there any more."""
        return (
            f"Nothing was read: {self.place} was changed or replaced before this run came to it. What is there now is "
            "imported by a run of its own; what was there is when it is put there again."
        )

    def is_there(self) -> bool:
        """Tell whether no other content stands there now; of what is gone, or cannot be read, its reading tells."""
        seen = self._look()
        if seen is None:
            return True
        self.signature = seen.signature
        return seen.content == self.key

    def is_gone(self) -> bool:
        """Tell whether nothing stands there, or a folder without files."""
        return self._look() is None

    def is_replaced(self) -> bool:
        """Tell whether something else has come to stand there since ``is_there`` was asked."""
        seen = self._look()
        return seen is not None and seen.signature != self.signature

    def _look(self) -> _Seen | None:
        if self.key is None:
            return None
        try:
            return _seen_at_address(self.place) if is_address(self.place) else self._seen_at_path(self.key)
        except (OSError, UnreadableInputError):
            return None  # its reading tells why

    def _seen_at_path(self, key: str) -> _Seen | None:
        entry = entry_at(Path(self.place))
        if entry is None:
            return None
        return _Seen(entry.signature, key if entry.signature == self.signature else digest_of(entry))


def _seen_at_address(address: str) -> _Seen | None:
    content = content_of(address, Storage(address).find(address)[0])
    return None if content is None else _Seen(content, content)
