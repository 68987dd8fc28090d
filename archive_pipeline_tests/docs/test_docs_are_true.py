"""What the documents say is what the program has: commands, options, variables, tables, warnings, examples."""

from __future__ import annotations

import hashlib
import importlib.util
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import click
import pytest
from sqlalchemy.orm import Session

import archive_pipeline
from archive_pipeline.building.dialogues import build_stale
from archive_pipeline.building.duplicates import refresh_duplicates
from archive_pipeline.cli.commands import LazyGroup, llm_archive
from archive_pipeline.derive.registry import ASSETS
from archive_pipeline.derive.response_hashes import hash_messages
from archive_pipeline.domain.choices import DUPLICATE_TYPES
from archive_pipeline.domain.records import PartType
from archive_pipeline.ingest.importer import import_archive
from archive_pipeline.matching import find_or_create_from_messages
from archive_pipeline.orchestration.assets.documents import CUT_CHECK, DOCUMENT_CHECK, PAGE_VECTORS
from archive_pipeline.orchestration.build import build_defs
from archive_pipeline.orchestration.checks.structure import CHECKS
from archive_pipeline.orchestration.checks.summary import SUMMARY_CHECKS
from archive_pipeline.orchestration.instance.opening import instance_for
from archive_pipeline.readers.reading import read_paths
from archive_pipeline.settings import Settings
from archive_pipeline.settings.variables import CHECKOUT
from archive_pipeline.store.database import Database
from archive_pipeline.store.document_chunks import DOCUMENT_CHUNKS
from archive_pipeline.store.duplicates import DUPLICATES, Choice, totals
from archive_pipeline.store.sql_files import load_sql, view_names
from archive_pipeline.store.tables import (
    ANNOTATION_TABLES,
    ATTACHMENT_TABLES,
    DERIVED_DOCUMENT_TABLES,
    DERIVED_TABLES,
    DOCUMENT_TABLES,
    LEXICAL_TABLES,
    RAW_TABLES,
    SEARCH_TABLES,
    build_errors,
    build_state,
)
from archive_pipeline.text.simhash import simhash_v1, simhash_v2
from archive_pipeline_tests.building.test_duplicates import TALKS
from archive_pipeline_tests.derive.batches import batch_of, linear
from archive_pipeline_tests.duplicates.finding import prose
from archive_pipeline_tests.exports import claude, load

DOCS = CHECKOUT / "docs"
README = CHECKOUT / "README.md"
DOCUMENTS = [
    *sorted(CHECKOUT.glob("*.md")),
    CHECKOUT / "benchmarks" / "README.md",
    CHECKOUT / "dagster_home" / "README.md",
    *sorted(DOCS.rglob("*.md")),
]
PACKAGE = Path(archive_pipeline.__file__).parent
# Constants that name an anomaly, as a regular expression.
ANOMALIES = r"LENIENT_JSON|INVALID_UTF8|DUPLICATE_MESSAGE|SANITIZED_\w+"


def text(name: str) -> str:
    return (DOCS / name).read_text(encoding="utf-8")


def commands(group: click.Group, *names: str) -> Iterator[tuple[str, click.Command]]:
    for name, known in group.commands.items():
        command = group.load(name) if isinstance(group, LazyGroup) else known
        if isinstance(command, click.Group):
            yield from commands(command, *names, name)
        else:
            yield " ".join([*names, name]), command


