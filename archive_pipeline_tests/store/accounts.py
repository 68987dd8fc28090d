"""Other users of the machine, for tests that root runs."""

from __future__ import annotations

import os
import pwd
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path

import psycopg
import pytest

import archive_pipeline
from archive_pipeline_tests.system.forked import PRELOADED


@dataclass(frozen=True)
class User:
    """An account without rights, with a folder of its own that is not below anybody's private folder."""

    entry: pwd.struct_passwd
    folder: Path

    def run(self, *command: object, **variables: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [str(part) for part in command],
            check=False,
            user=self.entry.pw_uid,
            group=self.entry.pw_gid,
            extra_groups=[],
            env={"PATH": os.environ["PATH"], "HOME": str(self.folder), "COLUMNS": "200", **variables},
            cwd=self.folder,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=300,
        )


@contextmanager
def new_user(name: str) -> Iterator[User]:
    """Create an account, which is removed at the end."""
    if os.geteuid() != 0 or shutil.which("useradd") is None or shutil.which("userdel") is None:
        pytest.skip("only root can create another user, with useradd")
    subprocess.run(["userdel", name], check=False, capture_output=True)
    subprocess.run(["useradd", "--system", "--user-group", "--no-create-home", name], check=True, capture_output=True)
    entry = pwd.getpwnam(name)
    folder = Path(tempfile.mkdtemp(prefix=f"{name}-", dir="/tmp"))
    os.chown(folder, entry.pw_uid, entry.pw_gid)
    try:
        yield User(entry, folder)
    finally:
        shutil.rmtree(folder)
        subprocess.run(["userdel", name], check=True, capture_output=True)


def command_line_for_all(user: User) -> tuple[Sequence[object], dict[str, str]]:
    """Return how a user can run `llm-archive`, and with which variables.

    The interpreter of the environment may be in a private folder; then it is another one of the same version. Bytecode
    that root's commands left is private, as all that they write: the user has copies of it.
    """
    version = f"python{sys.version_info.major}.{sys.version_info.minor}"
    code = "from archive_pipeline.cli import main; main()"
    needs_every_user_in(Path(archive_pipeline.__file__), Path(psycopg.__file__))
    packages = [Path(archive_pipeline.__file__).parents[1], *map(Path, sys.path)]
    reached = [str(path) for path in packages if path.name == "site-packages" or path == packages[0]]
    bytecode = user.folder / "bytecode"
    for program in (Path(sys.executable).resolve(), Path("/usr/bin", version), Path("/usr/local/bin", version)):
        if program.exists() and everybody_may_run(program):
            if not bytecode.exists():
                _copy_bytecode(bytecode, user.entry)
            return (program, "-c", code), {"PYTHONPATH": os.pathsep.join(reached), "PYTHONPYCACHEPREFIX": str(bytecode)}
    pytest.skip(f"no {version} that every user may run: this one is in a private folder")


def _copy_bytecode(target: Path, owner: pwd.struct_passwd) -> None:
    """Give a user the bytecode of what commands import, which takes fifteen seconds to compile."""
    for name in PRELOADED:
        import_module(name)
    for module in [*sys.modules.values()]:
        source, compiled = getattr(module, "__file__", None), getattr(module, "__cached__", None)
        if source and compiled and Path(compiled).exists():
            folder = target / Path(source).parent.relative_to("/")
            folder.mkdir(parents=True, exist_ok=True)
            shutil.copy(compiled, folder / Path(compiled).name)
    for path in (target, *target.rglob("*")):
        os.chown(path, owner.pw_uid, owner.pw_gid)
        path.chmod(0o700)


def needs_every_user_in(*files: Path) -> None:
    """Skip the test if the environment was installed for its user alone, as with umask 077."""
    if not all(everybody_may(0o004, file) for file in files):
        pytest.skip("the environment is closed to other users")


def everybody_may_run(program: Path) -> bool:
    return everybody_may(0o001, program)


def everybody_may(right: int, file: Path) -> bool:
    """Tell whether all users have a right to a file, and may enter the folders above."""
    above = all(folder.stat().st_mode & 0o001 for folder in file.resolve().parents)
    return above and bool(file.stat().st_mode & right)
