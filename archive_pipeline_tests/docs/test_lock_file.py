"""The lock file has a version for everything that `make` installs, within the ranges of pyproject.toml."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from functools import cache
from importlib import metadata

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from archive_pipeline.settings.variables import CHECKOUT

PROJECT = tomllib.loads((CHECKOUT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
LOCK = (CHECKOUT / "requirements.lock").read_text(encoding="utf-8")
# What `make` installs.
EXTRAS = ("dev", "bench")


@cache
def locked() -> dict[str, list[Requirement]]:
    """The locked versions by name; several where the version of Python or the platform decides."""
    found: dict[str, list[Requirement]] = {}
    for line in LOCK.splitlines():
        if line.partition("#")[0].strip():
            requirement = Requirement(line.partition("#")[0].strip())
            found.setdefault(canonicalize_name(requirement.name), []).append(requirement)
    return found


def declared(extras: tuple[str, ...]) -> Iterator[Requirement]:
    """What pyproject.toml asks for, with the extras that extras name."""
    for text in PROJECT["dependencies"]:
        yield Requirement(text)
    for extra in extras:
        for requirement in map(Requirement, PROJECT["optional-dependencies"][extra]):
            if requirement.name == PROJECT["name"]:
                yield from declared(tuple(sorted(requirement.extras)))
            else:
                yield requirement


def version_of(requirement: Requirement) -> str:
    [specifier] = requirement.specifier
    assert specifier.operator == "=="
    return specifier.version


@pytest.mark.parametrize("requirement", sorted({str(each) for each in declared(EXTRAS)}))
def test_each_dependency_is_locked_within_its_range(requirement: str):
    asked = Requirement(requirement)
    versions = [version_of(pinned) for pinned in locked()[canonicalize_name(asked.name)]]
    assert not [version for version in versions if not asked.specifier.contains(version)], "run `make lock`"


@pytest.mark.slow
def test_what_dependencies_need_is_locked_too():
    missing = set()
    for name in locked():
        try:
            needed = metadata.requires(name) or []
        except metadata.PackageNotFoundError:  # of another platform
            continue
        for requirement in map(Requirement, needed):
            if requirement.marker is None or requirement.marker.evaluate({"extra": ""}):
                missing |= {canonicalize_name(requirement.name)} - set(locked())
    assert not missing, "run `make lock`"


def test_the_lock_file_names_no_place_to_install_from():
    assert not re.search(r"://|--|@", LOCK)


def test_make_installs_the_locked_versions():
    assert "install --no-compile --constraint $(LOCK)" in (CHECKOUT / "Makefile").read_text(encoding="utf-8")
