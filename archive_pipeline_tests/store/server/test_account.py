"""The system user whom root's server runs as: found, or created, wherever the programs for it stand."""

from __future__ import annotations

import os
import pwd
import shutil
import subprocess

import pytest

from archive_pipeline.store.server import account as server_account

NAME = f"archive-added-{os.getpid()}"  # another run of the suite may have its own


@pytest.fixture
def root():
    if os.geteuid() != 0 or shutil.which("userdel") is None:
        pytest.skip("only root can create users, with useradd")
    subprocess.run(["userdel", NAME], check=False, capture_output=True)
    yield
    subprocess.run(["/usr/sbin/userdel", NAME], check=False, capture_output=True)


def test_a_path_without_the_folders_of_administrators_is_enough(root, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("PATH", "/nonexistent")
    assert shutil.which("useradd") is None
    server_account._add(NAME)
    entry = pwd.getpwnam(NAME)
    assert entry.pw_shell.endswith("nologin")
    assert entry.pw_gid == pwd.getpwnam(NAME).pw_gid != 0


def test_a_user_who_was_added_meanwhile_is_no_failure(root):
    for _ in "ab":
        assert isinstance(server_account._add(NAME), str)
        assert server_account._find(NAME) is not None


def test_without_any_program_for_it_the_reason_names_them(root, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("PATH", "/nonexistent")
    monkeypatch.setattr(server_account, "_PROGRAM_FOLDERS", ())
    assert server_account._add(NAME) == "there is no useradd or adduser"
    assert server_account._find(NAME) is None


def test_an_ordinary_user_runs_the_server_itself():
    child = os.fork()
    if child == 0:
        if os.geteuid() == 0:
            os.setuid(pwd.getpwnam("nobody").pw_uid)
        account = server_account.server_account()
        os._exit(0 if account.name == server_account.this_user() and not account.is_other else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
