"""Runs on machines of their own: a launcher starts them with nothing shared but the database."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
import yaml

from archive_pipeline.derive.registry import ASSETS
from archive_pipeline.ingest.importer import import_archive
from archive_pipeline.orchestration.instance.opening import CONFIGURATION, packaged_configuration
from archive_pipeline.readers.reading import read_paths
from archive_pipeline.store.database import Database
from archive_pipeline_tests.system.commands import Command, contents, gate
from archive_pipeline_tests.system.forked import Forks
from archive_pipeline_tests.system.live import Live
from archive_pipeline_tests.system.separate_launcher import PROCESS_FILE, SeparateLauncher, process_of
from archive_pipeline_tests.tables import query

pytestmark = [pytest.mark.system, pytest.mark.postgres, pytest.mark.dagster, pytest.mark.faults]

# Nobody but the test asks for runs: a sensor ticks when the daemon starts, over an empty archive, and then not again.
ONE_TICK = {"ARCHIVE_SENSOR_SECONDS": "86400", "ARCHIVE_SCHEDULE": "0 0 29 2 *"}
BUILT = "SELECT asset, count(*) FROM derived.build_state GROUP BY asset"


@dataclass(frozen=True)
class Deployment:
    """The UI and daemon of a deployment, its database, and the folder with a machine per run."""

    live: Live
    database: Database
    machines: Path
    forks: Forks

    def command(self, *arguments: object) -> Command:
        """A command on another machine, which has the URL of the database and nothing else."""
        home = self.machines / "command"
        variables = {"ARCHIVE_DATABASE_URL": self.database.url}
        return Command(home, *arguments, log=self.machines / "command-log", variables=variables, forks=self.forks)

    def runs(self) -> list[str]:
        """Ids of the runs whose processes were started."""
        return [path.parent.name for path in self.machines.glob(f"*/{PROCESS_FILE}")]

    def started(self) -> int:
        """How many runs are at work."""
        return self.live.count(["STARTED"])


@pytest.fixture
def deployment(new_migrated_database: Callable[[], Database], tmp_path: Path, forks: Forks) -> Iterator[Deployment]:
    """A deployment whose runs are launched elsewhere, with an empty archive that every sensor has looked at."""
    database = new_migrated_database()
    machines, control = tmp_path / "machines", tmp_path / "control"
    machines.mkdir()
    control.mkdir(mode=0o700)
    variables = {**ONE_TICK, "ARCHIVE_DATABASE_URL": database.url}
    configuration = yaml.safe_load(packaged_configuration().read_text())
    configuration["run_launcher"] = {
        "module": SeparateLauncher.__module__,
        "class": SeparateLauncher.__name__,
        "config": {
            "machines": str(machines),
            "forks": forks.address,
            "variables": {"ARCHIVE_DATABASE_URL": database.url},
        },
    }
    configuration["run_monitoring"]["poll_interval_seconds"] = 1
    (control / CONFIGURATION).write_text(yaml.safe_dump(configuration))
    live = Live(control, log=tmp_path / "up", variables=variables, forks=forks)
    running = Deployment(live, database, machines, forks)
    try:
        live.wait_until_ready()
        live.wait(lambda: bool(live.ticks("stale_dialogues") and live.ticks("new_imports")), "the sensors have looked")
        yield running
    finally:
        live.kill_all()
        for run in running.runs():
            process = process_of(machines, run)
            if process is not None:
                process.kill()


def backfills_of_halves(deployment: Deployment, corpus: Path) -> list[str]:
    """Import the corpus without building it, and ask for a backfill over each half of its dialogues."""
    import_archive(deployment.database, read_paths([corpus]))
    registered = deployment.command("partitions", "--register").end()
    assert registered.code == 0, registered.err
    keys = [key for (key,) in query(deployment.database, "SELECT partition_key FROM raw.dialogues ORDER BY id")]
    assert len(keys) == 24
    return [deployment.live.launch_backfill(sorted(ASSETS), half) for half in (keys[:12], keys[12:])]


def wait_for_success(deployment: Deployment, backfills: list[str]) -> None:
    deployment.live.wait(
        lambda: {deployment.live.backfill_status(each) for each in backfills} == {"COMPLETED_SUCCESS"},
        "both backfills have ended well",
    )


def test_two_runs_at_once_on_machines_of_their_own_fill_the_tables_of_one_build(
    deployment: Deployment, corpus: Path, undisturbed: dict[str, list[str]]
):
    with gate(deployment.database, "derived.dialogue_trees", "true") as held:
        backfills = backfills_of_halves(deployment, corpus)
        deployment.live.wait(lambda: bool(held.visitors()) and deployment.started() == 2, "two runs are at work")
    wait_for_success(deployment, backfills)
    assert contents(deployment.database) == undisturbed
    assert dict(query(deployment.database, BUILT)) == dict.fromkeys(ASSETS, 24)
    assert len(deployment.runs()) >= 2
    # A worker has a home of its own: what its steps print is there, and nothing of it where it was launched.
    assert not (deployment.live.home / "storage").exists()
    assert all((deployment.machines / run / "home" / "storage").is_dir() for run in deployment.runs())
    verified = deployment.command("verify").end()
    assert verified.code == 0, verified.err


def test_a_machine_that_is_lost_in_the_middle_of_a_run_leaves_nothing_undone(
    deployment: Deployment, corpus: Path, undisturbed: dict[str, list[str]]
):
    with gate(deployment.database, "derived.exchanges", "true") as held:
        backfills = backfills_of_halves(deployment, corpus)
        deployment.live.wait(lambda: bool(held.visitors()) and deployment.started() == 2, "two runs are at work")
        lost = process_of(deployment.machines, deployment.runs()[0])
        assert lost is not None
        lost.kill()
    wait_for_success(deployment, backfills)
    assert contents(deployment.database) == undisturbed
    retried = [run for run in deployment.live.runs("__ASSET_JOB") if "dagster/retry_number" in run["tags"]]
    assert [run["status"] for run in retried] == ["SUCCESS"]
