"""Rows do not change without a new version: the golden rows are those recorded, and the record only grows."""

from __future__ import annotations

import ast
import copy
import importlib.metadata
import json
import sys
import unicodedata
from pathlib import Path
from typing import Any

import pytest

import archive_pipeline
from archive_pipeline.derive.asset import DerivedAsset
from archive_pipeline.derive.registry import ASSETS, effective_version
from archive_pipeline.domain.batch import DialogueBatch
from archive_pipeline.domain.choices import Normalization
from archive_pipeline.settings import Settings
from archive_pipeline.store.database import Database
from archive_pipeline.store.document_chunks import DOCUMENT_CHUNKS
from archive_pipeline_tests.derive.batches import batch_of
from archive_pipeline_tests.golden import readers
from archive_pipeline_tests.golden.cases import DIALOGUES
from archive_pipeline_tests.golden.rows import (
    Digests,
    differences,
    inputs,
    made_rows,
    missing,
    read_record,
    update,
    versions,
)

# What derive and text import that is no part of Python: named in text/runtime.py, or a carrier of values.
SHAPING = {"bpe_openai": "bpe-openai", "py3langid": "py3langid", "regex": "regex", "Stemmer": "PyStemmer"}
CARRYING = {"archive_pipeline", "more_itertools", "numpy", "orjson", "pandas", "pyarrow"}

MADE: Digests = {"qa_pairs": {"tools": "a", "empty": "b"}, "exchanges": {"tools": "c", "empty": "d"}}
CASES = {"tools": "of tools", "empty": "of empty"}
OWN = {"qa_pairs": "1", "exchanges": "1"}


@pytest.mark.postgres
def test_every_asset_makes_the_rows_that_are_recorded_of_its_version(database: Database, settings: Settings):
    record, made = read_record(), made_rows(database, settings)
    cases = inputs() | readers.cases()
    assert differences(record, made, cases, versions()) == []
    assert missing(record, made, versions()) == []


def test_every_reader_makes_the_rows_that_are_recorded_of_its_version():
    record, made, own = read_record(), readers.made_rows(), readers.versions()
    assert set(made) == set(own)  # an export for each reader
    assert differences({**record, "cases": {}}, made, {}, own) == []
    assert missing(record, made, own) == []


@pytest.fixture
def recorded(tmp_path: Path) -> Path:
    path = tmp_path / "golden_rows.json"
    assert update(path, MADE, CASES, OWN, lambda _: None)
    return path


def attempt(path: Path, made: Digests, cases: dict[str, str], own: dict[str, str]) -> tuple[bool, list[str]]:
    said: list[str] = []
    return update(path, made, cases, own, said.append), said


def test_other_rows_of_a_recorded_version_are_refused_and_the_record_stays(recorded: Path):
    before = recorded.read_text()
    changed = copy.deepcopy(MADE)
    changed["qa_pairs"]["tools"] = "other rows"
    done, (said,) = attempt(recorded, changed, CASES, OWN)
    assert not done
    assert said.startswith("qa_pairs: version '1' makes other rows than it did (tools): raise its CODE_VERSION")
    assert recorded.read_text() == before
    # With a new version of its own they are recorded beside the old ones.
    done, said = attempt(recorded, changed, CASES, {**OWN, "qa_pairs": "2"})
    assert done
    assert said == ["qa_pairs: version '2' is recorded now"]
    rows = json.loads(recorded.read_text())["rows"]
    assert rows["qa_pairs"] == {"1": MADE["qa_pairs"], "2": changed["qa_pairs"]}
    assert attempt(recorded, changed, CASES, {**OWN, "qa_pairs": "2"}) == (True, [])


def test_a_case_that_was_edited_is_refused_and_a_new_one_is_added(recorded: Path):
    for cases in ({**CASES, "tools": "edited"}, {"tools": "of tools"}):  # edited, removed
        done, said = attempt(recorded, MADE, cases, OWN)
        assert not done
        assert len(said) == 1
    more = {asset: {**rows, "new": "e"} for asset, rows in MADE.items()}
    done, _ = attempt(recorded, more, {**CASES, "new": "of new"}, OWN)
    assert done
    assert json.loads(recorded.read_text())["rows"]["exchanges"]["1"] == more["exchanges"]


class Recording:
    """Settings that remember which of them were read."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self.read: set[str] = set()

    def __getattr__(self, name: str) -> Any:
        self.read.add(name)
        return getattr(self._settings, name)


@pytest.mark.parametrize("asset", ASSETS.values(), ids=lambda asset: asset.name)
def test_every_setting_that_an_asset_reads_is_part_of_its_version(
    asset: DerivedAsset[DialogueBatch], settings: Settings
):
    deriving, versioning = Recording(settings), Recording(settings)
    asset.derive(batch_of(*DIALOGUES["texts"]), deriving)  # type: ignore[arg-type]
    asset.setting_version(versioning)  # type: ignore[arg-type]
    assert deriving.read == versioning.read


@pytest.mark.parametrize(
    ("change", "touched"),
    [
        ({"hash_normalizations": (Normalization.LOWERCASE,)}, {"content_hashes"}),
        ({"simhash_version": 1}, {"content_hashes"}),
        ({"chunk_tokens": 64}, {"qa_chunks", "message_chunks"}),
    ],
)
def test_a_setting_makes_another_version_of_the_assets_that_have_it(
    settings: Settings, change: dict[str, Any], touched: set[str]
):
    other = settings.with_values(**change)
    assert {name for name in ASSETS if effective_version(name, settings) != effective_version(name, other)} == touched


def test_unicode_and_the_packages_that_cut_chunks_are_part_of_the_versions():
    unicode = f"unicode={unicodedata.unidata_version}"
    of_chunks = {f"{package}={importlib.metadata.version(package)}" for package in SHAPING.values()}
    found = {name: set(filter(None, asset.runtime_version().split(","))) for name, asset in ASSETS.items()}
    assert {name: parts for name, parts in found.items() if parts} == {
        "exchanges": {unicode},
        "content_hashes": {unicode},
        "response_hashes": {unicode},
        "qa_chunks": {unicode, *of_chunks},
        "message_chunks": {unicode, *of_chunks},
    }
    assert set(effective_version(DOCUMENT_CHUNKS, Settings()).split(";")[-1].split(",")) == of_chunks


def test_every_package_that_derive_uses_is_known_to_shape_rows_or_to_carry_them():
    used: set[str] = set()
    package = Path(archive_pipeline.__file__).parent
    folders = [path for room in ("derive", "text") for path in (package / room).glob("*.py")]
    # Ends of sentences shape contexts only, Markdown without its marks what is printed.
    for path in [path for path in folders if path.name not in ("sentences.py", "plain_markdown.py")]:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                used.update(alias.name.split(".")[0] for alias in node.names)
            elif isinstance(node, ast.ImportFrom):
                used.add(str(node.module).split(".")[0])
    # The tokenizer's compiled module is loaded by its path.
    assert used - sys.stdlib_module_names - CARRYING == set(SHAPING) - {"bpe_openai"}
