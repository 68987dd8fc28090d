"""`deploy/helm`: Dagster loads the configuration, and a run is launched with what the values give a pod.

The API server of Kubernetes is one that accepts jobs; the command of a job is then run here, as a pod would run it.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import dagster as dg
import pytest
import yaml
from dagster._core.code_pointer import ModuleCodePointer
from dagster._core.launcher import LaunchRunContext
from dagster._core.origin import JobPythonOrigin, RepositoryPythonOrigin

from archive_pipeline.domain.choices import Partitioning
from archive_pipeline.domain.identity import shard_key
from archive_pipeline.orchestration.build import build_defs
from archive_pipeline.orchestration.instance.archive_instance import ArchiveInstance
from archive_pipeline.orchestration.instance.event_log_storage import PooledEventLogStorage
from archive_pipeline.orchestration.instance.in_flight import RANGE_END, RANGE_START
from archive_pipeline.orchestration.jobs import JOB
from archive_pipeline.orchestration.partitions.keys import register_keys
from archive_pipeline.settings import Settings
from archive_pipeline.settings.variables import CHECKOUT
from archive_pipeline.store.database import Database
from archive_pipeline_tests.exports import chain, chatgpt, load
from archive_pipeline_tests.tables import query

HELM = CHECKOUT / "deploy" / "helm"
NAMESPACE = "archives"
KUBECONFIG = {
    "apiVersion": "v1",
    "kind": "Config",
    "current-context": "test",
    "contexts": [{"name": "test", "context": {"cluster": "test", "user": "test"}}],
    "users": [{"name": "test", "user": {}}],
}
# What differs from every other archive, and why is said there.
OWN_SECTIONS = {"run_launcher", "concurrency", "run_monitoring", "compute_logs"}


def configuration() -> dict[str, Any]:
    return dict(yaml.safe_load((HELM / "dagster.yaml").read_text(encoding="utf-8")))


def values() -> dict[str, Any]:
    return dict(yaml.safe_load((HELM / "values.yaml").read_text(encoding="utf-8")))


def code_location() -> dict[str, Any]:
    (deployment,) = values()["dagster-user-deployments"]["deployments"]
    return dict(deployment)


@dataclass(frozen=True)
class Cluster:
    """An API server that accepts jobs and remembers them."""

    address: str
    jobs: list[dict[str, Any]]


@pytest.fixture
def cluster() -> Iterator[Cluster]:
    jobs: list[dict[str, Any]] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            is_job = self.path.partition("?")[0] == f"/apis/batch/v1/namespaces/{NAMESPACE}/jobs"
            if is_job:
                jobs.append(json.loads(body))
            self.send_response(201 if is_job else 404)
            self.send_header("Content-Type", "application/json")
            self.end_headers()
            self.wfile.write(body if is_job else b"{}")

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield Cluster(f"http://127.0.0.1:{server.server_port}", jobs)
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.fixture
def instance(
    settings: Settings, database: Database, cluster: Cluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[dg.DagsterInstance]:
    """The instance that the daemon makes of `dagster.yaml`; the cluster is reached from outside of it."""
    kubeconfig = {**KUBECONFIG, "clusters": [{"name": "test", "cluster": {"server": cluster.address}}]}
    (tmp_path / "kubeconfig").write_text(yaml.safe_dump(kubeconfig))
    written = configuration()
    written["run_launcher"]["config"] |= {
        "load_incluster_config": False,
        "kubeconfig_file": str(tmp_path / "kubeconfig"),
    }
    (tmp_path / "dagster.yaml").write_text(yaml.safe_dump(written))
    for name in [name for name in os.environ if name.startswith(("ARCHIVE_", "DAGSTER_"))]:
        monkeypatch.delenv(name)
    (tmp_path / "url").write_text(database.url)
    monkeypatch.setenv("ARCHIVE_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("ARCHIVE_DATABASE_URL_FILE", str(tmp_path / "url"))
    monkeypatch.setenv("DAGSTER_HOME", str(tmp_path))
    monkeypatch.setenv("DAGSTER_K8S_PIPELINE_RUN_NAMESPACE", NAMESPACE)
    with dg.DagsterInstance.get() as instance:
        yield instance


def container_context() -> dict[str, Any]:
    """What the chart passes on to runs of the code location."""
    location = code_location()
    passed_on = {key: location[name] for key, name in (("env", "env"), ("volumes", "volumes"))}
    return {
        "k8s": {
            **passed_on,
            "volume_mounts": location["volumeMounts"],
            "resources": location["resources"],
            "image_pull_policy": location["image"]["pullPolicy"],
            "namespace": NAMESPACE,
        }
    }


def launched(instance: dg.DagsterInstance, settings: Settings, keys: list[str]) -> dg.DagsterRun:
    """Have a run over the keys, none for no partitions, launched as the daemon does."""
    job = build_defs(settings=settings).resolve_job_def(JOB)
    image = code_location()["image"]
    repository = RepositoryPythonOrigin(
        sys.executable,
        ModuleCodePointer("archive_pipeline.definitions", "defs"),
        container_image=f"{image['repository']}:{image['tag']}",
        entry_point=["dagster"],
        container_context=container_context(),
    )
    tags = {RANGE_START: keys[0], RANGE_END: keys[-1]} if keys else {}
    run = instance.create_run_for_job(job, tags=tags, job_code_origin=JobPythonOrigin(JOB, repository))
    instance.run_launcher.launch_run(LaunchRunContext(run, workspace=None))
    return run


def test_it_is_the_configuration_of_every_archive_but_for_what_a_cluster_needs():
    everywhere = yaml.safe_load((CHECKOUT / "dagster_home" / "dagster.yaml").read_text(encoding="utf-8"))
    here = configuration()
    assert {name for name in here if here[name] != everywhere.get(name)} == OWN_SECTIONS
    assert set(everywhere) <= set(here)


@pytest.mark.postgres
@pytest.mark.dagster
def test_dagster_loads_it_with_the_launcher_the_limits_and_the_archives_storage(instance: dg.DagsterInstance):
    from dagster_k8s import K8sRunLauncher  # a second, which the other workers need not pay

    assert isinstance(instance, ArchiveInstance)
    assert isinstance(instance.event_log_storage, PooledEventLogStorage)
    launcher = instance.run_launcher
    assert isinstance(launcher, K8sRunLauncher)
    assert (launcher.job_namespace, launcher.supports_check_run_worker_health) == (NAMESPACE, True)
    queue = instance.get_concurrency_config().run_queue_config
    assert queue is not None
    assert (queue.max_concurrent_runs, len(queue.tag_concurrency_limits)) == (8, 2)
    assert (instance.run_monitoring_enabled, instance.run_retries_enabled) == (True, True)


@pytest.mark.postgres
@pytest.mark.dagster
def test_a_run_is_a_job_with_what_the_values_give_its_pod(
    instance: dg.DagsterInstance, settings: Settings, cluster: Cluster
):
    run = launched(instance, settings, [])
    (job,) = cluster.jobs
    pod = job["spec"]["template"]["spec"]
    (container,) = pod["containers"]
    assert container["image"] == "registry.example/llm-archive-pipeline:0.2.0"
    assert container["args"][:3] == ["dagster", "api", "execute_run"]
    assert job["metadata"]["labels"]["dagster/run-id"] == run.run_id
    assert {"name": "ARCHIVE_DATABASE_URL_FILE", "value": "/etc/llm-archive-database/url"} in container["env"]
    assert {"name": "ARCHIVE_PARTITIONING", "value": "sharded"} in container["env"]
    assert {mount["mountPath"] for mount in container["volumeMounts"]} == {
        "/archive",
        "/etc/llm-archive-database",
        "/tmp",  # noqa: S108
    }
    assert [volume for volume in pod["volumes"] if volume["name"] == "home"] == [
        {"name": "home", "persistentVolumeClaim": {"claimName": "llm-archive-home"}}
    ]
    assert pod["securityContext"] == {"runAsNonRoot": True, "runAsUser": 10001, "runAsGroup": 10001, "fsGroup": 10001}
    assert container["securityContext"]["readOnlyRootFilesystem"] is True
    assert pod["serviceAccountName"] == values()["global"]["serviceAccountName"]


@pytest.mark.postgres
@pytest.mark.dagster
@pytest.mark.system
@pytest.mark.long
def test_the_command_of_a_job_builds_the_tables_with_the_url_of_the_database_alone(
    instance: dg.DagsterInstance, settings: Settings, database: Database, cluster: Cluster, tmp_path: Path
):
    load(database, tmp_path / "export.json", *(chatgpt(f"pod{number}", chain("a", "b")) for number in range(3)))
    sharded = settings.with_values(partitioning=Partitioning.SHARDED)  # as the values have it
    keys = sorted({shard_key(str(dialogue)) for (dialogue,) in query(database, "SELECT id FROM raw.dialogues")})
    register_keys(instance, sharded, keys)
    run = launched(instance, sharded, keys)
    (container,) = cluster.jobs[0]["spec"]["template"]["spec"]["containers"]
    pod = tmp_path / "pod"
    pod.mkdir()
    environment = {variable["name"]: variable["value"] for variable in container["env"] if "value" in variable}
    mounted = {"ARCHIVE_DATABASE_URL_FILE": str(tmp_path / "url"), "ARCHIVE_HOME": str(pod / "home")}
    program = Path(sys.executable).with_name(container["args"][0])
    done = subprocess.run(
        [program, *container["args"][1:]],
        check=False,
        capture_output=True,
        text=True,
        cwd=pod,
        env={**environment, **mounted, "PATH": os.environ["PATH"]},
    )
    assert done.returncode == 0, done.stderr
    ended = instance.get_run_by_id(run.run_id)
    assert ended is not None
    assert ended.status is dg.DagsterRunStatus.SUCCESS, done.stderr
    assert query(database, "SELECT count(*) FROM derived.dialogue_trees") == [(3,)]


def test_only_the_web_server_has_the_token_and_every_pod_has_the_database_and_the_partitions():
    given = values()
    pods = {
        "web": given["dagsterWebserver"],
        "daemon": given["dagsterDaemon"],
        "code": code_location(),
    }
    keys = {
        name: sorted(item["key"] for volume in pod["volumes"] for item in volume.get("secret", {"items": []})["items"])
        for name, pod in pods.items()
    }
    assert keys == {
        "web": ["archive_database_url", "archive_ui_token"],
        "daemon": ["archive_database_url"],
        "code": ["archive_database_url"],
    }
    for name, pod in pods.items():
        assert {"name": "ARCHIVE_PARTITIONING", "value": "sharded"} in pod["env"], name
        mounted = {mount["name"]: mount["mountPath"] for mount in pod["volumeMounts"]}
        assert set(mounted) == {volume["name"] for volume in pod["volumes"]}, name
        for variable in pod["env"]:
            if variable["name"].endswith("_FILE"):
                assert str(Path(variable["value"]).parent) in mounted.values(), name
        # Where Kubernetes mounts a secret of its own.
        assert not [path for path in mounted.values() if path.startswith(("/run/secrets", "/var/run/secrets"))]


def test_pods_run_as_the_user_of_the_image_without_further_rights():
    given = values()
    for pod in (given["dagsterWebserver"], given["dagsterDaemon"], code_location()):
        assert (pod["podSecurityContext"]["runAsUser"], pod["podSecurityContext"]["runAsNonRoot"]) == (10001, True)
        assert pod["securityContext"]["capabilities"] == {"drop": ["ALL"]}
        assert pod["securityContext"]["readOnlyRootFilesystem"] is True


def test_web_server_and_daemon_read_the_configuration_that_is_mounted():
    given = values()
    for pod in (given["dagsterWebserver"], given["dagsterDaemon"]):
        (home,) = (variable["value"] for variable in pod["env"] if variable["name"] == "DAGSTER_HOME")
        assert {"name": "instance", "mountPath": home, "readOnly": True} in pod["volumeMounts"]
        assert {"name": "instance", "configMap": {"name": "llm-archive-instance"}} in pod["volumes"]


def test_the_job_that_migrates_has_the_image_and_the_database_of_the_others():
    job = yaml.safe_load((HELM / "migrate.yaml").read_text(encoding="utf-8"))
    pod = job["spec"]["template"]["spec"]
    (container,) = pod["containers"]
    image = values()["dagsterDaemon"]["image"]
    assert container["image"] == f"{image['repository']}:{image['tag']}"
    assert container["args"] == ["dagster", "instance", "migrate"]
    assert container["env"] == [{"name": "ARCHIVE_DATABASE_URL_FILE", "value": "/etc/llm-archive-database/url"}]
