"""What a command is given, as places of this machine: objects in a storage are copied first, with a bar."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from archive_pipeline.cli.progress import progress_bars
from archive_pipeline.readers.places import Place
from archive_pipeline.remote.copies import Wanted, local_places
from archive_pipeline.settings import Settings


@contextmanager
def copied_places(
    named: Iterable[Path | str], wanted: Wanted = Wanted.ALL, *, show_progress: bool
) -> Iterator[list[Place]]:
    """Yield the places of paths and addresses; copies are gone at the end.

    Raises:
        ArchiveError: an address cannot be used or read; nothing was imported.
    """
    home = Settings.from_environment().home
    with ExitStack() as stack:
        with progress_bars(enabled=show_progress, are_bytes=True) as bars:
            places = stack.enter_context(local_places(named, home, wanted=wanted, progress=bars))
        yield places
