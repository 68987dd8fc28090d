"""A PgBouncer in transaction mode in front of a real server, on a Unix socket."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import quote

import psycopg
import pytest
from sqlalchemy.engine import make_url

POOL_SIZE = 5
_PORT = 6432
_CONFIGURATION = """
[databases]
* = host={server}
[pgbouncer]
pool_mode = transaction
default_pool_size = {size}
unix_socket_dir = {folder}
unix_socket_mode = 0777
listen_port = {port}
auth_type = trust
auth_file = {folder}/users.txt
logfile = {folder}/log
max_client_conn = 200
server_lifetime = 3600
"""


@contextmanager
def pooler(direct_url: str) -> Iterator[str]:
    """Yield the URL of a database through a pool of few connections, each lent for a transaction."""
    program = shutil.which("pgbouncer") or shutil.which("/usr/sbin/pgbouncer")
    if program is None:
        pytest.skip("no pgbouncer (on Debian: apt-get install pgbouncer)")
    url = make_url(direct_url)
    folder = Path(tempfile.mkdtemp(prefix="pooler-", dir="/tmp"))
    folder.chmod(0o777)
    (folder / "users.txt").write_text(f'"{url.username}" ""\n')
    (folder / "ini").write_text(
        _CONFIGURATION.format(server=url.query["host"], size=POOL_SIZE, folder=folder, port=_PORT)
    )
    for file in ("users.txt", "ini"):
        (folder / file).chmod(0o644)
    # PgBouncer does not run as root.
    as_user = ["runuser", "-u", "postgres", "--"] if os.geteuid() == 0 else []
    process = subprocess.Popen(
        [*as_user, program, "-q", folder / "ini"], cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    try:
        pooled = f"postgresql://{url.username}@/{url.database}?host={quote(str(folder), safe='')}&port={_PORT}"
        _wait_for(pooled, process)
        yield pooled
    finally:
        process.terminate()
        process.wait(300)
        shutil.rmtree(folder, ignore_errors=True)


def _wait_for(url: str, process: subprocess.Popen[bytes]) -> None:
    while process.poll() is None:
        try:
            psycopg.connect(url).close()
        except psycopg.OperationalError:
            continue
        return
    raise RuntimeError(f"pgbouncer ended with code {process.returncode}")
