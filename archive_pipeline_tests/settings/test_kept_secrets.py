"""Secrets that are made on first use: one of many, whole or not there, for their user alone."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from archive_pipeline.settings.kept_secrets import keep_secret

MADE = {
    "up.token": "from archive_pipeline.web.access_token import load_token; load_token(home, port=1)",
    "redaction.key": (
        "from archive_pipeline.export.redaction.redactor import open_redactor; open_redactor(home, [], None)"
    ),
}


def test_a_secret_is_for_its_user_alone_and_stays(tmp_path: Path):
    for secret in (b"first", b"second"):
        keep_secret(tmp_path / "key", secret)
    assert (tmp_path / "key").read_bytes() == b"first"
    assert (tmp_path / "key").stat().st_mode & 0o777 == 0o600
    assert list(tmp_path.iterdir()) == [tmp_path / "key"]


def test_all_who_make_a_secret_at_once_have_the_same(tmp_path: Path):
    together, seen = threading.Barrier(16), list[bytes]()

    def make(number: int) -> None:
        together.wait(60)
        keep_secret(tmp_path / "key", bytes([number]) * 32)
        seen.append((tmp_path / "key").read_bytes())

    threads = [threading.Thread(target=make, args=(number,)) for number in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(seen) == 16
    assert len(set(seen)) == 1
    assert len(seen[0]) == 32


def test_a_file_system_without_hard_links_will_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    def refuse(*_: object) -> None:
        raise PermissionError(errno.EPERM, "no links here")

    monkeypatch.setattr(os, "link", refuse)
    test_a_secret_is_for_its_user_alone_and_stays(tmp_path)


@pytest.mark.parametrize("name", MADE)
def test_a_secret_that_cannot_be_written_is_made_the_next_time(tmp_path: Path, name: str):
    imports = "import resource, sys\nfrom pathlib import Path\nhome = Path(sys.argv[1])\n"
    no_room = "resource.setrlimit(resource.RLIMIT_FSIZE, (0, resource.RLIM_INFINITY))\n"
    program = imports + no_room + MADE[name]
    failed = subprocess.run([sys.executable, "-Bc", program, tmp_path], check=False, capture_output=True)
    assert failed.returncode == 1
    assert b"File too large" in failed.stderr
    assert list(tmp_path.iterdir()) == []
    subprocess.run([sys.executable, "-c", imports + MADE[name], tmp_path], check=True)
    assert list(tmp_path.iterdir()) == [tmp_path / name]
