"""The code location: what Dagster's catalog shows, and that it loads the way a user loads it."""

from __future__ import annotations

import os
import subprocess
import sys
import warnings
from collections.abc import Iterator, Sequence
from pathlib import Path

import dagster as dg
import pytest
from markdown_it import MarkdownIt

from archive_pipeline.definitions import defs
from archive_pipeline.derive.registry import ASSETS, DOCUMENT_ASSETS, effective_version
from archive_pipeline.domain.choices import Partitioning
from archive_pipeline.domain.identity import SHARD_COUNT
from archive_pipeline.orchestration.assets.documents import PAGE_VECTORS
from archive_pipeline.orchestration.assets.raw import RAW_ASSET_TABLES, report_documents, report_import
from archive_pipeline.orchestration.assets.search import EMBEDDINGS_ASSET
from archive_pipeline.orchestration.build import build_defs
from archive_pipeline.orchestration.checks.structure import CHECKS
from archive_pipeline.orchestration.instance.opening import CONFIGURATION, instance_for, packaged_configuration
from archive_pipeline.orchestration.markdown import escaped
from archive_pipeline.settings import Settings
from archive_pipeline.settings.variables import CHECKOUT
from archive_pipeline.store import tables
from archive_pipeline.store.duplicates import DUPLICATES
from archive_pipeline.store.replace import TABLES
from archive_pipeline.store.tables.search import chunk_embeddings
from archive_pipeline_tests.orchestration.snapshot import SNAPSHOT, as_text, snapshot

pytestmark = pytest.mark.dagster

# What few steps need. Each run is a process that loads the code location first.
HEAVY = {"matplotlib", "py3langid", "torch", "chromadb", "sentence_transformers", "scipy", "sklearn"}

TABLES_OF_ASSETS = {
    **{f"raw/{name}": table for name, table in RAW_ASSET_TABLES.items()},
    **{name: TABLES[name] for name in (*ASSETS, *DOCUMENT_ASSETS, DUPLICATES)},
    PAGE_VECTORS: tables.page_vectors,
    EMBEDDINGS_ASSET: chunk_embeddings,
}


@pytest.fixture(scope="module")
def specs() -> dict[str, dg.AssetSpec]:
    return {spec.key.to_user_string(): spec for spec in build_specs(Settings(home=Path("/nowhere")))}


def build_specs(settings: Settings) -> Sequence[dg.AssetSpec]:
    return build_defs(settings=settings).resolve_all_asset_specs()


def test_definitions_load_without_warnings_and_without_touching_the_home(tmp_path: Path) -> None:
    home = tmp_path / "home"
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        dg.Definitions.validate_loadable(build_defs(settings=Settings(home=home)))
    assert not home.exists()


def test_the_code_location_is_made_from_the_environment_when_it_is_loaded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ARCHIVE_PARTITIONING", "sharded")
    spec = next(spec for spec in defs().resolve_all_asset_specs() if spec.key == dg.AssetKey("exchanges"))
    assert spec.partitions_def == dg.DynamicPartitionsDefinition(name="dialogue_shards")


def test_the_definitions_are_those_that_were_reviewed() -> None:
    assert SNAPSHOT.read_text(encoding="utf-8") == as_text(snapshot()), "review the change: make definitions, git diff"


def test_column_schemas_are_those_of_the_tables(specs: dict[str, dg.AssetSpec]) -> None:
    for name, table in TABLES_OF_ASSETS.items():
        columns = specs[name].metadata["dagster/column_schema"].columns
        assert [column.name for column in columns] == [column.name for column in table.columns]
        assert [column.description for column in columns] == [escaped(str(column.comment)) for column in table.columns]
        assert [column.constraints.nullable for column in columns] == [column.nullable for column in table.columns]
        assert all(column.type for column in columns)


def test_lineage_names_columns_that_there_are(specs: dict[str, dg.AssetSpec]) -> None:
    known = {name: set(table.columns.keys()) for name, table in TABLES_OF_ASSETS.items()}
    known |= {name: set(table.columns.keys()) for name, table in TABLES.items()}
    with_lineage = {name: spec for name, spec in specs.items() if "dagster/column_lineage" in spec.metadata}
    assert with_lineage.keys() == {*ASSETS, *DOCUMENT_ASSETS, PAGE_VECTORS}
    for name, spec in with_lineage.items():
        for column, sources in spec.metadata["dagster/column_lineage"].deps_by_column.items():
            table, _, bare = column.rpartition(".")
            assert bare in known[table or name]
            for source in sources:
                assert source.column_name in known[source.asset_key.to_user_string()]


def test_code_versions_follow_settings() -> None:
    for settings in (Settings(home=Path("/nowhere")), Settings(home=Path("/nowhere"), chunk_tokens=64)):
        versions = {spec.key.to_user_string(): spec.code_version for spec in build_specs(settings)}
        for name in (*ASSETS, *DOCUMENT_ASSETS):
            assert versions[name] == effective_version(name, settings)


def test_every_query_of_a_check_has_a_check() -> None:
    queries = {path.stem for path in (CHECKOUT / "sql" / "checks").glob("*.sql")} - {"checked_dialogues"}
    assert queries == {f"{check.asset}_{check.name}" for check in CHECKS}


