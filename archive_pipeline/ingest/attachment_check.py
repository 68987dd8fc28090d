"""Are the contents of attached files what their rows say? Nothing is changed."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from archive_pipeline.domain.progress import Progress, no_progress
from archive_pipeline.ingest.attachment_store import AttachmentStore
from archive_pipeline.settings import Settings
from archive_pipeline.store import attachments as stored
from archive_pipeline.store.database import Database

VERIFYING: Final = "verifying attached files"


@dataclass
class ContentCheck:
    """What a check of contents found.

    Attributes:
        contents: how many there are.
        lost: hashes of contents whose file is gone.
        damaged: hashes of contents whose file has other bytes.
        found_at: places in exports where the lost and damaged ones were found.
        strays: files that no content is kept in; the next import removes them.
    """

    contents: int = 0
    lost: list[str] = field(default_factory=list)
    damaged: list[str] = field(default_factory=list)
    found_at: list[str] = field(default_factory=list)
    strays: int = 0

    @property
    def is_good(self) -> bool:
        """Tell whether every content is there."""
        return not (self.lost or self.damaged)


def check_contents(database: Database, settings: Settings, *, progress: Progress = no_progress) -> ContentCheck:
    """Read every content and compare its hash.

    Args:
        database: the archive.
        settings: its home has the contents.
        progress: told of bytes, as ``verifying attached files``.
    """
    store = AttachmentStore.of(settings.home)
    with database.session() as connection:
        contents = stored.all_contents(connection)
    check = ContentCheck(len(contents))
    done, total = 0, sum(content.size_bytes for content in contents)
    for content in contents:
        if not store.is_intact(content.sha256):
            (check.damaged if store.path_of(content.sha256).exists() else check.lost).append(content.sha256)
        done += content.size_bytes
        progress(VERIFYING, done, total)
    with database.session() as connection:
        check.found_at = stored.places_of(connection, [*check.lost, *check.damaged])
        check.strays = sum(1 for _ in store.strays(lambda some: stored.known_contents(connection, some)))
    return check
