"""Control groups of this process: the folders in which Linux says what they may use."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Final, NamedTuple

ROOT: Final = Path("/")


class ControlGroup(NamedTuple):
    """A group above the process, or its own.

    Attributes:
        folder: of its files, which need not be there.
        version: 1 or 2, which have files of other names.
    """

    folder: Path
    version: int

    def read(self, name: str) -> str:
        """Return what a file of the group says, without white space around it; empty without such a file."""
        return _read(self.folder / name).strip()


def control_groups(controller: str, root: Path = ROOT) -> Iterator[ControlGroup]:
    """Yield the groups that may bound the process; none where there are no control groups.

    Args:
        controller: ``cpu`` or ``memory``.
        root: of the file system with ``proc`` and ``sys``.
    """
    for line in _read(root / "proc/self/cgroup").splitlines():
        _, controllers, path = line.split(":", 2)
        if controllers and controller not in controllers.split(","):
            continue
        mounted = root / "sys/fs/cgroup" / (controller if controllers else "")
        group = mounted / path.lstrip("/")
        # In a container the path may be the host's, and what limits it is mounted at the root.
        for folder in (group, *group.parents):
            if folder.is_relative_to(mounted):
                yield ControlGroup(folder, version=1 if controllers else 2)


def memory_limits(root: Path = ROOT) -> Iterator[int]:
    """Yield the bytes that each group above the process may use, where that is limited."""
    for group in control_groups("memory", root):
        limit = group.read("memory.limit_in_bytes" if group.version == 1 else "memory.max")
        if limit.isdecimal():
            yield int(limit)


def _read(path: Path) -> str:
    try:
        return path.read_text()
    except OSError:
        return ""