def test_a_home_gets_the_configuration_once(settings: Settings, instance: dg.DagsterInstance) -> None:
    path = settings.home / CONFIGURATION
    assert path.read_text() == packaged_configuration().read_text()
    path.write_text(path.read_text() + "# mine\n")
    with instance_for(settings):
        assert path.read_text().endswith("# mine\n")


def test_an_import_is_reported_as_materialisations_of_raw_tables(instance: dg.DagsterInstance) -> None:
    instance.wipe_assets([dg.AssetKey(["raw", "attachments"])])
    report_import(instance, {"dialogues": 3, "messages": 9, "attachments": 0, "rejected_records": 1})
    event = instance.get_latest_materialization_event(dg.AssetKey(["raw", "messages"]))
    assert event is not None
    assert event.asset_materialization is not None
    assert event.asset_materialization.metadata["rows_written"].value == 9
    assert instance.get_latest_materialization_event(dg.AssetKey(["raw", "attachments"])) is None


def test_documents_are_reported_as_materialisations_of_their_tables(instance: dg.DagsterInstance) -> None:
    def latest(table: str) -> dict[str, object]:
        event = instance.get_latest_materialization_event(dg.AssetKey(["raw", table]))
        assert event is not None
        assert event.asset_materialization is not None
        return {name: value.value for name, value in event.asset_materialization.metadata.items()}

    report_documents(instance, {"documents": 2, "document_pages": 0})
    assert latest("documents") == {"rows_written": 2}
    report_documents(instance, {}, ["x"])
    assert latest("documents") == {"rows_written": 0, "documents_removed": 1, "removed": ["x"]}
    assert latest("document_pages") == {"rows_written": 0}


@pytest.mark.system
def test_the_workspace_loads_in_a_fresh_home(tmp_path: Path) -> None:
    (tmp_path / CONFIGURATION).write_bytes(packaged_configuration().read_bytes())
    environment = {**os.environ, "ARCHIVE_HOME": str(tmp_path), "DAGSTER_HOME": str(tmp_path)}
    done = subprocess.run(
        [Path(sys.executable).with_name("dagster"), "definitions", "validate", "-w", "workspace.yaml"],
        cwd=CHECKOUT,
        env=environment,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "All code locations passed validation" in done.stderr + done.stdout
    warned = [line for line in done.stderr.splitlines() if "arning" in line and "SupersessionWarning" not in line]
    assert warned == []


def described(definitions: dg.Definitions) -> Iterator[tuple[str, str]]:
    """Everything that the UI shows as Markdown and the definitions bring with them."""
    repository = definitions.get_repository_def()
    for spec in definitions.resolve_all_asset_specs():
        yield str(spec.key), spec.description or ""
        for name, value in spec.metadata.items():
            schema = getattr(value, "schema", value)
            for column in schema.columns if isinstance(schema, dg.TableSchema) else ():
                yield f"{spec.key} {name} {column.name}", column.description or ""
    for check in repository.asset_graph.asset_check_keys:
        yield str(check), repository.asset_graph.get_check_spec(check).description or ""
    for job in definitions.resolve_all_job_defs():
        yield job.name, job.description or ""
        yield from ((f"{job.name} {node.name}", node.definition.description or "") for node in job.graph.nodes)
    for automation in (*repository.sensor_defs, *repository.schedule_defs):
        yield automation.name, automation.description or ""


def test_placeholders_in_descriptions_are_no_html() -> None:
    markdown = MarkdownIt("commonmark")
    texts = dict(described(build_defs(settings=Settings(home=Path("/nowhere")))))
    assert {"stale_dialogues", "housekeeping"} <= texts.keys()
    columns = {name: text for name, text in texts.items() if name.endswith(" pair_id")}
    assert columns
    for name, text in texts.items():
        inline = [child for token in markdown.parse(text) for child in (token, *(token.children or ()))]
        kinds = {token.type for token in inline}
        assert not kinds & {"html_inline", "html_block", "link_open", "image", "heading_open"}, (name, text)


def test_loading_the_code_location_loads_nothing_that_few_steps_need():
    code = f"import sys; from archive_pipeline.definitions import defs; defs(); print({HEAVY} & sys.modules.keys())"
    environment = {**os.environ, "PYTHONWARNINGS": "ignore"}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=False)
    assert done.stdout.strip() == "set()", done.stderr


@pytest.mark.parametrize("partitioning", Partitioning)
def test_a_run_of_a_backfill_is_a_small_part_of_the_archive(partitioning: Partitioning, tmp_path: Path):
    settings = Settings(home=tmp_path, partitioning=partitioning)
    graph = build_defs(settings=settings).resolve_asset_graph()
    policies = {graph.get(dg.AssetKey(name)).backfill_policy for name in ASSETS}
    (policy,) = policies  # or Dagster would have each asset in runs of its own
    assert policy is not None
    # A million dialogues in shards, the most there are to be as partitions without.
    all_keys = SHARD_COUNT if partitioning is Partitioning.SHARDED else 100_000
    assert all_keys / policy.max_partitions_per_run >= 32
