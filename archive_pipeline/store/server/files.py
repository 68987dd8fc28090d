"""Configuration of the embedded server, written whenever it is about to start, so that every start converges to it.

The data folder may belong to another user than this process. Files there are replaced, never followed: a link that
somebody put in their place leads nowhere.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Final

import psutil

from archive_pipeline.domain.control_groups import ROOT, memory_limits
from archive_pipeline.store.server.account import Account

ADMINISTRATOR: Final = "postgres"
ROLE: Final = "archive"
SETTINGS_FILE: Final = "llm-archive.conf"

# Bulk loads are the whole work of this server: memory for index builds, few checkpoints. The log of changes serves its
# own recovery only: a checkpoint, which the end of the server is too, deletes what it needs no more instead of keeping
# the files for later.
_SETTINGS: Final = {
    "wal_buffers": "16MB",
    "wal_level": "minimal",
    "max_wal_senders": "0",
    "min_wal_size": "32MB",
    "wal_recycle": "off",
    "checkpoint_timeout": "15min",
    "maintenance_work_mem": "256MB",
    "work_mem": "32MB",
    "max_connections": "200",
    "random_page_cost": "1.1",
    # What a killed process was doing is rolled back soon, also where it waits for a lock: its next run waits for that.
    "client_connection_check_interval": "5s",
    "max_parallel_workers_per_gather": "0",  # the reader has one core, Python has the other
    # Servers of older versions have the locale of whoever made them here, which another machine may lack.
    "lc_messages": "C",
    "lc_monetary": "C",
    "lc_numeric": "C",
    "lc_time": "C",
}

# Pages that the server keeps beside those that the system does: of the memory of the machine or of a control group an
# eighth, and no more than an archive of some million messages searches with.
_SHARE_OF_BUFFERS: Final = 8
LEAST_BUFFERS: Final = 256
MOST_BUFFERS: Final = 4_096
_STEP_OF_BUFFERS: Final = 64

# How much log there may be before a checkpoint: of the free disk a sixteenth. After each checkpoint the log gets whole
# pages where they are first written to, and rows whose keys are hashes write to all pages of their indexes: the larger
# the archive, the dearer its checkpoints. A server that was killed reads this log when it starts again.
_SHARE_OF_LOG: Final = 16
_LEAST_LOG: Final = 1
_MOST_LOG: Final = 16

# Versions that had no settings file gave these by ALTER SYSTEM, which wins over every file.
_REPLACED_SETTINGS: Final = {
    "shared_buffers": "256MB",
    "wal_buffers": "64MB",
    "max_wal_size": "4GB",
    "checkpoint_timeout": "15min",
    "maintenance_work_mem": "256MB",
    "work_mem": "32MB",
    "max_connections": "200",
    "random_page_cost": "1.1",
    "client_connection_check_interval": "5s",
    "max_parallel_workers_per_gather": "0",
}
_NOTE: Final = "# Written at each start of the embedded server. Settings of your own: at the end of postgresql.conf.\n"
_INCLUDE: Final = f"include_if_exists '{SETTINGS_FILE}'"


def configure(folder: Path, account: Account, client: str) -> None:
    """Write settings and who may connect: the user of this process, as any role.

    Args:
        folder: data folder of a server that does not run.
        account: whom it runs as.
        client: name of the user of this process.
    """
    files = ServerFiles(folder, account)
    if not (folder / SETTINGS_FILE).exists():
        files.replace("postgresql.auto.conf", _without(_REPLACED_SETTINGS, files.read("postgresql.auto.conf")))
    files.replace(
        SETTINGS_FILE, _NOTE + "".join(f"{name} = '{value}'\n" for name, value in server_settings(folder).items())
    )
    main = files.read("postgresql.conf")
    if _INCLUDE not in main.splitlines():
        files.replace("postgresql.conf", f"{main.rstrip()}\n\n{_INCLUDE}\n")
    files.replace("pg_hba.conf", "local all all peer map=archive\n")
    # This user may be the superuser already: to refuse it other roles would protect nothing.
    files.replace("pg_ident.conf", f'archive "{client}" all\n')


def server_settings(folder: Path, root: Path = ROOT) -> dict[str, str]:
    """Return the settings of a server on this machine, in PostgreSQL's own words.

    Args:
        folder: where it has its data.
        root: of the file system with ``proc`` and ``sys``.
    """
    memory = min([psutil.virtual_memory().total, *memory_limits(root)]) // (1024 * 1024)
    megabytes = min(max(memory // _SHARE_OF_BUFFERS, LEAST_BUFFERS), MOST_BUFFERS)
    megabytes -= megabytes % _STEP_OF_BUFFERS
    gigabytes, rest = divmod(megabytes, 1024)
    free = psutil.disk_usage(str(folder)).free // 1024**3
    log = min(max(free // _SHARE_OF_LOG, _LEAST_LOG), _MOST_LOG)
    return {
        "shared_buffers": f"{megabytes}MB" if rest else f"{gigabytes}GB",
        "max_wal_size": f"{log}GB",
        **_SETTINGS,
    }


class ServerFiles:
    """Small files of a data folder, which its server owns."""

    def __init__(self, folder: Path, account: Account) -> None:
        self._folder = folder
        self._account = account

    def read(self, name: str) -> str:
        """Return the text of a file, empty if there is none; raise ``OSError`` if it is a link."""
        with suppress(FileNotFoundError):
            descriptor = os.open(self._folder / name, os.O_RDONLY | os.O_NOFOLLOW)
            with open(descriptor, encoding="utf-8", errors="surrogateescape") as file:  # noqa: PTH123
                return file.read()
        return ""

    def replace(self, name: str, text: str) -> None:
        """Replace a file at once, if its text is another one."""
        target, partial = self._folder / name, self._folder / f"{name}.partial"
        if not target.is_symlink() and target.exists() and self.read(name) == text:
            return
        partial.unlink(missing_ok=True)
        descriptor = os.open(partial, os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_NOFOLLOW, 0o600)
        with open(descriptor, "w", encoding="utf-8", errors="surrogateescape") as file:  # noqa: PTH123
            if self._account.is_other:
                os.fchown(descriptor, self._account.uid, self._account.gid)
            file.write(text)
            file.flush()
            os.fsync(descriptor)
        partial.replace(target)


def _without(settings: Mapping[str, str], text: str) -> str:
    """Return the lines of a configuration file but those that give these values to these settings."""
    dropped = {f"{name} = '{value}'" for name, value in settings.items()}
    return "".join(line for line in text.splitlines(keepends=True) if line.strip() not in dropped)