def generator(name: str) -> ModuleType:
    """Return a module of ``docs``, which is no package."""
    spec = importlib.util.spec_from_file_location(name, DOCS / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_tables_document_is_what_the_generator_writes(archive: Database):
    assert generator("generate_tables").document(archive) == text("tables.md"), "run `make docs`"


def test_the_table_of_settings_is_what_the_generator_writes():
    assert generator("generate_settings").document(text("operations.md")) == text("operations.md"), "run `make docs`"
    assert set(re.findall(r"^\| `(ARCHIVE_\w+)`", text("operations.md"), re.MULTILINE)) >= set(Settings.variables())


def test_the_columns_of_exports_are_what_the_generator_writes():
    assert generator("generate_columns").document(text("export.md")) == text("export.md"), "run `make docs`"


def test_filters_document_is_what_the_generator_writes():
    assert generator("generate_filters").document() == text("filters.md"), "run `make docs`"


def test_the_statements_for_citus_are_what_the_generator_writes():
    assert generator("generate_citus").document() == text("citus.sql"), "run `make docs`"


def test_the_reference_of_assets_is_what_the_generator_writes():
    assert generator("generate_assets").document() == text("reference/assets.md"), (
        "run `make definitions` and `make docs`"
    )


def test_the_site_has_every_document_and_every_public_module():
    index = text("index.md") + text("records.md")
    pages = {str(path.relative_to(DOCS).with_suffix("")) for path in DOCS.rglob("*") if path.suffix in {".md", ".rst"}}
    assert not [page for page in pages if f"\n{page}\n" not in index and not page.startswith(("index", "decisions/"))]
    modules = re.findall(r"^\.\. automodule:: archive_pipeline\.(\w+)$", text("reference/python.rst"), re.MULTILINE)
    assert modules == archive_pipeline.__all__


@pytest.mark.parametrize(("name", "command"), [pytest.param(*item, id=item[0]) for item in commands(llm_archive)])
def test_every_command_and_option_is_described(name: str, command: click.Command):
    assert command.help
    operations = text("operations.md")
    described = re.search(rf"^\| `{name}\b.*$", operations, re.MULTILINE)
    assert described is not None, f"operations.md has no row for `{name}`"
    options = [option for parameter in command.params for option in parameter.opts if option.startswith("--")]
    if "(filters.md)" in described.group():
        options = [option for option in options if f"| `{option}` |" not in text("filters.md")]
    assert not [option for option in options if option != "--json" and option not in described.group()]
    if "--json" in options:
        assert "`--json`" in operations


def test_every_table_view_and_asset_is_described():
    views = [name for file in view_names() for name in re.findall(r"VIEW derived\.(\w+)", load_sql(f"views/{file}"))]
    built = (*DERIVED_TABLES, build_state, build_errors, *SEARCH_TABLES, *LEXICAL_TABLES, *DERIVED_DOCUMENT_TABLES)
    names = [str(table) for table in (*RAW_TABLES, *ATTACHMENT_TABLES, *DOCUMENT_TABLES, *ANNOTATION_TABLES, *built)]
    headings = re.findall(r"^## (\S+)$", text("tables.md"), re.MULTILINE)
    assert headings == [*names, *(f"derived.{view}" for view in views)]
    assets = [*ASSETS, DUPLICATES, DOCUMENT_CHUNKS, PAGE_VECTORS]
    assert not [asset for asset in assets if f"the asset `{asset}`" not in text("tables.md")]
    assert not [asset for asset in assets if f"`{asset}`" not in text("architecture.md")]
    assert not [check for check in CHECKS if f"`{check.name}`" not in text("operations.md")]


def test_every_asset_check_and_job_of_the_code_location_is_described():
    definitions = build_defs(settings=Settings(home=Path("/nowhere")))
    graph = definitions.resolve_asset_graph()
    assets = {key.to_user_string() for key in graph.materializable_asset_keys}
    assert {DOCUMENT_CHUNKS, PAGE_VECTORS} < assets
    assert not [asset for asset in assets if f"| `{asset}`" not in text("architecture.md")]
    assert not [key.name for key in graph.asset_check_keys if f"`{key.name}`" not in text("operations.md")]
    checked = {(key.asset_key.to_user_string(), key.name) for key in graph.asset_check_keys}
    for check in (DOCUMENT_CHECK, CUT_CHECK):
        assert (DOCUMENT_CHUNKS, check) in checked
        assert f"| `{DOCUMENT_CHUNKS}` | `{check}` |" in text("operations.md")
    jobs = {job.name for job in definitions.resolve_all_job_defs() if not job.name.startswith("__")}
    everything = "".join(path.read_text(encoding="utf-8") for path in DOCUMENTS)
    assert not [job for job in jobs if f"`{job}`" not in everything]


def test_every_anomaly_is_described():
    names = {"missing_parent", "cycle", "messages_deleted", "messages_restored"}
    for path in [path for room in ("readers", "ingest", "text") for path in (PACKAGE / room).rglob("*.py")]:
        code = path.read_text(encoding="utf-8")
        names.update(re.findall(r'(?:warnings|counts)\[f?"([a-z_]+)', code))
        for constant in re.findall(r"(?:warnings|counts)\[([A-Z_]+)\]", code):
            names.update(re.findall(rf'^{constant}\b.* = "(\w+)"$', code, re.MULTILINE))
        names.update(re.findall(rf'^(?:{ANOMALIES})(?:: Final)? = "(\w+)"$', code, re.MULTILINE))
    assert {"bad_timestamp", "sanitized_nul", "unknown_part"} <= names
    assert not [name for name in names if f"`{name}" not in text("formats.md")]


def test_every_part_type_is_described():
    assert not [part for part in PartType if f"`{part}`" not in text("formats.md")]


def test_the_simhash_of_the_golden_texts_is_the_documented_one():
    rows = re.findall(r"^\| `([^`]+)` \| `([0-9a-f]{16})` \| `([0-9a-f]{16})` \|$", text("decisions.md"), re.MULTILINE)
    assert len(rows) >= 4
    for content, first, second in rows:
        assert (simhash_v1(content), simhash_v2([content])) == (first, [second]), content


def test_the_example_of_the_hashes_is_true():
    [example] = re.findall(r"```python\n(.*?)```", text("hashes.md"), re.DOTALL)
    names = {"sha256": lambda preimage: hashlib.sha256(preimage.encode()).hexdigest()}
    exec(example, names)  # noqa: S102 (our own document)
    found = hash_messages(batch_of(linear("t", ("user", "Hi"))))
    assert [names["message"], names["context"]] == [*found.message_hash, *found.context_hash]
    assert [names["prompt"]] == found.prompt_path_hash


def test_the_queries_of_the_readme_run_on_the_sample(database: Database, settings: Settings):
    import_archive(database, read_paths([CHECKOUT / "examples" / "sample_archive"]))
    build_stale(database, settings)
    queries = re.findall(r"```sql\n(.*?)```", README.read_text(encoding="utf-8"), re.DOTALL)
    assert len(queries) >= 3
    with database.session() as connection:
        for query in queries:
            assert connection.execute(query).fetchall(), query


def test_the_queries_of_the_operations_run(database: Database, settings: Settings):
    queries = re.findall(r"```sql\n(SELECT .*?|SELECT\n.*?)```", text("operations.md"), re.DOTALL)
    assert len(queries) >= 4
    with instance_for(settings), database.session() as connection:
        for query in queries:
            connection.execute(query)


def test_the_queries_of_matching_tell_models_apart(database: Database):
    (rates, answers) = re.findall(r"```sql\n(.*?)```", text("matching.md"), re.DOTALL)
    with Session(database.engine) as session:
        for model in ("one", "two"):
            found = find_or_create_from_messages(
                session, [{"role": "user", "content": "Hi"}], response="Hello", model=model
            )
        session.commit()
    with database.session() as connection:
        counted = connection.execute(rates).fetchall()
        assert sorted(row[1:7] for row in counted) == [
            ("one", "find_or_create", 1, 0, 0, 1),
            ("two", "find_or_create", 1, 0, 1, 0),
        ]
        hashes = [known.prompt_hash for known in found.responses]
        told = connection.execute(answers.replace("'…'", "%s"), hashes[:1]).fetchall()
        assert [model for model, _, _ in told] == ["one", "two"]


def test_the_query_of_duplicates_finds_the_copies_that_the_command_counts(
    database: Database, settings: Settings, tmp_path: Path
):
    (query,) = re.findall(r"```sql\n(.*?)```", text("duplicates.md"), re.DOTALL)
    equal = [claude(name, prose(30, step=23)) for name in ("one", "two", "three")]
    load(database, tmp_path / "talks.json", *TALKS, *equal)
    refresh_duplicates(database, settings)
    with database.session() as connection:
        copies = Counter(row[0] for row in connection.execute(query).fetchall())
        counted = totals(connection, Choice(DUPLICATE_TYPES, None, 0))
    # A message and an exchange have a near copy; what is asked three times, without an answer, has two equal ones.
    assert copies == {row["entity_type"]: row["content_copies"] for row in counted} == {"message": 3, "exchange": 3}


def test_every_check_of_the_summary_is_described():
    names = [key.name for checks in SUMMARY_CHECKS for key in checks.check_keys]
    assert len(names) >= 5
    assert not [name for name in names if f"`{name}`" not in text("operations.md")]


def test_the_readme_is_short():
    assert len(README.read_text(encoding="utf-8").splitlines()) <= 150


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: str(path.relative_to(CHECKOUT)))
def test_links_between_documents_lead_somewhere(document: Path):
    for link in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", document.read_text(encoding="utf-8")):
        if not link.startswith("docs/images/"):
            assert (document.parent / link).exists(), link
