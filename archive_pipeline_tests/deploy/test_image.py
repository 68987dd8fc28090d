"""`deploy/Containerfile`: what it says, and what is in an image that was built from it.

The second part needs an image and a way to run programs in it, without a volume or a secret:

    ARCHIVE_TEST_CONTAINER="podman run --rm llm-archive-pipeline" pytest archive_pipeline_tests/deploy/test_image.py
"""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
from pathlib import Path

import pytest

import archive_pipeline
from archive_pipeline.settings.variables import CHECKOUT

CONTAINERFILE = CHECKOUT / "deploy" / "Containerfile"
CONTAINER = os.environ.get("ARCHIVE_TEST_CONTAINER")

in_an_image = pytest.mark.skipif(CONTAINER is None, reason="ARCHIVE_TEST_CONTAINER is not set")


def instructions() -> list[tuple[str, str]]:
    """The instructions with their arguments, in order; lines that are continued are one."""
    text = re.sub(r"\\\n\s*", "", CONTAINERFILE.read_text(encoding="utf-8"))
    lines = [line for line in text.splitlines() if line.strip() and not line.startswith("#")]
    return [(line.partition(" ")[0], line.partition(" ")[2]) for line in lines]


def of(name: str) -> list[str]:
    return [arguments for instruction, arguments in instructions() if instruction == name]


def test_the_base_is_one_release_and_the_same_in_both_stages():
    assert re.fullmatch(r"BASE=docker\.io/library/debian:\d+\.\d+-slim", of("ARG")[0])
    assert of("FROM") == ["${BASE} AS build", "${BASE}"]


def test_it_runs_as_a_user_that_is_not_root_and_is_named_by_number():
    names = [instruction for instruction, _ in instructions()]
    assert of("USER") == ["10001:10001"]
    assert not {"RUN", "COPY", "ADD"} & set(names[names.index("USER") :])


def test_versions_are_those_of_the_lock_file():
    installs = [step for step in of("RUN") if " install --no-cache-dir" in step]
    assert all("--constraint requirements.lock" in step or "--no-deps" in step for step in installs)
    assert len(installs) == 2


def test_what_is_copied_is_there_and_gets_to_the_builder():
    sent = set((CHECKOUT / ".containerignore").read_text().splitlines())
    for copy in of("COPY"):
        if "--from" in copy:
            continue
        *sources, _ = [word for word in copy.split() if not word.startswith("--")]
        for source in sources:
            assert (CHECKOUT / source).exists(), source
            assert {f"!{source}", f"!{Path(source).parent.as_posix()}"} & sent, source
    assert "*" in sent


def test_both_builders_are_sent_the_same():
    assert (CHECKOUT / ".dockerignore").read_text() == (CHECKOUT / ".containerignore").read_text()


def test_no_secret_is_in_it_and_without_one_it_has_no_database():
    (variables,) = of("ENV")
    assert "ARCHIVE_DATABASE_URL_FILE=/run/secrets/archive_database_url" in variables.split()
    assert not re.search(r"ARCHIVE_DATABASE_URL=|PASSWORD|TOKEN|API_KEY", CONTAINERFILE.read_text())


def test_it_serves_the_code_by_itself_and_is_watched():
    (command,) = of("CMD")
    (health,) = of("HEALTHCHECK")
    assert json.loads(command)[:3] == ["dagster", "api", "grpc"]
    assert json.loads(health.partition(" CMD ")[2]) == ["healthcheck", "code"]


def run(*command: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*shlex.split(CONTAINER or ""), *command], check=False, capture_output=True, text=True, timeout=600
    )


@in_an_image
def test_the_command_line_is_in_the_image():
    done = run("llm-archive", "--version")
    assert (done.returncode, done.stdout.split()[-1]) == (0, archive_pipeline.__version__)


@in_an_image
def test_without_the_secret_a_process_ends_instead_of_starting_a_database():
    done = run("llm-archive", "stats")
    assert done.returncode == 2
    assert "ARCHIVE_DATABASE_URL_FILE=/run/secrets/archive_database_url cannot be read" in done.stderr
    assert "Traceback" not in done.stderr


@in_an_image
def test_the_web_server_of_the_image_is_the_guarded_one():
    assert run("sh", "-c", "command -v dagster-webserver").stdout.strip() == "/usr/local/bin/dagster-webserver"
    assert "--allow-host" in run("dagster-webserver", "--help").stdout


@in_an_image
def test_its_user_can_write_to_the_volume_only():
    assert run("id", "-u").stdout.strip() == "10001"
    written = run("find", "/etc", "/opt", "/usr", "/var", "-xdev", "-writable", "-not", "-type", "l")
    assert set(written.stdout.split()) <= {"/var/tmp", "/var/lock"}  # noqa: S108
    assert run("sh", "-c", "touch /archive/x && stat -c %U:%a /archive").stdout.strip() == "archivist:700"


@in_an_image
def test_nothing_of_a_checkout_is_in_it_but_the_package():
    assert run("find", "/", "-xdev", "-name", ".git", "-o", "-xdev", "-name", "archive_pipeline_tests").stdout == ""


@in_an_image
def test_the_launcher_of_kubernetes_and_the_extras_are_in_it():
    modules = "dagster_k8s, chromadb, wordllama, pdfplumber, detect_secrets, mcp"
    assert run("python", "-c", f"import {modules}").stderr == ""
