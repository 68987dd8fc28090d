"""`deploy/compose.yaml`: what it opens, what it tells, and that Compose reads it."""

from __future__ import annotations

import os
import shutil
import stat
import subprocess
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
import yaml

from archive_pipeline.domain.setting_values import is_access_token
from archive_pipeline.settings import Settings
from archive_pipeline.settings.variables import CHECKOUT
from archive_pipeline.store.database_url import libpq_url

DEPLOY = CHECKOUT / "deploy"
NAMES = ("archive_database_url", "archive_password", "archive_ui_token", "postgres_password")
OWN = ("migrate", "code", "daemon", "web")


@pytest.fixture(scope="module")
def compose() -> dict[str, Any]:
    return dict(yaml.safe_load((DEPLOY / "compose.yaml").read_text(encoding="utf-8")))


@pytest.fixture
def secrets(tmp_path: Path) -> Path:
    """A folder of new secrets."""
    subprocess.run([DEPLOY / "new_secrets.sh", tmp_path / "secrets"], check=True, capture_output=True)
    return tmp_path / "secrets"


def test_only_the_web_server_has_a_port_and_it_is_this_machines_own(compose: dict[str, Any]):
    ports = {name: service["ports"] for name, service in compose["services"].items() if "ports" in service}
    assert ports == {"web": ["${ARCHIVE_UI_ADDRESS:-127.0.0.1}:${ARCHIVE_UI_PORT:-3000}:3000"]}
    on_the_outside = [name for name, service in compose["services"].items() if "outside" in service["networks"]]
    assert on_the_outside == ["web"]
    assert compose["networks"]["inside"] == {"internal": True}


def test_no_secret_is_in_an_environment(compose: dict[str, Any]):
    secret = {name for name, field in Settings.variables().items() if (field.json_schema_extra or {}).get("is_secret")}
    for name, service in compose["services"].items():
        given = set(service["environment"])
        assert not given & (secret | {"POSTGRES_PASSWORD", "PGPASSWORD"}), name
        files = {value for variable, value in service["environment"].items() if variable.endswith("_FILE")}
        assert files <= {f"/run/secrets/{secret}" for secret in service["secrets"]}, name


def test_each_service_has_the_secrets_that_it_needs_and_no_other(compose: dict[str, Any]):
    assert {name: sorted(service["secrets"]) for name, service in compose["services"].items()} == {
        "database": ["archive_password", "postgres_password"],
        "migrate": ["archive_database_url"],
        "code": ["archive_database_url"],
        "daemon": ["archive_database_url"],
        "web": ["archive_database_url", "archive_ui_token"],
    }
    assert sorted(compose["secrets"]) == list(NAMES)


def test_what_the_project_runs_has_no_rights_that_it_does_not_need(compose: dict[str, Any]):
    for name in OWN:
        service = compose["services"][name]
        assert (service["read_only"], service["cap_drop"]) == (True, ["ALL"]), name
        assert service["security_opt"] == ["no-new-privileges:true"], name


def test_every_service_is_watched_and_starts_after_what_it_needs(compose: dict[str, Any]):
    services = compose["services"]
    assert [name for name in services if "test" not in services[name]["healthcheck"]] == ["migrate"]
    assert services["migrate"]["depends_on"] == {"database": {"condition": "service_healthy"}}
    assert services["code"]["depends_on"] == {"migrate": {"condition": "service_completed_successfully"}}
    for name in ("daemon", "web"):
        assert services[name]["depends_on"] == {"code": {"condition": "service_healthy"}}
    workspace = yaml.safe_load((DEPLOY / "image" / "workspace.yaml").read_text())
    assert [each["grpc_server"]["host"] for each in workspace["load_from"]] == ["code"]


def test_new_secrets_fit_together(secrets: Path):
    values = {path.name: path.read_text() for path in secrets.iterdir()}
    assert tuple(sorted(values)) == NAMES
    assert len(set(values.values())) == len(NAMES)
    url = urlsplit(libpq_url(values["archive_database_url"]))
    assert (url.username, url.password, url.hostname) == ("archive", values["archive_password"], "database")
    assert all(is_access_token(values[name]) for name in NAMES if name != "archive_database_url")


def test_secrets_are_in_a_folder_that_nobody_else_enters_and_containers_can_read_them(secrets: Path):
    assert stat.S_IMODE(secrets.stat().st_mode) == 0o700
    assert {stat.S_IMODE(path.stat().st_mode) for path in secrets.iterdir()} == {0o444}


def test_secrets_that_are_there_stay(secrets: Path):
    before = {path.name: path.read_text() for path in secrets.iterdir()}
    (secrets / "archive_ui_token").unlink()
    done = subprocess.run([DEPLOY / "new_secrets.sh", secrets], check=True, capture_output=True, text=True)
    after = {path.name: path.read_text() for path in secrets.iterdir()}
    assert [name for name in NAMES if after[name] != before[name]] == ["archive_ui_token"]
    assert done.stdout.splitlines() == [f"made {secrets / 'archive_ui_token'}"]


def composer() -> list[str] | None:
    """Return the program that reads files of Compose, None where there is none."""
    if shutil.which("docker"):
        plugin = subprocess.run(["docker", "compose", "version"], check=False, capture_output=True)
        if plugin.returncode == 0:
            return ["docker", "compose"]
    return ["docker-compose"] if shutil.which("docker-compose") else None


@pytest.mark.slow
def test_compose_reads_it(compose: dict[str, Any], tmp_path: Path):
    program = composer()
    if program is None:
        pytest.skip("neither `docker compose` nor `docker-compose` is installed")
    # Versions that are no plugin do not know the name of a project, and know the rest.
    known = {name: value for name, value in compose.items() if name != "name"}
    (tmp_path / "compose.yaml").write_text(yaml.safe_dump(known))
    done = subprocess.run(
        [*program, "--project-directory", str(DEPLOY), "--file", str(tmp_path / "compose.yaml"), "config"],
        check=False,
        capture_output=True,
        text=True,
        env={**os.environ, "COMPOSE_PROJECT_NAME": "test"},
    )
    assert done.returncode == 0, done.stderr
    assert set(yaml.safe_load(done.stdout)["services"]) == set(compose["services"])
