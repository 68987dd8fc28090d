"""The audit of the seeds is true: what it names is there, and what is done otherwise has a reason."""

from __future__ import annotations

import ast
import importlib.util
import re
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from archive_pipeline.settings.variables import CHECKOUT

DOCS = CHECKOUT / "docs"
# How many requirements each seed has at least: lines may be added, none is dropped.
FEWEST = {"000": 103, "001": 36, "002": 60, "003": 64, "004": 43}


def generator() -> ModuleType:
    spec = importlib.util.spec_from_file_location("generate_audit", DOCS / "generate_audit.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


REQUIREMENTS = generator().requirements()


@cache
def functions(path: Path) -> frozenset[str]:
    """Return the names of the test functions of a module, those of its classes among them."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return frozenset(node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef))


@cache
def anchors(path: Path) -> frozenset[str]:
    """Return the anchors of a document's headings, as GitHub makes them."""
    headings = re.findall(r"^#+ (.+)$", path.read_text(encoding="utf-8"), re.MULTILINE)
    return frozenset(re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings)


def is_shown(proof: str) -> bool:
    """Tell whether a test or a decision is there."""
    if "::" in proof:
        file, function = proof.split("::")
        path = CHECKOUT / file
        is_test = file.startswith("archive_pipeline_tests/") and function.startswith("test_")
        return is_test and path.exists() and function in functions(path)
    file, _, anchor = proof.partition("#")
    path = CHECKOUT / file
    is_decision = file == "docs/decisions.md" or file.startswith("docs/decisions/")
    return is_decision and path.exists() and (not anchor or anchor in anchors(path))


@pytest.mark.parametrize("requirement", REQUIREMENTS, ids=lambda each: f"{each.seed} {each.text}")
def test_every_place_and_every_proof_of_a_requirement_is_there(requirement: Any):
    assert requirement.text
    for place in requirement.where:
        file, _, name = place.partition(":")
        assert (CHECKOUT / file).exists(), place
        assert name in (CHECKOUT / file).read_text(encoding="utf-8"), place
    missing = [proof for proof in requirement.shown_by if not is_shown(proof)]
    assert not missing


def test_a_proof_that_is_not_there_is_noticed():
    assert not is_shown("archive_pipeline_tests/docs/test_audit.py::test_nothing")
    assert not is_shown("archive_pipeline/errors.py::test_nothing")
    assert not is_shown("docs/decisions.md#no-such-section")
    assert not is_shown("docs/decisions/9999-none.md")
    assert is_shown("docs/decisions.md#hashes")


def test_every_requirement_of_a_seed_is_told_once_and_none_is_dropped():
    told = [(each.seed, each.text) for each in REQUIREMENTS]
    assert len(set(told)) == len(told)
    counts = {seed: sum(1 for each in REQUIREMENTS if each.seed == seed) for seed in FEWEST}
    assert sum(counts.values()) == len(REQUIREMENTS)
    assert all(counts[seed] >= fewest for seed, fewest in FEWEST.items())


def test_a_difference_is_a_sentence():
    differences = [each.difference for each in REQUIREMENTS if each.difference]
    assert all(len(difference.split()) >= 4 for difference in differences)


def test_the_document_is_what_the_generator_writes():
    assert generator().document() == (DOCS / "audit.md").read_text(encoding="utf-8"), "run `make docs`"
