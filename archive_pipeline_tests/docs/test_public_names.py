"""What is public is listed, documented, typed, and all that the documents have users import."""

from __future__ import annotations

import inspect
import re
from importlib import import_module
from pathlib import Path

import pytest

import archive_pipeline
from archive_pipeline import errors
from archive_pipeline.settings.variables import CHECKOUT

ARCHITECTURE = (CHECKOUT / "docs" / "architecture.md").read_text(encoding="utf-8")
DOCUMENTS = [CHECKOUT / "README.md", *sorted((CHECKOUT / "docs").glob("*.md"))]


def test_the_public_modules_are_those_of_the_table():
    [section] = re.findall(r"^## Public names$(.*?)^## ", ARCHITECTURE, re.MULTILINE | re.DOTALL)
    listed = re.findall(r"^\| `archive_pipeline\.(\w+)`", section, re.MULTILINE)
    assert sorted(listed) == sorted(archive_pipeline.__all__)


@pytest.mark.parametrize("name", archive_pipeline.__all__)
def test_the_names_of_a_public_module_are_there_documented_and_listed(name: str):
    module = import_module(f"archive_pipeline.{name}")
    assert module.__doc__
    [row] = re.findall(rf"^\| `archive_pipeline\.{name}` \|.*$", ARCHITECTURE, re.MULTILINE)
    for public in module.__all__:
        assert inspect.getdoc(getattr(module, public)), public
        assert name == "errors" or f"`{public}`" in row, public


def test_every_error_is_public():
    found = {name for name, value in vars(errors).items() if inspect.isclass(value) and issubclass(value, Exception)}
    assert set(errors.__all__) == found


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_documents_import_public_names_only(document: Path):
    imports = re.findall(
        r"^from archive_pipeline\.(\S+) import (.+)$", document.read_text(encoding="utf-8"), re.MULTILINE
    )
    for module, names in imports:
        assert module in archive_pipeline.__all__
        assert set(re.findall(r"\w+", names)) <= set(import_module(f"archive_pipeline.{module}").__all__)


def test_the_package_says_that_it_is_typed():
    assert (Path(archive_pipeline.__file__).parent / "py.typed").exists()
